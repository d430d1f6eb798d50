"""`mcp/stdio.py`, as a process: relays lines to a listener, and says why it cannot."""

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from claude_ide.mcp.registration import PORT, TOKEN
from claude_ide.transport.admission import MESSAGE_BYTES, TOOLS_PATH
from claude_ide.transport.websocket import Connection, Listener, SocketEndpoint
from support.listeners import echo
from support.mcp_stdio import STDIO, McpStdio, address, mcp_stdio
from support.neovim import ROOT, WAIT_SECONDS, until

GUESSED = "a-token"
PING = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'


@asynccontextmanager
async def served(
    serve: Callable[[Connection], Awaitable[None]], folder: Path
) -> AsyncIterator[tuple[McpStdio, Listener]]:
    """A process that is connected to a server of the test."""
    listener = Listener(
        socket.create_server(("127.0.0.1", 0)), SocketEndpoint((TOOLS_PATH,), GUESSED, serve)
    )
    await listener.start()
    async with mcp_stdio(address(listener.port, GUESSED), folder) as client:
        yield client, listener
    await asyncio.wait_for(listener.stop(), WAIT_SECONDS)


@pytest.fixture
async def echoing(tmp_path: Path) -> AsyncIterator[McpStdio]:
    async with served(echo, tmp_path) as (client, _):
        yield client


async def refusal(environment: dict[str, str], folder: Path) -> str:
    """The only line on stderr of a process that finds no server."""
    async with mcp_stdio(environment, folder) as client:
        code, said = await client.ended()
        assert await client.rest() == []
    assert code == 2
    name, _, reason = said.partition(": ")
    assert (name, said.count("\n")) == ("claude-ide", 1)
    return reason.removesuffix("\n")


