"""Layouts that a diff must restore."""

from typing import Any

from support.diffs import everything
from support.neovim import Neovim


async def prepare(nvim: Neovim, scene: list[str]) -> dict[str, Any]:
    await nvim.command("set noswapfile")
    for command in scene:
        await nvim.command(command)
    await nvim.command("redraw")
    return await everything(nvim)
