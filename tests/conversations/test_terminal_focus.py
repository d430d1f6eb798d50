"""`:ClaudeFocus`: into Claude's terminal and back, with the mode that the user left there."""

from pathlib import Path

import pytest

from support.claude_terminal import open_claude
from support.either_editor import BOTH, Editor, configure, name_of, open_terminal
from support.neovim import until
from support.vim import Vim

MAP = "|".join(f"{kind} <F2> <Plug>(claude-focus)" for kind in ("map", "map!", "tmap"))


@pytest.fixture
async def terminal(nvim: Editor, program: Path) -> int:
    """Claude's terminal, in which the user types, beside a file; `<F2>` goes there and back."""
    await nvim.command(f"set hidden | edit a.txt | {MAP}")
    await nvim.command("call setline(1, ['one two', 'three'])")
    return await open_claude(nvim)


async def is_typing(nvim: Editor, terminal: int) -> bool:
    return bool(await nvim.eval(f"bufnr() == {terminal} && mode() == 't'"))


async def is_in_file(nvim: Editor, mode: str = "n") -> bool:
    return bool(await nvim.eval(f"[bufname(), mode()] == ['a.txt', '{mode}']"))


@BOTH
async def test_the_key_leads_out_of_the_terminal_and_back_into_it(
    nvim: Editor, terminal: int
) -> None:
    await nvim.keys("<F2>")
    await until(lambda: is_in_file(nvim))

    await nvim.keys("<F2>hello<CR>")

    await until(lambda: "read: hello" in nvim.screen.text())
    assert await is_typing(nvim, terminal)


@BOTH
async def test_a_hidden_terminal_is_shown(nvim: Editor, terminal: int) -> None:
    await nvim.command("Claude")
    await until(lambda: nvim.eval("winnr('$') == 1 && mode() == 'n'"))

    await nvim.keys(":ClaudeFocus<CR>")

    await until(lambda: is_typing(nvim, terminal))
    assert await nvim.eval("winnr('$')") == 2


@BOTH
async def test_who_scrolls_in_the_terminal_returns_there_in_normal_mode(
    nvim: Editor, terminal: int
) -> None:
    await nvim.keys("<C-\\><C-n>gg<F2>")
    await until(lambda: is_in_file(nvim))

    await nvim.keys("<F2>")

    await until(lambda: nvim.eval(f"bufnr() == {terminal}"))
    await nvim.idle(100)
    assert await nvim.eval("[mode(1), line('.')]") == ["nt", 1]


@BOTH
async def test_insert_mode_continues_where_it_was(nvim: Editor, terminal: int) -> None:
    await nvim.keys("<F2>")
    await until(lambda: is_in_file(nvim))
    await nvim.keys("ggwi<F2>")
    await until(lambda: is_typing(nvim, terminal))

    await nvim.keys("<F2>")
    await until(lambda: is_in_file(nvim, "i"))
    await nvim.keys("x")

    await until(lambda: nvim.eval("getline(1) == 'one xtwo'"))


@BOTH
async def test_the_way_back_leads_to_another_tab_page(nvim: Editor, terminal: int) -> None:
    await nvim.keys("<F2>")
    await until(lambda: is_in_file(nvim))
    await nvim.command("tabnew b.txt | vsplit c.txt")
    await nvim.keys("<F2>")
    await until(lambda: is_typing(nvim, terminal))
    assert await nvim.eval("[tabpagenr(), winnr('$')]") == [1, 2]

    await nvim.keys("<F2>")

    await until(lambda: nvim.eval("[tabpagenr(), bufname(), mode()] == [2, 'c.txt', 'n']"))


@BOTH
async def test_the_window_before_counts_if_the_user_went_there_in_another_way(
    nvim: Editor, terminal: int
) -> None:
    await nvim.keys("<F2>")
    await until(lambda: is_in_file(nvim))
    await nvim.keys("<F2>")
    await until(lambda: is_typing(nvim, terminal))
    await nvim.keys("<C-w>h:split b.txt<CR><C-w>l")
    await until(lambda: is_typing(nvim, terminal))

    await nvim.keys("<F2>")

    await until(lambda: nvim.eval("bufname() == 'b.txt'"))


@BOTH
async def test_a_terminal_that_is_the_only_window_is_hidden(nvim: Editor, terminal: int) -> None:
    await nvim.command("only")

    await nvim.keys("<F2>")

    await until(lambda: is_in_file(nvim))


@BOTH
@pytest.mark.parametrize("keys", [True, False])
async def test_the_mode_does_not_depend_on_the_option_keys(
    nvim: Editor, program: Path, keys: bool
) -> None:
    await configure(nvim, terminal={"keys": keys})
    await nvim.command(f"set hidden | edit a.txt | {MAP}")
    terminal = await open_claude(nvim)

    await nvim.keys("<F2>")
    await until(lambda: is_in_file(nvim))
    await nvim.keys("<F2>")

    await until(lambda: is_typing(nvim, terminal))


@BOTH
async def test_without_a_terminal_one_line_says_how_to_open_one(nvim: Editor) -> None:
    says = f"no terminal of this {name_of(nvim)} runs Claude (:Claude opens one)"

    await nvim.keys(":ClaudeFocus<CR>")

    await until(lambda: says in text(nvim))


@BOTH
async def test_a_terminal_of_the_user_counts_if_a_client_runs_in_it(nvim: Editor) -> None:
    await open_terminal(nvim, "split")
    await nvim.command("let b:claude_ide_terminal = v:true")
    if isinstance(nvim, Vim):
        await nvim.keys("<C-\\><C-n>")
    terminal = await nvim.eval("bufnr()")
    await nvim.command("wincmd p")

    await nvim.keys(":ClaudeFocus<CR>")
    await until(lambda: nvim.eval(f"[bufnr(), mode(1)] == [{terminal}, 'nt']"))

    await nvim.keys(":ClaudeFocus<CR>")
    await until(lambda: nvim.eval(f"bufnr() != {terminal}"))


def text(nvim: Editor) -> str:
    shown: str = nvim.screen.text()
    return shown