class TestRelaying:
    @pytest.mark.parametrize(
        "message",
        [
            {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
            {"jsonrpc": "2.0", "id": "a", "result": {"from": "the client"}},
            [{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "method": "x"}],
        ],
        ids=["request", "notification", "answer", "batch"],
    )
    async def test_every_message_arrives_unchanged(self, echoing: McpStdio, message: Any) -> None:
        await echoing.write(json.dumps(message).encode())

        assert await echoing.read() == message

    @pytest.mark.parametrize("size", [300_000, 5_000_000])
    async def test_a_long_line_arrives_whole_in_both_directions(
        self, echoing: McpStdio, size: int
    ) -> None:
        message = {"jsonrpc": "2.0", "id": 1, "result": "ä" * size}

        await echoing.write(json.dumps(message, ensure_ascii=False).encode())

        assert await echoing.read() == message

    async def test_many_long_messages_at_once_do_not_block_each_other(
        self, echoing: McpStdio
    ) -> None:
        sent = [{"jsonrpc": "2.0", "id": n, "result": "x" * 1_000_000} for n in range(20)]

        writing = asyncio.gather(*(echoing.write(json.dumps(each).encode()) for each in sent))

        assert [await echoing.read() for _ in sent] == sent
        await writing

    async def test_empty_lines_are_skipped(self, echoing: McpStdio) -> None:
        await echoing.write(b"\r\n\n  \n{}\r")

        assert await echoing.read() == {}

    async def test_the_server_can_begin(self, tmp_path: Path) -> None:
        asked = {"jsonrpc": "2.0", "id": 7, "method": "ping"}

        async def ask(connection: Connection) -> None:
            await connection.send(json.dumps(asked).encode())
            async for frame in connection.frames():
                await connection.send(frame)

        async with served(ask, tmp_path) as (client, _):
            assert await client.read() == asked

            answer = {"jsonrpc": "2.0", "id": 7, "result": {}}
            await client.write(json.dumps(answer).encode())

            assert await client.read() == answer

    async def test_a_message_that_the_server_would_not_accept_gets_an_error(
        self, echoing: McpStdio
    ) -> None:
        params = "x" * MESSAGE_BYTES
        await echoing.send("tools/call", {"text": params}, id=1)

        refused = await echoing.read()

        assert refused["id"] == 1
        assert "bytes, more than 67,108,864" in refused["error"]["message"]
        await echoing.write(b"{}")
        assert await echoing.read() == {}


class TestTheEnd:
    async def test_the_end_of_stdin_ends_the_process(self, echoing: McpStdio) -> None:
        await echoing.write(b"{}")
        await echoing.read()

        assert await echoing.end() == (0, "")

    async def test_the_last_answers_are_still_written(self, tmp_path: Path) -> None:
        async def answer_late(connection: Connection) -> None:
            async for _ in connection.frames():
                await asyncio.sleep(0.05)
                await connection.send(b'{"jsonrpc": "2.0", "id": 1, "result": {}}')

        async with served(answer_late, tmp_path) as (client, _):
            await client.send("tools/list", id=1)
            assert await client.end() == (0, "")

            assert [message["id"] for message in await client.rest()] == [1]

    async def test_a_request_without_an_answer_does_not_delay_the_end(self, tmp_path: Path) -> None:
        gone = asyncio.Event()

        async def say_nothing(connection: Connection) -> None:
            async for _ in connection.frames():
                pass
            gone.set()

        async with served(say_nothing, tmp_path) as (client, _):
            await client.send("tools/call", id=1)

            assert await client.end() == (0, "")
            await asyncio.wait_for(gone.wait(), WAIT_SECONDS)

    @pytest.mark.parametrize("end", ["goes away", "dies"])
    async def test_open_requests_get_an_error_when_the_server(
        self, tmp_path: Path, end: str
    ) -> None:
        arrived = asyncio.Event()
        connections: list[Connection] = []

        async def wait(connection: Connection) -> None:
            connections.append(connection)
            number = 0
            async for frame in connection.frames():
                number += 1
                if number == 1:
                    await connection.send(b'{"jsonrpc": "2.0", "id": 1, "result": {}}')
                if b"last" in frame:
                    arrived.set()

        async with served(wait, tmp_path) as (client, listener):
            await client.send("answered", id=1)
            await client.send("tools/call", id=2)
            await client.send("tools/call", id="three")
            await client.send("tools/call", id=4)
            await client.send("notifications/cancelled", {"requestId": 4})
            await client.send("last")
            await asyncio.wait_for(arrived.wait(), WAIT_SECONDS)

            if end == "dies":
                connections[0]._connection.transport.abort()
            else:
                await listener.stop()

            code, said = await client.ended()
            messages = await client.rest()
            assert (code, said) == (1, "claude-ide: the editor has closed the connection\n")
            errors = {each["id"]: each["error"] for each in messages if "error" in each}
            assert errors.keys() == {2, "three"}
            assert {error["code"] for error in errors.values()} == {-32000}

    async def test_a_client_that_reads_nothing_more_ends_the_process(self, tmp_path: Path) -> None:
        read, write = os.pipe()
        listener = Listener(
            socket.create_server(("127.0.0.1", 0)), SocketEndpoint((TOOLS_PATH,), GUESSED, echo)
        )
        await listener.start()
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", str(STDIO)),
            env=address(listener.port, GUESSED),
            stdin=asyncio.subprocess.PIPE,
            stdout=write,
        )
        os.close(write)
        os.close(read)
        assert process.stdin is not None

        process.stdin.write(PING)

        assert await asyncio.wait_for(process.wait(), WAIT_SECONDS) == 0
        await listener.stop()

    @pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
    async def test_a_signal_ends_it_without_a_traceback(
        self, echoing: McpStdio, sent: signal.Signals
    ) -> None:
        await echoing.write(b"{}")
        await echoing.read()

        echoing.process.send_signal(sent)

        assert await echoing.ended() == (-sent, "")


