"""`format/expression.lua`: 'formatexpr' reformats files."""

from pathlib import Path

import pytest

from support.chunks import chunk
from support.formatting import TIDY, UNTIDY, fail, read, succeed, write
from support.language_client import attach
from support.neovim import Neovim, until
from support.typing_user import IN_THE_MIDDLE, Typing

TIDY_FUNCTION = r"""
function! Tidy() abort
  let g:range = [v:lnum, v:count]
  execute 'silent keeppatterns' v:lnum .. ',' .. (v:lnum + v:count - 1) .. 's/[ \t]*$//'
  return 0
endfunction
function! Fail() abort
  call setline(1, 'half done')
  throw 'cannot parse'
endfunction
function! Decline() abort
  call setline(1, 'half done')
  return 1
endfunction
"""


async def use(nvim: Neovim, expression: str) -> None:
    await nvim.lua("vim.api.nvim_exec2(..., {})", TIDY_FUNCTION)
    await nvim.lua("vim.o.formatexpr = ...", expression)


@pytest.mark.parametrize("was_open", [True, False])
async def test_an_expression_formats_the_whole_file(
    nvim: Neovim, project: Path, was_open: bool
) -> None:
    path = write(project / "a.txt")
    await use(nvim, "Tidy()")
    if was_open:
        await nvim.command("edit a.txt")

    assert await succeed(nvim, path) == "Reformatted with 'formatexpr': 2 lines changed, saved."

    assert read(path) == TIDY
    assert await nvim.eval("g:range") == [1, 3]


async def test_a_lua_function_can_be_the_expression(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await nvim.lua(chunk("format_expression/lua_function"))
    await nvim.command("edit a.txt")

    await succeed(nvim, path)

    assert read(path) == TIDY


async def test_an_expression_comes_before_servers_and_formatprg(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await use(nvim, "Tidy()")
    await nvim.command("edit a.txt | setlocal formatprg=no")
    await attach(nvim, "--format=capitals")

    await succeed(nvim, path)

    assert read(path) == TIDY


@pytest.mark.parametrize(
    "blocking",
    [
        "v:lua.vim.lsp.formatexpr()",
        "v:lua.vim.lsp.formatexpr(#{timeout_ms:250})",
        "v:lua.require'conform'.formatexpr()",
        "v:lua.LazyVim.format.formatexpr()",
    ],
)
async def test_an_expression_that_calls_language_servers_is_skipped(
    nvim: Neovim, project: Path, blocking: str
) -> None:
    path = write(project / "a.txt")
    await use(nvim, blocking)
    await nvim.command("edit a.txt")
    await attach(nvim)

    assert await succeed(nvim, path) == "Reformatted with words: 2 lines changed, saved."


@pytest.mark.parametrize(
    ("expression", "error"), [("Fail()", "cannot parse"), ("Decline()", "it returned 1")]
)
async def test_a_failing_expression_changes_nothing(
    nvim: Neovim, project: Path, expression: str, error: str
) -> None:
    path = write(project / "a.txt")
    await use(nvim, expression)
    await nvim.command("set textwidth=2 | edit a.txt")

    assert await fail(nvim, path) == f"'formatexpr' could not reformat {path}: {error}"

    assert await nvim.eval("[getline(1, '$'), &modified]") == [["one  ", "two", "three \t"], 0]
    assert await nvim.eval("&formatexpr") == expression
    assert read(path) == UNTIDY
    assert not (await nvim.mode())["blocking"]


async def test_lines_are_not_wrapped_when_the_expression_changes_nothing(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt", "one two\nthree four\n")
    await nvim.command("set textwidth=4 formatexpr=0 | edit a.txt")

    assert await succeed(nvim, path) == "Nothing to change (asked 'formatexpr')."


async def test_cursor_view_and_marks_stay_and_undo_restores_the_text(
    nvim: Neovim, project: Path
) -> None:
    lines = [f"line {number}" + "  " * (number in (2, 60, 190)) for number in range(1, 201)]
    path = write(project / "a.txt", "\n".join(lines) + "\n")
    await use(nvim, "Tidy()")
    await nvim.command("edit a.txt | 60mark a | 61mark B | 62 | normal! zt3|")
    await nvim.command("split | 150 | normal! zb")
    await nvim.command("redraw!")
    where = "map(range(1, 2), 'getwininfo(win_getid(v:val))[0].topline') + getcurpos()[1:2]"
    before = await nvim.eval(where)

    await succeed(nvim, path)

    await nvim.command("redraw!")
    assert await nvim.eval(where) == before
    assert await nvim.eval('[line("\'a"), line("\'B")]') == [60, 61]
    await nvim.command("undo")
    assert await nvim.eval("getline(1, '$')") == lines


async def test_an_expression_from_a_modeline_is_not_evaluated(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt", f"{UNTIDY}vim: set formatexpr=Tidy():\n")
    await use(nvim, "")
    await nvim.command("set modeline modelineexpr modelines=5 | edit a.txt")
    assert await nvim.eval("&formatexpr") == "Tidy()"

    assert "has no formatter" in await fail(nvim, path)


@pytest.mark.parametrize("was_open", [True, False])
@pytest.mark.parametrize("typing", IN_THE_MIDDLE)
async def test_formatting_another_file_does_not_interrupt_typing(
    nvim: Neovim, project: Path, typing: Typing, was_open: bool
) -> None:
    path = write(project / "a.txt")
    await use(nvim, "Tidy()")
    await nvim.command("edit a.txt | vsplit mine.txt" if was_open else "edit mine.txt")
    await typing.begin(nvim)

    await succeed(nvim, path)

    await typing.finish(nvim)
    assert read(path) == TIDY


async def test_an_expression_formats_a_file_while_the_user_types_in_it(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await use(nvim, "Tidy()")
    await nvim.command("edit a.txt | 2")
    await nvim.keys("Amine")
    await until(lambda: nvim.lua("return vim.fn.getline(2) == 'twomine'"))

    await succeed(nvim, path)

    await nvim.keys(" too<Esc>")
    await until(lambda: nvim.lua("return vim.fn.getline(2) == 'twomine too'"))
    assert await nvim.eval("getline(1, '$')") == ["one", "twomine too", "three"]
