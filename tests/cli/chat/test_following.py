"""The files of the real CLI, shown next to the chat while the user types in its prompt."""

from pathlib import Path

import pytest

from support.chunks import chunk
from support.fake_api import FakeApi, edit, text, tool_use
from support.following import LOOK
from support.neovim import Neovim, until
from support.panel import Panel


@pytest.fixture
async def panel(nvim: Neovim, cli: Path, path: Path) -> Panel:
    """A chat that follows, whose edits need no permission, next to the file at `path`."""
    await nvim.command(f"edit {path}")
    panel = await Panel.open(nvim, [cli], mode="acceptEdits", follow=True)
    await panel.bar_shows("follows")
    return panel


async def shows(nvim: Neovim, name: str, line: int) -> None:
    async def shown() -> bool:
        seen = await nvim.lua(LOOK)
        return (seen["name"], seen["line"]) == (name, line)

    try:
        await until(shown, f"{name}:{line}")
    except AssertionError as error:
        raise AssertionError(f"{error}; shown is {await nvim.lua(LOOK)}") from None


async def test_files_that_claude_reads_edits_and_writes_are_shown_while_the_user_types(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path, project: Path
) -> None:
    long, made = project / "long.txt", project / "made.txt"
    long.write_text("".join(f"line {number}\n" for number in range(1, 60)))
    api.script(
        [tool_use("Read", file_path=str(long), offset=40, limit=5)],
        [text("Looked.")],
        *edit(path, "two", "TWO", then="Edited."),
        *edit(long, "line 50\n", "line 50\nmore\n", then="Grown."),
        [tool_use("Write", file_path=str(made), content="x\ny\n")],
        [text("Made.")],
    )

    await panel.send("Look")
    await nvim.keys("my ")
    await shows(nvim, "long.txt", 40)
    await panel.shows("Looked.")
    await nvim.keys("<C-u>")
    await panel.send("Shout")
    await nvim.keys("next ")
    await shows(nvim, "a.py", 2)
    await panel.shows("Edited.")
    await nvim.keys("<C-u>")
    await panel.send("Add")
    await nvim.keys("prompt ")
    await shows(nvim, "long.txt", 51)
    assert (await nvim.lua(LOOK))["text"] == "more"
    await panel.shows("Grown.")
    await nvim.keys("<C-u>")
    await panel.send("Make")
    await nvim.keys("stays")
    await shows(nvim, "made.txt", 1)
    await panel.shows("Made.")

    seen = await nvim.lua(LOOK)
    assert (seen["mode"], seen["filetype"]) == ("i", "claude-prompt")
    assert (await panel.look())["prompt"] == ["stays"]


async def test_the_files_of_a_subagent_are_not_shown(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path, project: Path
) -> None:
    theirs, last = project / "theirs.txt", project / "last.txt"
    for file in (theirs, last):
        file.write_text("one\ntwo\n")
    await nvim.lua(chunk("following/watch_entered"))
    agent = tool_use(
        "Agent", description="look", prompt="LOOK CLOSELY", subagent_type="general-purpose"
    )
    look = tool_use("Read", file_path=str(theirs), offset=2)
    api.script_agent("LOOK CLOSELY", [look], [text("There are two lines.")])
    # The pause is longer than the least time between two files.
    wait = tool_use("Bash", command="sleep 0.5", description="wait")
    api.script([agent], [wait], [tool_use("Read", file_path=str(last))], [text("All done.")])

    await panel.send("Have somebody look")
    await shows(nvim, "last.txt", 1)

    assert "theirs.txt" not in await nvim.lua("return _G.entered")
