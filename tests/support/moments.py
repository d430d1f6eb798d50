"""Calls that wait for a moment (`timing/moment.lua`) in a Neovim under test."""

import asyncio
from collections.abc import Sequence
from typing import Any

from support.chunks import chunk
from support.neovim import Neovim, until

WAIT_FOR = chunk("moments/wait_for")


async def ask(nvim: Neovim, name: str = "when_free") -> None:
    """Request the moment without waiting; a blocked Neovim gets the request later."""
    nvim.send_request("nvim_exec_lua", WAIT_FOR, [name])


async def called(nvim: Neovim) -> Any:
    events: Sequence[Any] = await until(lambda: nvim.events("called"), "the moment")
    assert len(events) == 1
    return events[0]


async def is_held(nvim: Neovim, seconds: float = 0.25) -> bool:
    """Return whether the moment does not occur during several polls.

    Neovim answers `mode` at a prompt, too, and only after a turn of its loop.
    """
    deadline = asyncio.get_running_loop().time() + seconds
    while asyncio.get_running_loop().time() < deadline:
        await nvim.mode()
        if nvim.events("called"):
            return False
        await asyncio.sleep(0.01)
    await nvim.mode()
    return not nvim.events("called")


async def is_busy(nvim: Neovim) -> bool:
    mode = await nvim.mode()
    if mode["blocking"] or mode["mode"] not in ("n", "t", "nt"):
        return True
    return bool(
        await nvim.lua(
            "return vim.fn.state() .. vim.fn.reg_recording() .. vim.fn.getcmdwintype() ~= ''"
            " or not pcall(vim.api.nvim_set_current_win, 0)"
        )
    )


async def entered(nvim: Neovim, keys: str) -> None:
    await nvim.keys(keys)
    await until(lambda: is_busy(nvim), f"busy after {keys}")


FLOAT = chunk("moments/float")
