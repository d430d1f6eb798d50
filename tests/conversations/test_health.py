"""`:checkhealth claude_ide` connects as the CLI would and names the step that fails.

Vim has `:ClaudeCheck`.
"""

import asyncio
import os
import re
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from claude_ide import __version__, check
from support.checkout import copy_plugin, program
from support.claude_code import locks, the_lock
from support.either_editor import BOTH, Editor, configure, is_serving, run
from support.neovim import ROOT, Neovim, until
from support.vim import Vim

COMMANDS = {Neovim: "checkhealth claude_ide", Vim: "ClaudeCheck"}
SHOWN = "(&filetype == 'checkhealth' || bufname() == 'claude-ide://check') && line('$') > 5"


async def begin(nvim: Editor) -> None:
    """Type the command of the check."""
    await nvim.keys(f":{COMMANDS[type(nvim)]}<CR>")


async def shown(nvim: Editor) -> str:
    """Return the text of the report, once it is shown."""
    await until(lambda: nvim.eval(SHOWN), "report")
    return "\n".join(await nvim.eval("getline(1, '$')"))


async def report(nvim: Editor) -> str:
    """Run the check and return its text."""
    await begin(nvim)
    return await shown(nvim)


async def is_stopped(nvim: Editor) -> bool:
    """Whether no server runs."""
    return not await is_serving(nvim)


async def set_options(nvim: Editor, **options: Any) -> None:
    """Set these options and no others."""
    await nvim.command("let g:claude_ide = {}")
    await configure(nvim, **options)


@BOTH
async def test_a_healthy_setup_has_no_errors_and_the_server_is_stopped_afterwards(
    nvim: Editor, config_folder: Path
) -> None:
    await configure(nvim, cmd="nope")

    text = await report(nvim)

    assert "ERROR" not in text
    assert "15 tools" in text
    assert "a wrong one is refused with 401" in text
    await until(lambda: not locks(config_folder))
    await until(lambda: is_stopped(nvim), "the server is stopped")
    assert "stopped" not in str(await nvim.eval("execute('messages')"))


@BOTH
async def test_a_missing_lock_file_is_reported_as_the_failing_step(
    serving: Editor, config_folder: Path
) -> None:
    await configure(serving, cmd="nope")
    port, _ = await the_lock(config_folder)
    (config_folder / "ide" / f"{port}.lock").unlink()

    text = await report(serving)

    assert "ERROR lock file: FileNotFoundError" in text
    assert "conversation" not in text


@BOTH
async def test_a_python_without_the_packages_is_reported(nvim: Editor, tmp_path: Path) -> None:
    bare = tmp_path / "bare-python"
    bare.write_text("#!/bin/sh\necho \"No module named 'msgspec'\" >&2\nexit 1\n")
    bare.chmod(0o755)
    await set_options(nvim, cmd="nope", python=str(bare))

    text = await report(nvim)

    assert "No module named 'msgspec'" in text
    assert "Correct or remove g:claude_ide.python" in text


@BOTH
async def test_each_bad_option_is_reported(nvim: Editor) -> None:
    await set_options(nvim, cmd="nope", diff={"layout": "x"}, bogus=1)

    text = await report(nvim)

    assert 'ERROR option: g:claude_ide.diff.layout: "x" is not one of' in text
    assert "ERROR option: g:claude_ide.bogus is not an option" in text
    assert "Correct g:claude_ide.cmd" in text


@BOTH
@pytest.mark.parametrize(
    ("reason", "configured", "advice"),
    [
        ("Python packages are missing", False, "Run :ClaudeInstall"),
        ("Python packages are missing", True, "Correct or remove g:claude_ide.python"),
        ("Python 3.10.1 is too old", True, "Correct or remove g:claude_ide.python"),
        ("Python 3.10.1 is too old", False, "Run :ClaudeInstall"),
    ],
)
async def test_the_advice_helps_with_the_python_that_is_found(
    nvim: Editor, tmp_path: Path, reason: str, configured: bool, advice: str
) -> None:
    python = tmp_path / "claude_ide" / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\necho detail >&2\necho '{reason}' >&2\nexit 3\n")
    python.chmod(0o755)
    own = Path(await run(nvim, "claude_ide#python#Own"))
    own.parent.mkdir(parents=True)
    own.symlink_to(python.parent.parent)
    await set_options(nvim, cmd="nope", **({"python": str(python)} if configured else {}))

    text = await report(nvim)

    assert f"/bin/python: {reason}" in text
    assert f"- {advice}" in text


CLI = """case $1 in
--version) echo "{version}" ;;
auth) echo '{{"loggedIn": {is_logged_in}}}' ;;
esac"""


