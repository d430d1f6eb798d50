"""openDiff, from the request to the drawn diff; the floor is the same diff in plain Lua."""

from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

from bench import texts
from bench.editors import Editor, editor, host_pid, serving
from bench.measure import Effort, Table, figure, goal, median, now, ratio
from bench.wire import Wire, call
from support.neovim import until
from support.processes import cpu

GOALS = {"1 MB": 1.3, "10 MB": 1.2}
MOST_COLOURED = texts.SIZES["1 MB"]
"""Bytes; larger texts get no filetype, neither in the plugin nor in the floor."""
SETTLE = 0.3
"""Seconds after the first drawing that are measured, too, to include deferred work."""


@dataclass(slots=True)
class Figures:
    """The figures of one side in milliseconds, one entry per run."""

    cpu: list[float] = field(default_factory=list)
    visible: list[float] = field(default_factory=list)
    stall: list[float] = field(default_factory=list)
    host_cpu: list[float] = field(default_factory=list)
    ready: list[float] = field(default_factory=list)


class Proposals:
    """The plugin's side: a client requests a diff, the user closes it."""

    def __init__(self, served: Editor, wire: Wire, pid: int) -> None:
        self.editor = served
        self.figures = Figures()
        self._wire = wire
        self._pid = pid

    async def show(self, path: str, text: str) -> float:
        """Request a diff; return the time."""
        self._number = next(self._wire.numbers)
        arguments = {"old_file_path": path, "new_file_contents": text, "tab_name": path}
        frame = call(self._number, "openDiff", arguments)
        self._host_cpu = cpu(self._pid)
        self._asked = now()
        await self._wire.connection.send(frame)
        return self._asked

    async def settle(self, visible: float) -> None:
        ready, _ = await self.editor.report("ready")
        self.figures.ready.append(ready - visible)
        self.figures.host_cpu.append(cpu(self._pid) - self._host_cpu)

    async def close(self) -> None:
        await self.editor.nvim.command("ClaudeReject")
        await self._wire.answer(self._number)


class Plain:
    """The floor's side."""

    def __init__(self, plain: Editor) -> None:
        self.editor = plain
        self.figures = Figures()

    async def show(self, path: str, text: str) -> float:
        asked = now()
        await self.editor.ask("plain_diff", path, text, MOST_COLOURED)
        return asked

    async def settle(self, visible: float) -> None:
        """Return immediately: plain Lua defers and protects nothing."""

    async def close(self) -> None:
        await self.editor.ask("close_plain_diff")


Side = Proposals | Plain


async def run(effort: Effort) -> list[Table]:
    """Compare all sizes, with a few lines and with all lines changed."""
    table = Table(
        "openDiff, from the request until it is drawn (ms, medians)",
        [
            *["text", "CPU in Neovim", "floor", "ratio", "goal", "visible after", "floor"],
            *["longest stall", "floor", "CPU in the host", "keys taken after"],
        ],
    )
    for change, changed in (("few", texts.few_changed), ("all", texts.all_changed)):
        for name, size in texts.SIZES.items():
            ours, floor = await _compare(size, changed, effort.runs(11))
            here, there = median(ours.cpu), median(floor.cpu)
            table.add(
                f"{name}, {change} lines changed",
                figure(here),
                figure(there),
                ratio(here, there),
                goal(here / there, GOALS[name]) if name in GOALS else "",
                *(figure(median(side.visible)) for side in (ours, floor)),
                *(figure(median(side.stall)) for side in (ours, floor)),
                figure(median(ours.host_cpu)),
                f"+{figure(median(ours.ready), 0)}",
            )
    return [table]


async def _compare(size: int, changed: Callable[[str], str], runs: int) -> tuple[Figures, Figures]:
    text = texts.original(size)
    async with AsyncExitStack() as stack:
        served, wire = await stack.enter_async_context(serving())
        plain = await stack.enter_async_context(editor(plugin=False))
        ours = Proposals(served, wire, await host_pid(served))
        floor = Plain(plain)
        for side in (ours, floor):
            (side.editor.project / "file.py").write_text(text)
        # The first run of each loads modules.
        for each in range(-1, runs):
            for side in (ours, floor):
                await _once(side, changed(text), watching=False, counts=each >= 0)
        for _ in range(max(2, runs // 2)):
            for side in (ours, floor):
                await _once(side, changed(text), watching=True, counts=True)
        return ours.figures, floor.figures


async def _once(side: Side, text: str, *, watching: bool, counts: bool) -> None:
    """Show and close one diff; stalls are measured in separate runs, because that costs CPU."""
    nvim = side.editor
    await nvim.ask("await_diff")
    before = await nvim.ask("cpu")
    if watching:
        await nvim.ask("watch_loop")
    asked = await side.show(str(nvim.project / "file.py"), text)
    visible, _ = await nvim.report("visible")
    await side.settle(visible)
    passed = now()
    await until(lambda: now() - passed > SETTLE * 1000)
    if watching:
        side.figures.stall.append(await nvim.ask("longest_gap"))
    elif counts:
        side.figures.cpu.append(await nvim.ask("cpu") - before)
        side.figures.visible.append(visible - asked)
    await side.close()
    await until(lambda: nvim.nvim.eval("tabpagenr('$') == 1"), "closed")
