"""Chats and lists that are long: their cost in Neovim, and how long Neovim does nothing else.

The CLI is `talker.py`; the session files are read as those of the CLI are.
"""

import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

from bench import stored
from bench.editors import LISTENING, LONGEST, Editor, editor, host_pid
from bench.measure import Effort, Table, figure, goal, median, now
from support import reviews
from support.neovim import until
from support.panel import Panel
from support.processes import cpu

TALKER = Path(__file__).with_name("talker.py")
WAIT_SECONDS = LONGEST
EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
SESSION = 22_000_000
BLOCK = 25
"""The longest time in ms in which Neovim may handle no key."""

DRAWN = """
local words = ...
local transcript = require('claude_ide.chat.transcript')
local draw = transcript.draw
transcript.draw = function(id, frame)
  local why = draw(id, frame)
  for _, edit in ipairs(frame.edits or {}) do
    if words == '' and #edit.lines > 99 or vim.list_contains(edit.lines, words) then
      bench.report('drawn')
    end
  end
  return why
end
"""
SETTLE = "vim.defer_fn(function() bench.report('settled') end, 300)"
PRESS_FIRST = """
local chat = require('claude_ide.chat.state').list()[1]
local window = vim.fn.win_findbuf(chat.transcript)[1]
vim.api.nvim_set_current_win(window)
vim.api.nvim_win_set_cursor(window, { 1, 0 })
return vim.api.nvim_get_current_line()
"""

IS_SHOWN = """
local filetype, count = ...
for _, window in ipairs(vim.api.nvim_list_wins()) do
  local bufnr = vim.api.nvim_win_get_buf(window)
  if vim.bo[bufnr].filetype == filetype and vim.api.nvim_buf_line_count(bufnr) >= count then
    return true
  end
end
return false
"""

Act = Callable[[], Awaitable[None]]
Occasion = Callable[[], AbstractAsyncContextManager[tuple[Editor, Act]]]


async def run(effort: Effort) -> list[Table]:
    """Measure each occasion in Neovims of its own."""
    table = Table(
        "Long chats and lists (medians; CPU in ms, pauses in ms)",
        ["", "took (s)", "Neovim", "host", "longest stall", "its CPU", "goal"],
    )
    for name, occasion in OCCASIONS.items():
        runs = [await _measure(occasion) for _ in range(effort.runs(5))]
        took, used, in_host, stall, work = (median(each) for each in zip(*runs, strict=True))
        row = (figure(took / 1000), figure(used), figure(in_host), figure(stall), figure(work))
        table.add(name, *row, goal(stall, BLOCK, " ms"))
    return [table]


async def _measure(occasion: Occasion) -> tuple[float, ...]:
    """Return the duration, the CPU of Neovim and of the host; of another run the stall, its CPU."""
    async with occasion() as (served, act):
        pid = await host_pid(served)
        before, in_host, began = await served.ask("cpu"), cpu(pid), now()
        await act()
        took = now() - began
        await _settle(served)
        used, in_host = await served.ask("cpu") - before, cpu(pid) - in_host
    async with occasion() as (served, act):
        await served.ask("watch_loop")
        await act()
        await _settle(served)
        stall = await served.ask("longest_gap")
        return took, used, in_host, stall, await served.ask("longest_work")


async def _settle(served: Editor) -> None:
    await served.nvim.lua(SETTLE)
    await served.report("settled")


@asynccontextmanager
async def _chat(**options: Any) -> AsyncIterator[tuple[Editor, Panel]]:
    async with editor(plugin=True) as served:
        panel = await Panel.open(served.nvim, [sys.executable, "-I", TALKER], **options)
        yield served, panel


@asynccontextmanager
async def _stored(**options: Any) -> AsyncIterator[tuple[Editor, Act]]:
    """Yield a chat, and the function that resumes a session of 22 MB."""
    async with _chat(**options) as (served, _):
        kept = stored.folder(served.config_folder, served.project)
        session, turns = stored.write_session(kept, SESSION)
        await served.nvim.lua(DRAWN, f"Answer {turns}")

        async def act() -> None:
            await served.nvim.command(f"stopinsert | ClaudeChat resume {session}")
            await _report(served, "drawn")

        yield served, act


def _opened(*, render: bool) -> Occasion:
    return lambda: _stored(render=render)


