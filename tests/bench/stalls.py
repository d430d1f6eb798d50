"""The model's tools in a large editor: how long each one keeps Neovim from handling a key."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from bench.editors import Editor, serving
from bench.measure import Effort, Table, figure, goal, median, now
from bench.wire import INITIALIZE, request
from support.chunks import chunk
from support.claude_code import the_lock
from support.mcp_stdio import McpStdio, address, mcp_stdio

BLOCK = 20
"""The longest time in ms in which Neovim may handle no key."""

SETTLE = "vim.defer_fn(function() bench.report('settled') end, 50)"
LINES = 12_000
UNSAVED, UNDONE = 950_000, 450_000
"""Bytes of the texts that are compared: just below the limits of the tools."""


async def run(effort: Effort) -> list[Table]:
    """Measure each tool several times in one Neovim."""
    table = Table(
        "The model's tools (medians in ms)", ["", "took", "longest stall", "its CPU", "goal"]
    )
    async with _large() as (served, client, calls):
        for name, (tool, arguments) in calls.items():
            runs = [await _measure(served, client, tool, arguments) for _ in range(effort.runs(9))]
            took, stall, work = (median(each) for each in zip(*runs, strict=True))
            row = (figure(took), figure(stall), figure(work))
            table.add(name, *row, goal(work, BLOCK, " ms"))
    return [table]


async def _measure(
    served: Editor, client: McpStdio, tool: str, arguments: dict[str, Any]
) -> tuple[float, float, float]:
    await served.ask("watch_loop")
    began = now()
    result = await client.call(tool, **arguments)
    took = now() - began
    assert not result.get("isError"), (tool, result)
    await served.nvim.lua(SETTLE)
    await served.report("settled")
    return took, await served.ask("longest_gap"), await served.ask("longest_work")


@asynccontextmanager
async def _large() -> AsyncIterator[tuple[Editor, McpStdio, dict[str, tuple[str, dict[str, Any]]]]]:
    """Yield a Neovim with much of everything, a client, and the calls by their names."""
    async with serving() as (served, _):
        port, lock = await the_lock(served.config_folder)
        files = _write(served.project)
        await served.nvim.lua(chunk("bench/large"), *files)
        async with mcp_stdio(address(port, lock["authToken"]), served.project) as client:
            await client.write(request(1, "initialize", INITIALIZE).encode())
            await client.read()
            yield served, client, _calls(*files)


def _write(folder: Path) -> tuple[str, str, str]:
    source, unsaved, undone = (
        folder / name for name in ("source.lua", "unsaved.txt", "undone.txt")
    )
    source.write_text("".join(f"local function f{n}() return {n} end\n" for n in range(LINES)))
    line = "a line of text without a meaning\n"
    unsaved.write_text(line * (UNSAVED // len(line)))
    undone.write_text(line * (UNDONE // len(line)))
    return str(source), str(unsaved), str(undone)


def _calls(source: str, unsaved: str, undone: str) -> dict[str, tuple[str, dict[str, Any]]]:
    query = "(function_declaration name: (_) @name)"
    return {
        "buffers, of 500": ("buffers", {}),
        "buffer_text": ("buffer_text", {"file": unsaved, "limit": 2000}),
        "unsaved_changes, of 1.4 MB in 2 files": ("unsaved_changes", {}),
        "undo_history": ("undo_history", {"file": undone}),
        "undo_diff, of 450 kB": ("undo_diff", {"file": undone, "older": 1}),
        "windows": ("windows", {}),
        "selection": ("selection", {}),
        "marks": ("marks", {}),
        "jumps": ("jumps", {}),
        "quickfix, of 50,000": ("quickfix", {"limit": 1000, "offset": 40_000}),
        "register, of 1 MB": ("register", {"name": "a"}),
        "messages": ("messages", {}),
        "ex_output, of highlights": ("ex_output", {"command": "highlights"}),
        "ex_output, of maps": ("ex_output", {"command": "normal_maps"}),
        "ex_output, of autocommands": ("ex_output", {"command": "autocommands"}),
        f"outline, of {LINES:,} functions": ("outline", {"file": source}),
        "enclosing": ("enclosing", {"file": source, "line": 9000}),
        "syntax_node": ("syntax_node", {"file": source, "line": 9000}),
        "tree_sitter_query": ("tree_sitter_query", {"file": source, "query": query}),
    }
