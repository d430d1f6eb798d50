"""Signs at the lines that the real CLI has written in a chat."""

from pathlib import Path

from support.acp.chatting import press
from support.fake_api import FakeApi, edit, text, tool_use
from support.neovim import Neovim, until
from support.panel import PATIENCE, Panel
from support.unseen import ON, has_signs, signs


async def test_the_lines_of_a_turn_have_signs_until_they_are_marked_in_the_review(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path, project: Path
) -> None:
    await nvim.lua(ON)
    await nvim.command("ClaudeChat mode acceptEdits")
    await panel.bar_shows("acceptEdits")
    made = project / "made.txt"
    api.script(
        *edit(path, "two", "TWO\nmore", then="")[:2],
        [tool_use("Write", file_path=str(made), content="a\nb\n")],
        [tool_use("Bash", command=f"echo three >> {path.name}", description="Append")],
        [text("All done.")],
    )
    await panel.send("Shout")
    await panel.shows("All done.")
    await nvim.command(f"stopinsert | call win_gotoid(bufwinid('{path}'))")
    await has_signs(nvim, "2 3 4")

    await nvim.command("ClaudeChanges")
    await until(lambda: nvim.eval("&buftype == 'quickfix'"), "the list is open", PATIENCE)
    await nvim.keys("ggVGs")
    await until(lambda: nvim.eval("getqflist()[-1].text =~ '^seen: '"), "they are marked")

    await nvim.command(f"cclose | call win_gotoid(bufwinid('{path}'))")
    assert await signs(nvim) == ""
    await nvim.command(f"edit {made}")
    assert await signs(nvim) == ""


async def test_an_edit_that_is_allowed_in_the_transcript_was_seen(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path
) -> None:
    await nvim.lua(ON)
    api.script(*edit(path, "two", "TWO\nmore", then="All done."))
    await panel.send("Shout")
    await until(lambda: nvim.eval("tabpagenr('$') == 2"), "the diff is open", PATIENCE)
    await nvim.command("tabfirst")
    await press(panel, "? Edit a.py?", "y")

    await panel.shows("All done.")
    await nvim.command(f"stopinsert | call win_gotoid(bufwinid('{path}'))")
    await until(lambda: nvim.eval("line('$') == 3"), "the buffer follows", PATIENCE)
    await nvim.idle(200)
    assert await signs(nvim) == ""
