"""The tools that show the user something."""

from pathlib import Path
from typing import Any

import pytest

from support.either_editor import BOTH, Editor, open_terminal
from support.model_tools import ModelTools
from support.neovim import Neovim, until

LINES = """
local namespace = vim.api.nvim_create_namespace('claude_ide_shown')
local marks = vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })
return vim.iter(marks):map(function(mark)
  return { mark[2], mark[4].end_row, mark[4].virt_text and mark[4].virt_text[1][1] or '' }
end):totable()
"""


async def marks(editor: Editor) -> list[list[Any]]:
    """Return the highlights: the first and the last line, from 1, and the note."""
    if isinstance(editor, Neovim):
        return [[row + 1, end, note] for row, end, note in await editor.lua(LINES)]
    found: list[list[Any]] = []
    lines = await editor.eval("map(range(1, line('$')), {_, number -> prop_list(number)})")
    for number, properties in enumerate(lines, 1):
        for each in sorted(properties, key=lambda each: str(each["type"])):
            if each["type"] == "ClaudeShownNote":
                # Vim 9.0 does not return the text.
                row = editor.screen.text().splitlines()[number - 1]
                found[-1][2] = row.removeprefix(await editor.eval(f"getline({number})")).rstrip()
            elif each["start"]:
                found.append([number, number, ""])
            if each["type"] == "ClaudeShown":
                found[-1][1] = number
    return found


@pytest.fixture
async def path(serving: Editor, project: Path) -> Path:
    """A file of three lines, open in Neovim."""
    path = project / "a.txt"
    path.write_text("one\n𝄞 two\nthree\n")
    await serving.command(f"edit {path}")
    return path


async def titles(nvim: Editor) -> Any:
    """Return the title and the entries of the quickfix list."""
    return await nvim.eval(
        "[getqflist({'title': 0}).title, map(getqflist(), {_, entry -> [fnamemodify("
        "bufname(entry.bufnr), ':p'), entry.lnum, entry.col, entry.text, entry.type]})]"
    )


@BOTH
async def test_a_file_is_shown_at_a_line(
    tools: ModelTools, serving: Editor, path: Path, project: Path
) -> None:
    other = project / "b.txt"
    other.write_text("1\n2\n3\n")

    shown = await tools.text("open_file", file=str(other), line=3)

    assert shown == f"Opened {other}."
    assert await serving.eval("[expand('%:p'), line('.')]") == [str(other), 3]


@BOTH
async def test_a_file_that_does_not_exist_is_an_error(tools: ModelTools, project: Path) -> None:
    missing = project / "no" / "such"

    assert "no such file" in await tools.error(
        "highlight", ranges=[{"file": str(missing), "line": 1}]
    )


@BOTH
async def test_places_are_a_new_quickfix_list_without_focus(
    tools: ModelTools, serving: Editor, path: Path
) -> None:
    await serving.call("setqflist", [], " ", {"title": "mine", "lines": ["x"]})
    entries = [
        {"file": str(path), "line": 2, "column": 3, "text": "here\nand there", "kind": "W"},
        {"file": str(path), "line": 3},
    ]

    shown = await tools.text("show_places", title="Otters", entries=entries)

    assert shown == "The user sees 2 places in the quickfix window."
    assert await titles(serving) == [
        "Otters",
        [[str(path), 2, 6, "here and there", "W"], [str(path), 3, 0, "", ""]],
    ]
    assert await serving.eval("[winnr('$'), &buftype]") == [2, ""]
    await serving.command("colder")
    assert (await titles(serving))[0] == "mine"


@BOTH
async def test_a_list_is_replaced_or_extended_without_a_window(
    tools: ModelTools, serving: Editor, path: Path
) -> None:
    one, other = [{"file": str(path), "line": 1}], [{"file": str(path), "line": 3}]

    await tools.text("set_list", title="First", entries=one)
    done = await tools.text("set_list", title="First", entries=other, append=True)

    assert done == "Appended 1 place."
    assert [line for _, line, *_ in (await titles(serving))[1]] == [1, 3]
    assert await serving.eval("winnr('$')") == 1


