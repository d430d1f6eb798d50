"""The time that `plugin/` adds to each start of Neovim."""

import resource
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from bench.measure import Effort, Table, figure, goal, median, now, ratio
from support.neovim import ROOT, nvim_binary

WITH_PLUGIN = ("--cmd", f"set runtimepath^={ROOT}")


async def run(effort: Effort) -> list[Table]:
    """Measure starts with and without the plugin, in turns."""
    with_plugin: list[tuple[float, float]] = []
    without: list[tuple[float, float]] = []
    sourced: list[float] = []
    for _ in range(effort.runs(201)):
        with_plugin.append(_start(*WITH_PLUGIN))
        without.append(_start())
        sourced.append(_sourced())
    table = Table(
        "Start-up (ms, medians)", ["", "with the plugin", "without", "added", "ratio", "goal"]
    )
    for index, kind in enumerate(("wall", "CPU")):
        here = median([times[index] for times in with_plugin])
        there = median([times[index] for times in without])
        pairs = zip(with_plugin, without, strict=True)
        added = median([more[index] - less[index] for more, less in pairs])
        table.add(
            *[f"`nvim --headless +qa`, {kind}", figure(here, 2), figure(there, 2)],
            *[figure(added, 2), ratio(here, there), goal(added, 1, " ms")],
        )
    script = median(sourced)
    table.add(
        *["`plugin/claude_ide.lua` in `--startuptime`", figure(script, 2), ""],
        *[figure(script, 2), "", goal(script, 1, " ms")],
    )
    return [table]


@cache
def _program() -> str:
    """Return the path of the executable itself; the one on PATH may be a script."""
    command = [nvim_binary(), "-l", "-"]
    script = b"io.stdout:write(vim.v.progpath)"
    return subprocess.run(command, input=script, check=True, capture_output=True).stdout.decode()


def _start(*arguments: str) -> tuple[float, float]:
    """Start and end a Neovim; return wall time and CPU."""
    command = [_program(), "-u", "NORC", "-i", "NONE", "-n", "--headless", *arguments, "+qa"]
    began, used = now(), _cpu_of_children()
    subprocess.run(command, check=True, capture_output=True)
    return now() - began, _cpu_of_children() - used


def _cpu_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (usage.ru_utime + usage.ru_stime) * 1000


def _sourced() -> float:
    """Return the plugin's line of `--startuptime`: clock, self and sourced, self, name."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        _start(*WITH_PLUGIN, "--startuptime", str(log))
        (line,) = (
            line
            for line in log.read_text(encoding="utf-8").splitlines()
            if line.endswith("plugin/claude_ide.lua")
        )
        return float(line.split()[1])
