"""`getOpenEditors` with many files that have no diagnostics, and with a hundred in each.

The floor is plain Lua in Neovim that lists the same buffers, in both cases.
"""

import tempfile
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

from bench.editors import Editor, editor, serving
from bench.measure import Effort, Table, figure, goal, median, now, ratio
from bench.wire import Wire, call
from support import either_editor
from support.claude_code import the_lock
from support.neovim import until
from support.processes import cpu
from support.vim import Vim

FILES, DIAGNOSTICS = 51, 100
GOAL = 1.2
OPEN = f"""
local folder = ...
for number = 1, {FILES} do
  vim.cmd.edit(('%s/file%d.py'):format(folder, number))
end
"""
DIAGNOSE = f"""
local items = {{}}
for lnum = 0, {DIAGNOSTICS} - 1 do
  items[#items + 1] = {{ lnum = lnum, col = 0, message = 'a message' }}
end
local ns = vim.api.nvim_create_namespace('bench_diagnostics')
for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
  vim.diagnostic.set(ns, bufnr, items)
end
"""
PLAIN = """
local found = {}
for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
  local options = vim.bo[bufnr]
  if options.buflisted and options.buftype == '' then
    local name = vim.api.nvim_buf_get_name(bufnr)
    found[#found + 1] = {
      uri = vim.uri_from_fname(name),
      fileName = name,
      label = vim.fs.basename(name),
      languageId = options.filetype,
      isDirty = options.modified,
      isActive = bufnr == vim.api.nvim_get_current_buf(),
      lineCount = vim.api.nvim_buf_line_count(bufnr),
    }
  end
end
return found
"""
PLACE = (
    "call sign_define('bench', {'text': 'x'})",
    f"let g:signs = map(range(1, {DIAGNOSTICS}), {{_, line -> {{'name': 'bench', 'lnum': line}}}})",
    "for g:number in range(1, bufnr('$'))"
    " | call sign_placelist(map(copy(g:signs), {_, one -> extend({'buffer': g:number}, one)}))"
    " | endfor",
)
Ask = Callable[[], Awaitable[None]]


async def run(effort: Effort) -> list[Table]:
    """Measure both editors without diagnostics, and then with them."""
    table = Table(
        f"`getOpenEditors`, {FILES} files (ms, medians)",
        ["", "answered after", "CPU in the editor", "floor", "its CPU", "ratio of CPU", "goal"],
    )
    async with AsyncExitStack() as stack:
        served, wire = await stack.enter_async_context(serving())
        plain = await stack.enter_async_context(editor(plugin=False))
        for each in (served, plain):
            _write(each.project)
            await each.nvim.lua(OPEN, str(each.project))
        vim, ask_vim = await _vim(stack)
        runs = effort.runs(300)
        for name in ("no diagnostics", f"{DIAGNOSTICS} diagnostics in each file"):
            if name != "no diagnostics":
                for each in (served, plain):
                    await each.nvim.lua(DIAGNOSE)
                for command in PLACE:
                    await vim.command(command)
            floor = await _measure(runs, plain.nvim.process.pid, _plainly(plain))
            ours = await _measure(runs, served.nvim.process.pid, _asking(wire))
            _add(table, f"Neovim, {name}", ours, floor)
            _add(table, f"Vim, {name}", await _measure(runs, vim.process.pid, ask_vim), floor)
    return [table]


def _write(folder: Path) -> None:
    for number in range(1, FILES + 1):
        (folder / f"file{number}.py").write_text("value = 1\n" * DIAGNOSTICS)


async def _vim(stack: AsyncExitStack) -> tuple[Vim, Ask]:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    home, project = folder / "home", folder / "project"
    project.mkdir()
    _write(project)
    vim = await Vim.start(cwd=project, home=home)
    stack.push_async_callback(vim.stop)
    await vim.command("set hidden")
    for number in range(1, FILES + 1):
        await vim.command(f"edit {project}/file{number}.py")
    await vim.command("ClaudeStart!")
    await until(lambda: either_editor.is_serving(vim), "listening")
    port, lock = await the_lock(home / "claude")
    wire = await stack.enter_async_context(Wire.connected(port, lock["authToken"]))
    await wire.introduce()
    return vim, _asking(wire)


def _asking(wire: Wire) -> Ask:
    async def ask() -> None:
        number = next(wire.numbers)
        await wire.connection.send(call(number, "getOpenEditors"))
        await until(lambda: number in wire.answers, "an answer", pause=0)
        del wire.answers[number]

    return ask


def _plainly(plain: Editor) -> Ask:
    async def ask() -> None:
        await plain.nvim.lua(PLAIN)

    return ask


async def _measure(runs: int, pid: int, ask: Ask) -> tuple[float, float]:
    """Return the median time of an answer, and the mean CPU of the editor for it."""
    await ask()
    times, before = [], cpu(pid)
    for _ in range(runs):
        began = now()
        await ask()
        times.append(now() - began)
    return median(times), (cpu(pid) - before) / runs


def _add(table: Table, name: str, ours: tuple[float, float], floor: tuple[float, float]) -> None:
    table.add(
        *[name, figure(ours[0], 2), figure(ours[1], 2), figure(floor[0], 2), figure(floor[1], 2)],
        *[ratio(ours[1], floor[1]), goal(ours[0], GOAL, " ms")],
    )
