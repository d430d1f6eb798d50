"""From `<CR>` of `:qa!` until the editor has ended, also beside a suspended client.

The floor is the same editor without the plugin.
"""

import asyncio
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path

from bench.measure import Effort, Table, figure, goal, median, now, ratio
from support.claude_code import claude_code
from support.either_editor import is_serving
from support.neovim import WAIT_SECONDS, Neovim, until
from support.suspended_client import suspended_client
from support.vim import Vim

GOAL = 150.0
CLIENTS = {"no client": None, "a client": claude_code, "a suspended client": suspended_client}


async def run(effort: Effort) -> list[Table]:
    """Measure both editors, with and without a client, in turns with the floor."""
    table = Table("`:qa!` (ms, medians)", ["", "ended after", "floor", "ratio", "goal"])
    for kind in (Neovim, Vim):
        for name in CLIENTS:
            ours, floor = [], []
            for _ in range(effort.runs(11)):
                ours.append(await _end(kind, name))
                floor.append(await _end(kind, None))
            here, there = median(ours), median(floor)
            table.add(
                *[f"{kind.__name__}, {name}", figure(here), figure(there), ratio(here, there)],
                goal(here, GOAL, " ms"),
            )
    return [table]


async def _end(kind: type[Neovim] | type[Vim], client: str | None) -> float:
    """Start an editor, and end it; without the plugin if `client` is `None`."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home, project = Path(folder) / "home", Path(folder) / "project"
        project.mkdir()
        editor = await kind.start(cwd=project, home=home)
        async with AsyncExitStack() as stack:
            stack.push_async_callback(editor.stop)
            if client:
                await editor.command("ClaudeStart!")
                await until(lambda: is_serving(editor), "listening")
            if client and (connect := CLIENTS[client]):
                await stack.enter_async_context(connect(home / "claude"))
            await editor.keys(":qa!")
            await until(lambda: editor.eval("getcmdline() ==# 'qa!'"), "typed")
            began = now()
            await editor.keys("<CR>")
            await asyncio.wait_for(editor.process.wait(), WAIT_SECONDS)
            return now() - began
