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


def leaves(layout: Any) -> list[int]:
    kind, inner = layout
    return [inner] if kind == "leaf" else [win for each in inner for win in leaves(each)]


def renamed(value: Any, names: dict[int, int]) -> Any:
    """Replace the ids of windows."""
    if isinstance(value, dict):
        return {key: renamed(each, names) for key, each in value.items()}
    if isinstance(value, list):
        return [renamed(each, names) for each in value]
    return names.get(value, value) if isinstance(value, int) else value


def with_successors(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Give a window that the user has closed the id of the window in its place."""
    names: dict[int, int] = {}
    for earlier, later in zip(before["tabpages"], after["tabpages"], strict=True):
        names |= dict(zip(leaves(earlier["layout"]), leaves(later["layout"]), strict=True))
    return before | {key: renamed(before[key], names) for key in ("tabpages", "buffers", "win")}
