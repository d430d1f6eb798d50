"""`startup.py`: the options that Neovim passes to a host, and the port that it binds first."""

import errno
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from claude_ide import startup
from claude_ide.mcp.lock_file import LockFile
from claude_ide.startup import Bound, CannotServe, Options, bind, claim_bound
from support.neovim import ROOT

Bind = Callable[..., Bound]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for lock files."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    return tmp_path / "ide"


def options(**given: Any) -> Options:
    fields = {"entry": "/entry.py", "pid": os.getpid(), "config": {}, "folders": ["/project"]}
    return Options.decode(json.dumps(fields | {"log": "/log"} | given))


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


@pytest.fixture
def binding(folder: Path) -> Iterator[Bind]:
    """Bind ports, which are freed when the test ends."""
    ports: list[Bound] = []

    def bind_port(**given: Any) -> Bound:
        ports.append(bind(options(**given)))
        return ports[-1]

    yield bind_port
    for bound in ports:
        bound.give_up()


def test_options_from_lua_are_decoded() -> None:
    decoded = options(config={"host": "0.0.0.0"}, serve=False, port=4711, token="t")

    assert decoded.folders == ("/project",)
    assert (decoded.host, decoded.port, decoded.token, decoded.serve) == (
        "0.0.0.0",
        4711,
        "t",
        False,
    )


@pytest.mark.parametrize("config", [[], {}, None, {"host": ""}, {"host": 5}, "0.0.0.0", ["host"]])
def test_without_a_valid_address_the_host_is_loopback(config: Any) -> None:
    """The error is reported later, when the config is decoded."""
    assert options(config=config).host == "127.0.0.1"


def test_a_port_is_bound_and_announced(binding: Bind, folder: Path) -> None:
    bound = binding()

    assert bound.socket.getsockname() == ("127.0.0.1", bound.port)
    fields = json.loads((folder / f"{bound.port}.lock").read_text())
    assert fields["workspaceFolders"] == ["/project"]
    assert (fields["pid"], fields["hostPid"]) == (os.getpid(), os.getpid())
    assert fields["authToken"] == bound.lock.authToken
    # A client that connects now waits for the listener.
    socket.create_connection(("127.0.0.1", bound.port)).close()


def test_two_servers_have_different_ports_tokens_and_names(binding: Bind) -> None:
    one, other = binding(), binding()

    assert one.port != other.port
    assert one.lock.authToken != other.lock.authToken
    assert (one.lock.ideName, other.lock.ideName) == ("Neovim", "Neovim (project)")


def test_a_restarted_host_has_the_held_socket_with_its_port_and_token(
    binding: Bind, tmp_path: Path
) -> None:
    """No other process can have bound the port, and a client that connects in between is kept."""
    before = binding()
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(tmp_path / "hold"))
        door.listen()
        before.hold(str(tmp_path / "hold"))
        held = _fetch(door)
        before.give_up()
        client = socket.create_connection(("127.0.0.1", before.port))
        giving = threading.Thread(target=_give, args=(door, held))
        giving.start()

        after = binding(port=before.port, token=before.lock.authToken, hold=str(tmp_path / "hold"))

        giving.join()
    assert (after.port, after.lock.authToken) == (before.port, before.lock.authToken)
    accepted, address = after.socket.accept()
    assert address == client.getsockname()
    accepted.close()
    client.close()


@pytest.mark.parametrize("hold", ["", "nowhere", "gone"])
def test_a_port_has_a_new_token_if_its_socket_was_not_held(
    binding: Bind, tmp_path: Path, hold: str
) -> None:
    before = binding()
    before.give_up()
    path = tmp_path / hold
    with socket.socket(socket.AF_UNIX) as door:
        if hold == "gone":
            door.bind(str(path))

        after = binding(port=before.port, token=before.lock.authToken, hold=hold and str(path))

    assert after.port == before.port
    assert after.lock.authToken != before.lock.authToken


def _fetch(door: socket.socket) -> int:
    with door.accept()[0] as host:
        return int(socket.recv_fds(host, 1, 1)[1][0])


def _give(door: socket.socket, held: int) -> None:
    with door.accept()[0] as host:
        assert host.recv(1)
        socket.send_fds(host, [b"\n"], [held])
    os.close(held)