@BOTH
async def test_lines_are_highlighted_until_they_are_dismissed(
    tools: ModelTools, serving: Editor, path: Path
) -> None:
    ranges = [
        {"file": str(path), "line": 1, "note": "look\nhere"},
        {"file": str(path), "line": 2, "end_line": 3},
    ]

    assert await tools.text("highlight", ranges=ranges) == "Highlighted 2 ranges."

    async def are_marked() -> bool:
        return await marks(serving) == [[1, 1, "  look here"], [2, 3, ""]]

    await until(are_marked, "the lines and the note are on the screen")

    await serving.command("ClaudeDismiss")
    assert await marks(serving) == []


@BOTH
async def test_the_model_removes_its_highlights(
    tools: ModelTools, serving: Editor, path: Path
) -> None:
    await tools.text("highlight", ranges=[{"file": str(path), "line": 1}])

    await tools.text("clear_highlights")

    assert await marks(serving) == []


@BOTH
async def test_a_line_outside_the_file_is_an_error(tools: ModelTools, path: Path) -> None:
    reason = await tools.error("highlight", ranges=[{"file": str(path), "line": 9}])

    assert reason == "there is no line 9; the file has 3"


@BOTH
async def test_a_file_takes_no_focus_from_a_terminal(
    tools: ModelTools, serving: Editor, path: Path
) -> None:
    await open_terminal(serving, "vsplit")

    await tools.text("open_file", file=str(path), line=2)

    assert await serving.eval("[&buftype, line('.', bufwinid('a.txt'))]") == ["terminal", 2]


@BOTH
@pytest.mark.parametrize("tool", ["set_list", "show_places"])
async def test_the_lists_of_the_user_remain(
    tools: ModelTools, serving: Editor, path: Path, tool: str
) -> None:
    await serving.call("setqflist", [], " ", {"title": "older", "lines": ["x"]})
    await serving.call("setqflist", [], " ", {"title": "newer", "lines": ["y"]})
    await serving.command("colder")

    for _ in range(2):
        await tools.text(tool, title="Otters", entries=[{"file": str(path), "line": 1}])

    count = await serving.eval("getqflist({'nr': '$'}).nr")
    listed = [await serving.eval(f"getqflist({{'nr': {n}, 'title': 0}}).title") for n in (1, 2)]
    assert listed == ["older", "newer"]
    assert count == (3 if tool == "set_list" else 4)
    assert await serving.eval("getqflist({'nr': 0}).nr") == count


@BOTH
async def test_appending_keeps_the_title_of_the_list(
    tools: ModelTools, serving: Editor, path: Path
) -> None:
    await serving.call("setqflist", [], " ", {"title": "mine", "lines": ["x"]})

    entries = [{"file": str(path), "line": 3}] * 50
    await tools.text("set_list", title="Otters", entries=entries, append=True)

    title, listed = await titles(serving)
    assert (title, len(listed)) == ("mine", 51)


@BOTH
async def test_a_wrong_range_leaves_no_highlight(
    tools: ModelTools, serving: Editor, path: Path
) -> None:
    ranges = [{"file": str(path), "line": 1}, {"file": str(path), "line": 9}]

    await tools.error("highlight", ranges=ranges)

    assert await marks(serving) == []


@BOTH
async def test_places_are_shown_without_a_new_previous_window(
    tools: ModelTools, serving: Editor, path: Path
) -> None:
    await serving.command("vsplit | wincmd p")
    before = await serving.eval("[win_getid(), win_getid(winnr('#'))]")

    await tools.text("show_places", title="t", entries=[{"file": str(path), "line": 1}])

    assert await serving.eval("[win_getid(), win_getid(winnr('#'))]") == before


@BOTH
async def test_a_file_ends_no_selection_of_the_user(
    tools: ModelTools, serving: Editor, path: Path, project: Path
) -> None:
    other = project / "b.txt"
    other.write_text("1\n2\n3\n")
    await serving.keys("Vj")

    await tools.text("open_file", file=str(other), line=1, end_line=2)
    assert await serving.eval("[mode(), expand('%:p')]") == ["V", str(path)]

    await serving.keys("<Esc>")
    await tools.text("open_file", file=str(other), line=1, end_line=2)
    await tools.text("open_file", file=str(path), line=3)
    assert await serving.eval("[mode(), expand('%:p'), line('.')]") == ["n", str(path), 3]
