"""Tools that read much let Neovim handle keys meanwhile. The benchmark `stalls` shows how soon."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.model_tools import ModelTools
from support.neovim import ROOT, Neovim, until

FEW = 3
"""Work that is not divided counts as one slice, and there may be one before and after it."""
SETTLE = "vim.g.settled = false vim.defer_fn(function() vim.g.settled = true end, 20)"
INSTRUMENTS = ROOT / "tests" / "bench" / "instruments.lua"


@pytest.fixture
async def slices(serving: Neovim, tools: ModelTools) -> Callable[..., Any]:
    """Call a tool; return the number of slices between which Neovim could handle a key."""
    await serving.lua(INSTRUMENTS.read_text(encoding="utf-8"), await serving.channel())

    async def count(tool: str, **arguments: Any) -> int:
        await serving.lua("bench.watch_loop()")
        await tools.text(tool, **arguments)
        await serving.lua(SETTLE)
        await until(lambda: serving.eval("g:settled"), "the last slice")
        await serving.lua("bench.longest_gap()")
        return int(await serving.lua("return bench.slices()"))

    return count


async def test_a_register_of_many_lines_is_read_in_slices(
    slices: Callable[..., Any], tools: ModelTools, serving: Neovim
) -> None:
    await serving.lua("vim.fn.setreg('a', ('a line\\n'):rep(1500000))")

    assert (await tools.text("register", name="a")).startswith("1,500,000 lines")
    assert await slices("register", name="a") > FEW


async def test_a_thousand_places_are_set_in_slices(
    slices: Callable[..., Any], project: Path
) -> None:
    for number in range(500):
        (project / f"{number}.txt").write_text("one\n")
    entries = [{"file": str(project / f"{n % 500}.txt"), "line": 1} for n in range(1000)]

    assert await slices("set_list", title="many", entries=entries) > FEW
