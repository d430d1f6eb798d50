"""CTRL-C that arrives while Neovim handles events: it then runs no mapping by itself."""

import pytest

from support.neovim import Neovim, until

MAPPED = """
stopped = 0
vim.keymap.set({ 'n', 'i' }, '<C-c>', function() stopped = stopped + 1 end, { buffer = true })
require('claude_ide.timing.ctrl_c').keep(vim.api.nvim_get_current_buf())
"""
IN_AN_EVENT = "vim.schedule(function() vim.api.nvim_input('<C-c>') end)"


async def stopped(nvim: Neovim, times: int) -> None:
    await until(lambda: nvim.lua(f"return stopped == {times}"), f"stopped {times} times")


async def test_ctrl_c_in_an_event_runs_its_mapping(nvim: Neovim) -> None:
    await nvim.lua(MAPPED)

    await nvim.lua(IN_AN_EVENT)
    await stopped(nvim, 1)
    await nvim.lua(IN_AN_EVENT)
    await stopped(nvim, 2)


@pytest.mark.parametrize(("keys", "column"), [("abc", 3), ("abc<Left>", 2), ("", 0)])
async def test_the_user_stays_in_insert_mode_where_they_were(
    nvim: Neovim, keys: str, column: int
) -> None:
    await nvim.lua(MAPPED)
    await nvim.keys("i" + keys)

    await nvim.lua(IN_AN_EVENT)
    await stopped(nvim, 1)

    await until(lambda: nvim.eval("mode() == 'i'"), "Insert mode")
    assert await nvim.eval("col('.') - 1") == column


async def test_a_typed_ctrl_c_runs_its_mapping_once(nvim: Neovim) -> None:
    await nvim.lua(MAPPED)

    await nvim.keys("<C-c>")
    await stopped(nvim, 1)
    await nvim.keys("<C-c>")
    await stopped(nvim, 2)


async def test_another_buffer_keeps_its_ctrl_c(nvim: Neovim) -> None:
    await nvim.lua(MAPPED)
    await nvim.command("new")

    await nvim.lua(IN_AN_EVENT)
    await nvim.keys("<C-c>")
    await nvim.command("wincmd p")
    await nvim.lua(IN_AN_EVENT)

    await stopped(nvim, 1)


async def test_a_buffer_keeps_its_ctrl_c_when_another_one_is_wiped_out(nvim: Neovim) -> None:
    await nvim.command("edit other")
    await nvim.lua(MAPPED)
    other = await nvim.eval("bufnr()")
    await nvim.command("edit this")
    await nvim.lua(MAPPED)
    await nvim.command(f"bwipeout {other}")

    await nvim.lua(IN_AN_EVENT)

    await stopped(nvim, 1)
