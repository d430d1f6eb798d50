"""`window/visit.lua`: temporary windows close without a trace."""

from pathlib import Path
from typing import Any

import pytest

from support.chunks import chunk
from support.diffs import Diffs, everything
from support.neovim import Neovim, NvimError, until
from support.plans import ask

OWNER = chunk("window_visit/owner")
PAGE = r"seq 99; printf '\033[2J\033[Htop\n'; read line; printf '\033[2;1Hbelow'; sleep 99"
PLAN = "require('claude_ide.approval_buffer')"


@pytest.fixture
async def before(nvim: Neovim, project: Path) -> Any:
    for name in ("a.txt", "b.txt", "c.txt"):
        (project / name).write_text("".join(f"line {number}\n" for number in range(1, 101)))
    await nvim.command("edit a.txt | vsplit b.txt | vertical resize 20 | normal! 40Gzt")
    await nvim.command("tabnew c.txt | tabprevious")
    return await everything(nvim)


async def show(nvim: Neovim, how: str, failing: str = "") -> None:
    await nvim.lua("_G.show(...)", how, failing)


async def close(nvim: Neovim, number: int) -> Any:
    return await nvim.lua("return _G.visit.close(_G.visits[...])", number)


@pytest.fixture(autouse=True)
async def owners(nvim: Neovim) -> None:
    await nvim.lua(OWNER)


@pytest.mark.parametrize("how", ["tab", "right", "below"])
async def test_windows_that_close_leave_no_trace(nvim: Neovim, before: Any, how: str) -> None:
    await show(nvim, how)
    assert await everything(nvim) != before

    assert await close(nvim, 1) is True

    assert await everything(nvim) == before
    assert await close(nvim, 1) is False


@pytest.mark.parametrize("how", ["tab", "right", "below"])
async def test_windows_that_fail_to_open_leave_no_trace(
    nvim: Neovim, before: Any, how: str
) -> None:
    with pytest.raises(NvimError, match="no luck"):
        await show(nvim, how, "no luck")

    assert await everything(nvim) == before
    assert await nvim.lua("return #vim.api.nvim_get_autocmds({ event = 'BufWinLeave' })") == 0


@pytest.mark.parametrize("how", ["tab", "right"])
async def test_closing_windows_does_not_move_a_user_who_has_left_them(
    nvim: Neovim, before: Any, how: str
) -> None:
    await show(nvim, how)
    await nvim.command("tablast")
    await until(lambda: nvim.lua("return _G.visits[1].is_left"))

    assert await close(nvim, 1) is False

    assert await nvim.eval("bufname()") == "c.txt"


@pytest.mark.parametrize("first", ["tab", "right"])
@pytest.mark.parametrize("second", ["tab", "below"])
async def test_nested_windows_can_close_in_the_order_in_which_they_opened(
    nvim: Neovim, before: Any, first: str, second: str
) -> None:
    await show(nvim, first)
    await show(nvim, second)

    await close(nvim, 1)
    await close(nvim, 2)

    assert await everything(nvim) == before


async def test_a_diff_over_a_plan_returns_to_where_the_plan_was_opened(
    nvim: Neovim, project: Path, before: Any
) -> None:
    diffs = await Diffs.start(nvim)
    await ask(nvim, "# Plan\n")
    await until(lambda: nvim.eval("bufname() =~# '^Claude plan' && &modifiable"))
    id_ = await diffs.open(project / "a.txt", "other\n", "tab")
    await nvim.lua(f"{PLAN}.close(1)")
    await until(lambda: nvim.eval("tabpagenr('$') == 3"), "the plan is gone")

    await nvim.keys(":q<CR>")

    await diffs.closed(id_)
    assert await everything(nvim) == before


async def test_closing_the_only_other_tab_page_keeps_the_rows_of_a_terminal(nvim: Neovim) -> None:
    await nvim.lua("vim.cmd.terminal('sh -c ' .. vim.fn.shellescape((...)))", PAGE)
    terminal, height = await nvim.eval("[bufnr(), winheight(0)]")
    screen = f"getbufline({terminal}, 1, '$')[-{height}:]"
    await until(lambda: nvim.eval(f"{screen}[0] == 'top'"))
    await show(nvim, "tab")

    await close(nvim, 1)
    await nvim.eval('chansend(&channel, "\\r")')

    await until(lambda: nvim.eval(f"index({screen}, 'below') >= 0"))
    assert await nvim.eval(f"{screen}[:1]") == ["top", "below"]
    assert await nvim.eval("[&showtabline, tabpagenr('$')]") == [1, 1]


async def test_an_option_that_a_plugin_sets_while_windows_close_stays(nvim: Neovim) -> None:
    await nvim.command("autocmd TabEnter * set showtabline=2")
    await nvim.command("set showtabline=1")
    await show(nvim, "tab")
    await nvim.command("set showtabline=1")

    await close(nvim, 1)

    assert await nvim.eval("&showtabline") == 2
