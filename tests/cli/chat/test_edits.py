"""Edits of the real CLI in the chat panel: shown, accepted, changed, rejected, undone."""

from pathlib import Path

import pytest

from support.chunks import chunk
from support.cli_chat import lines
from support.fake_api import FakeApi, edit, text, tool_use
from support.hostile import DEEP, EAGER, LINK, Addresses, survives
from support.neovim import Neovim, until
from support.panel import Panel
from support.reviews import send_remark


async def diff_is_open(nvim: Neovim) -> None:
    """Wait until a proposal accepts keys."""

    async def shown() -> bool:
        diffs = await nvim.lua("return require('claude_ide.diff').list()")
        return bool(diffs) and diffs[0]["shown"]

    await until(shown, "the diff is open")


async def test_an_edit_accepted_in_the_diff_is_written(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path
) -> None:
    api.script(*edit(path, "two", "TWO", then="All done."))

    await panel.send("Shout")
    await diff_is_open(nvim)
    await nvim.keys(":w<CR>")

    shown = await panel.shows("All done.")
    assert "↳ allowed" in shown
    assert path.read_text() == "one\nTWO\n"
    assert await nvim.eval(f"getbufline('{path}', 1, '$')") == ["one", "TWO"]
    assert await nvim.eval("tabpagenr('$')") == 1
    # What was accepted in a diff has been reviewed.
    assert (await nvim.eval("claude_ide#review()"))["files"] == []


@pytest.mark.parametrize(
    ("old", "text"),
    [
        ("two", "one\ntwo\nthree\n"),
        ("two\n", "one\ntwo\n"),
        ("two", "one\ntwo"),
        ("ne", "one\ntwo\n"),
    ],
)
async def test_a_diff_shows_a_deletion_as_the_cli_makes_it(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path, old: str, text: str
) -> None:
    path.write_text(text)
    api.script(*edit(path, old, "", then="All done."))

    await panel.send("Shorten it")
    await diff_is_open(nvim)
    proposed = await nvim.eval("getline(1, '$')")
    await nvim.keys(":w<CR>")

    await panel.shows("All done.")
    assert path.read_text().splitlines() == proposed


async def test_hostile_text_and_a_hostile_file_do_no_harm(
    nvim: Neovim, panel: Panel, api: FakeApi, project: Path
) -> None:
    await nvim.lua(EAGER)
    addresses = Addresses(nvim)
    attack = f"{LINK}\n\n{DEEP['quotes']}\n"
    write = tool_use("Write", file_path=str(project / "new.md"), content=attack)
    api.script([text(f"```markdown\n{attack}```\n\nLook."), write], [text("All done.")])

    await panel.send("Repeat the file")
    await diff_is_open(nvim)
    await survives(nvim)
    await nvim.keys(":w<CR>")

    await panel.shows("All done.")
    await survives(nvim)
    assert (project / "new.md").read_text() == attack
    assert addresses.hostile() == []


async def test_the_users_change_to_an_edit_is_written_and_sent_to_the_model(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path
) -> None:
    api.script(*edit(path, "two", "TWO", then="All done."))

    await panel.send("Shout")
    await diff_is_open(nvim)
    await nvim.keys("Gothree<Esc>:w<CR>")

    assert "↳ allowed, with your changes" in await panel.shows("All done.")
    assert path.read_text() == "one\nTWO\nthree\n"
    assert "+three" in api.requests[2].new_text


KEPT = chunk("edits/kept")


async def is_kept_in_a_buffer(nvim: Neovim, text: str) -> None:
    """Wait until a text is kept in a buffer, and a message names this buffer."""
    bufnr, found = await until(lambda: nvim.lua(KEPT), "the text is kept")
    assert found == text
    words = f"your edits are kept in buffer {bufnr}"

    async def is_reported() -> bool:
        # The report of the other program's change may replace it on the screen.
        return words in await nvim.eval("execute('messages')")

    await until(is_reported, "the message")


async def accept_with_a_line(nvim: Neovim) -> None:
    """Add a line below Claude's first one in the proposal, and accept it."""
    await diff_is_open(nvim)
    await nvim.keys("/LINE<CR>omine<Esc>:w<CR>")


async def test_an_edit_is_merged_with_the_change_of_another_program(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path, cli: Path
) -> None:
    path.write_text(lines())
    api.script(*edit(path, "line 2", "LINE 2", then="All done."))
    await panel.send("Shout")
    await diff_is_open(nvim)
    path.write_text(lines(line_8="theirs"))

    await accept_with_a_line(nvim)

    await panel.shows("All done.")
    if "updated successfully" in api.requests[2].new_text:
        assert path.read_text() == lines(line_2="LINE 2\nmine", line_8="theirs")
        assert not await nvim.lua(KEPT)
    else:  # 2.1.197 refuses to write a changed file
        assert path.read_text() == lines(line_8="theirs")
        await is_kept_in_a_buffer(nvim, lines(line_2="LINE 2\nmine"))


