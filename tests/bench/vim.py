"""Vim beside Neovim in one run: start-up, calls of the editor, large diffs, keys in Visual mode."""

import asyncio
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bench import texts
from bench.measure import Effort, Table, figure, goal, median, now, percentile, ratio
from support.claude_code import ClaudeCode, claude_code, the_lock
from support.either_editor import Editor, edit, happened, is_serving, record_diffs
from support.neovim import ROOT, Neovim, until
from support.processes import cpu
from support.vim import Vim, vim_binary

EDITORS: tuple[type[Neovim] | type[Vim], ...] = (Neovim, Vim)
KEYS = 2000
LONGEST = 60.0
"""Seconds that a diff may take before the benchmark gives up."""


@dataclass(frozen=True, slots=True)
class Served:
    """An editor with its server and a client, in a project."""

    editor: Editor
    client: ClaudeCode
    project: Path

    @property
    def name(self) -> str:
        return type(self.editor).__name__


async def run(effort: Effort) -> list[Table]:
    """Measure both editors in turns."""
    async with _served(Neovim) as neovim, _served(Vim) as vim:
        both = (neovim, vim)
        return [
            _start_up(effort.runs(101)),
            await _calls(effort.runs(500), both),
            await _diffs(effort.runs(5), both),
            await _keys(effort.runs(15), both),
        ]


@asynccontextmanager
async def _served(kind: type[Neovim] | type[Vim]) -> AsyncIterator[Served]:
    with tempfile.TemporaryDirectory() as folder:
        home, project = Path(folder) / "home", Path(folder) / "project"
        project.mkdir()
        editor: Editor = await kind.start(cwd=project, home=home)
        try:
            await record_diffs(editor)
            await editor.command("ClaudeStart!")
            await the_lock(home / "claude")
            await until(lambda: is_serving(editor))
            async with claude_code(home / "claude") as client:
                yield Served(editor, client, project)
        finally:
            await editor.stop()


def _start_up(runs: int) -> Table:
    added, without = [], []
    for _ in range(runs):
        without.append(_start())
        added.append(_start("--cmd", f"set runtimepath^={ROOT}") - without[-1])
    table = Table("Start-up of Vim (ms, medians)", ["", "without", "added", "goal"])
    more = median(added)
    table.add("`vim +qa`", figure(median(without), 2), figure(more, 2), goal(more, 1, " ms"))
    return table


def _start(*arguments: str) -> float:
    command = [vim_binary(), "-N", "-u", "NORC", "-i", "NONE", "-n", "-T", "dumb", "--not-a-term"]
    began = now()
    subprocess.run([*command, *arguments, "+qa"], check=True, capture_output=True)
    return now() - began


async def _calls(runs: int, both: tuple[Served, ...]) -> Table:
    table = Table(
        "`checkDocumentDirty`, which asks the editor (ms)", ["", "p50", "p99", "ratio of p50"]
    )
    times: dict[str, list[float]] = {served.name: [] for served in both}
    for _ in range(runs):
        for served in both:
            began = now()
            await served.client.json("checkDocumentDirty", {"filePath": str(served.project / "x")})
            times[served.name].append(now() - began)
    floor = percentile(times[both[0].name], 50)
    for name, taken in times.items():
        p50, p99 = percentile(taken, 50), percentile(taken, 99)
        table.add(name, figure(p50, 2), figure(p99, 2), ratio(p50, floor))
    return table


async def _diffs(runs: int, both: tuple[Served, ...]) -> Table:
    table = Table(
        "openDiff with few changes (ms, medians); a diff takes keys after 200 ms",
        ["", "until it takes keys", "from `:w` to the answer", "CPU of the editor", "ratio of CPU"],
    )
    for size in ("1 MB", "10 MB"):
        text = texts.original(texts.SIZES[size])
        costs: list[float] = []
        for served in both:
            figures = [await _diff(served, text) for _ in range(runs)]
            shown, answered, used = (median(each) for each in zip(*figures, strict=True))
            costs.append(used)
            table.add(
                *[f"{served.name}, {size}", figure(shown, 0), figure(answered, 0)],
                *[figure(used, 0), ratio(used, costs[0])],
            )
    return table


async def _diff(served: Served, text: str) -> tuple[float, float, float]:
    path = served.project / f"large{len(text)}.txt"
    path.write_text(text)
    opened = await happened(served.editor, "ClaudeDiffOpened")
    used, began = cpu(served.editor.process.pid), now()
    _, asked = served.client.start_call(
        "openDiff", {"old_file_path": str(path), "new_file_contents": texts.few_changed(text)}
    )

    async def is_open() -> bool:
        return await happened(served.editor, "ClaudeDiffOpened") > opened

    await until(is_open, seconds=LONGEST)
    shown = now()
    await served.editor.keys(":w<CR>")
    await asyncio.wait_for(asked, LONGEST)
    answered = now()

    async def is_closed() -> bool:
        return await happened(served.editor, "ClaudeDiffClosed") > opened

    await until(is_closed, seconds=LONGEST)
    return shown - began, answered - shown, cpu(served.editor.process.pid) - used


async def _keys(runs: int, both: tuple[Served, ...]) -> Table:
    table = Table(
        f"{KEYS:,} `j` in Visual mode, all typed at once (CPU of the editor for a key, µs)",
        ["", "with the server", "without", "added"],
    )
    for served in both:
        path = served.project / "keys.txt"
        path.write_text("a line of text\n" * (KEYS + 1))
        await edit(served.editor, path)
        on = [await _hold_down(served.editor) for _ in range(runs)]
        await served.editor.command("ClaudeStop!")

        async def is_off(editor: Editor = served.editor) -> bool:
            return not await is_serving(editor)

        await until(is_off)
        off = [await _hold_down(served.editor) for _ in range(runs)]
        here, there = median(on), median(off)
        table.add(served.name, figure(here), figure(there), figure(here - there))
    return table


async def _hold_down(editor: Editor) -> float:
    await editor.keys("<Esc>ggV")
    before = cpu(editor.process.pid)
    await editor.keys("j" * KEYS)
    await until(lambda: editor.eval(f"line('.') == {KEYS + 1}"), seconds=LONGEST)
    used = cpu(editor.process.pid) - before
    await editor.keys("<Esc>")
    return used * 1000 / KEYS
