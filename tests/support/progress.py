"""The progress messages of Neovim 0.12, as a plugin hears of them."""

from typing import Any

from support.neovim import Neovim

HEAR = """
    _G.heard = {}
    vim.api.nvim_create_autocmd('Progress', {
      pattern = 'claude-ide',
      callback = function(event)
        table.insert(_G.heard, { event.data.title, event.data.text[1], event.data.status })
      end,
    })
"""


async def hear(nvim: Neovim) -> None:
    """Note each message from now on."""
    await nvim.lua(HEAR)


async def heard(nvim: Neovim) -> Any:
    """Return title, text and status of each message so far."""
    return await nvim.lua("return _G.heard")
