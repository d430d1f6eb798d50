"""`startup.py`: what Neovim passes to a host, and the port that is taken first of all."""

import json
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from claude_ide import startup
from claude_ide.startup import Bound, Options, bind, take_bound

Bind = Callable[..., Bound]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where lock files go."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    return tmp_path / "ide"


def options(**given: Any) -> Options:
    fields = {"entry": "/entry.py", "pid": os.getpid(), "config": {}, "folders": ["/project"]}
    return Options.decode(json.dumps(fields | {"log": "/log"} | given))


@pytest.fixture
def binding(folder: Path) -> Iterator[Bind]:
    """Binds, and frees the ports when the test ends."""
    taken: list[Bound] = []

    def take(**given: Any) -> Bound:
        taken.append(bind(options(**given)))
        return taken[-1]

    yield take
    for bound in taken:
        bound.give_up()


def test_options_are_what_lua_encoded() -> None:
    decoded = options(config={"host": "0.0.0.0"}, serve=False, port=4711, token="t")

    assert decoded.folders == ("/project",)
    assert (decoded.host, decoded.port, decoded.token, decoded.serve) == (
        "0.0.0.0",
        4711,
        "t",
        False,
    )


@pytest.mark.parametrize("config", [[], {}, None, {"host": ""}, {"host": 5}, "0.0.0.0", ["host"]])
def test_without_a_sound_address_it_listens_on_loopback(config: Any) -> None:
    """What is wrong with it is said later, when the config is decoded."""
    assert options(config=config).host == "127.0.0.1"


def test_a_port_is_taken_and_announced(binding: Bind, folder: Path) -> None:
    bound = binding()

    assert bound.socket.getsockname() == ("127.0.0.1", bound.port)
    fields = json.loads((folder / f"{bound.port}.lock").read_text())
    assert fields["workspaceFolders"] == ["/project"]
    assert (fields["pid"], fields["hostPid"]) == (os.getpid(), os.getpid())
    assert fields["authToken"] == bound.lock.authToken
    # Who connects now waits for the listener.
    socket.create_connection(("127.0.0.1", bound.port)).close()


def test_two_servers_have_ports_tokens_and_names_of_their_own(binding: Bind) -> None:
    one, other = binding(), binding()

    assert one.port != other.port
    assert one.lock.authToken != other.lock.authToken
    assert (one.lock.ideName, other.lock.ideName) == ("Neovim", "Neovim (project)")


def test_it_comes_back_at_the_same_address(binding: Bind) -> None:
    before = binding()
    before.give_up()

    after = binding(port=before.port, token=before.lock.authToken)

    assert (after.port, after.lock.authToken) == (before.port, before.lock.authToken)


def test_a_port_that_was_taken_meanwhile_is_left_to_whoever_has_it(binding: Bind) -> None:
    other = binding()

    bound = binding(port=other.port, token="t")

    assert bound.port != other.port
    assert bound.lock.authToken == "t"


def test_a_port_that_cannot_be_announced_is_given_up(folder: Path) -> None:
    folder.write_text("not a folder")
    with pytest.raises(OSError):
        bind(options())

    assert folder.read_text() == "not a folder"


def test_an_address_that_is_not_of_this_machine_is_an_error(folder: Path) -> None:
    with pytest.raises(OSError):
        bind(options(config={"host": "192.0.2.1"}))

    assert not folder.exists()


def test_giving_up_withdraws_the_announcement_and_frees_the_port(
    binding: Bind, folder: Path
) -> None:
    bound = binding()

    bound.give_up()

    assert list(folder.iterdir()) == []
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", bound.port))


def test_what_was_bound_early_is_handed_over_once(
    binding: Bind, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound = binding()
    monkeypatch.setattr(startup, "bound", bound)

    assert take_bound() is bound
    assert take_bound() is None
