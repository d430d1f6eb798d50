"""`editor/events.py`: the subscribers to the events of the editor."""

import logging
from typing import Any

import pytest

from claude_ide.editor.events import EditorState, Events, decoded
from claude_ide.editor.port import panel
from claude_ide.editor.port.binding import handles
from claude_ide.editor.port.events import (
    CheckAsked,
    Commented,
    EditorsChanged,
    SelectionChanged,
    WireClosed,
)

SELECTION = {"text": "x", "filePath": "/a.py"}


@pytest.fixture
def state() -> EditorState:
    return EditorState()


@pytest.fixture
def events(state: EditorState) -> Events:
    return Events(state)


def test_the_state_is_updated_before_subscribers_are_called(
    events: Events, state: EditorState
) -> None:
    seen: list[Any] = []
    events.subscribe(SelectionChanged, lambda _: seen.append(state.selection))
    events.subscribe(EditorsChanged, lambda _: seen.append(state.folders))

    events.dispatch("selection_changed", SELECTION)
    events.dispatch("editors_changed", {"editors": [], "folders": ["/one"]})

    assert seen == [SELECTION, ["/one"]]


def test_an_exception_in_a_subscriber_is_logged_and_stops_no_other(
    events: Events, caplog: pytest.LogCaptureFixture
) -> None:
    received: list[str] = []

    def fail(_event: Commented) -> None:
        raise KeyError("oops")

    events.subscribe(Commented, fail)
    events.subscribe(Commented, lambda event: received.append(event.path))

    events.dispatch("commented", {"path": "yes", "comments": []})

    assert received == ["yes"]
    assert "event commented failed" in caplog.text


def test_an_event_that_lacks_a_field_is_logged_and_stops_no_other(
    events: Events, state: EditorState, caplog: pytest.LogCaptureFixture
) -> None:
    events.subscribe(Commented, lambda _: None)

    events.dispatch("commented", {})
    events.dispatch("editors_changed", {"editors": {}, "folders": ["/one"]})

    assert "event commented is lost" in caplog.text
    assert "Object missing required field `path`" in caplog.text
    assert state.folders == ["/one"]


def test_a_screen_replaces_or_drops_an_event(events: Events) -> None:
    received: list[str] = []
    events.subscribe(Commented, lambda event: received.append(event.path))
    events.screen(Commented, lambda event: Commented("b", []) if event.path == "a" else None)

    events.dispatch("commented", {"path": "a", "comments": []})
    events.dispatch("commented", {"path": "c", "comments": []})

    assert received == ["b"]


def test_an_event_that_its_screen_fails_on_is_lost(
    events: Events, caplog: pytest.LogCaptureFixture
) -> None:
    """It may name a private file."""
    received: list[Commented] = []

    def fail(_event: Commented) -> Commented:
        raise KeyError("oops")

    events.subscribe(Commented, received.append)
    events.screen(Commented, fail)

    events.dispatch("commented", {"path": "a", "comments": []})

    assert not received
    assert "event commented is lost" in caplog.text


class Handling:
    @handles(CheckAsked, WireClosed)
    def noted(self, event: CheckAsked | WireClosed) -> str:
        return event.EVENT

    @handles(Commented)
    def ignored(self, event: Commented) -> None:
        del event


def test_what_a_registered_method_returns_is_run(events: Events) -> None:
    run: list[Any] = []
    events.register(Handling(), run.append)

    for name, table in {"check": {}, "commented": {"words": ""}, "wire_closed": {}}.items():
        events.dispatch(name, table)

    assert run == ["check", "wire_closed"]


@pytest.mark.parametrize(
    ("table", "event"),
    [
        ({"event": "placed", "chat": 1, "shown": 1, "columns": 80}, panel.Placed(True, 80, chat=1)),
        ({"event": "stop", "chat": 1, "taken": {}}, panel.Stopped([], chat=1)),
        (
            {"event": "answers", "chat": 1, "revival": {"root": "/", "is_empty": 0}},
            panel.AnswerWanted(chat=1, revival=panel.Revival("/", is_empty=False)),
        ),
    ],
)
def test_an_event_of_a_chat_is_of_its_kind(table: dict[str, Any], event: panel.ChatEvent) -> None:
    assert decoded("chat", table) == event


def test_an_event_without_a_subscriber_is_logged(
    events: Events, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        events.dispatch("no_such_event", {})

    assert "no_such_event" in caplog.text
