"""Cursor movements: the cost of a key while the server runs, and the delay until the client."""

from itertools import pairwise

from bench.editors import LONGEST, Editor, editor, host_pid, serving
from bench.measure import Effort, Samples, Table, figure, goal, median, now, percentile
from bench.wire import Wire
from support.neovim import until
from support.processes import cpu

KEYS = 10_000
REPEAT = 1000 / 30
"""Milliseconds between the repetitions of a held key."""
REST = 200.0
"""Milliseconds between single keys."""
EMPTY_CALLBACK = "vim.api.nvim_create_autocmd('CursorMoved', { callback = function() end })"


async def run(effort: Effort) -> list[Table]:
    """Compare the CPU with a Neovim without the plugin, and measure the client's delay."""
    async with (
        serving() as (served, wire),
        editor(plugin=False) as plain,
        editor(plugin=False) as listening,
    ):
        await listening.nvim.lua(EMPTY_CALLBACK)
        for each in (served, plain, listening):
            path = each.project / "file.py"
            path.write_text("".join(f"line {number}\n" for number in range(KEYS + 1)))
            await each.nvim.command(f"edit {path}")
        costs = await _costs(effort.runs(21), served, wire, plain, listening)
        return [costs, await _latencies(effort.runs(100), served, wire)]


async def _costs(runs: int, served: Editor, wire: Wire, plain: Editor, listening: Editor) -> Table:
    without: list[float] = []
    added: list[float] = []
    added_by_empty: list[float] = []
    in_host: list[float] = []
    pauses: list[float] = []
    pid = await host_pid(served)
    for _ in range(runs):
        before, known = cpu(pid), len(wire.notifications)
        cost = await _hold_down(served)
        in_host.append((cpu(pid) - before) * 1000 / KEYS)
        pauses.append(_longest_pause(wire, known))
        without.append(await _hold_down(plain))
        added.append(cost - without[-1])
        added_by_empty.append(await _hold_down(listening) - without[-1])
    table = Table(f"{KEYS:,} `j`, all typed at once (medians)", ["", "a key", "goal"])
    for name, samples, limit in (
        ("CPU of a key without the plugin (µs)", without, None),
        ("added by an empty callback in Lua (µs)", added_by_empty, None),
        ("added by the plugin with a client (µs)", added, 4),
        ("CPU in the host (µs)", in_host, None),
        ("longest pause between two `selection_changed` (ms)", pauses, 160),
    ):
        value = median(samples)
        table.add(name, figure(value), goal(value, limit) if limit else "")
    return table


async def _hold_down(typist: Editor) -> float:
    """Type all keys at once; return the CPU per key, in µs."""
    await typist.nvim.command("normal! gg")
    before = await typist.ask("cpu")
    written = await typist.nvim.request("nvim_input", "j" * KEYS)
    assert written == KEYS
    # A request is answered after all earlier keys.
    after = await typist.ask("cpu")
    assert await typist.nvim.eval("line('.')") == KEYS + 1
    return float((after - before) * 1000 / KEYS)


def _longest_pause(wire: Wire, first: int) -> float:
    times = [at for at, method, _ in wire.notifications[first:] if method == "selection_changed"]
    return max((after - before for before, after in pairwise(times)), default=0)


async def _latencies(keys: int, served: Editor, wire: Wire) -> Table:
    table = Table(
        "From a key to `selection_changed` in the client (ms)",
        ["", "p50", "p99", "most", "the last key", "goal", "messages for 100 keys", "goal"],
    )
    for name, count, interval, most, messages in (
        ("one key at a time", keys, REST, 60, 100),
        ("a key held (30 a second)", keys * 3, REPEAT, 160, 30),
    ):
        times = await _type(served, wire, count, interval)
        reported = 100 * len(wire.notifications) / count
        figures = [percentile(times, 50), percentile(times, 99), max(times), times[-1]]
        table.add(
            *[name, *(figure(each) for each in figures)],
            goal(max(times), most, " ms"),
            *[figure(reported, 0), goal(reported, messages)],
        )
    return table


async def _type(served: Editor, wire: Wire, keys: int, interval: float) -> Samples:
    """Type keys one by one; return the delay of each until the client has its position."""
    await served.nvim.command("normal! gg")
    await _pass(now() + 2 * REST)
    del wire.notifications[:]
    pressed = []
    begin = now()
    for number in range(keys):
        await _pass(begin + number * interval)
        pressed.append(now())
        await served.nvim.keys("j")
    await _pass(now() + REST)
    return [_reported_at(wire, line) - at for line, at in enumerate(pressed, start=1)]


def _reported_at(wire: Wire, line: int) -> float:
    return next(
        at
        for at, method, params in wire.notifications
        if method == "selection_changed" and params["selection"]["end"]["line"] >= line
    )


async def _pass(moment: float) -> None:
    await until(lambda: now() >= moment, seconds=LONGEST)
