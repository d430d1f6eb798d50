"""`hooks/report.py`: what a CLI runs neither fails nor stays, with and without an editor."""

import asyncio
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from claude_ide.hooks import registration, report
from support.happenings import run_command
from support.neovim import until
from support.processes import alive

PARENT = """
import subprocess, sys
child = subprocess.Popen(["/bin/sh", "-c", sys.argv[1]], stdin=subprocess.PIPE)
child.stdin.close()
print(child.pid, flush=True)
child.wait()
"""
"""A CLI that runs a hook."""


@pytest.fixture
def link(tmp_path: Path) -> Path:
    """The link of a CLI, which leads nowhere."""
    link = tmp_path / "t1"
    link.symlink_to(tmp_path / "nowhere.1")
    return link


@pytest.mark.parametrize("kind", [report.BEGIN, report.END, report.STATUS])
async def test_without_an_editor_or_a_folder_nothing_is_said(link: Path, kind: str) -> None:
    for path in (link, link.parent / "missing" / "t1"):
        assert await run_command(registration.command(path, kind), b"{}") == b""


async def test_a_row_without_an_editor_is_the_model(link: Path) -> None:
    row = registration.command(link, report.ROW)

    assert await run_command(row, b'{"model": {"display_name": "Opus 5.5"}}') == b"Opus 5.5"
    assert await run_command(row, b"{}") == b""


@pytest.mark.parametrize("missing", ["SCRIPT", "python"])
async def test_a_program_that_an_update_has_removed_blocks_nothing(
    link: Path, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if missing == "SCRIPT":
        monkeypatch.setattr(registration, "SCRIPT", link.parent / "no script")
    else:
        monkeypatch.setattr(sys, "executable", str(link.parent / "no python"))
    command = registration.command(link, report.BEGIN) + " || echo failed"

    assert await run_command(command, b"{}") == b""


async def test_an_editor_that_is_silent_is_given_up(link: Path) -> None:
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(link.parent / "s"))
        silent.listen()
        link.unlink()
        link.symlink_to(link.parent / "s")

        assert await run_command(registration.command(link, report.BEGIN), b"{}") == b""


@pytest.mark.parametrize("is_served", [False, True])
async def test_a_hook_that_waits_ends_with_its_cli(link: Path, *, is_served: bool) -> None:
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(link.parent / "s"))
    if is_served:
        server.listen()
        link.unlink()
        link.symlink_to(link.parent / "s")
    command = registration.command(link, report.ASK)
    cli = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PARENT, command), stdout=subprocess.PIPE
    )
    assert cli.stdout
    hook = int(await cli.stdout.readline())
    await until((link.parent / f"t1.{hook}").exists, "it waits")
    cli.kill()
    await cli.wait()

    await until(lambda: not alive(hook), "it ends")

    assert not (link.parent / f"t1.{hook}").exists()
    server.close()
