"""The progress messages of Neovim 0.12, as plugins receive them."""

from typing import Any

from support.chunks import chunk
from support.neovim import Neovim

RECORD = chunk("progress/record")


async def record_progress(nvim: Neovim) -> None:
    """Record each message from now on."""
    await nvim.lua(RECORD)


async def progress_messages(nvim: Neovim) -> Any:
    """Return title, text and status of each message so far."""
    return await nvim.lua("return _G.messages")
