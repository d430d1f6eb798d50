"""`lua/claude_ide/diagnostic_events.lua`: who hears of changed diagnostics."""

from support.neovim import Neovim

SUBSCRIBE = """
  local events = require('claude_ide.diagnostic_events')
  _G.heard = {}
  _G.first = function(bufnr)
    table.insert(_G.heard, { 'first', bufnr })
    events.unsubscribe(_G.first)
  end
  _G.second = function(bufnr) table.insert(_G.heard, { 'second', bufnr }) end
  events.subscribe(_G.first)
  events.subscribe(_G.second)
"""
CHANGE = "vim.diagnostic.set(vim.api.nvim_create_namespace('linter'), ..., {})"
COUNT = "return #vim.api.nvim_get_autocmds({ group = 'claude_ide_diagnostics' })"


async def test_each_subscriber_hears_of_the_buffer(nvim: Neovim) -> None:
    bufnr = await nvim.lua("return vim.api.nvim_create_buf(true, false)")
    await nvim.lua(SUBSCRIBE)

    await nvim.lua(CHANGE, bufnr)

    assert sorted(await nvim.lua("return _G.heard")) == [["first", bufnr], ["second", bufnr]]


async def test_who_has_unsubscribed_hears_nothing_more(nvim: Neovim) -> None:
    await nvim.lua(SUBSCRIBE)
    await nvim.lua(CHANGE, 1)

    await nvim.lua(CHANGE, 1)

    heard = [name for name, _ in await nvim.lua("return _G.heard")]
    assert sorted(heard) == ["first", "second", "second"]


async def test_without_subscribers_there_is_no_autocommand(nvim: Neovim) -> None:
    await nvim.lua(SUBSCRIBE)
    assert await nvim.lua(COUNT) == 1

    await nvim.lua("""
      local events = require('claude_ide.diagnostic_events')
      events.unsubscribe(_G.first)
      events.unsubscribe(_G.second)
    """)

    assert await nvim.lua(COUNT) == 0
