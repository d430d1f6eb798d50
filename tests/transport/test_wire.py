"""`transport/wire.py`, `wire_view.py`: what is kept of the traffic, and what is said of it."""

import itertools
import json
from typing import Any

import pytest

from claude_ide.base.redaction import MARK, conceal, in_environment, masked
from claude_ide.transport import wire
from claude_ide.transport.wire import (
    FROM,
    KEPT_BYTES,
    MOST_BYTES,
    MOST_MESSAGES,
    STDERR,
    TO,
    Message,
    Party,
    Traffic,
)
from claude_ide.wire_view import MOST_ASKED, Summaries

CLIENT = Party(lambda: "client")


def nothing() -> None:
    """Be told of a message."""


def watched() -> Traffic:
    found = Traffic(clock=itertools.count().__next__)
    found.watch(nothing)
    return found


def test_nothing_is_kept_while_nobody_watches() -> None:
    found = Traffic()
    found.keep(CLIENT, TO, b"{}")
    CLIENT.note(TO, object())  # it is not even encoded

    assert not found.kept
    assert not wire.recording().kept


def test_what_was_kept_remains_until_the_next_recording() -> None:
    found = watched()
    found.keep(CLIENT, TO, b"{}")
    found.unwatch()
    found.keep(CLIENT, TO, b"[]")

    assert [message.body for message in found.kept] == [b"{}"]
    found.watch(nothing)
    assert not found.kept


