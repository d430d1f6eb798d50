"""The longest time for which a tool that reads keeps Neovim from handling a key."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.model_tools import ModelTools
from support.neovim import ROOT, Neovim, until

MOST = 30.0
"""Milliseconds of work; the goal of the benchmark `stalls` is 20, on an idle machine."""
ATTEMPTS = 5
SETTLE = "vim.g.settled = false vim.defer_fn(function() vim.g.settled = true end, 20)"
INSTRUMENTS = ROOT / "tests" / "bench" / "instruments.lua"


@pytest.fixture
async def longest_work(serving: Neovim, tools: ModelTools) -> Callable[..., Any]:
    """Call a tool several times; return the longest slice of the call with the shortest one."""
    await serving.lua(INSTRUMENTS.read_text(encoding="utf-8"), await serving.channel())

    async def measure(tool: str, **arguments: Any) -> float:
        shortest = float("inf")
        for _ in range(ATTEMPTS):
            await serving.lua("bench.watch_loop()")
            await tools.text(tool, **arguments)
            await serving.lua(SETTLE)
            await until(lambda: serving.eval("g:settled"), "the last slice")
            await serving.lua("bench.longest_gap()")
            shortest = min(shortest, float(await serving.lua("return bench.longest_work()")))
            if shortest < MOST:
                break
        return shortest

    return measure


@pytest.mark.parametrize(
    ("tool", "more"),
    [
        ("outline", {}),
        ("enclosing", {"line": 9000}),
        ("tree_sitter_query", {"query": "(function_declaration) @it"}),
    ],
)
async def test_a_long_file_is_parsed_and_searched_in_slices(
    longest_work: Callable[..., Any], project: Path, tool: str, more: dict[str, Any]
) -> None:
    path = project / "long.lua"
    path.write_text("".join(f"local function f{n}() return {n} end\n" for n in range(12_000)))

    assert await longest_work(tool, file=str(path), **more) < MOST


async def test_a_register_of_many_lines_is_read_in_slices(
    longest_work: Callable[..., Any], tools: ModelTools, serving: Neovim
) -> None:
    await serving.lua("vim.fn.setreg('a', ('a line\\n'):rep(500000))")

    assert (await tools.text("register", name="a")).startswith("500,000 lines")
    assert await longest_work("register", name="a") < MOST


async def test_a_thousand_places_are_set_in_slices(
    longest_work: Callable[..., Any], project: Path
) -> None:
    for number in range(500):
        (project / f"{number}.txt").write_text("one\n")
    entries = [{"file": str(project / f"{n % 500}.txt"), "line": 1} for n in range(1000)]

    assert await longest_work("set_list", title="many", entries=entries) < MOST
