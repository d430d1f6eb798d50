"""The tools on windows, selection, marks, jumps, registers, lists and messages."""

from pathlib import Path

import pytest

from support.chunks import chunk
from support.either_editor import BOTH, Editor, open_terminal
from support.model_tools import ModelTools
from support.neovim import Neovim, until


@pytest.fixture
async def path(serving: Editor, project: Path) -> Path:
    """A file of three lines, open in Neovim."""
    path = project / "a.txt"
    path.write_text("one\n𝄞 two\nthree\n")
    await serving.command(f"edit {path}")
    return path


@BOTH
async def test_windows_have_their_lines_and_cursors(
    tools: ModelTools, serving: Editor, path: Path
) -> None:
    await serving.keys("jfw")

    shown = (await tools.text("windows")).splitlines()

    assert shown == [
        "1 window in this tab page; 1 tab page",
        f"Window 1: {path} (text, cursor 2:4, lines 1-3, current)",
        "  1\tone",
        "  2\t𝄞 two",
        "  3\tthree",
    ]
    assert len((await tools.text("windows", text=False)).splitlines()) == 2


@BOTH
async def test_a_selection_has_its_text(tools: ModelTools, serving: Editor, path: Path) -> None:
    assert await tools.text("selection") == (f"Nothing is selected; the cursor is at {path}:1:1")
    await serving.keys("jfwvj")

    async def selected() -> list[str]:
        lines = (await tools.text("selection")).splitlines()
        return lines if lines[0].startswith("Selected") else []

    assert await until(selected, "a selection") == [
        f"Selected from {path}:2:4 to 3:5 (exclusive)",
        "wo",
        "thre",
    ]


@BOTH
async def test_marks_are_those_of_the_file_and_the_global_ones(
    tools: ModelTools, serving: Editor, path: Path
) -> None:
    await serving.keys("jfwmagg3|:normal! mB<CR>")

    marks = (await tools.text("marks")).splitlines()

    assert marks == ["2 marks", f"a {path}:2:4: 𝄞 two", f"B {path}:1:3: one"]


@BOTH
async def test_jumps_and_changes_have_their_lines(
    tools: ModelTools, serving: Editor, path: Path
) -> None:
    await serving.keys("Gxgg")

    jumps = (await tools.text("jumps")).splitlines()

    assert f"{path}:3:1: hree" in jumps
    assert jumps[-2:] == ["Changes of the current file:", f"{path}:3:1: hree"]


@BOTH
async def test_a_register_is_read(tools: ModelTools, serving: Editor, path: Path) -> None:
    await serving.keys('"qyy')

    assert (await tools.text("register", name="q")).splitlines() == ["1 line", "one"]
    assert await tools.text("register", name="z") == "The register is empty."


@BOTH
async def test_a_long_register_is_cut(tools: ModelTools, serving: Editor) -> None:
    await serving.command('call setreg("a", repeat("a line\\n", 1500000), "V")')

    assert (await tools.text("register", name="a")).startswith("1,500,000 lines\na line\n")


@BOTH
@pytest.mark.parametrize("name", ["+", "*"])
async def test_the_clipboard_is_not_read(tools: ModelTools, name: str) -> None:
    reason = await tools.error("register", name=name)

    assert reason == "the clipboard is not for the model (tools.clipboard)"


async def test_an_unnamed_register_that_is_the_clipboard_is_not_read(
    tools: ModelTools, serving: Neovim
) -> None:
    await serving.command("set clipboard=unnamedplus")

    reason = await tools.error("register", name='"')

    assert reason == "the clipboard is not for the model (tools.clipboard)"


@BOTH
async def test_no_expression_is_evaluated(tools: ModelTools, serving: Editor) -> None:
    await serving.call("setreg", "=", 'execute("let g:hit = 1")')

    assert await tools.error("register", name="=") == "there is no register = to read"
    assert await serving.eval("exists('g:hit')") == 0


