"""`editor/status_line.py`: the state of agents and requests in a few words."""

import asyncio
from typing import Any

import pytest

from claude_ide.base.limits import Limit
from claude_ide.editor.port.events import Activity, StatusReported
from claude_ide.editor.status_line import ChatStatus, Limits, StatusLine
from support.pocket import pocket_port

WORKING, RESTING = Activity(is_working=True), Activity()


class Shown:
    """A status line, and what the editor gets."""

    def __init__(self) -> None:
        self.statuses: list[dict[str, Any]] = []
        port = pocket_port(self._answer, self._notice)
        self.limits = Limits(port)
        self.line = StatusLine(port, self.limits)

    async def _answer(self, *_: Any) -> None:
        await asyncio.sleep(0)

    def _notice(self, function: str, status: Any) -> None:
        if function == "claude_ide#status#Set":
            self.statuses.append(status)

    @property
    def text(self) -> str:
        return str(self.statuses[-1]["text"])


@pytest.fixture
def shown() -> Shown:
    return Shown()


@pytest.mark.parametrize(
    ("reported", "text"),
    [
        (StatusReported(), ""),
        (StatusReported(held=2), "2!"),
        (StatusReported(clients=0), "Claude: ready"),
        (StatusReported(clients=1), "Claude: idle"),
        (StatusReported(clients=2), "Claude: idle (2)"),
        (StatusReported(clients=1, is_shared=False), "Claude: idle unshared"),
        (StatusReported(clients=1, diffs=("", "b", "a"), held=1), "Claude (a, b): wants you 1!"),
    ],
)
def test_the_most_important_state_is_named(
    shown: Shown, reported: StatusReported, text: str
) -> None:
    shown.line.apply(reported)

    assert shown.text == text


@pytest.mark.parametrize(
    ("chats", "text"),
    [
        ([ChatStatus(1, "Otter", WORKING)], "Otter: working"),
        ([ChatStatus(1, "Otter", WORKING), ChatStatus(2, "Seal", WORKING)], "Claude: working"),
        (
            [ChatStatus(1, "Otter", WORKING, 2, label="\x1bD%m"), ChatStatus(2, "S", RESTING)],
            "Otter (?D%%m): wants you 2?",
        ),
    ],
)
def test_what_chats_do_is_named(shown: Shown, chats: list[ChatStatus], text: str) -> None:
    shown.line.apply(StatusReported(clients=1))

    for chat in chats:
        shown.line.chat_does(chat)

    assert shown.text == text
    for chat in chats:
        shown.line.chat_ended(chat.id)
    assert shown.text == "Claude: idle"


def test_permissions_of_clis_and_tasks_of_chats_are_counted(shown: Shown) -> None:
    shown.line.apply(StatusReported(clients=2))
    shown.line.chat_does(ChatStatus(1, "O", RESTING, tasks=3))
    shown.line.requests_wait(["pond", ""])
    assert shown.text == "Claude (pond): wants you 2? 3&"

    shown.line.requests_wait(())
    assert shown.text == "Claude: idle (2) 3&"


def test_the_figures_are_those_of_the_agent_that_was_active_last(shown: Shown) -> None:
    figures = Activity(model="Otter\n5", context=42, cost=1.234)
    shown.line.apply(StatusReported(clients=0))
    shown.line.chat_does(ChatStatus(1, "Otter", figures))
    assert shown.text == "Claude: ready · Otter 5 · 42%% · $1.23"

    shown.line.agent_does("t", Activity(is_working=True, model="S" * 40, cost=0.0042))
    assert shown.text == f"Claude: working · {'S' * 30} · $0.0042"
    assert shown.statuses[-1] == {
        "state": "working",
        "text": shown.text,
        "model": "S" * 40,
        "cost": 0.0042,
    }

    shown.line.agent_does("t", None)
    assert shown.text == "Claude: ready · Otter 5 · 42%% · $1.23"
    shown.line.chat_ended(1)
    assert shown.text == "Claude: ready"


def test_limits_that_are_nearly_used_up_are_shown(shown: Shown) -> None:
    shown.line.apply(StatusReported(clients=0))
    shown.line.agent_does("t", Activity(model="Otter"))
    shown.limits.learn("t", [Limit("seven_day", 75), Limit("five_hour", 82)])
    assert shown.text == "Claude: ready · Otter · 5h 82%%"

    shown.line.apply(StatusReported())
    assert shown.text == ""


def test_an_agent_without_figures_hides_none(shown: Shown) -> None:
    shown.line.apply(StatusReported(clients=0))
    shown.line.agent_does("a", Activity(model="Otter"))

    shown.line.agent_does("b", Activity())

    assert shown.text == "Claude: ready · Otter"


def test_what_changes_nothing_is_not_shown_again(shown: Shown) -> None:
    for _ in range(3):
        shown.line.agent_does("t", WORKING)
        shown.line.apply(StatusReported(clients=0))

    assert [status["text"] for status in shown.statuses] == ["", "Claude: working"]