async def test_an_accepted_text_is_kept_in_a_buffer_if_the_same_lines_have_changed(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path
) -> None:
    path.write_text(lines())
    api.script(*edit(path, "line 2", "LINE 2", then="All done."))
    await panel.send("Shout")
    await diff_is_open(nvim)
    path.write_text(lines(line_2="theirs"))

    await accept_with_a_line(nvim)

    await panel.shows("All done.")
    assert path.read_text() == lines(line_2="theirs")
    await is_kept_in_a_buffer(nvim, lines(line_2="LINE 2\nmine"))


async def test_an_accepted_text_is_kept_in_a_buffer_if_the_cli_refuses_to_write_it(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path
) -> None:
    path.write_text(lines())
    content = lines(line_2="LINE 2")
    api.script(
        [tool_use("Read", file_path=str(path))],
        [tool_use("Write", file_path=str(path), content=content)],
        [text("All done.")],
    )
    await panel.send("Shout")
    await diff_is_open(nvim)
    path.write_text(lines(line_8="theirs"))

    await accept_with_a_line(nvim)

    await panel.shows("All done.")
    assert path.read_text() == lines(line_8="theirs")
    await is_kept_in_a_buffer(nvim, lines(line_2="LINE 2\nmine"))


async def test_an_accepted_edit_of_a_deleted_file_is_written(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path
) -> None:
    path.write_text(lines())
    api.script(*edit(path, "line 2", "LINE 2", then="All done."))
    await panel.send("Shout")
    await diff_is_open(nvim)
    path.unlink()

    await accept_with_a_line(nvim)

    await panel.shows("All done.")
    assert path.read_text() == lines(line_2="LINE 2\nmine")


@pytest.mark.parametrize("keys", ["Gomine<Esc>:w<CR>", ":w<CR>"])
async def test_a_file_that_another_program_has_created_is_not_overwritten(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path, keys: str
) -> None:
    new = path.with_name("new.txt")
    api.script([tool_use("Write", file_path=str(new), content="first\n")], [text("All done.")])
    await panel.send("Make it")
    await diff_is_open(nvim)
    new.write_text("theirs\n")

    await nvim.keys(keys)

    assert "rejected: the file already exists" in await panel.shows("All done.")
    assert new.read_text() == "theirs\n"
    assert "read it" in api.requests[1].new_text
    if "mine" in keys:
        await is_kept_in_a_buffer(nvim, "first\nmine\n")


async def test_unsaved_lines_stay_in_the_buffer_after_an_edit(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path
) -> None:
    path.write_text(lines())
    bufnr = await nvim.eval(f"bufnr('{path}')")
    await until(lambda: nvim.eval(f"getbufline({bufnr}, 1, '$') == {lines().splitlines()}"))
    await nvim.command(f"call appendbufline({bufnr}, '$', 'unsaved')")
    api.script(*edit(path, "line 2", "LINE 2", then="All done."))
    await panel.send("Shout")
    await diff_is_open(nvim)

    await nvim.keys(":w<CR>")

    await panel.shows("All done.")
    assert path.read_text() == lines(line_2="LINE 2")
    wanted = [*lines(line_2="LINE 2").splitlines(), "unsaved"]
    await until(lambda: nvim.eval(f"getbufline({bufnr}, 1, '$') == {wanted}"), "the buffer")
    assert await nvim.eval(f"getbufvar({bufnr}, '&modified')") == 1


async def test_an_edit_is_rejected_with_a_reason(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path
) -> None:
    api.script(*edit(path, "two", "TWO", then="Very well."))

    await panel.send("Shout")
    await diff_is_open(nvim)
    await nvim.keys(":ClaudeReject please whisper<CR>")

    assert "rejected: please whisper" in await panel.shows("Very well.")
    assert path.read_text() == "one\ntwo\n"
    assert "please whisper" in api.requests[2].new_text


@pytest.mark.parametrize("accepted", [True, False])
async def test_a_comment_on_an_edit_reaches_the_model(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path, accepted: bool
) -> None:
    api.script(*edit(path, "two", "TWO", then="All done."), [text("Understood.")])

    await panel.send("Shout")
    await diff_is_open(nvim)
    await nvim.command("2ClaudeComment why shout?")
    await nvim.command("ClaudeAccept" if accepted else "ClaudeReject too loud")

    said = "a.py, line 2:\n> TWO\nwhy shout?"
    words = said if accepted else f"too loud\n\n{said}"
    await until(lambda: any(words in each.new_text for each in api.requests), words)


async def test_remarks_on_a_file_are_the_next_prompt_of_a_visible_chat(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path
) -> None:
    api.script([text("Understood.")])
    await nvim.command(f"tabedit {path} | tabclose | stopinsert | wincmd t | edit {path}")

    await send_remark(nvim, "1ClaudeComment explain")

    await panel.shows("Understood.")
    assert "one" in api.requests[-1].new_text
    assert "explain" in api.requests[-1].new_text


async def test_the_window_bar_says_why_claude_wants_the_edit(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path
) -> None:
    read, change, end = edit(path, "two", "TWO", then="All done.")
    api.script(read, [text("The word is too quiet. I shout it:"), *change], end)

    await panel.send("Shout")
    await diff_is_open(nvim)

    bar = "nvim_eval_statusline(&winbar, {'winid': win_getid(), 'use_winbar': v:true}).str"
    assert "I shout it" in await nvim.eval(bar)
    assert "too quiet" not in await nvim.eval(bar)