@BOTH
async def test_the_quickfix_list_comes_in_parts(
    tools: ModelTools, serving: Editor, path: Path
) -> None:
    items = [
        {"filename": str(path), "lnum": 2, "col": 6, "text": "here", "type": "E"},
        {"text": "just a line"},
        {"filename": str(path), "lnum": 3, "text": "there"},
    ]
    await serving.call("setqflist", [], " ", {"title": "Otters", "items": items})

    listed = (await tools.text("quickfix", limit=2)).splitlines()

    assert listed == [
        "3 entries; title: Otters; the user is at entry 1",
        f"{path}:2:3: error: here",
        "  just a line",
        "(1 more: offset=2)",
    ]
    assert await tools.text("quickfix", list="location") == "0 entries"


@BOTH
async def test_messages_are_the_last_ones(tools: ModelTools, serving: Editor) -> None:
    await serving.command("echomsg 'first' | echomsg 'second'")

    assert (await tools.text("messages", limit=1)).splitlines() == ["1 line", "second"]


@BOTH
async def test_a_closed_fold_shows_one_line(
    tools: ModelTools, serving: Editor, project: Path
) -> None:
    path = project / "long.txt"
    path.write_text("".join(f"line {number}\n" for number in range(1, 2001)))
    await serving.command(f"edit {path} | 2,1999fold")

    shown = (await tools.text("windows")).splitlines()

    assert shown[2:] == [
        "  1\tline 1",
        "  2\tline 2 (a closed fold, lines 2-1999)",
        "  2000\tline 2000",
    ]


async def test_a_float_is_a_window_if_the_user_is_in_it(
    tools: ModelTools, serving: Neovim, path: Path
) -> None:
    await serving.lua(
        "local config = { relative = 'editor', row = 1, col = 1, width = 9, height = 2 } "
        "vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), false, config) "
        "vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), true, config) "
        "vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'picked' })"
    )

    shown = (await tools.text("windows")).splitlines()

    assert shown[0] == "2 windows in this tab page; 1 tab page"
    assert "  1\tpicked" in shown


@BOTH
async def test_the_current_file_is_the_one_before_a_terminal(
    tools: ModelTools, serving: Editor, path: Path
) -> None:
    await serving.keys("jmaGx")
    await serving.call("setloclist", 0, [], " ", {"title": "Fish", "lines": ["x"]})
    await open_terminal(serving, "new")

    assert f"a {path}:2:1: 𝄞 two" in await tools.text("marks")
    assert (await tools.text("jumps")).splitlines()[-1] == f"{path}:3:1: hree"
    assert "title: Fish" in await tools.text("quickfix", list="location")


async def test_an_unnamed_register_that_was_put_into_the_clipboard_is_not_read(
    tools: ModelTools, serving: Neovim, path: Path
) -> None:
    await serving.lua(
        "local kept = {} local function copy(lines) kept = lines end "
        "local function paste() return kept end "
        "vim.g.clipboard = { name = 'test', copy = { ['+'] = copy, ['*'] = copy }, "
        "paste = { ['+'] = paste, ['*'] = paste } }"
    )
    await serving.keys('"+yy')

    reason = await tools.error("register", name='"')

    assert reason == "the clipboard is not for the model (tools.clipboard)"
    await serving.keys("yy")
    assert await tools.text("register", name='"') == "1 line\none"


@BOTH
@pytest.mark.parametrize(
    ("kind", "text", "shown"),
    [
        ("v", "", ["1 line", ""]),
        ("v", "one\ntwo", ["2 lines", "one", "two"]),
        ("V", "one\n\n", ["2 lines", "one", ""]),
        ("b", "ab\ncd", ["2 lines", "ab", "cd"]),
    ],
)
async def test_a_register_of_each_kind_has_its_lines(
    tools: ModelTools, serving: Editor, kind: str, text: str, shown: list[str]
) -> None:
    await serving.call("setreg", "q", text, kind)

    assert (await tools.text("register", name="q")).split("\n") == shown


async def test_messages_that_noice_shows_are_read_without_its_window(
    tools: ModelTools, serving: Neovim
) -> None:
    await serving.lua(chunk("model_tools/noice_history"))

    assert (await tools.text("messages", limit=2)).splitlines() == ["2 lines", "one", "two"]
    assert await serving.eval("exists('g:opened')") == 0