def test_another_port_is_bound_if_the_port_is_in_use(binding: Bind) -> None:
    other = binding()

    bound = binding(port=other.port, token="t")

    assert bound.port != other.port
    assert len(bound.lock.authToken) == 86


def test_the_options_are_removed_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"entry": "/e.py", "pid": 1, "config": {}, "folders": ["/ä"], "log": "/l"}
    monkeypatch.setenv(startup.VARIABLE, json.dumps(given))

    assert Options.inherited().folders == ("/ä",)
    assert subprocess.check_output(["env"]).find(startup.VARIABLE.encode()) == -1


def test_a_port_that_cannot_be_announced_is_freed(folder: Path) -> None:
    folder.write_text("not a folder")
    port = free_port()

    with pytest.raises(CannotServe) as refused:
        bind(options(port=port))

    reason = f"cannot write the lock file (its folder is a file): {folder}/{port}.lock"
    assert str(refused.value) == reason
    assert folder.read_text() == "not a folder"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (errno.ENOSPC, "No space left on device"),
        (errno.EROFS, "Read-only file system"),
        (errno.EACCES, "Permission denied"),
    ],
)
def test_the_error_has_its_reason_before_the_path_of_the_lock_file(
    folder: Path, code: int, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(lock: LockFile) -> None:
        raise OSError(code, os.strerror(code), lock.path)

    monkeypatch.setattr(LockFile, "write", fail)

    with pytest.raises(CannotServe, match=rf"^cannot write the lock file \({reason}\): {folder}"):
        bind(options())


def test_the_address_of_another_machine_is_an_error(folder: Path) -> None:
    with pytest.raises(CannotServe, match=r"^cannot listen on 192\.0\.2\.1: Cannot assign"):
        bind(options(config={"host": "192.0.2.1"}))
    with pytest.raises(CannotServe, match=r"^cannot listen on nowhere\.invalid: [\w ]+$"):
        bind(options(config={"host": "nowhere.invalid"}))

    assert not folder.exists()


def test_giving_up_removes_the_lock_file_and_frees_the_port(binding: Bind, folder: Path) -> None:
    bound = binding()

    bound.give_up()

    assert list(folder.iterdir()) == []
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", bound.port))


def test_the_port_that_was_bound_at_startup_can_be_claimed_once(
    binding: Bind, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound = binding()
    monkeypatch.setattr(startup, "bound", bound)

    assert claim_bound() is bound
    assert claim_bound() is None


def run_python(code: str, *folders: Path) -> list[str]:
    """Run code as the host runs, with these folders first on its path; return its output."""
    path = [str(folder) for folder in (*folders, ROOT / "python")]
    command = [sys.executable, "-I", "-c", f"import sys; sys.path[:0] = {path}\n{code}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def test_importing_websockets_does_not_load_the_metadata_of_packages() -> None:
    code = """
from claude_ide.transport.websockets_import import import_websockets
import_websockets()
import websockets.asyncio.server
print("importlib.metadata" in sys.modules)
import importlib.metadata
print(importlib.metadata.version("websockets") == websockets.__version__)
"""
    assert run_python(code) == ["False", "True"]


def test_an_unreleased_websockets_can_read_metadata(tmp_path: Path) -> None:
    (tmp_path / "websockets").mkdir()
    (tmp_path / "websockets" / "__init__.py").write_text(
        "import importlib.metadata\nversion = importlib.metadata.version('msgspec')\n"
    )
    code = """
from claude_ide.transport.websockets_import import import_websockets
import_websockets()
import websockets
print(websockets.version[0].isdigit())
"""
    assert run_python(code, tmp_path) == ["True"]


def test_rooms_that_the_first_answer_does_not_need_are_imported_later() -> None:
    code = """
import claude_ide.app, claude_ide.commands, claude_ide.mcp.server
rooms = ("agents", "chat", "headless", "trust", "mcp.workspace", "mcp.in_process",
         "mcp.streamable", "transport.http",
         "transport.guardian", "transport.process")
loaded = [name for name in sys.modules for room in rooms if name.startswith(f"claude_ide.{room}")]
print(*loaded)
"""
    assert run_python(code) == []
