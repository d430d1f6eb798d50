"""`file/open.lua`: a passage is found literally and selected exactly."""

import pytest

from claude_ide.mcp.ide_tools import passage
from support.neovim import Neovim, until

TEXT = ["first", "", "\ttab é😀e\u0301x", "a.*[b]%d$", "first again", "last"]


@pytest.fixture(params=["inclusive", "exclusive", "old"])
async def selecting(nvim: Neovim, request: pytest.FixtureRequest) -> Neovim:
    """A Neovim with the text, and one of the values of 'selection'."""
    await nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, ...)", TEXT)
    await nvim.command(f"set selection={request.param}")
    return nvim


async def select(nvim: Neovim, start: str, end: str = "") -> str:
    """Select the passage that is found; return the text that `y` yanks."""
    text = "\n".join(await nvim.eval("getline(1, '$')"))
    found, missing = passage(text, start, end, to_end_of_line=False)
    assert not missing
    await nvim.lua("require('claude_ide.file.open').select(...)", found)
    await until(lambda: nvim.lua("return vim.api.nvim_get_mode().mode == 'v'"))
    await nvim.keys("y")
    await until(lambda: nvim.lua("return vim.api.nvim_get_mode().mode == 'n'"))
    return str(await nvim.eval("@0"))


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["first"], "first"),
        (["f"], "f"),
        (["é😀"], "é😀"),
        (["😀e\u0301"], "😀e\u0301"),
        (["tab", "x"], "tab é😀e\u0301x"),
        ([".*[b]%d$"], ".*[b]%d$"),
        (["first", "first"], "\n".join(TEXT[:4]) + "\nfirst"),
        (["again\nla"], "again\nla"),
        (["again\r\nla"], "again\nla"),
        (["d$", "last"], "d$\nfirst again\nlast"),
    ],
)
async def test_a_passage_is_selected_exactly(
    selecting: Neovim, texts: list[str], expected: str
) -> None:
    assert await select(selecting, *texts) == expected


@pytest.mark.parametrize("selection", ["inclusive", "exclusive"])
async def test_a_passage_can_begin_with_a_line_break(nvim: Neovim, selection: str) -> None:
    await nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, ...)", TEXT)
    await nvim.command(f"set selection={selection}")

    assert await select(nvim, "\n\n\ttab") == "\n\n\ttab"


async def test_a_passage_can_end_with_a_line_break(nvim: Neovim) -> None:
    await nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, ...)", TEXT)

    assert await select(nvim, "first\n") == "first\n"
    assert await select(nvim, "first", "again\n") == "\n".join(TEXT[:5]) + "\n"


async def test_a_passage_is_selected_in_visual_mode_despite_selectmode(nvim: Neovim) -> None:
    await nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, ...)", TEXT)
    await nvim.command("set selectmode=cmd,key,mouse")

    assert await select(nvim, "first") == "first"
    assert await nvim.eval("&selectmode") == "cmd,key,mouse"


async def test_folds_over_the_passage_are_opened_and_the_passage_is_centred(nvim: Neovim) -> None:
    await nvim.lua(
        "vim.api.nvim_buf_set_lines(0, 0, -1, true, ...)", [f"line {i}" for i in range(1, 201)]
    )
    await nvim.command("90,110fold | 150,160fold | normal! gg")

    assert await select(nvim, "line 100", "line 102") == "line 100\nline 101\nline 102"

    assert await nvim.eval("[foldclosed(101), foldclosed(155)]") == [-1, 150]
    middle = await nvim.eval("line('w0') + (winheight(0) - 1) / 2")
    assert abs(middle - 100) <= 1


async def test_line_numbers_past_the_end_mean_the_last_line(nvim: Neovim) -> None:
    await nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, ...)", TEXT)

    got = await nvim.lua("return require('claude_ide.file.open').lines(0, 5, 900)")
    point = await nvim.lua("return require('claude_ide.file.open').lines(0, 900)")

    assert got == {"first": {"row": 4, "col": 0}, "last": {"row": 5, "col": 4}}
    assert point["first"] == {"row": 5, "col": 0}


async def test_a_last_line_before_the_first_one_is_ignored(nvim: Neovim) -> None:
    await nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, ...)", TEXT)

    got = await nvim.lua("return require('claude_ide.file.open').lines(0, 5, 2)")

    assert got == {"first": {"row": 4, "col": 0}, "last": {"row": 4, "col": 11}}
