"""The status line of a real editor: the server, its clients, what a CLI in a terminal reports."""

import asyncio
import json
import socket
from pathlib import Path

import pytest

from support.claude_code import ClaudeCode, claude_code
from support.either_editor import BOTH, Editor, configure, shows_a_diff, status_line
from support.happenings import HookedCli, follow, names, recorder
from support.neovim import until

pytestmark = BOTH

REPORT = {
    "model": {"display_name": "Opus 5.5"},
    "context_window": {"used_percentage": 41.6},
    "cost": {"total_cost_usd": 1.234},
}


@pytest.fixture
async def cli(nvim: Editor, tmp_path: Path, config_folder: Path) -> HookedCli:
    """A CLI in the terminal of `:Claude`, whose user has a status line."""
    config_folder.mkdir(parents=True, exist_ok=True)
    own = {"statusLine": {"type": "command", "command": "cat"}}
    (config_folder / "settings.json").write_text(json.dumps(own))
    program, record = recorder(tmp_path)
    await configure(nvim, cmd=str(program))
    await follow(nvim)
    await nvim.command("Claude")
    return await HookedCli.started(record)


async def shows(nvim: Editor, text: str) -> None:
    """Wait for the text of the status line."""

    async def is_shown() -> bool:
        return await status_line(nvim) == text

    await until(is_shown, f"the status line shows {text!r}")


async def test_a_turn_is_work_and_its_end_is_idle(nvim: Editor, cli: HookedCli) -> None:
    await cli.send("UserPromptSubmit", prompt="swim")
    await shows(nvim, "Claude: working")
    await cli.use("Read", "t1", {"file_path": "/p/a.py"})
    await shows(nvim, "Claude: working")

    await cli.send("Stop")

    await shows(nvim, "Claude: ready")


async def test_the_report_of_the_cli_is_shown_and_passed_on(nvim: Editor, cli: HookedCli) -> None:
    assert json.loads(await cli.show_status("cat", **REPORT)) == REPORT
    await shows(nvim, "Claude: ready · Opus 5.5 · 42%% · $1.23")

    long = {"model": {"display_name": "Opus"}, "more": "x" * 300_000}
    assert await cli.show_status("wc -c", **long) == f"{len(json.dumps(long)) + 1}\n"
    await shows(nvim, "Claude: ready · Opus · 42%% · $1.23")


async def test_without_a_line_of_the_user_the_cli_shows_a_row(nvim: Editor, tmp_path: Path) -> None:
    program, record = recorder(tmp_path)
    await configure(nvim, cmd=str(program))
    await nvim.command("Claude")
    cli = await HookedCli.started(record)

    early = {"model": {"display_name": "Opus\x1b 5.5"}, "context_window": {"used_percentage": None}}
    assert await cli.show_status("", **early) == "Opus? 5.5"
    limits = {"seven_day": {"used_percentage": 41}, "five_hour": {"used_percentage": 3}}
    shown = await cli.show_status("", **REPORT, rate_limits=limits)
    assert shown == "Opus 5.5 · 42% · $1.23 · 5h 3% · 7d 41%"
    await shows(nvim, "Claude: ready · Opus 5.5 · 42%% · $1.23")


async def test_the_user_can_do_without_a_row(nvim: Editor, tmp_path: Path) -> None:
    program, record = recorder(tmp_path)
    await configure(nvim, cmd=str(program), terminal={"status_line": False})
    await nvim.command("Claude")

    assert (await HookedCli.started(record)).status_line is None


async def test_the_users_line_does_not_wait_for_a_host_that_is_silent(
    cli: HookedCli, tmp_path: Path
) -> None:
    silent = socket.socket(socket.AF_UNIX)
    silent.bind(str(tmp_path / "silent"))
    silent.listen()
    cli.link.unlink()
    cli.link.symlink_to(tmp_path / "silent")
    async with asyncio.timeout(10):
        assert await cli.show_status("echo swim; exit 3", **REPORT) == "swim\n"
    silent.close()


async def test_the_end_of_the_terminal_ends_its_state(nvim: Editor, cli: HookedCli) -> None:
    await cli.show_status("true", **REPORT)
    await cli.send("UserPromptSubmit", prompt="swim")
    await shows(nvim, "Claude: working · Opus 5.5 · 42%% · $1.23")

    await nvim.keys("<CR>")

    await shows(nvim, "Claude: ready")


async def test_many_hooks_are_one_change(nvim: Editor, cli: HookedCli) -> None:
    await cli.send("UserPromptSubmit", prompt="swim")
    await shows(nvim, "Claude: working")
    await nvim.command("let g:changes = 0 | autocmd User ClaudeStatusChanged let g:changes += 1")
    for number in range(20):
        await cli.use("Read", f"t{number}", {"file_path": "/p/a.py"})
    await until(lambda: names(nvim).count("ClaudeToolEnd") == 20)

    assert await nvim.eval("g:changes") == 0


async def test_it_is_empty_without_a_server(nvim: Editor) -> None:
    assert await status_line(nvim) == ""


async def test_it_names_connected_clients(serving: Editor, config_folder: Path) -> None:
    await shows(serving, "Claude: ready")

    async with claude_code(config_folder):
        await shows(serving, "Claude: idle")
        async with claude_code(config_folder):
            await shows(serving, "Claude: idle (2)")
    await shows(serving, "Claude: ready")


async def test_a_diff_wants_the_user_also_while_it_waits(
    serving: Editor, claude: ClaudeCode, project: Path
) -> None:
    await serving.keys("i")
    path = str(project / "a.py")
    _, asked = claude.start_call("openDiff", {"old_file_path": path, "new_file_contents": "x\n"})
    await shows(serving, "Claude: wants you 1!")

    await serving.keys("<Esc>")
    await shows(serving, "Claude: wants you")
    await until(lambda: shows_a_diff(serving), "the diff is shown")
    await serving.keys(":w<CR>")

    await asked
    await shows(serving, "Claude: idle")


async def test_a_selection_that_is_kept_back_is_named(serving: Editor) -> None:
    await shows(serving, "Claude: ready")

    await serving.command("ClaudeShare off")

    await shows(serving, "Claude: ready unshared")
