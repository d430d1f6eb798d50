"""The status line: the cost of its text, of a CLI's hooks, and of the command that the CLI runs."""

import asyncio
import json

from bench.editors import Editor, editor
from bench.measure import Effort, Samples, Table, figure, goal, median, now
from claude_ide.hooks.registration import OWN_STATUS_LINE
from support.happenings import HookedCli, recorder
from support.neovim import until

CALLS = 100_000
HOOKS = 200
COMMANDS = 31
REPORT = {
    "model": {"display_name": "Opus 5.5"},
    "context_window": {"used_percentage": 42},
    "cost": {"total_cost_usd": 1.23},
}
EDITED = {
    "filePath": "/p/a.py",
    "structuredPatch": [
        {"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2, "lines": ["-1", "+2", " 3"]}
    ],
}
CALL = """
local calls = ...
local text = require('claude_ide').statusline
local began = vim.uv.hrtime()
for _ = 1, calls do
  text()
end
return (vim.uv.hrtime() - began) / calls / 1e3
"""
FOLLOW = """
vim.g.ended = 0
vim.api.nvim_create_autocmd('User', { pattern = 'ClaudeToolEnd', callback = function()
  vim.g.ended = vim.g.ended + 1
end })
"""
CONFIGURE = "vim.g.claude_ide = vim.tbl_extend('force', vim.g.claude_ide or {}, ...)"


async def run(effort: Effort) -> list[Table]:
    """Measure each in one Neovim with a CLI in its terminal."""
    async with editor(plugin=True) as served:
        cli = await _cli(served)
        await cli.show_status("true", **REPORT)
        text = [await served.nvim.lua(CALL, CALLS) for _ in range(effort.runs(11))]
        hooks = [await _hooks(served, cli, str(turn)) for turn in range(effort.runs(11))]
        ours, own, bare = list[float](), list[float](), list[float]()
        for _ in range(effort.runs(COMMANDS)):
            bare.append(await _time("true", cli))
            own.append(await _time(str(cli.status_line), cli))
            sent = str(cli.status_line).partition("| ")[2].partition(" &")[0]
            ours.append(await _time(f"echo '{json.dumps(REPORT)}' | {sent}", cli))
    table = Table("The status line (medians)", ["", "here", "goal"])
    table.add(*_row("text, drawn again (µs)", text, 20))
    table.add(*_row(f"CPU of Neovim for one of {HOOKS} hooks (ms)", hooks, 1))
    table.add(*_row("a shell that does nothing (ms)", bare, None))
    table.add(*_row("the command of the CLI until the user's own has ended (ms)", own, None))
    table.add(*_row("its report until the host has it (ms)", ours, None))
    return [table]


def _row(name: str, samples: Samples, limit: float | None) -> list[str]:
    value = median(samples)
    return [name, figure(value, 2), goal(value, limit) if limit else ""]


async def _cli(served: Editor) -> HookedCli:
    """Start a CLI in a terminal whose user has a status line."""
    served.config_folder.mkdir(parents=True, exist_ok=True)
    own = {"statusLine": {"type": "command", "command": "true"}}
    (served.config_folder / "settings.json").write_text(json.dumps(own))
    program, record = recorder(served.project)
    await served.nvim.lua(CONFIGURE, {"cmd": str(program)})
    await served.nvim.lua(FOLLOW)
    await served.nvim.command("Claude")
    return await HookedCli.started(record)


async def _hooks(served: Editor, cli: HookedCli, turn: str) -> float:
    await served.nvim.lua("vim.g.ended = 0")
    before = await served.ask("cpu")
    for number in range(HOOKS // 2):
        await cli.use("Edit", f"{turn}.{number}", {"file_path": "/p/a.py"}, EDITED)
    await until(lambda: served.nvim.eval(f"g:ended == {HOOKS // 2}"), "all are announced")
    return float(await served.ask("cpu") - before) / HOOKS


async def _time(command: str, cli: HookedCli) -> float:
    began = now()
    process = await asyncio.create_subprocess_exec(
        *("/bin/sh", "-c", command),
        env={"PATH": "/usr/bin:/bin", OWN_STATUS_LINE: "true"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
    )
    await process.wait()
    return now() - began
