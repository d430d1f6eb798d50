"""Editors with plugins."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from editors.world import World

Begin = Callable[..., Awaitable[World]]


@pytest.fixture
async def editor(tmp_path: Path) -> AsyncIterator[Begin]:
    """Start editors with the named plugins, for example "tree" and "autosave"."""
    worlds: list[World] = []

    async def begin(*plugins: str, layout: str = "tab", side: str = "right") -> World:
        world = World(tmp_path / str(len(worlds)), plugins, layout, side)
        worlds.append(world)
        await world.start()
        return world

    yield begin
    for world in worlds:
        await world.stop()
