"""`window/recent.lua`: the order in which buffers were used."""

from typing import Any

from support.neovim import Neovim

USE = """
  require('claude_ide.window.recent').watch(true)
  local bufnrs = {}
  for _, name in ipairs({ 'a', 'b', 'c' }) do
    bufnrs[name] = vim.fn.bufadd(name)
    vim.bo[bufnrs[name]].swapfile = false
  end
  for name in ('abcab'):gmatch('.') do
    vim.cmd.buffer(bufnrs[name])
  end
"""
SORTED = """
  local names = vim.tbl_map(function(bufnr)
    return vim.fs.basename(vim.api.nvim_buf_get_name(bufnr))
  end, require('claude_ide.window.recent').sort(vim.tbl_filter(function(bufnr)
    return vim.api.nvim_buf_get_name(bufnr) ~= ''
  end, vim.api.nvim_list_bufs())))
  return names
"""


async def names(nvim: Neovim) -> Any:
    return await nvim.lua(SORTED)


async def test_what_was_entered_last_comes_first(nvim: Neovim) -> None:
    await nvim.lua(USE)

    assert await names(nvim) == ["b", "a", "c"]


async def test_what_was_never_entered_comes_last(nvim: Neovim) -> None:
    await nvim.lua("vim.fn.bufadd('d')")
    await nvim.lua(USE)

    assert await names(nvim) == ["b", "a", "c", "d"]


async def test_the_current_buffer_is_first_also_when_nothing_is_remembered(nvim: Neovim) -> None:
    await nvim.lua(USE)
    await nvim.lua("require('claude_ide.window.recent').watch(false)")

    assert (await names(nvim))[0] == "b"


async def test_buffer_variables_of_any_kind_are_no_obstacle(nvim: Neovim) -> None:
    await nvim.lua(USE)
    await nvim.command("let b:callback = {-> 1}")

    assert await names(nvim) == ["b", "a", "c"]