def test_the_oldest_messages_beyond_the_limits_are_dropped() -> None:
    many, large = watched(), watched()
    for number in range(MOST_MESSAGES + 5):
        many.keep(CLIENT, TO, str(number))
    for _ in range(MOST_BYTES // KEPT_BYTES + 5):
        large.keep(CLIENT, TO, b"x" * KEPT_BYTES)

    assert len(many.kept) == MOST_MESSAGES
    assert many.kept[0].body == b"5"
    assert sum(len(message.body) for message in large.kept) <= MOST_BYTES


def test_a_large_message_is_cut_and_its_size_is_known() -> None:
    found = watched()
    found.keep(CLIENT, TO, b"x" * (KEPT_BYTES + 3))

    assert len(found.kept[0].body) == KEPT_BYTES
    assert found.kept[0].size == KEPT_BYTES + 3


@pytest.mark.parametrize("message", [{"half": "\ud800"}, "\ud800", {"bytes": b"raw"}])
def test_any_message_can_be_kept(message: Any) -> None:
    found = watched()
    found.keep(CLIENT, FROM, message)

    assert found.kept[0].size > 0


def test_clients_of_the_same_name_are_told_apart() -> None:
    found, names = watched(), ["unknown"]
    first, second = Party(lambda: names[-1]), Party(lambda: "Claude Code")

    assert found.label(first) == "unknown"
    assert found.label(second) == "Claude Code"
    names.append("Claude Code")
    assert found.label(first) == "Claude Code 2"
    assert found.label(second) == "Claude Code"


def said(*messages: tuple[str, Any]) -> list[str]:
    """Summarize messages of one client: each a direction and a body."""
    summaries = Summaries()
    return [summaries.of(Message(1, 0, CLIENT, way, b"", 0), body) for way, body in messages]


def test_an_answer_names_the_request() -> None:
    call = {"id": 3, "method": "tools/call", "params": {"name": "openDiff"}}
    ping = {"id": 3, "method": "ping"}

    assert said(
        (FROM, call),
        (TO, ping),
        (TO, {"id": 3, "result": {}}),
        (FROM, {"id": 3, "error": {"code": 1, "message": "no\nway"}}),
        (FROM, {"id": 3, "result": None}),
    ) == [
        "tools/call openDiff #3",
        "ping #3",
        "answer to tools/call openDiff #3",
        "error to ping #3: no way",
        "answer to a request #3",
    ]


@pytest.mark.parametrize(
    ("body", "summary"),
    [
        ({"method": "notifications/initialized"}, "notifications/initialized"),
        (
            {"method": "session/update", "params": {"update": {"sessionUpdate": "plan"}}},
            "session/update plan",
        ),
        ({"type": "system", "subtype": "init"}, "system init"),
        (
            {
                "type": "control_request",
                "request": {"subtype": "can_use_tool", "tool_name": "Bash"},
            },
            "control_request can_use_tool Bash",
        ),
        (
            {"type": "assistant", "message": {"content": [{"type": "tool_use", "name": "Read"}]}},
            "assistant tool_use Read",
        ),
        ({"hook_event_name": "PreToolUse", "tool_name": "Edit"}, "PreToolUse Edit"),
        ({"odd": 1, "other": 2}, "odd, other"),
        ("no\n JSON", "no JSON"),
        (None, "None"),
    ],
)
def test_a_message_is_summarized(body: Any, summary: str) -> None:
    assert said((FROM, body)) == [summary]


def test_what_an_agent_prints_is_not_taken_for_a_message() -> None:
    assert said((STDERR, {"method": "ping"})) == ["{'method': 'ping'}"]


def test_unanswered_requests_are_forgotten_in_the_end() -> None:
    calls = [(FROM, {"id": n, "method": "ping"}) for n in range(MOST_ASKED + 1)]

    found = said(*calls, (TO, {"id": 0, "result": 1}), (TO, {"id": 1, "result": 1}))

    assert found[-2:] == ["answer to a request #0", "answer to ping #1"]


@pytest.mark.parametrize(
    "secret",
    [
        {"authToken": "abc"},
        {"token": "abc"},
        {"env": {"ANTHROPIC_API_KEY": "abc"}},
        {"headers": [{"name": "Authorization", "value": "abc"}]},
        {"env": [{"name": "MY_SECRET", "value": "abc"}]},
        {"text": "curl -H 'Authorization: Bearer abcdefgh'"},
        {"text": "sk-" + "ant-api03-abc" + 20 * "x"},
        {"text": "it is our-own-abc"},
        {"text": "from the environment: hunter2abc"},
        {"text": json.dumps({"api_key": 'abc"d'})},
        {"text": json.dumps({"text": json.dumps({"env": {"MY_TOKEN": "\\abc"}})})},
        {"text": json.dumps({"headers": [{"name": "Cookie", "value": "abc"}]}, indent=1)},
        json.dumps({"text": json.dumps({"password": "abc and the rest is cut"})})[:-12],
    ],
)
def test_secrets_are_masked(secret: Any) -> None:
    conceal("our-own-abc")
    found = json.dumps(masked([secret], ("hunter2abc",)))

    assert "abc" not in found
    assert MARK in found


@pytest.mark.parametrize(
    "message",
    [
        {"_meta": {"progressToken": "p1"}},
        {"usage": {"output_tokens": 12, "token": 3}},
        {"name": "a tool", "value": "plain"},
        {"key": "x", "monkey": "y", "tokenizer": "z", "token": ""},
    ],
)
def test_other_fields_stay(message: Any) -> None:
    assert masked(message) == message


@pytest.mark.parametrize(
    "text",
    [
        '{"progressToken": "p1", "token": 3, "monkey": "y", "token": ""}',
        '{"name": "a tool", "value": "plain"}',
        'the "token": it is here',
    ],
)
def test_other_fields_of_json_within_a_text_stay(text: str) -> None:
    assert masked({"text": text}) == {"text": text}


def test_only_the_value_in_a_text_is_masked() -> None:
    text = json.dumps({"a": [{"token": "abc"}, "b"], "secret": "c"})

    assert json.loads(masked(text)) == {"a": [{"token": MARK}, "b"], "secret": MARK}


def test_secrets_in_the_environment_are_known_by_their_names() -> None:
    environment = {"A_TOKEN": "long-enough", "B_API_KEY": "longer-than-that", "C_TOKEN": "short"}
    environment |= {"PATH": "/usr/bin:/bin", "TOKENIZERS": "long-enough-too"}

    assert in_environment(environment) == ["longer-than-that", "long-enough"]
