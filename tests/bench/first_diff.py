"""The first openDiff of a Neovim, each time in a new one; the floor is the first in plain Lua."""

from contextlib import AsyncExitStack

from bench import texts
from bench.diff import Plain, Proposals, Side
from bench.editors import editor, host_pid, serving
from bench.measure import Effort, Table, figure, goal, median, now, ratio
from support.neovim import until

GOAL = 3.0
REST = 500.0
"""Milliseconds that a client is connected before it proposes an edit."""
SETTLE = 300.0
"""Milliseconds after the first drawing that are measured, too, to include deferred work."""


async def run(effort: Effort) -> list[Table]:
    """Measure texts of two sizes, in turns with the floor."""
    table = Table(
        "The first openDiff, with few changes (ms, medians)",
        ["text", "visible after", "floor", "ratio", "goal", "CPU in Neovim", "floor", "ratio"],
    )
    for name in ("10 KB", "100 KB"):
        text = texts.original(texts.SIZES[name])
        ours: list[tuple[float, float]] = []
        floor: list[tuple[float, float]] = []
        for _ in range(effort.runs(21)):
            async with AsyncExitStack() as stack:
                served, wire = await stack.enter_async_context(serving())
                side = Proposals(served, wire, await host_pid(served))
                ours.append(await _show(side, text))
            async with editor(plugin=False) as plain:
                floor.append(await _show(Plain(plain), text))
        visible, used = (median(each) for each in zip(*ours, strict=True))
        floor_visible, floor_used = (median(each) for each in zip(*floor, strict=True))
        table.add(
            *[name, figure(visible), figure(floor_visible), ratio(visible, floor_visible)],
            *[goal(visible / floor_visible, GOAL), figure(used), figure(floor_used)],
            ratio(used, floor_used),
        )
    return [table]


async def _show(side: Side, text: str) -> tuple[float, float]:
    """Return the time until a diff is drawn, and the CPU of Neovim for it."""
    nvim = side.editor
    (nvim.project / "file.py").write_text(text)
    await wait(REST)
    await nvim.ask("await_diff")
    before = await nvim.ask("cpu")
    asked = await side.show(str(nvim.project / "file.py"), texts.few_changed(text))
    visible, _ = await nvim.report("visible")
    await wait(SETTLE)
    return visible - asked, await nvim.ask("cpu") - before


async def wait(milliseconds: float) -> None:
    began = now()
    await until(lambda: now() - began >= milliseconds)