class TestRefusal:
    async def test_an_address_that_is_not_one_is_named(self, tmp_path: Path) -> None:
        assert await refusal({PORT: "x\n"}, tmp_path) == f"{PORT} is not a port: 'x\\n'"
        assert await refusal({PORT: "70000"}, tmp_path) == f"{PORT} is not a port: '70000'"
        assert await refusal({TOKEN: "t"}, tmp_path) == f"{PORT} is not set, but {TOKEN} is"
        bad = {PORT: "1", TOKEN: "a\r\nHost: b"}
        assert await refusal(bad, tmp_path) == f"{TOKEN} is not a token"

    async def test_a_wrong_token_is_refused(self, tmp_path: Path) -> None:
        async with served(echo, tmp_path) as (_, listener):
            said = await refusal(address(listener.port, "wrong"), tmp_path)

        expected = f"the server at port {listener.port} refuses: no token, or a wrong one"
        assert said == expected

    async def test_a_port_without_a_server_is_named(self, tmp_path: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as unused:
            port = unused.getsockname()[1]

        said = await refusal(address(port, "t"), tmp_path)

        assert said == f"no editor serves at port {port}: Connection refused"

    async def test_without_an_address_the_folder_is_named(self, tmp_path: Path) -> None:
        said = await refusal({"CLAUDE_CONFIG_DIR": str(tmp_path / "none")}, tmp_path)

        assert said == f"no editor serves {tmp_path} (:ClaudeStart starts a server)"


class TestIsolation:
    @pytest.mark.parametrize(
        "arguments", [[STDIO], ["-I", STDIO], ["-m", "claude_ide.mcp.stdio"]], ids=str
    )
    async def test_it_can_be_started_as_a_file_and_as_a_module(
        self, tmp_path: Path, arguments: list[str | Path]
    ) -> None:
        async with served(echo, tmp_path) as (_, listener):
            path = {"PYTHONPATH": str(ROOT / "python")} if "-m" in arguments else {}
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, *arguments),
                env=address(listener.port, GUESSED) | path,
                cwd=tmp_path,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
            )
            answer, _ = await asyncio.wait_for(process.communicate(PING), WAIT_SECONDS)

        assert answer == PING

    async def test_modules_of_the_working_folder_are_not_imported(self, tmp_path: Path) -> None:
        trap = "import os, pathlib; pathlib.Path(os.path.dirname(__file__), 'sprung').touch()\n"
        for name in ("json", "socket", "websockets", "msgspec", "claude_ide", "sitecustomize"):
            (tmp_path / f"{name}.py").write_text(trap)
        traps = {"PYTHONPATH": str(tmp_path), "PYTHONSTARTUP": str(tmp_path / "json.py")}
        async with served(echo, tmp_path) as (_, listener):
            environment = address(listener.port, GUESSED) | traps | {"PYTHONHOME": str(tmp_path)}
            async with mcp_stdio(environment, tmp_path) as client:
                await client.write(b"{}")
                assert await client.read() == {}
                assert await client.end() == (0, "")

        assert not (tmp_path / "sprung").exists()

    async def test_only_what_it_needs_is_imported(self, tmp_path: Path) -> None:
        """An agent waits for it: asyncio and the metadata of packages take longer than the rest."""
        async with served(echo, tmp_path) as (_, listener):
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-I", "-X", "importtime", str(STDIO)),
                env=address(listener.port, GUESSED),
                stdin=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
            )
            _, said = await asyncio.wait_for(process.communicate(), WAIT_SECONDS)

        imported = {line.rpartition(b"|")[2].strip().decode() for line in said.splitlines()}
        assert "websockets.client" in imported
        slow = {"asyncio", "importlib.metadata", "ssl", "pynvim", "claude_ide.app"}
        assert not imported & slow

    async def test_nothing_but_messages_is_written_to_stdout(self, echoing: McpStdio) -> None:
        await until(lambda: _descriptor(echoing, 1) == _descriptor(echoing, 2), "redirected")
        await echoing.write(b"{}")

        assert await echoing.read() == {}


def _descriptor(client: McpStdio, number: int) -> str:
    return str(Path(f"/proc/{client.process.pid}/fd/{number}").readlink())
