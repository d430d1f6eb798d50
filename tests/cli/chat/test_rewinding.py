"""`:ClaudeChat rewind` in the chat panel of the real CLI."""

from pathlib import Path
from typing import Any

import pytest

from support.chunks import chunk
from support.either_editor import choose
from support.fake_api import FakeApi, edit, text, tool_use
from support.neovim import Neovim, until
from support.panel import Panel, holds

CHOOSE = chunk("branching/choose")
DIFF = ["--- a/a.py", "+++ b/a.py", "@@ -1,2 +1,2 @@", " one", "-two", "+TWO"]


@pytest.fixture
async def edited(nvim: Neovim, panel: Panel, api: FakeApi, path: Path) -> Panel:
    """A chat that has edited a file and run a command."""
    api.script(
        *edit(path, "two", "TWO", then="Edited.")[:2],
        [tool_use("Bash", command="touch made.txt")],
        [text("All done.")],
        [text("I see.")],
    )
    await nvim.command("stopinsert | ClaudeChat mode acceptEdits")
    await panel.bar_shows("acceptEdits")
    await panel.send("Shout")
    await panel.shows("── ")
    assert path.read_text() == "one\nTWO\n"
    return panel


async def test_rewinding_files_only_tells_the_model(
    nvim: Neovim, edited: Panel, api: FakeApi, path: Path
) -> None:
    await nvim.lua(CHOOSE, ["Shout", "Files only"])

    await nvim.command("stopinsert | ClaudeChat rewind")

    shown = await edited.shows("↳ restored a.py to before “Shout”")
    assert "All done." in shown
    assert path.read_text() == "one\ntwo\n"
    await until(
        lambda: nvim.eval(f"getbufline('{path}', 1, '$') == ['one', 'two']"),
        "its buffer is restored",
    )
    _, [question, ways, below] = await _asked(nvim)
    assert "restore a.py (+1 -1 lines)?" in question
    assert ways == ["Files only", "Conversation only", "Conversation and files", "Cancel"]
    assert below[: len(DIFF)] == DIFF
    assert below[-2:] == ["What these commands have changed is not restored:", "  touch made.txt"]
    assert await nvim.eval("winnr('$')") == 3
    await edited.send("And now?")
    await edited.shows("I see.")
    assert "The user has restored these files" in api.requests[-1].new_text
    assert str(path) in api.requests[-1].new_text
    assert (path.parent / "made.txt").exists()


async def test_the_diff_is_on_the_screen_while_a_list_in_the_command_line_waits(
    nvim: Neovim, edited: Panel, path: Path
) -> None:
    await nvim.keys("<Esc>:ClaudeChat rewind<CR>")
    await until(lambda: "Go back to before:" in nvim.screen.text(), "the prompts")
    await choose(nvim, 1)

    await until(lambda: "Files only" in nvim.screen.text(), "the question")

    assert "-two" in nvim.screen.text()
    assert "+TWO" in nvim.screen.text()
    await choose(nvim, 4)
    await until(lambda: "+TWO" not in nvim.screen.text(), "the diff is closed")
    assert path.read_text() == "one\nTWO\n"


@pytest.mark.parametrize("way", ["Conversation only", "Conversation and files"])
async def test_rewinding_the_conversation_edits_the_prompt_and_asks_no_more(
    nvim: Neovim, edited: Panel, api: FakeApi, path: Path, way: str
) -> None:
    await nvim.lua(CHOOSE, ["Shout", way])

    await nvim.command("stopinsert | ClaudeChat rewind")
    await until(lambda: holds(edited, "Shout"), "the prompt")
    await edited.shows("✎ editing")
    assert path.read_text() == "one\nTWO\n"
    await nvim.keys("<C-s>")

    shown = await edited.shows("I see.")
    is_restored = way == "Conversation and files"
    assert "All done." not in shown
    assert path.read_text() == ("one\ntwo\n" if is_restored else "one\nTWO\n")
    assert len(await _asked(nvim)) == 2


async def _asked(nvim: Neovim) -> list[Any]:
    return list(await nvim.lua("return _G.asked or {}"))
