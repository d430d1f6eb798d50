"""Remote control, which needs an account: a CLI that grants it is imitated."""

import json
from pathlib import Path
from typing import Any

import pytest

from claude_ide.agents.stream_json.connection import ControlError
from support.agents import Replay

Frame = dict[str, Any]


def exchange(id_: str, subtype: str, answer: Frame) -> list[tuple[str, Frame]]:
    """Return a control request of the host, and the answer of the CLI."""
    request = {"type": "control_request", "request_id": id_, "request": {"subtype": subtype}}
    return [("in", request), ("out", {"type": "control_response", "response": answer})]


def recorded(folder: Path, initialized: Frame, answer: Frame) -> str:
    """Write a conversation in which remote control is asked for; return its name."""
    offer = {"subtype": "success", "request_id": "a", "response": initialized}
    frames = exchange("a", "initialize", offer)
    frames += exchange("b", "remote_control", answer | {"request_id": "b"})
    lines = [json.dumps({"t": 0, "dir": way, "m": frame}) for way, frame in frames]
    (folder / "remote.jsonl").write_text("\n".join(lines))
    return str(folder / "remote")


READY: Frame = {"current_permission_mode": "default", "remote_control_available": True}


async def test_the_link_of_the_session_is_returned(replay: Replay, tmp_path: Path) -> None:
    urls = {"session_url": "https://x/session", "connect_url": "https://x/connect"}
    talk = await replay(recorded(tmp_path, READY, {"subtype": "success", "response": urls}))

    assert talk.agent.capabilities.remote
    assert await talk.agent.turn_remote(on=True) == "https://x/session"

    [asked] = talk.received("control_request", "remote_control")
    assert asked["request"]["enabled"] is True


async def test_the_reason_of_a_refusal_is_that_of_the_cli(replay: Replay, tmp_path: Path) -> None:
    refusal = {"subtype": "error", "error": "log in first"}
    talk = await replay(recorded(tmp_path, READY, refusal))

    with pytest.raises(ControlError, match="log in first"):
        await talk.agent.turn_remote(on=True)


async def test_an_old_cli_that_does_not_say_so_is_asked(replay: Replay, tmp_path: Path) -> None:
    name = recorded(tmp_path, {"current_permission_mode": "default"}, {})

    assert (await replay(name)).agent.capabilities.remote


async def test_a_cli_that_cannot_grant_it_is_not_asked(replay: Replay, tmp_path: Path) -> None:
    name = recorded(tmp_path, READY | {"remote_control_available": False}, {})

    assert not (await replay(name)).agent.capabilities.remote
