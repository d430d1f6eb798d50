"""The chat panel: its cost in Neovim during an answer, and the delay that it adds to the CLI.

The CLI is `talker.py`, so that only the panel is measured. The floor of the times is a bare client
of the same program. `acp` measures the same with an agent of another protocol.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.editors import LONGEST, Editor, editor, host_pid
from bench.measure import Effort, Table, figure, goal, median, now
from support.neovim import Neovim, until
from support.panel import Panel
from support.processes import cpu

TALKER = Path(__file__).with_name("talker.py")
COMMAND = [sys.executable, "-I", str(TALKER)]
WAIT_SECONDS = 4 * LONGEST
ENDLESS = "say 1000000 1000"

WATCH = """
local transcript = require('claude_ide.chat.transcript')
local draw = transcript.draw
transcript.draw = function(id, frame)
  draw(id, frame)
  for _, edit in ipairs(frame.edits or {}) do
    for _, line in ipairs(edit.lines) do
      if line:find('^── ') or line:find('^interrupted') then
        bench.report('turn ended')
      elseif line:find('^## A heading') then
        bench.report('first words')
      end
    end
  end
end
"""


Send = Callable[..., Awaitable[float]]
"""Writes a line to the program, and returns the milliseconds until it writes one with `word`."""


@dataclass(frozen=True, slots=True)
class Speaker:
    """A program that talks: its command, how a panel with it is opened, and a bare client of it.

    `bare` starts a conversation, prompts `ENDLESS`, and interrupts it; it returns the milliseconds
    that each of the three has taken.
    """

    name: str
    command: Sequence[str]
    open: Callable[..., Awaitable[Panel]]
    bare: Callable[[Send], Awaitable[tuple[float, float, float]]]


async def run(effort: Effort) -> list[Table]:
    """Measure a flood, two slower rates (the slowest with a long history), and the delays."""
    cli = Speaker("the CLI", COMMAND, _open, _bare)
    return [await load(effort, cli), await times(effort.runs(31), cli)]


async def _open(nvim: Neovim, **chat: Any) -> Panel:
    return await Panel.open(nvim, COMMAND, **chat)


async def load(effort: Effort, speaker: Speaker) -> Table:
    """Measure the cost of an answer."""
    table = Table(
        f"A chat whose answer comes from {speaker.name} (CPU in ms, pauses in ms)",
        ["", "took (s)", "Neovim", "of a core", "host", "longest stall", "its CPU", "goal"],
    )
    part = effort.part
    flood = int(50_000 * part)
    async with editor(plugin=True) as served:
        panel = await speaker.open(served.nvim, render=False)
        await served.nvim.lua(WATCH)
        pid = await host_pid(served)
        name = f"{flood:,} deltas at once, without `chat.render`"
        await _row(table, served, panel, pid, name, flood, 0, cpu_ms=200)
    async with editor(plugin=True) as served:
        panel = await speaker.open(served.nvim)
        await served.nvim.lua(WATCH)
        pid = await host_pid(served)
        await _row(table, served, panel, pid, f"{flood:,} deltas at once", flood, 0, cpu_ms=200)
        fast = int(2_000 * 10 * part)
        await _row(table, served, panel, pid, "2,000 deltas a second", fast, 2_000, percent=5)
        lines = len((await panel.look())["lines"])
        slow = max(80, int(80 * 8 * part))
        name = f"80 deltas a second, {lines:,} lines above"
        await _row(table, served, panel, pid, name, slow, 80, percent=3)
    return table


async def _row(
    table: Table,
    served: Editor,
    panel: Panel,
    pid: int,
    name: str,
    count: int,
    rate: int,
    *,
    cpu_ms: float = 0,
    percent: float = 0,
) -> None:
    took, used, in_host = await _time_answer(served, panel, pid, count, rate)
    await served.ask("watch_loop")
    await _time_answer(served, panel, pid, count, rate)
    stall = await served.ask("longest_gap")
    work = await served.ask("longest_work")
    goals = [goal(used, cpu_ms, " ms")] if cpu_ms else [goal(100 * used / took, percent, " %")]
    if cpu_ms:
        goals.append(goal(stall, 20, " ms"))
    of_a_core = f"{100 * used / took:.1f} %"
    row = [
        figure(took / 1000),
        figure(used),
        of_a_core,
        figure(in_host),
        figure(stall),
        figure(work),
    ]
    table.add(name, *row, "; ".join(goals))


async def _time_answer(
    served: Editor, panel: Panel, pid: int, count: int, rate: int
) -> tuple[float, float, float]:
    """Start an answer; return its duration, and the CPU of Neovim and of the host."""
    before, in_host, began = await served.ask("cpu"), cpu(pid), now()
    await panel.send(f"say {count} {rate}")
    at = await _reported_at(served, "turn ended")
    used, in_host = await served.ask("cpu") - before, cpu(pid) - in_host
    served.nvim.notifications.clear()
    return at - began, used, in_host


async def times(runs: int, speaker: Speaker) -> Table:
    """Measure the delays."""
    opened, bare_opened, first, bare_first, stopped, bare_stopped = [], [], [], [], [], []
    for _ in range(runs):
        async with editor(plugin=True) as served:
            await speaker.open(served.nvim)
            # The first chat also starts the host and imports modules.
            began = now()
            await served.nvim.command("ClaudeChat new")
            panel = Panel(served.nvim)
            await panel.wait_for_chats(2)
            opened.append(now() - began)
            await served.nvim.lua(WATCH)
            await panel.write()
            await served.nvim.keys("say 20 0")
            began = now()
            await served.nvim.keys("<C-s>")
            first.append(await _reported_at(served, "first words") - began)
            stopped.append(await _stop(served, panel))
        ready, spoken, ended = await _floor(speaker)
        bare_opened.append(ready)
        bare_first.append(spoken)
        bare_stopped.append(ended)
    table = Table(
        f"What the panel adds to {speaker.name} (ms, medians)",
        ["", "panel", "a bare client", "added", "goal for what is added"],
    )
    for name, samples, floor, limit in (
        ("`:ClaudeChat` until the agent is ready", opened, bare_opened, 50),
        ("a prompt until its first words are drawn", first, bare_first, 40),
        ("a key that stops an answer until its end is drawn", stopped, bare_stopped, 50),
    ):
        here, bare = median(samples), median(floor)
        table.add(name, figure(here), figure(bare), figure(here - bare), goal(here - bare, limit))
    return table


async def _stop(served: Editor, panel: Panel) -> float:
    """Start an answer and stop it; return how long stopping takes."""
    await _reported_at(served, "turn ended")
    served.nvim.notifications.clear()
    await panel.send(ENDLESS)
    await _reported_at(served, "first words")
    await served.nvim.keys("<Esc>")
    began = now()
    await served.nvim.keys("<C-c>")
    return await _reported_at(served, "turn ended") - began


async def _floor(speaker: Speaker) -> tuple[float, float, float]:
    """Measure a bare client, without an editor."""
    began = now()
    process = await asyncio.create_subprocess_exec(
        *speaker.command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )

    async def until_line(word: bytes, **frame: Any) -> float:
        assert process.stdin
        assert process.stdout
        sent = now()
        process.stdin.write(json.dumps(frame).encode() + b"\n")
        while word not in await process.stdout.readline():
            pass
        return now() - sent

    spawned = now() - began
    ready, spoken, ended = await speaker.bare(until_line)
    process.kill()
    await process.wait()
    return spawned + ready, spoken, ended


async def _bare(until_line: Send) -> tuple[float, float, float]:
    def control(subtype: str) -> dict[str, Any]:
        return {"type": "control_request", "request_id": "1", "request": {"subtype": subtype}}

    content = [{"type": "text", "text": ENDLESS}]
    prompt = {"type": "user", "message": {"role": "user", "content": content}}
    ready = await until_line(b"control_response", **control("initialize"))
    spoken = await until_line(b"content_block_delta", **prompt)
    return ready, spoken, await until_line(b'"result"', **control("interrupt"))


async def _reported_at(served: Editor, name: str) -> float:
    def find() -> float | None:
        for method, arguments in served.nvim.notifications:
            if method == "bench" and arguments[0] == name:
                return float(arguments[1])
        return None

    at = await until(find, name, WAIT_SECONDS)
    return float(at)
