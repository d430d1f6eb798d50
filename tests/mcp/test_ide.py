"""`mcp/ide.py` on a real socket, without Neovim: which clients are kept, and what they receive."""

import asyncio
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.mcp import ide as ide_module
from claude_ide.mcp.client import Client
from claude_ide.mcp.ide import Ide
from claude_ide.transport.admission import PATHS
from claude_ide.transport.websocket import Listener, SocketEndpoint
from support.claude_code import ClaudeCode, connected
from support.neovim import WAIT_SECONDS, until

TOKEN = "a-token"
SELECTION = {"text": "x", "filePath": "/a.py"}


async def mention(ide: Ide, what: dict[str, Any]) -> Client | None:
    """Mention something; return the client that gets it."""
    client = await ide.addressee(what["filePath"])
    ide.mention(what, client)
    return client


def selected(n: int) -> dict[str, Any]:
    """Return one of several selections that differ."""
    return {"filePath": "/a.py", "n": n}


@pytest.fixture
def ide(editor: Editor) -> Ide:
    return Ide(editor, Config())


@pytest.fixture
async def port(ide: Ide) -> AsyncIterator[int]:
    bound = socket.create_server(("127.0.0.1", 0))
    listener = Listener(bound, SocketEndpoint(PATHS, TOKEN, ide.serve))
    await listener.start()
    yield bound.getsockname()[1]
    await asyncio.wait_for(listener.stop(), WAIT_SECONDS)


