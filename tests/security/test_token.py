"""The token: who can read it, how long it is valid, and when its lock file is removed."""

import asyncio
import json
import os
import shutil
import signal
import socket
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from support.claude_code import connected, locks, the_lock
from support.either_editor import BOTH, Editor, has_host, holds_port, is_serving, release_port
from support.fake_headless import FakeHeadless
from support.handshake import handshake, is_accepted, status
from support.neovim import Neovim, until
from support.panel import CONFIGURE, Panel
from support.processes import alive, processes, under
from support.transcripts import FAKE_CLI, GOLDEN, read_log

WORDS = "a question that is private"


def read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def public(words: str) -> list[int]:
    """The processes on this machine whose command line contains these words."""
    return [pid for pid, _ in processes() if words.encode() in read(pid, "cmdline")]


def drafts(config_folder: Path) -> list[str]:
    return [path.name for path in (config_folder / "ide").glob(".*")]


async def crash(nvim: Editor, config_folder: Path) -> tuple[int, dict[str, Any]]:
    """Kill the host and wait for the next one; return its port and lock."""
    await until(lambda: is_serving(nvim), "the server is up")
    _, lock = await the_lock(config_folder)
    os.kill(lock["hostPid"], signal.SIGKILL)
    return await next_host(nvim, config_folder, lock)


async def next_host(
    nvim: Editor, config_folder: Path, lock: dict[str, Any]
) -> tuple[int, dict[str, Any]]:
    """Wait for the host after the one of this lock; return its port and lock."""

    def is_back() -> bool:
        found = locks(config_folder)
        return len(found) == 1 and found[0][1]["hostPid"] != lock["hostPid"]

    await until(is_back, "a new host")
    await until(lambda: is_serving(nvim), "the server is up again")
    return await the_lock(config_folder)


async def is_hostless(nvim: Editor) -> bool:
    return not await has_host(nvim)


async def exhaust_restarts(nvim: Editor, config_folder: Path) -> tuple[int, dict[str, Any]]:
    """Kill hosts until none is restarted; return the last port and lock."""
    last = await the_lock(config_folder)
    for _ in range(3):
        last = await crash(nvim, config_folder)
    os.kill(last[1]["hostPid"], signal.SIGKILL)
    await until(lambda: is_hostless(nvim), "no host is left")
    return last


class TestSecrecy:
    async def test_no_command_line_contains_the_token_or_an_option(
        self, serving: Neovim, config_folder: Path
    ) -> None:
        await serving.lua(CONFIGURE, {"cmd": ["claude", WORDS]})
        for crashes in range(3):
            _, lock = await the_lock(config_folder)

            assert public(lock["authToken"]) == [], f"after {crashes} crashes"
            assert public(WORDS) == []
            await crash(serving, config_folder)

    async def test_no_process_except_the_host_inherits_the_token(
        self, nvim: Neovim, config_folder: Path, tmp_path: Path, project: Path
    ) -> None:
        tools = tmp_path / "tools"
        tools.mkdir()
        git = tools / "git"
        git.write_text(f'#!/bin/sh\nenv >"{tmp_path}/git.$$"\nexec {shutil.which("git")} "$@"\n')
        git.chmod(0o755)
        await nvim.lua("vim.env.PATH = ... .. ':' .. vim.env.PATH", str(tools))
        log = tmp_path / "received.jsonl"
        cmd = [sys.executable, "-I", str(FAKE_CLI), str(GOLDEN / "plain_thinking.jsonl")]
        await nvim.lua(CONFIGURE, {"cmd": cmd})
        await nvim.command(f"let $FAKE_CLI_LOG = '{log}' | ClaudeStart!")
        port, lock = await crash(nvim, config_folder)

        await Panel.open(nvim, cmd, mode="default")
        await nvim.command("tabnew | terminal sleep 60")
        await nvim.lua("return vim.fn.jobstart({ 'sleep', '60' })")
        await nvim.command("ClaudeCommit")

        def seen_by_git() -> list[str]:
            return [path.read_text() for path in tmp_path.glob("git.*")]

        inherited = f"CLAUDE_CODE_SSE_PORT={port}"
        await until(lambda: inherited in "".join(seen_by_git()), "git has run")
        token = lock["authToken"].encode()
        children = under(nvim.process.pid) - {lock["hostPid"]}
        assert len(children) >= 3
        for pid in children:
            environment = read(pid, "environ")
            assert token not in environment
            assert b"CLAUDE_IDE_HOST" not in environment
        for seen in (json.dumps(read_log(log)[0]), *seen_by_git()):
            assert lock["authToken"] not in seen
            assert "CLAUDE_IDE_HOST" not in seen
        assert await nvim.eval("exists('$CLAUDE_IDE_HOST')") == 0

    async def test_no_command_line_contains_a_question(self, nvim: Neovim) -> None:
        async with FakeHeadless.serve() as claude:
            await nvim.lua(CONFIGURE, {"cmd": claude.command})
            await nvim.command(f"ClaudeAsk {WORDS}")

            asked = await claude.asked()

            assert WORDS in asked.prompt
            assert public(WORDS) == []
            assert "CLAUDE_IDE_HOST" not in asked.environment
            asked.end("answer")

    async def test_options_that_are_too_large_are_reported(self, nvim: Neovim) -> None:
        await nvim.lua(CONFIGURE, {"cmd": ["claude", "x" * 200_000]})

        await nvim.command("ClaudeStart")

        await until(lambda: "g:claude_ide is too large: 196 kB" in nvim.screen.text())
        assert (await nvim.mode())["blocking"] is False
        await nvim.lua(CONFIGURE, {"cmd": ["claude", "x" * 120_000]})
        await nvim.command("ClaudeStart!")
        await until(lambda: is_serving(nvim), "the server is up")


