"""The progress messages of Neovim 0.12, as plugins receive them."""

from typing import Any

from support.chunks import chunk
from support.neovim import Neovim

HEAR = chunk("progress/hear")


async def hear(nvim: Neovim) -> None:
    """Record each message from now on."""
    await nvim.lua(HEAR)


async def heard(nvim: Neovim) -> Any:
    """Return title, text and status of each message so far."""
    return await nvim.lua("return _G.heard")
