"""The status line of a real Neovim shows what the CLI in a terminal reports."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from support.happenings import HookedCli, follow, names, recorder
from support.neovim import Neovim, until

STATUS = "return require('claude_ide').statusline()"
CONFIGURE = "vim.g.claude_ide = vim.tbl_extend('force', vim.g.claude_ide, ...)"
REPORT = {
    "model": {"display_name": "Opus 5.5"},
    "context_window": {"used_percentage": 41.6},
    "cost": {"total_cost_usd": 1.234},
}


@pytest.fixture
async def cli(nvim: Neovim, tmp_path: Path, config_folder: Path) -> HookedCli:
    """A CLI in the terminal of `:Claude`, whose user has a status line."""
    config_folder.mkdir(parents=True, exist_ok=True)
    own = {"statusLine": {"type": "command", "command": "cat"}}
    (config_folder / "settings.json").write_text(json.dumps(own))
    program, record = recorder(tmp_path)
    await nvim.lua(CONFIGURE, {"cmd": str(program)})
    await follow(nvim)
    await nvim.command("Claude")
    return await HookedCli.started(record)


async def shows(nvim: Neovim, text: str) -> None:
    """Wait for the text of the status line."""

    async def is_shown() -> bool:
        return bool(await nvim.lua(STATUS) == text)

    await until(is_shown, f"the status line shows {text!r}")


async def test_a_turn_is_work_and_its_end_is_idle(nvim: Neovim, cli: HookedCli) -> None:
    await cli.send("UserPromptSubmit", prompt="swim")
    await shows(nvim, "Claude: working")
    await cli.use("Read", "t1", {"file_path": "/p/a.py"})
    await shows(nvim, "Claude: working")

    await cli.send("Stop")

    await shows(nvim, "Claude: ready")


async def test_the_report_of_the_cli_is_shown_and_passed_on(nvim: Neovim, cli: HookedCli) -> None:
    assert json.loads(await cli.show_status("cat", **REPORT)) == REPORT
    await shows(nvim, "Claude: ready · Opus 5.5 · 42%% · $1.23")

    long = {"model": {"display_name": "Opus"}, "more": "x" * 300_000}
    assert await cli.show_status("wc -c", **long) == f"{len(json.dumps(long)) + 1}\n"
    await shows(nvim, "Claude: ready · Opus · 42%% · $1.23")


async def test_the_users_line_does_not_wait_for_a_host_that_is_silent(cli: HookedCli) -> None:
    cli.status_line = str(cli.status_line).replace(f" {cli.port} ", " 1 ")
    async with asyncio.timeout(10):
        assert await cli.show_status("echo swim; exit 3", **REPORT) == "swim\n"


async def test_the_end_of_the_terminal_ends_its_state(nvim: Neovim, cli: HookedCli) -> None:
    await cli.show_status("true", **REPORT)
    await cli.send("UserPromptSubmit", prompt="swim")
    await shows(nvim, "Claude: working · Opus 5.5 · 42%% · $1.23")

    await nvim.lua("vim.fn.chansend(vim.bo.channel, '\\r')")

    await shows(nvim, "Claude: ready")


async def test_many_hooks_are_one_change(nvim: Neovim, cli: HookedCli) -> None:
    changes: list[Any] = []
    await cli.send("UserPromptSubmit", prompt="swim")
    await shows(nvim, "Claude: working")
    before = await nvim.lua("return require('claude_ide.activity').version()")
    for number in range(20):
        await cli.use("Read", f"t{number}", {"file_path": "/p/a.py"})
    await until(lambda: names(nvim).count("ClaudeToolEnd") == 20)

    changes.append(await nvim.lua("return require('claude_ide.activity').version()"))
    assert changes == [before]