@BOTH
class TestValidity:
    async def test_the_port_of_a_dead_host_stays_reserved_and_its_clients_wait(
        self, serving: Editor, config_folder: Path
    ) -> None:
        port, lock = await the_lock(config_folder)
        await until(lambda: holds_port(serving, port), "the port is held")
        os.kill(lock["hostPid"], signal.SIGKILL)
        await until(lambda: not alive(lock["hostPid"]), "the host is dead")

        waiting = asyncio.create_task(status(port, handshake(port, lock["authToken"])))
        attempts = 0
        while not waiting.done():
            with closing(squatter()) as attempt, pytest.raises(OSError):
                attempt.bind(("127.0.0.1", port))
                attempt.listen()
            attempts += 1
            await asyncio.sleep(0)

        assert await waiting == 101
        assert attempts > 1
        again, new = await the_lock(config_folder)
        assert (again, new["authToken"]) == (port, lock["authToken"])
        assert new["hostPid"] != lock["hostPid"]

    async def test_a_squatter_of_the_port_cannot_use_the_token_on_the_next_server(
        self, serving: Editor, config_folder: Path
    ) -> None:
        port, lock = await the_lock(config_folder)
        await until(lambda: holds_port(serving, port), "the port is held")
        await release_port(serving)
        with closing(squatter()) as attempt:
            os.kill(lock["hostPid"], signal.SIGKILL)
            await until(lambda: _bind(attempt, port), "the port is squatted")
            new_port, new = await next_host(serving, config_folder, lock)

            assert new_port != port
            assert new["authToken"] != lock["authToken"]
            assert not await is_accepted(new_port, lock["authToken"])
            assert await is_accepted(new_port, new["authToken"])

    async def test_an_unprotected_port_is_reused_only_with_a_new_token(
        self, serving: Editor, config_folder: Path
    ) -> None:
        port, lock = await the_lock(config_folder)
        await until(lambda: holds_port(serving, port), "the port is held")
        await release_port(serving)
        os.kill(lock["hostPid"], signal.SIGKILL)

        new_port, new = await next_host(serving, config_folder, lock)

        assert new_port == port
        assert not await is_accepted(port, lock["authToken"])
        assert await is_accepted(port, new["authToken"])

    @pytest.mark.parametrize("crashes", [1, 3])
    async def test_an_immediately_restarted_host_keeps_port_and_token(
        self, serving: Editor, config_folder: Path, crashes: int
    ) -> None:
        port, lock = await the_lock(config_folder)
        await until(lambda: holds_port(serving, port), "the port is held")

        for _ in range(crashes):
            again, new = await crash(serving, config_folder)

            assert (again, new["authToken"]) == (port, lock["authToken"])

    @pytest.mark.parametrize("end", ["ClaudeStop", "SIGTERM", "used up"])
    async def test_a_server_started_by_the_user_has_a_new_token(
        self, serving: Editor, config_folder: Path, end: str
    ) -> None:
        port, lock = await the_lock(config_folder)
        match end:
            case "ClaudeStop":
                await serving.command("ClaudeStop")
            case "SIGTERM":
                os.kill(lock["hostPid"], signal.SIGTERM)
                await until(lambda: is_hostless(serving), "the host has ended")
            case _:
                port, lock = await exhaust_restarts(serving, config_folder)
        await until(lambda: not locks(config_folder), "no lock")
        await until(lambda: _is_refused(port), "no server listens")

        await serving.command("ClaudeStart!")

        new_port, new = await the_lock(config_folder)
        await until(lambda: is_serving(serving), "the server is up again")
        assert new_port == port
        assert new["authToken"] != lock["authToken"]
        assert not await is_accepted(port, lock["authToken"])
        async with connected(port, new["authToken"]) as client:
            await client.initialize()


