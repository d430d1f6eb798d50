"""The tools on buffers and their undo history."""

import gzip
import re
from pathlib import Path

import pytest

from support.either_editor import BOTH, Editor, edit, name_of, open_terminal
from support.model_tools import ModelTools
from support.neovim import until

# Without the time of the last use, which for the current buffer is the current time, and without
# `synced`: in Normal mode the next change is a new state anyway.
STATE = (
    "[filter(undotree(), 'v:key !=# \"synced\"'),"
    " map(getbufinfo(), {_, info -> filter(info, 'v:key !=# \"lastused\"')})]"
)
"""What a look at the undo history must leave as it was."""


@pytest.fixture
async def path(serving: Editor, project: Path) -> Path:
    """A file of three lines, open in Neovim."""
    path = project / "a.txt"
    path.write_text("one\ntwo\nthree\n")
    await serving.command(f"edit {path}")
    return path


@BOTH
async def test_buffers_are_listed_with_their_state(
    tools: ModelTools, serving: Editor, path: Path
) -> None:
    await serving.keys("xi<Esc>:new<CR>")

    listed = await tools.text("buffers")

    number = await serving.eval(f"bufnr('{path}')")
    assert f"{number}: {path} (text, 3 lines, shown, unsaved changes)" in listed.splitlines()
    assert re.search(r"^\d+: \(no name\) \(1 line, current\)$", listed, re.MULTILINE)


@BOTH
async def test_the_text_of_a_buffer_is_the_one_that_is_not_saved(
    tools: ModelTools, serving: Editor, path: Path
) -> None:
    await serving.command("call setline(2, 'zwei 𝄞') | call append(2, 'drei')")

    whole = await tools.text("buffer_text", file=str(path))
    part = await tools.text("buffer_text", file=str(path), offset=1, limit=2)

    assert whole.splitlines() == [
        "4 lines, with unsaved changes",
        "1\tone",
        "2\tzwei 𝄞",
        "3\tdrei",
        "4\tthree",
    ]
    assert part.splitlines()[1:] == ["2\tzwei 𝄞", "3\tdrei", "(1 more: offset=3)"]


@BOTH
async def test_a_buffer_without_a_file_has_a_number(tools: ModelTools, serving: Editor) -> None:
    await serving.command("call setline(1, 'a note')")
    number = await serving.eval("bufnr()")

    assert "1\ta note" in await tools.text("buffer_text", buffer=number)


@BOTH
async def test_a_file_that_is_not_open_is_on_disk(
    tools: ModelTools, serving: Editor, project: Path
) -> None:
    path = project / "b.txt"
    path.write_text("b\n")

    reason = await tools.error("buffer_text", file=str(path))

    assert reason == f"{path} is not open in {name_of(serving)}; read it from disk"
    assert await tools.error("buffer_text") == "give either file or buffer"


@BOTH
async def test_unsaved_changes_are_a_diff(tools: ModelTools, serving: Editor, path: Path) -> None:
    assert await tools.text("unsaved_changes") == "Everything is saved."
    await serving.command("call setline(2, 'TWO')")

    changed = await tools.text("unsaved_changes", file=str(path))

    assert changed.splitlines() == [
        "1 file with unsaved changes",
        f"--- {path} on disk",
        f"+++ {path} in {name_of(serving)}",
        "@@ -1,3 +1,3 @@",
        " one",
        "-two",
        "+TWO",
        " three",
    ]


@BOTH
async def test_a_compressed_file_is_not_compared_with_its_bytes(
    tools: ModelTools, serving: Editor, project: Path
) -> None:
    path = project / "a.txt.gz"
    path.write_bytes(gzip.compress(b"one\n"))
    await edit(serving, path)
    await serving.command("call setline(1, 'two')")

    changed = await tools.text("unsaved_changes")

    assert changed.splitlines()[-1] == "a plugin makes its text"


@BOTH
async def test_the_undo_history_can_be_compared_without_a_trace(
    tools: ModelTools, serving: Editor, path: Path
) -> None:
    await serving.keys("x:w<CR>jx")
    before = await serving.eval(STATE)

    history = await tools.text("undo_history", file=str(path))
    whole = await tools.text("undo_diff", file=str(path), older=0)
    last = await tools.text("undo_diff", file=str(path), older=1, newer=2)

    first, *states = history.splitlines()
    assert first == "2 states; the text is state 2"
    assert re.fullmatch(r"1: \d+ s ago, saved", states[0])
    assert re.fullmatch(r"2: \d+ s ago", states[1])
    assert whole.splitlines()[0] == "From state 0 to state 2"
    assert whole.splitlines()[2:] == ["-one", "-two", "+ne", "+wo", " three"]
    assert last.splitlines()[2:] == [" ne", "-two", "+wo", " three"]
    assert await serving.eval(STATE) == before


@BOTH
async def test_without_a_history_there_is_no_difference(tools: ModelTools, path: Path) -> None:
    compared = await tools.text("undo_diff", file=str(path), older=0)

    assert compared.endswith("\nThere is no difference.")


@BOTH
async def test_an_unknown_state_is_named(tools: ModelTools, path: Path) -> None:
    assert await tools.error("undo_diff", file=str(path), older=7) == (
        "there is no state 7; they are 0 to 0"
    )


@BOTH
async def test_a_terminal_that_runs_has_no_unsaved_changes(
    tools: ModelTools, serving: Editor
) -> None:
    await open_terminal(serving)

    listed = await tools.text("buffers")

    number = await serving.eval("bufnr()")
    (line,) = [each for each in listed.splitlines() if each.startswith(f"{number}: ")]
    assert "terminal" in line
    assert "unsaved" not in line


@BOTH
async def test_a_terminal_and_the_command_line_window_are_not_read(
    tools: ModelTools, serving: Editor
) -> None:
    await open_terminal(serving, command="echo secret")
    number = await serving.eval("bufnr()")

    reason = await tools.error("buffer_text", buffer=number)

    assert reason == f"buffer {number} is a terminal or the command-line window"
    await serving.command("hide enew")
    await serving.keys(":let secret = 1<CR>q:")
    await until(lambda: serving.eval("getcmdwintype() == ':'"), "the command-line window")
    number = await serving.eval("bufnr()")
    assert "command-line window" in await tools.error("buffer_text", buffer=number)
    assert "secret" not in await tools.text("windows")
