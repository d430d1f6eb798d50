"""`:checkhealth claude_ide` connects as the CLI would and names the step that fails."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from support.claude_code import locks, the_lock
from support.neovim import Neovim, until


async def report(nvim: Neovim) -> str:
    """Run the check and return its text."""
    await nvim.keys(":checkhealth claude_ide<CR>")
    await until(lambda: nvim.eval("&filetype == 'checkhealth' && search('not on PATH')"), "report")
    return "\n".join(await nvim.eval("getline(1, '$')"))


async def test_a_healthy_setup_has_no_errors_and_the_server_is_stopped_afterwards(
    nvim: Neovim, config_folder: Path
) -> None:
    await nvim.command("let g:claude_ide.cmd = 'nope'")

    text = await report(nvim)

    assert "ERROR" not in text
    assert "15 tools" in text
    assert "a wrong one is refused with 401" in text
    await until(lambda: not locks(config_folder))
    await nvim.lua(
        "vim.wait(1000, function() return require('claude_ide.host').server() == nil end)"
    )
    assert "stopped" not in str(await nvim.eval("execute('messages')"))


async def test_a_missing_lock_file_is_reported_as_the_failing_step(
    serving: Neovim, config_folder: Path
) -> None:
    await serving.command("let g:claude_ide.cmd = 'nope'")
    port, _ = await the_lock(config_folder)
    (config_folder / "ide" / f"{port}.lock").unlink()

    text = await report(serving)

    assert "ERROR lock file: FileNotFoundError" in text
    assert "conversation" not in text


async def test_a_python_without_the_packages_is_reported(nvim: Neovim, tmp_path: Path) -> None:
    bare = tmp_path / "bare-python"
    bare.write_text("#!/bin/sh\necho \"No module named 'msgspec'\" >&2\nexit 1\n")
    bare.chmod(0o755)
    await nvim.lua("vim.g.claude_ide = {cmd = 'nope', python = ...}", str(bare))

    text = await report(nvim)

    assert "No module named 'msgspec'" in text
    assert ":ClaudeInstall" in text


async def test_each_bad_option_is_reported(nvim: Neovim) -> None:
    await nvim.lua("vim.g.claude_ide = {cmd = 'nope', diff = { layout = 'x' }, bogus = 1}")

    text = await report(nvim)

    assert 'ERROR option: g:claude_ide.diff.layout: "x" is not one of' in text
    assert "ERROR option: g:claude_ide.bogus is not an option" in text
    assert "Correct g:claude_ide.cmd" in text


@pytest.mark.parametrize(
    ("reason", "configured", "advice"),
    [
        ("run :ClaudeInstall; Python packages are missing: msgpack", False, "Run :ClaudeInstall"),
        ("run :ClaudeInstall; Python packages are missing: msgpack", True, "Name another Python"),
        ("Python 3.10.1 is too old; claude-ide needs 3.11+", True, "Name another Python"),
    ],
)
async def test_the_advice_helps_with_the_python_that_is_found(
    nvim: Neovim, tmp_path: Path, reason: str, configured: bool, advice: str
) -> None:
    python = tmp_path / "claude_ide" / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\necho '{reason}' >&2\nexit 3\n")
    python.chmod(0o755)
    options = "{cmd = 'nope', python = ...}" if configured else "{cmd = 'nope'}"
    data = await nvim.eval("stdpath('data')")
    Path(data, "claude_ide").mkdir(parents=True)
    Path(data, "claude_ide", "venv").symlink_to(python.parent.parent)
    await nvim.lua(f"vim.g.claude_ide = {options}", str(python))

    text = await report(nvim)

    assert f"cannot run the host: {reason.removeprefix('run :ClaudeInstall; ')}" in text
    assert advice in text


async def test_a_host_that_dies_before_it_answers_is_reported(nvim: Neovim, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\ntest -e {broken} || exec {sys.executable} "$@"\nexit 1\n')
    python.chmod(0o755)
    await nvim.lua("vim.g.claude_ide = {cmd = 'nope', python = ...}", str(python))
    await nvim.command("ClaudeStart!")
    await until(lambda: nvim.lua("return require('claude_ide.host').server() ~= nil"), "server")
    host = await nvim.lua("return vim.fn.jobpid(require('claude_ide.channel').id)")
    os.kill(host, signal.SIGSTOP)

    await nvim.keys(":checkhealth claude_ide<CR>")
    await until(lambda: nvim.lua("return debug.traceback():find('check_server') ~= nil"), "wait")
    broken.touch()
    os.kill(host, signal.SIGKILL)
    await until(lambda: nvim.eval("&filetype == 'checkhealth' && search('not on PATH')"), "report")

    text = "\n".join(await nvim.eval("getline(1, '$')"))
    assert "ERROR The host ended before it answered" in text
    assert "Failed to run healthcheck" not in text


async def test_another_editor_for_the_same_folder_is_reported(
    serving: Neovim, config_folder: Path, project: Path
) -> None:
    await serving.command("let g:claude_ide.cmd = 'nope'")
    rival = config_folder / "ide" / "1.lock"
    rival.write_text(f'{{"ideName": "Other", "pid": 1, "workspaceFolders": ["{project}"]}}')

    assert "Another editor has this folder open: Other (pid 1)" in await report(serving)


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
    serving: Neovim, config_folder: Path, project: Path, lock: str
) -> None:
    await serving.command("let g:claude_ide.cmd = 'nope'")
    ended = await asyncio.create_subprocess_exec("true")
    await ended.wait()
    text = lock.format(dead=ended.pid, project=project)
    (config_folder / "ide" / "1.lock").write_text(text)

    reported = await report(serving)

    assert "Another editor" not in reported
    assert "ERROR" not in reported