@asynccontextmanager
async def _earlier() -> AsyncIterator[tuple[Editor, Act]]:
    async with _stored() as (served, resume):
        await resume()
        await _settle(served)
        await served.nvim.lua(DRAWN, "")
        await served.nvim.keys("<Esc>")

        async def act() -> None:
            assert await served.nvim.lua(PRESS_FIRST) == "… earlier"
            await served.nvim.keys("<CR>")
            await _report(served, "drawn")

        yield served, act


@asynccontextmanager
async def _exported() -> AsyncIterator[tuple[Editor, Act]]:
    async with _stored() as (served, resume):
        await resume()
        await _settle(served)

        async def act() -> None:
            await served.nvim.command("stopinsert | ClaudeChat export all.md")
            target = served.project / "all.md"
            await until(lambda: target.exists() and target.stat().st_size, "the file", WAIT_SECONDS)

        yield served, act


@asynccontextmanager
async def _sessions() -> AsyncIterator[tuple[Editor, Act]]:
    async with _chat() as (served, _):
        kept = stored.folder(served.config_folder, served.project)
        for _number in range(2_000):
            stored.write_session(kept, 1)
        yield served, _shown(served, "claude-list", 2_000, "ClaudeChat list")


@asynccontextmanager
async def _tasks() -> AsyncIterator[tuple[Editor, Act]]:
    async with _chat() as (served, panel):
        show = _shown(served, "claude-tasks", 300, "ClaudeChat tasks")

        async def act() -> None:
            await panel.send("tasks 300")
            await panel.bar_shows("300 tasks")
            await show()

        yield served, act


@asynccontextmanager
async def _todos() -> AsyncIterator[tuple[Editor, Act]]:
    async with _chat() as (served, panel):

        async def act() -> None:
            await panel.send("todos 200")
            await panel.bar_shows("0/200 todos")

        yield served, act


@asynccontextmanager
async def _files() -> AsyncIterator[tuple[Editor, Act]]:
    async with _chat() as (served, panel):
        names = (f"folder{number // 100}/file{number}.txt" for number in range(100_000))
        entries = "".join(f"100644 {EMPTY_BLOB}\t{name}\n" for name in names)
        _index(served.project, entries)

        def is_offered() -> bool:
            return "folder999/file99999.txt" in served.nvim.screen.text()

        async def act() -> None:
            await panel.write()
            await served.nvim.keys("@")
            await until(lambda: served.nvim.eval("pumvisible()"), "a menu", WAIT_SECONDS)
            await served.nvim.keys("99999")
            await until(is_offered, "the last file", WAIT_SECONDS)

        yield served, act


@asynccontextmanager
async def _changes() -> AsyncIterator[tuple[Editor, Act]]:
    async with editor(plugin=True) as served:
        await served.nvim.command("ClaudeStart!")
        await until(lambda: served.nvim.lua(LISTENING), "listening")
        files = [served.project / f"file{number}.txt" for number in range(100)]
        diff = ("-line", "+line!")
        hunks = [reviews.hunk(file, row, diff) for file in files for row in range(50, 500, 100)]

        async def act() -> None:
            await reviews.show(served.nvim, *hunks)
            await until(
                lambda: served.nvim.eval("len(getqflist()) == 500"), "all hunks", WAIT_SECONDS
            )

        yield served, act


def _index(folder: Path, entries: str) -> None:
    """Make a repository with an index; its files need not exist."""
    for arguments in (["init", "-q"], ["update-index", "--index-info"]):
        subprocess.run(["git", *arguments], cwd=folder, input=entries, text=True, check=True)


def _shown(served: Editor, filetype: str, count: int, command: str) -> Act:
    """Return a function that runs a command and waits for a list with that many lines."""

    async def act() -> None:
        await served.nvim.command(f"stopinsert | {command}")
        await until(lambda: served.nvim.lua(IS_SHOWN, filetype, count), command, WAIT_SECONDS)

    return act


async def _report(served: Editor, name: str) -> None:
    def found() -> bool:
        return any(
            method == "bench" and arguments[0] == name
            for method, arguments in served.nvim.notifications
        )

    await until(found, name, WAIT_SECONDS)
    served.nvim.notifications.clear()


OCCASIONS: dict[str, Occasion] = {
    "a session of 22 MB is resumed": _opened(render=True),
    "the same without `chat.render`": _opened(render=False),
    "`… earlier` in it": _earlier,
    "its export": _exported,
    "`:ClaudeChat list` of 2,000 sessions": _sessions,
    "300 tasks, and `:ClaudeChat tasks`": _tasks,
    "a todo list of 200": _todos,
    "`@` among 100,000 files": _files,
    "500 changes in 100 files in the list of `:ClaudeChanges`": _changes,
}
