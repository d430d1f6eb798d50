"""Hunks that wait for review: the cost of opening their file, and of a key in it; of a command."""

import asyncio
import os
import resource
import subprocess
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from bench.editors import Editor, serving
from bench.measure import Effort, Table, figure, goal, median, now, ratio
from claude_ide.review.entry import Turn
from claude_ide.review.review import Review
from claude_ide.review.snapshot import STATUS, ChangedFile, Snapshots
from claude_ide.review.store import Store
from support.neovim import until

LINES = 10_000
HUNKS = 500
TYPED = 2_000
OPEN_MS, KEY_MS = 10, 1
FOLDERS, FILES = 500, 100
LOOK_MS, LOOK_RATIO = 100, 1.25
COUNT = """
local space = vim.api.nvim_get_namespaces().claude_ide_review or -1
local rows = {}
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, space, 0, -1, {})) do
  rows[mark[2]] = true
end
return vim.tbl_count(rows)
"""


async def run(effort: Effort) -> list[Table]:
    """Compare a file that has hunks with one that has none."""
    table = Table(
        f"a file of {LINES:,} lines with {HUNKS} hunks that wait for review "
        "(CPU in Neovim, ms, medians)",
        ["", "with hunks", "without", "goal"],
    )
    async with serving() as (shown, _), serving() as (plain, _):
        _write(shown, HUNKS)
        _write(plain, 0)
        opened: dict[Editor, list[float]] = {shown: [], plain: []}
        typed: dict[Editor, list[float]] = {shown: [], plain: []}
        moved: dict[Editor, list[float]] = {shown: [], plain: []}
        # The first run of each loads modules.
        for each in range(-1, effort.runs(21)):
            for one, hunks in ((shown, HUNKS), (plain, 0)):
                figures = (await _open(one, hunks), await _type(one), await _move(one))
                for samples, value in zip((opened, typed, moved), figures, strict=True):
                    samples[one] += [value] if each >= 0 else []
    for name, samples, limit in (
        ("`:edit`, until the hunks are drawn", opened, OPEN_MS),
        (f"one of {TYPED:,} letters above them, typed at once", typed, KEY_MS),
        (f"one of {LINES:,} `j` that pass them", moved, KEY_MS),
    ):
        here, there = median(samples[shown]), median(samples[plain])
        table.add(name, figure(here, 3), figure(there, 3), goal(here - there, limit, " ms"))
    return [table, await _commands(effort)]


async def _commands(effort: Effort) -> Table:
    """Compare a look at a repository before or after a command with `git status` alone."""
    table = Table(
        f"a look at a repository of {FOLDERS * FILES:,} files, before and after each command "
        "(outside of the editor, ms, medians)",
        ["", "the look", "`git status`", "ratio", "goal"],
    )
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        _fill(root)
        snapshots = Snapshots(str(root))
        figures = [
            (await _effort(snapshots.take), await _effort(lambda: asyncio.to_thread(_git, root)))
            for _ in range(effort.runs(21) + 1)
        ][1:]
    for at, name in enumerate(("CPU", "wall")):
        here, there = (median([each[which][at] for each in figures]) for which in (0, 1))
        verdict = goal(here / there, LOOK_RATIO) if at == 0 else goal(here, LOOK_MS, " ms")
        table.add(name, figure(here), figure(there), ratio(here, there), verdict)
    return table


def _fill(root: Path) -> None:
    for number in range(FOLDERS):
        parent = root / f"{number // 25}" / f"{number}"
        parent.mkdir(parents=True)
        for file in range(FILES):
            (parent / f"{file}.py").write_text(f"{number}\n{file}\n")
    _git(root, "init", "-q")
    _git(root, "add", "-A")
    _git(root, "-c", "user.name=x", "-c", "user.email=x@localhost", "commit", "-qm", "x")


def _git(root: Path, *words: str) -> None:
    command = ["git", *(words or ["-c", "core.fsmonitor=false", "status", *STATUS])]
    # Only `git status` with locks would make the next one cheaper.
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
    subprocess.run(command, cwd=root, env=environment, stdout=subprocess.DEVNULL, check=True)


async def _effort(function: Callable[[], Awaitable[object]]) -> tuple[float, float]:
    """Return the milliseconds of CPU, with child processes, and of time that a call takes."""
    began, used = now(), _used()
    await function()
    return _used() - used, now() - began


def _used() -> float:
    whose = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    return sum(1000 * (each.ru_utime + each.ru_stime) for each in map(resource.getrusage, whose))


def _write(served: Editor, hunks: int) -> None:
    """Write the file, and let an agent change lines of it."""
    path = served.project / "file.py"
    before = [f"line {number}\n" for number in range(LINES + 1)]
    after = [*before]
    for line in range(10, 10 + hunks * (LINES // HUNKS), LINES // HUNKS)[:hunks]:
        after[line] = f"LINE {line}\n"
    path.write_text("".join(after))
    if hunks:
        home = served.config_folder.parent / "state" / "claude_ide" / "review"
        found = ChangedFile(str(path), "".join(before).encode(), "".join(after).encode())
        Review(str(served.project), Store(str(served.project), home)).wrote(Turn("s", "1"), [found])


async def _open(user: Editor, hunks: int) -> float:
    await user.nvim.command("%bwipeout!")
    before = await user.ask("cpu")
    await user.nvim.command(f"edit {user.project / 'file.py'}")
    if hunks:
        await until(lambda: _has(user, hunks), "the hunks", pause=0.1)
    after = await user.ask("cpu")
    return float(after - before)


async def _has(user: Editor, hunks: int) -> bool:
    return bool(await user.nvim.lua(COUNT) >= hunks)


async def _type(user: Editor) -> float:
    await user.nvim.command("normal! gg")
    before = await user.ask("cpu")
    await user.nvim.request("nvim_input", f"O{'x' * TYPED}<Esc>")
    after = await user.ask("cpu")
    await user.nvim.command("silent undo | normal! gg")
    return float((after - before) / TYPED)


async def _move(user: Editor) -> float:
    before = await user.ask("cpu")
    await user.nvim.request("nvim_input", "j" * LINES)
    after = await user.ask("cpu")
    return float((after - before) / LINES)
