"""`editor/events.py`: the subscribers to the events of the editor."""

import logging
from typing import Any

import pytest

from claude_ide.editor.events import Events
from claude_ide.editor.state import State

SELECTION = {"text": "x", "filePath": "/a.py"}


@pytest.fixture
def state() -> State:
    return State()


@pytest.fixture
def events(state: State) -> Events:
    return Events(state)


def test_the_state_is_updated_before_subscribers_are_called(events: Events, state: State) -> None:
    seen: list[Any] = []
    events.subscribe("selection_changed", lambda _: seen.append(state.selection))
    events.subscribe("diagnostics_changed", lambda _: seen.append([*state.diagnostics]))
    events.subscribe("editors_changed", lambda _: seen.append(state.folders))
    events.subscribe("some_editors_changed", lambda _: seen.append(state.folders))

    events.dispatch("selection_changed", SELECTION)
    events.dispatch("diagnostics_changed", {"uri": "file:///a.py", "items": [{"message": "m"}]})
    events.dispatch("editors_changed", {"editors": [], "folders": ["/one"]})
    change = {"changed": [], "gone": [], "front": [], "folders": ["/two"]}
    events.dispatch("some_editors_changed", change)

    assert seen == [SELECTION, ["file:///a.py"], ["/one"], ["/two"]]


def test_an_exception_in_a_subscriber_is_logged_and_stops_no_other(
    events: Events, caplog: pytest.LogCaptureFixture
) -> None:
    received: list[str] = []

    def fail(_event: dict[str, Any]) -> None:
        raise KeyError("oops")

    events.subscribe("answered", fail)
    events.subscribe("answered", lambda event: received.append(event["text"]))

    events.dispatch("answered", {"text": "yes"})

    assert received == ["yes"]
    assert "event answered failed" in caplog.text


def test_an_event_without_a_subscriber_is_logged(
    events: Events, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        events.dispatch("no_such_event", {})

    assert "no_such_event" in caplog.text
