"""`transport/port_hold.py`: it keeps the last socket of a host, and gives it to the next."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from claude_ide import startup
from claude_ide.transport import port_hold


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """The process, and the path of its socket."""
    path = str(tmp_path / "s")
    command = [sys.executable, "-I", port_hold.__file__, path]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "open\n"
        yield process, path
        process.kill()


def held(process: "subprocess.Popen[str]") -> int:
    assert process.stdout
    return int(process.stdout.readline())


def test_the_last_socket_is_given_to_each_host(holder: tuple["subprocess.Popen[str]", str]) -> None:
    process, path = holder
    assert startup.fetch(path) is None
    for _ in range(2):
        with socket.create_server(("127.0.0.1", 0)) as bound:
            startup.hold(path, bound)
            port = bound.getsockname()[1]
            assert held(process) == port

        for _ in range(2):
            found = startup.fetch(path)
            assert found
            with found:
                assert found.getsockname()[1] == port
