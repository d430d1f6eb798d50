"""`demo/server.py`: the demo finds and calls a server as the CLI does."""

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from claude_ide.base.errors import RpcError, ToolError, TransportClosed
from demo.server import Address, Server, connected, find
from support.claude_code import locks, the_lock
from support.neovim import WAIT, Neovim, until

LOCK = {"authToken": "secret", "ideName": "Neovim"}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The test's own home folder."""
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def write_lock(config: Path, name: str, fields: object) -> None:
    folder = config / "ide"
    folder.mkdir(parents=True)
    (folder / name).write_text(json.dumps(fields))


def test_find_reads_the_lock_file_of_the_port_in_the_environment(home: Path) -> None:
    write_lock(home / ".claude", "4711.lock", LOCK)

    found = find({"CLAUDE_CODE_SSE_PORT": "4711"})

    assert found == Address(4711, "secret", "Neovim")


def test_find_prefers_the_configured_folder_to_the_home_folder(home: Path) -> None:
    environment = {"CLAUDE_CODE_SSE_PORT": "4711", "CLAUDE_CONFIG_DIR": str(home / "own")}
    write_lock(home / ".claude", "4711.lock", LOCK)
    assert find(environment) == Address(4711, "secret", "Neovim")

    write_lock(home / "own", "4711.lock", LOCK | {"authToken": "other"})
    assert find(environment) == Address(4711, "other", "Neovim")


@pytest.mark.parametrize("fields", ["text", {"ideName": "Neovim"}, None])
def test_find_ignores_an_invalid_lock_file(home: Path, fields: object) -> None:
    write_lock(home / ".claude", "4711.lock", fields)

    assert find({"CLAUDE_CODE_SSE_PORT": "4711"}) is None


def test_find_needs_the_port_in_the_environment(home: Path) -> None:
    write_lock(home / ".claude", "4711.lock", LOCK)

    assert find({}) is None


class Notifications(list[tuple[str, dict[str, Any]]]):
    """The notifications from the server."""

    def __call__(self, method: str, params: dict[str, Any]) -> None:
        self.append((method, params))


@pytest.fixture
async def address(serving: Neovim, config_folder: Path) -> Address:
    """The server in a real Neovim."""
    port, fields = await the_lock(config_folder)
    return Address(port, fields["authToken"], fields["ideName"])


@pytest.fixture
async def notifications() -> Notifications:
    """An empty list of notifications."""
    return Notifications()


@pytest.fixture
async def server(address: Address, notifications: Notifications) -> AsyncIterator[Server]:
    """A connection to that server."""
    async with connected(address, notifications) as server:
        yield server


async def test_the_server_shows_the_demos_name_and_pid(server: Server, serving: Neovim) -> None:
    await serving.command("ClaudeStatus")

    await until(lambda: "Demo 0.1.0" in serving.screen.text(), "the name")
    await until(lambda: f"pid {os.getpid()}" in serving.screen.text())


async def test_a_failed_tool_raises_its_message(server: Server) -> None:
    with pytest.raises(ToolError, match="kernel"):
        await server.call("executeCode", {"code": "1"})


async def test_an_unknown_tool_raises_an_error_that_names_it(server: Server) -> None:
    with pytest.raises(RpcError, match="Unknown tool: nothing"):
        await server.call("nothing", {})


async def test_notifications_from_the_server_are_received(
    server: Server, serving: Neovim, notifications: Notifications, project: Path
) -> None:
    (project / "a.py").write_text("one\n")
    await serving.command("edit a.py")

    await until(
        lambda: [
            p
            for m, p in notifications
            if m == "selection_changed" and p["filePath"].endswith("a.py")
        ],
        "a selection",
    )


async def test_stopping_the_server_ends_the_connection_and_pending_calls(
    server: Server, serving: Neovim, project: Path
) -> None:
    path = str(project / "a.py")
    asked = asyncio.create_task(
        server.call("openDiff", {"old_file_path": path, "new_file_contents": "x"})
    )
    await until(lambda: serving.lua("return #require('claude_ide.diff').list() == 1"), "the diff")

    await serving.command("ClaudeStop")

    await asyncio.wait_for(server.conversation, WAIT)
    # The call ends with the rejection, or with the connection.
    with contextlib.suppress(TransportClosed):
        assert (await asked)[0] == "DIFF_REJECTED"
    with pytest.raises(TransportClosed):
        await server.call("getLatestSelection", {})


async def test_a_wrong_token_closes_the_transport(
    address: Address, notifications: Notifications
) -> None:
    with pytest.raises(TransportClosed, match="401"):
        async with connected(Address(address.port, "wrong", "Neovim"), notifications):
            raise AssertionError("connected")


async def test_connecting_to_a_stopped_server_raises_an_error(
    address: Address, serving: Neovim, notifications: Notifications, config_folder: Path
) -> None:
    await serving.command("ClaudeStop")
    await until(lambda: not locks(config_folder), "stopped")

    with pytest.raises(TransportClosed):
        async with connected(address, notifications):
            raise AssertionError("connected")