@BOTH
@pytest.mark.parametrize(
    ("version", "is_logged_in", "lines"),
    [
        ("2.1.332 (Claude Code)", "true", ["OK Claude Code 2.1.332: ", "OK The CLI is logged in"]),
        (
            "2.1.197 (Claude Code)",
            "false",
            ["OK Claude Code 2.1.197", "WARNING The CLI is not log"],
        ),
        ("2.0.5 (Claude Code)", "true", ["WARNING Claude Code 2.0.5: ", "(tested: 2.1.197 to "]),
        ("3.0.0 (Claude Code)", "true", ["OK Claude Code 3.0.0", "newer than the tested 2.1.332"]),
        ("3.0.0 (Claude Code)", '"?"', ["OK Claude Code 3.0.0"]),
        ("something else", "false", ["is not known as a version of Claude Code"]),
    ],
)
async def test_the_version_and_the_login_of_the_cli_are_reported(
    nvim: Editor, tmp_path: Path, version: str, is_logged_in: str, lines: list[str]
) -> None:
    script = CLI.format(version=version, is_logged_in=is_logged_in)
    cli = program(tmp_path / "claude", script)
    await set_options(nvim, cmd=str(cli), python=sys.executable)

    text = await report(nvim)

    assert all(line in re.sub(r"[^\w.:() ?-]|_", "", text) for line in lines)


@BOTH
async def test_a_missing_claude_is_reported_with_the_ways_to_install_it(
    nvim: Editor, tmp_path: Path
) -> None:
    await set_options(nvim)
    await nvim.command(f"let [$PATH, $HOME] = ['{tmp_path}', '{tmp_path}']")

    text = await report(nvim)

    assert "claude is not on PATH" in text
    assert "claude.ai/install.sh" in text
    assert "npm install -g @anthropic-ai/claude-code" in text


def test_the_tested_versions_are_those_of_the_tests() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    newest, oldest = re.findall(r"CLI_VERSION := (\S+)", makefile)

    assert (oldest, newest) == (check.OLDEST_CLI, check.NEWEST_CLI)


@BOTH
async def test_the_version_of_the_plugin_and_its_help_are_checked(
    nvim: Editor, tmp_path: Path
) -> None:
    await configure(nvim, cmd="nope")
    checkout = copy_plugin(tmp_path / "checkout")
    await nvim.command(f"set runtimepath-={ROOT} | set runtimepath^={checkout}")

    text = await report(nvim)

    assert re.search(rf"OK claude-ide {re.escape(__version__)}", text)
    assert "The help of the plugin has no tags" in text


async def is_waiting(nvim: Editor) -> bool:
    """Whether the check waits for the host."""
    return "check_connection" in await nvim.eval("expand('<stack>')")


@BOTH
async def test_a_host_that_dies_before_it_answers_is_reported(
    nvim: Editor, config_folder: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken"
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\ntest -e {broken} || exec {sys.executable} "$@"\nexit 1\n')
    python.chmod(0o755)
    await set_options(nvim, cmd="nope", python=str(python))
    await nvim.command("ClaudeStart!")
    await until(lambda: is_serving(nvim), "server")
    _, lock = await the_lock(config_folder)
    os.kill(lock["hostPid"], signal.SIGSTOP)

    await begin(nvim)
    await until(lambda: is_waiting(nvim), "the check waits")
    broken.touch()
    os.kill(lock["hostPid"], signal.SIGKILL)

    text = await shown(nvim)
    assert "ERROR The host ended before it answered" in text
    assert "Failed to run healthcheck" not in text


@BOTH
async def test_another_editor_for_the_same_folder_is_reported(
    serving: Editor, config_folder: Path, project: Path
) -> None:
    await configure(serving, cmd="nope")
    rival = config_folder / "ide" / "1.lock"
    rival.write_text(f'{{"ideName": "Other", "pid": 1, "workspaceFolders": ["{project}"]}}')

    assert "Another editor has this folder open: Other (pid 1)" in await report(serving)


@BOTH
@pytest.mark.parametrize(
    "lock",
    [
        '{{"ideName": "Other", "pid": {dead}, "workspaceFolders": ["{project}"]}}',
        '{{"pid": 1, "workspaceFolders": null}}',
        '{{"pid": 1, "workspaceFolders": [1]}}',
        '{{"workspaceFolders": ["{project}"]}}',
        "1",
    ],
)
async def test_an_invalid_or_stale_lock_file_is_ignored(
    serving: Editor, config_folder: Path, project: Path, lock: str
) -> None:
    await configure(serving, cmd="nope")
    ended = await asyncio.create_subprocess_exec("true")
    await ended.wait()
    text = lock.format(dead=ended.pid, project=project)
    (config_folder / "ide" / "1.lock").write_text(text)

    reported = await report(serving)

    assert "Another editor" not in reported
    assert "ERROR" not in reported


async def test_other_agents_are_reported(nvim: Neovim) -> None:
    agents = {"otter": {"cmd": "no-such-otter"}, "crab": {"name": "Crab"}}
    await set_options(nvim, cmd="nope", agents=agents)

    text = await report(nvim)

    missing = "no-such-otter is not on PATH (g:claude_ide.agents.otter.cmd)"
    assert f"WARNING otter is not installed: {missing}" in text
    assert "ERROR g:claude_ide.agents.crab needs a cmd (:help |claude-ide-agents-list|" in text
    assert "Not installed: " in text
    assert "; see :help |claude-ide-agents-list|" in text
