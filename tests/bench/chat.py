"""The chat panel: its cost in Neovim during an answer, and the delay that it adds to the CLI.

The CLI is `talker.py`, so that only the panel is measured. The floor of the times is a bare client
of the same program.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from bench.editors import LONGEST, Editor, editor, host_pid
from bench.measure import Effort, Table, cpu, figure, goal, median, now
from support.neovim import until
from support.panel import Panel

TALKER = Path(__file__).with_name("talker.py")
COMMAND = [sys.executable, "-I", str(TALKER)]
PATIENCE = 4 * LONGEST
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


async def run(effort: Effort) -> list[Table]:
    """Measure a flood, two slower rates (the slowest with a long history), and the delays."""
    return [await _load(effort), await _times(effort.runs(31))]


async def _load(effort: Effort) -> Table:
    table = Table(
        "A chat whose answer comes (CPU in ms, pauses in ms)",
        ["", "took (s)", "Neovim", "of a core", "host", "longest stall", "its CPU", "goal"],
    )
    part = effort.part
    flood = int(50_000 * part)
    async with editor(plugin=True) as served:
        panel = await Panel.open(served.nvim, COMMAND, render=False)
        await served.nvim.lua(WATCH)
        pid = await host_pid(served)
        name = f"{flood:,} deltas at once, without `chat.render`"
        await _row(table, served, panel, pid, name, flood, 0, cpu_ms=200)
    async with editor(plugin=True) as served:
        panel = await Panel.open(served.nvim, COMMAND)
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


async def _times(runs: int) -> Table:
    opened, bare_opened, first, bare_first, stopped, bare_stopped = [], [], [], [], [], []
    for _ in range(runs):
        async with editor(plugin=True) as served:
            await Panel.open(served.nvim, COMMAND)
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
        ready, spoken, ended = await _bare()
        bare_opened.append(ready)
        bare_first.append(spoken)
        bare_stopped.append(ended)
    table = Table(
        "What the panel adds to the CLI (ms, medians)",
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


async def _bare() -> tuple[float, float, float]:
    """Measure the floor, without an editor.

    Returns the milliseconds until `initialize` is answered, from a prompt until the first delta,
    from an interrupt until the turn's end.
    """
    began = now()
    process = await asyncio.create_subprocess_exec(
        *COMMAND, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdin
    assert process.stdout

    async def until_line(word: bytes, **frame: Any) -> float:
        assert process.stdin
        assert process.stdout
        began = now()
        process.stdin.write(json.dumps(frame).encode() + b"\n")
        while word not in await process.stdout.readline():
            pass
        return now() - began

    def control(subtype: str) -> dict[str, Any]:
        return {"type": "control_request", "request_id": "1", "request": {"subtype": subtype}}

    content = [{"type": "text", "text": ENDLESS}]
    prompt = {"type": "user", "message": {"role": "user", "content": content}}
    await until_line(b"control_response", **control("initialize"))
    ready = now() - began
    spoken = await until_line(b"content_block_delta", **prompt)
    ended = await until_line(b'"result"', **control("interrupt"))
    process.kill()
    await process.wait()
    return ready, spoken, ended


async def _reported_at(served: Editor, name: str) -> float:
    def find() -> float | None:
        for method, arguments in served.nvim.notifications:
            if method == "bench" and arguments[0] == name:
                return float(arguments[1])
        return None

    at = await until(find, name, PATIENCE)
    return float(at)
