"""The model's tools that ask language servers, next to the same request without them."""

import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from bench.editors import Editor, serving
from bench.measure import Effort, Table, figure, goal, median, now, ratio
from bench.wire import Wire
from real.installed import search_path
from support.neovim import until

RUNS = 21
FILES, USES = 100, 10
LINES = 20_000
FUNCTION = """\
def work(number: int, name: str) -> str:
    total = 0
    for step in range(number):
        total += step * len(name)
    return name + str(total)


"""
"""What a file of a usual length has between the uses of a symbol."""
BLOCK = 20
"""Milliseconds for which a tool may block Neovim, beyond Neovim's decoding of the answer."""

INSTRUMENTS = """
local program = ...
vim.lsp.config('basedpyright', {
  cmd = { program, '--stdio' },
  filetypes = { 'python' },
  root_markers = { 'pyrightconfig.json' },
})
vim.lsp.enable('basedpyright')

local function client()
  return vim.lsp.get_clients({ name = 'basedpyright', bufnr = 0 })[1]
end

function bench.is_served()
  local one = client()
  return one ~= nil and one.initialized == true
end

-- The same request without the plugin.
function bench.bare(method, more)
  local parameters = { textDocument = { uri = vim.uri_from_bufnr(0) } }
  local began = bench.now()
  client():request(method, vim.tbl_extend('force', parameters, more), function(_, result)
    bench.report('answered', { took = bench.now() - began, count = #result })
  end, 0)
end
"""

Ask = Callable[[], Awaitable[float]]


async def run(effort: Effort) -> list[Table]:
    """Time references and symbols, with the tool and without it."""
    table = Table(
        "The model's tools and the same request of plain Lua (ms, medians)",
        ["", "tool", "request", "ratio", "goal", "stall", "of the request", "added", "goal"],
    )
    program = shutil.which("basedpyright-langserver", path=search_path())
    if program is None:
        table.add("basedpyright is not installed (`make real SHORT=1`)", *[""] * 8)
        return [table]
    async with serving("/neovim") as (served, wire):
        await served.nvim.lua(INSTRUMENTS, program)
        (served.project / "pyrightconfig.json").write_text("{}")
        # All are written first: the server looks for files when it starts.
        short = _project(served.project / "short", "")
        usual = _project(served.project / "usual", FUNCTION * 3)
        await _references(served, wire, table, effort, usual, "200 lines")
        await _references(served, wire, table, effort, short, "10 lines")
        await _symbols(served, wire, table, effort)
    return [table]


def _project(folder: Path, between: str) -> Path:
    """Write files that use a symbol, with a text between the uses; return the file that has it."""
    folder.mkdir()
    used = folder / "used.py"
    used.write_text("def greet() -> int:\n    return 1\n")
    for number in range(FILES):
        text = "from used import greet\n" + f"{between}print(greet(), 1)\n" * (USES - 1)
        (folder / f"file{number}.py").write_text(text)
    return used


async def _references(
    served: Editor, wire: Wire, table: Table, effort: Effort, used: Path, length: str
) -> None:
    await _open(served, used)
    position = {"position": {"line": 0, "character": 4}}
    more = {**position, "context": {"includeDeclaration": True}}
    bare = _bare(served, "textDocument/references", more)
    place = {"file": str(used), "line": 1, "symbol": "greet"}
    for shown, arguments in (("", place), (", all that fit", {**place, "limit": 1000})):
        tool = _tool(wire, "references", arguments, f"{FILES * USES + 1:,} places in")
        row = f"{FILES * USES:,} references in files of {length}{shown}"
        await _compare(served, table, row, tool, bare, effort)


async def _symbols(served: Editor, wire: Wire, table: Table, effort: Effort) -> None:
    long = served.project / "long.py"
    names = range(LINES // 4)
    long.write_text(
        "".join(f"def f{n}(a: int) -> int:\n    b = a\n    return b\n\n" for n in names)
    )
    await _open(served, long)
    arguments = {"file": str(long), "depth": 2, "limit": 1000}
    bare = _bare(served, "textDocument/documentSymbol", {})
    tool = _tool(wire, "document_symbols", arguments, f"{3 * len(names):,} symbols")
    await _compare(served, table, f"symbols of {LINES:,} lines", tool, bare, effort)


async def _open(served: Editor, path: Path) -> None:
    await served.nvim.command(f"edit {path}")
    await until(lambda: served.nvim.lua("return bench.is_served()"), "basedpyright", 60)


def _bare(served: Editor, method: str, more: dict[str, Any]) -> Ask:
    async def ask() -> float:
        await served.ask("bare", method, more)
        _, answered = await served.report("answered")
        return float(answered["took"])

    return ask


def _tool(wire: Wire, name: str, arguments: dict[str, Any], expected: str) -> Ask:
    async def ask() -> float:
        began = now()
        at, answer = await wire.ask("tools/call", {"name": name, "arguments": arguments})
        text = answer["content"][0]["text"]
        assert text.startswith(expected), text[:200]
        return at - began

    return ask


async def _compare(
    served: Editor, table: Table, name: str, tool: Ask, bare: Ask, effort: Effort
) -> None:
    await bare()
    await tool()
    times: tuple[list[float], list[float]] = [], []
    for _ in range(effort.runs(RUNS)):
        for ask, samples in zip((tool, bare), times, strict=True):
            samples.append(await ask())
    ours, theirs = (median(samples) for samples in times)
    stall, floor = [await _stall(served, ask, effort) for ask in (tool, bare)]
    added = max(stall - floor, 0)
    figures = figure(ours), figure(theirs), ratio(ours, theirs), goal(ours / theirs, 1.3)
    stalls = figure(stall), figure(floor), figure(added), goal(added, BLOCK, " ms")
    table.add(name, *figures, *stalls)


async def _stall(served: Editor, ask: Ask, effort: Effort) -> float:
    stalls: list[float] = []
    for _ in range(effort.runs(RUNS)):
        await served.ask("watch_loop")
        await ask()
        stalls.append(await served.ask("longest_gap"))
    return median(stalls)