@pytest.fixture
def frequent_pings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ping clients often, and wait only briefly for their answers."""
    monkeypatch.setattr(ide_module, "PING_SECONDS", 0.02)
    monkeypatch.setattr(ide_module, "PONG_SECONDS", 0.2)


@asynccontextmanager
async def joined(ide: Ide, port: int, pid: int | None = None) -> AsyncIterator[ClaudeCode]:
    """A client that is ready to receive notifications."""
    before = len(ide.clients)
    async with connected(port, TOKEN) as client:
        await client.initialize(pid)
        await client.request("tools/list")
        await until(lambda: len(ide.clients) > before and ide.clients[-1].listening, "ready")
        yield client


@pytest.fixture
async def claude(ide: Ide, port: int) -> AsyncIterator[ClaudeCode]:
    async with joined(ide, port) as client:
        yield client


def the_client(ide: Ide) -> Client:
    (client,) = ide.clients
    return client


# Which clients are kept.


async def test_a_client_is_listed_while_it_is_connected(ide: Ide, port: int) -> None:
    async with connected(port, TOKEN) as client:
        await client.request("ping")
        assert ide.clients == []

        await client.initialize(pid=4711)
        await client.request("ping")
        assert the_client(ide).pid == 4711

    await until(lambda: not ide.clients, "no client is left")


@pytest.mark.usefixtures("frequent_pings")
async def test_a_client_that_answers_pings_is_responsive(ide: Ide, claude: ClaudeCode) -> None:
    await until(lambda: len(claude.notifications_of("ping")) > 10)

    assert the_client(ide).responsive


@pytest.mark.usefixtures("frequent_pings")
async def test_a_client_that_rejects_pings_is_responsive(ide: Ide, claude: ClaudeCode) -> None:
    claude.answers_pings = False
    await until(lambda: not the_client(ide).responsive)

    claude.pong = {"error": {"code": -32601, "message": "Method not found: ping"}}
    claude.answers_pings = True

    await until(lambda: the_client(ide).responsive)


@pytest.mark.usefixtures("frequent_pings")
async def test_a_silent_client_is_kept_while_its_process_is_alive(ide: Ide, port: int) -> None:
    """A suspended CLI is silent and can resume later."""
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", "input()", stdin=-1)
    try:
        async with joined(ide, port, process.pid) as client:
            client.answers_pings = False
            await until(lambda: not the_client(ide).responsive, "the client is marked")
            asked = len(client.notifications_of("ping"))
            await until(lambda: len(client.notifications_of("ping")) > asked + 1, "asked again")

            client.answers_pings = True

            await until(lambda: the_client(ide).responsive, "it is responsive again")
            assert client.connection.close_code is None
    finally:
        process.kill()
        await process.wait()


@pytest.mark.usefixtures("frequent_pings")
async def test_a_silent_client_whose_process_has_ended_is_dropped(ide: Ide, port: int) -> None:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await process.wait()
    async with joined(ide, port, process.pid) as client:
        assert client.connection.close_code is None

        client.answers_pings = False

        await until(lambda: client.connection.close_code == 1001)
        await until(lambda: not ide.clients)


@pytest.mark.usefixtures("frequent_pings")
async def test_a_silent_client_without_a_known_process_is_kept(ide: Ide, port: int) -> None:
    async with joined(ide, port) as client:
        client.answers_pings = False
        await until(lambda: not the_client(ide).responsive)

        assert await client.request("ping") == {}


# What clients receive.


async def test_every_client_is_notified_of_a_selection(ide: Ide, port: int) -> None:
    async with joined(ide, port) as one, joined(ide, port) as other:
        ide.editor.events.dispatch("selection_changed", SELECTION)

        await until(lambda: one.notifications_of("selection_changed") == [SELECTION])
        await until(lambda: other.notifications_of("selection_changed") == [SELECTION])


async def test_a_new_client_is_notified_of_the_current_selection(ide: Ide, port: int) -> None:
    ide.editor.events.dispatch("selection_changed", SELECTION)

    async with joined(ide, port) as client:
        await until(lambda: client.notifications_of("selection_changed") == [SELECTION])


@pytest.mark.usefixtures("frequent_pings")
@pytest.mark.parametrize("answers", [True, False])
async def test_a_client_that_rejects_or_ignores_pings_is_notified_of_the_selection(
    ide: Ide, port: int, answers: bool
) -> None:
    ide.editor.events.dispatch("selection_changed", SELECTION)

    async with connected(port, TOKEN) as client:
        client.answers_pings = answers
        client.pong = {"error": {"code": -32601, "message": "Method not found: ping"}}
        await client.initialize()

        await until(lambda: client.notifications_of("selection_changed") == [SELECTION])


async def test_a_client_that_ignores_pings_is_notified_within_a_second(ide: Ide, port: int) -> None:
    ide.editor.events.dispatch("selection_changed", selected(1))

    async with connected(port, TOKEN) as client:
        client.answers_pings = False
        await client.initialize()

        await until(
            lambda: client.notifications_of("selection_changed") == [selected(1)], seconds=1
        )
        ide.editor.events.dispatch("selection_changed", selected(2))
        await until(
            lambda: client.notifications_of("selection_changed")[1:] == [selected(2)], seconds=1
        )


async def test_no_mention_is_sent_to_a_client_before_it_answers_a_ping(ide: Ide, port: int) -> None:
    ide.editor.events.dispatch("selection_changed", SELECTION)
    async with connected(port, TOKEN) as client:
        client.answers_pings = False
        await client.initialize()
        await until(lambda: client.notifications_of("selection_changed"))

        assert await mention(ide, SELECTION) is None
        await client.request("ping")

        assert client.notifications_of("at_mentioned") == []


async def test_a_client_that_has_not_initialized_receives_nothing(ide: Ide, port: int) -> None:
    async with connected(port, TOKEN) as client:
        await client.request("ping")

        ide.editor.events.dispatch("selection_changed", SELECTION)

        await client.request("ping")
        assert client.notifications == []


async def test_text_that_is_not_unicode_is_sent_with_replacement_characters(
    ide: Ide, claude: ClaudeCode
) -> None:
    ide.editor.events.dispatch("selection_changed", {"filePath": "/a.py", "text": "caf\udce9"})

    await until(
        lambda: (
            claude.notifications_of("selection_changed")
            == [{"filePath": "/a.py", "text": "caf\ufffd"}]
        )
    )
    assert await claude.request("ping") == {}


async def test_a_client_that_falls_behind_receives_only_the_latest_selection(
    ide: Ide, claude: ClaudeCode
) -> None:
    # Nothing is sent until this test first awaits something.
    for n in range(100):
        ide.editor.events.dispatch("selection_changed", selected(n))
        ide.editor.reader.when_changed(f"file:///{n % 2}")

    await until(lambda: len(claude.notifications_of("diagnostics_changed")) == 2)

    assert claude.notifications_of("selection_changed") == [selected(99)]
    uris = [params["uri"] for params in claude.notifications_of("diagnostics_changed")]
    assert sorted(uris) == ["file:///0", "file:///1"]


async def test_mentions_arrive_completely_and_in_order(ide: Ide, claude: ClaudeCode) -> None:
    for n in range(20):
        assert await mention(ide, selected(n)) is the_client(ide)

    await until(lambda: len(claude.notifications_of("at_mentioned")) == 20)
    assert claude.notifications_of("at_mentioned") == [selected(n) for n in range(20)]


async def test_a_mention_goes_to_the_most_recently_active_client(
    ide: Ide, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def none() -> list[int]:
        return []

    monkeypatch.setattr(ide.editor.port.terminals, "here", none)
    async with joined(ide, port) as one, joined(ide, port) as other:
        one.answers_pings = other.answers_pings = False
        await one.request("ping")

        await mention(ide, SELECTION)

        await until(lambda: one.notifications_of("at_mentioned") == [SELECTION])
        await other.request("ping")
        assert other.notifications_of("at_mentioned") == []


async def test_mentions_are_kept_for_the_first_client(ide: Ide, port: int) -> None:
    assert await mention(ide, selected(1)) is None
    assert await mention(ide, selected(2)) is None

    async with joined(ide, port) as one:
        await until(lambda: one.notifications_of("at_mentioned") == [selected(1), selected(2)])

    assert not ide.mentions


async def test_a_mention_is_kept_if_its_client_disconnects_before_it_is_ready(
    ide: Ide, port: int, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Enough time to disconnect between the last ping and the mention, also on a busy machine.
    monkeypatch.setattr(ide_module, "WELCOME_PAUSE", 0.3)
    await mention(ide, SELECTION)
    for answered in range(3):
        async with connected(port, TOKEN) as client:
            await client.initialize()
            await client.request("tools/list")
            await until(partial(pinged, client, answered + 1))
            client.connection.transport.abort()
        await until(lambda: not ide.clients)

    async with joined(ide, port) as last:
        await until(lambda: last.notifications_of("at_mentioned") == [SELECTION])
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


def pinged(client: ClaudeCode, times: int) -> bool:
    return len(client.notifications_of("ping")) >= times


async def test_a_client_that_does_not_read_delays_no_other(ide: Ide, port: int) -> None:
    async with joined(ide, port) as slow, joined(ide, port) as quick:
        slow.connection.transport.pause_reading()
        for n in range(3):
            ide.editor.events.dispatch(
                "selection_changed", selected(n) | {"text": "x" * 10_000_000}
            )
            await until(partial(knows, quick, n))

        slow.connection.transport.resume_reading()

        await until(partial(knows, slow, 2))


def knows(client: ClaudeCode, n: int) -> bool:
    """Whether the last selection that a client received has this number."""
    received = client.notifications_of("selection_changed")
    return bool(received) and received[-1]["n"] == n


async def test_draining_does_not_wait_forever(ide: Ide, claude: ClaudeCode) -> None:
    await asyncio.wait_for(ide.drain(0.1), WAIT_SECONDS)


# Which clients learn of a selection.


@pytest.fixture
def worktrees(tmp_path: Path) -> dict[str, Path]:
    """Two worktrees of a repository, one of them inside the other; another repository; a folder."""
    main, other, folder = tmp_path / "main", tmp_path / "other", tmp_path / "folder"
    inner = main / ".claude" / "worktrees" / "feature"
    for repository in (main, other):
        subprocess.run(["git", "init", "-q", repository], check=True)
    commit = [
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "first",
    ]
    subprocess.run(["git", "-C", main, *commit], check=True)
    subprocess.run(["git", "-C", main, "worktree", "add", "-q", inner], check=True)
    folder.mkdir()
    return {"main": main, "feature": inner, "other": other, "folder": folder}


@asynccontextmanager
async def running_in(ide: Ide, port: int, folder: Path) -> AsyncIterator[ClaudeCode]:
    """A client whose process has a working folder."""
    process = await asyncio.create_subprocess_exec("sleep", "60", cwd=folder)
    try:
        async with joined(ide, port, process.pid) as client:
            yield client
    finally:
        process.kill()
        await process.wait()


@pytest.mark.parametrize(
    ("folders", "file", "told"),
    [
        (["main", "feature"], "main/a.py", ["main"]),
        (["main", "feature"], "feature/a.py", ["feature"]),
        (["main", "feature"], "main/deep/a.py", ["main"]),
        (["main"], "feature/a.py", []),
        (["feature"], "main/a.py", []),
        (["main", "other"], "other/a.py", ["other"]),
        (["main"], "other/a.py", ["main"]),
        (["main"], "folder/a.py", ["main"]),
        (["folder", "main"], "folder/a.py", ["folder"]),
        (["main", "main"], "main/a.py", ["main", "main"]),
    ],
)
async def test_a_selection_is_told_to_the_clients_of_its_worktree(
    ide: Ide, port: int, worktrees: dict[str, Path], folders: list[str], file: str, told: list[str]
) -> None:
    name, _, inside = file.partition("/")
    selection = {"text": "x", "filePath": str(worktrees[name] / inside)}
    async with AsyncExitStack() as stack:
        clients = [
            await stack.enter_async_context(running_in(ide, port, worktrees[folder]))
            for folder in folders
        ]

        ide.editor.events.dispatch("selection_changed", selection)

        # A notification for all comes after it.
        ide.notify_all("last", {})
        for client in clients:
            await until(partial(client.notifications_of, "last"))
        heard = [client.notifications_of("selection_changed") for client in clients]
        assert [name for name, each in zip(folders, heard, strict=True) if each] == told


async def test_a_client_that_comes_later_does_not_learn_of_another_worktree(
    ide: Ide, port: int, worktrees: dict[str, Path]
) -> None:
    selection = {"text": "x", "filePath": str(worktrees["main"] / "a.py")}
    ide.editor.events.dispatch("selection_changed", selection)

    async with running_in(ide, port, worktrees["feature"]) as client:
        assert client.notifications_of("selection_changed") == []
    async with running_in(ide, port, worktrees["main"]) as client:
        await until(lambda: client.notifications_of("selection_changed") == [selection])


@pytest.mark.parametrize(
    ("file", "told"), [("main/a.py", "main"), ("feature/a.py", "feature"), ("feature", "feature")]
)
async def test_a_mention_goes_to_the_client_of_its_worktree(
    ide: Ide, port: int, worktrees: dict[str, Path], file: str, told: str
) -> None:
    name, _, inside = file.partition("/")
    async with AsyncExitStack() as stack:
        clients = {
            folder: await stack.enter_async_context(running_in(ide, port, worktrees[folder]))
            for folder in ("main", "feature")
        }
        for last in clients.values():
            await last.request("ping")
            mentioned = {"filePath": str(worktrees[name] / inside)}

            client = await mention(ide, mentioned)
            assert client is not None
            assert client.folder == str(worktrees[told])

        await until(lambda: len(clients[told].notifications_of("at_mentioned")) == 2)
        others = [each for name, each in clients.items() if name != told]
        for other in others:
            await other.request("ping")
            assert other.notifications_of("at_mentioned") == []


async def test_a_mention_waits_for_a_client_of_its_worktree(
    ide: Ide, port: int, worktrees: dict[str, Path]
) -> None:
    mentioned = {"filePath": f'"{worktrees["feature"]}/a b.py#L1-2"'}
    await mention(ide, mentioned)

    async with running_in(ide, port, worktrees["main"]) as client:
        assert client.notifications_of("at_mentioned") == []
    async with running_in(ide, port, worktrees["feature"]) as client:
        await until(lambda: client.notifications_of("at_mentioned") == [mentioned])
    assert not ide.mentions


async def test_a_client_is_described_with_its_folder(
    ide: Ide, port: int, worktrees: dict[str, Path]
) -> None:
    async with running_in(ide, port, worktrees["feature"]):
        assert the_client(ide).folder == str(worktrees["feature"])
