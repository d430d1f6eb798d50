"""`host/port_hold.lua`: Neovim keeps a copy of a listening socket and gives it to the next host."""

import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from support.neovim import Neovim, until

OPEN = "return require('claude_ide.host.port_hold').open()"
PORT = "return require('claude_ide.host.port_hold').port()"
RELEASE = "require('claude_ide.host.port_hold').release()"


@pytest.fixture
def server() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def hand_over(path: str, server: socket.socket) -> int:
    """Give a socket to Neovim as a host does; return its port."""
    with socket.socket(socket.AF_UNIX) as neovim:
        neovim.connect(path)
        socket.send_fds(neovim, [b"\n"], [server.fileno()])
    return int(server.getsockname()[1])


def fetch(path: str) -> socket.socket:
    """Ask Neovim for the socket as the next host does."""
    with socket.socket(socket.AF_UNIX) as neovim:
        neovim.settimeout(5)
        neovim.connect(path)
        neovim.sendall(b"\n")
        return socket.socket(fileno=socket.recv_fds(neovim, 1, 1)[1][0])


async def test_a_held_port_outlives_the_host(nvim: Neovim, server: socket.socket) -> None:
    port = hand_over(await nvim.lua(OPEN), server)
    await until(lambda: nvim.lua(f"{PORT} == ...", port), "held")

    server.close()

    with closing(socket.create_connection(("127.0.0.1", port))) as client:
        for _ in range(2):  # it is kept for later hosts, too
            with fetch(await nvim.lua(OPEN)) as again:
                assert again.getsockname()[1] == port
        with fetch(await nvim.lua(OPEN)) as again, again.accept()[0] as accepted:
            assert accepted.getpeername() == client.getsockname()


async def test_another_socket_replaces_the_held_one(nvim: Neovim, server: socket.socket) -> None:
    hand_over(await nvim.lua(OPEN), server)
    await until(lambda: nvim.lua(PORT), "held")

    with socket.create_server(("127.0.0.1", 0)) as later:
        port = hand_over(await nvim.lua(OPEN), later)
        await until(lambda: nvim.lua(f"{PORT} == ...", port), "held")

    with fetch(await nvim.lua(OPEN)) as again:
        assert again.getsockname()[1] == port


async def test_a_released_port_is_free(nvim: Neovim, server: socket.socket) -> None:
    port = hand_over(await nvim.lua(OPEN), server)
    await until(lambda: nvim.lua(PORT), "held")
    server.close()

    await nvim.lua(RELEASE)

    assert await nvim.lua(PORT) is None
    await until(lambda: _is_free(port), "free")


async def test_only_the_user_can_reach_the_held_socket(nvim: Neovim) -> None:
    path = Path(await nvim.lua(OPEN))

    assert path.is_socket()
    assert path.parent.stat().st_mode & 0o077 == 0
    assert Path(await nvim.lua(OPEN)) != path
    await until(lambda: not path.exists(), "the earlier socket is gone")


@pytest.mark.parametrize("words", [b"", b"\n", b"x" * 100_000])
async def test_a_stranger_that_hands_over_no_socket_changes_nothing(
    nvim: Neovim, server: socket.socket, words: bytes
) -> None:
    path = await nvim.lua(OPEN)
    with socket.socket(socket.AF_UNIX) as stranger:
        stranger.connect(path)
        stranger.setblocking(False)
        if words:
            stranger.send(words)

    assert await nvim.lua(PORT) is None
    port = hand_over(path, server)
    await until(lambda: nvim.lua(f"{PORT} == ...", port), "held")
    assert (await nvim.mode())["blocking"] is False


def _is_free(port: int) -> bool:
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True