class TestRemovalOfTheLockFile:
    @BOTH
    @pytest.mark.parametrize("milliseconds", range(0, 160, 10))
    async def test_a_host_killed_during_its_start_is_restarted(
        self, nvim: Editor, config_folder: Path, milliseconds: int
    ) -> None:
        await nvim.command("ClaudeStart!")
        hosts = under(nvim.process.pid)
        assert hosts
        await asyncio.sleep(milliseconds / 1000)

        for pid in hosts:
            os.kill(pid, signal.SIGKILL)

        await until(lambda: not any(alive(pid) for pid in hosts), "killed")
        await until(lambda: "was restarted" in nvim.screen.text(), "another host is started")
        await until(lambda: is_serving(nvim), "the server is up")
        port, lock = await the_lock(config_folder)
        assert alive(lock["hostPid"])
        assert lock["hostPid"] not in hosts
        assert drafts(config_folder) == []
        assert await is_accepted(port, lock["authToken"])

    @pytest.mark.parametrize("milliseconds", range(0, 160, 40))
    async def test_no_files_remain_when_every_host_dies_during_its_start(
        self, nvim: Neovim, config_folder: Path, milliseconds: int
    ) -> None:
        await nvim.command("let $CLAUDE_CODE_SSE_PORT = 'before' | ClaudeStart!")
        killed = set[int]()

        def starting() -> set[int]:
            return under(nvim.process.pid) - killed

        while len(killed) < 4:
            hosts = await until(starting, "a host")
            await asyncio.sleep(milliseconds / 1000)
            for pid in hosts:
                os.kill(pid, signal.SIGKILL)
            killed |= hosts

        await until(lambda: "died (exit 137)" in nvim.screen.text(), "the restarts are used up")
        await until(lambda: is_hostless(nvim))
        assert locks(config_folder) == []
        assert drafts(config_folder) == []
        assert await nvim.eval("$CLAUDE_CODE_SSE_PORT") == "before"
        await nvim.command("ClaudeStart!")
        await until(lambda: is_serving(nvim), "the server is up")

    @BOTH
    async def test_no_lock_file_remains_when_the_restarts_are_used_up(
        self, serving: Editor, config_folder: Path
    ) -> None:
        await exhaust_restarts(serving, config_folder)

        assert locks(config_folder) == []
        assert (await serving.mode())["blocking"] is False

    @pytest.mark.parametrize("end", ["qa", "SIGTERM", "SIGHUP"])
    async def test_the_lock_file_of_a_stuck_host_is_removed_when_neovim_ends(
        self, serving: Neovim, config_folder: Path, end: str
    ) -> None:
        _, lock = await the_lock(config_folder)
        os.kill(lock["hostPid"], signal.SIGSTOP)

        if end == "qa":
            serving.send_request("nvim_command", "qa!")
        else:
            serving.process.send_signal(getattr(signal, end))

        await until(lambda: not locks(config_folder), "no lock", 1.5)
        await until(lambda: not alive(lock["hostPid"]), "no host")
        assert locks(config_folder) == []

    async def test_a_lock_file_rewritten_by_another_editor_is_kept(
        self, serving: Neovim, config_folder: Path
    ) -> None:
        port, lock = await the_lock(config_folder)
        theirs = config_folder / "ide" / f"{port}.lock"
        await serving.command("let g:claude_ide = {'python': '/none'}")
        other = {**lock, "hostPid": os.getpid(), "pid": os.getpid()}
        theirs.write_text(json.dumps(other))

        os.kill(lock["hostPid"], signal.SIGKILL)

        await until(lambda: is_hostless(serving))
        await until(lambda: "not executable: /none" in serving.screen.text())
        assert locks(config_folder) == [(port, other)]


def squatter() -> socket.socket:
    """A socket that can bind a port as soon as the system allows it."""
    attempt = socket.socket()
    attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    return attempt


def _bind(attempt: socket.socket, port: int) -> bool:
    try:
        attempt.bind(("127.0.0.1", port))
        attempt.listen()
    except OSError:
        return False
    return True


def _is_refused(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except ConnectionRefusedError:
        return True
    return False
