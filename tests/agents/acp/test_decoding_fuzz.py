"""Updates with any JSON in any place: none stops the decoder."""

from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from claude_ide.agents import requests
from claude_ide.agents.acp import connection, sessions, tools
from claude_ide.agents.acp.updates import UpdateDecoder
from claude_ide.agents.events import Event, ToolEnded, ToolInput, ToolStarted, ToolStatus
from claude_ide.chat.transcript.transcript import Transcript
from support.acp.talk import entries, names

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inside: (
        st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=5), inside, max_size=3)
    ),
    max_leaves=4,
)


def recorded(kind: str) -> list[dict[str, Any]]:
    """Return the params, or results, that recorded agents have sent."""
    frames = [entry["m"] for name in names() for entry in entries(name) if entry["dir"] == "out"]
    if kind == "result":
        return [frame["result"] for frame in frames if isinstance(frame.get("result"), dict)]
    return [frame["params"] for frame in frames if frame.get("method") == kind]


UPDATES = [params["update"] for params in recorded("session/update")]
REQUESTS = recorded("session/request_permission")
RESULTS = recorded("result")


@st.composite
def damaged(draw: st.DrawFn, values: list[Any]) -> Any:
    """A recorded value in which some parts are replaced by others."""
    return _damage(draw, draw(st.sampled_from(values)), 3)


def _damage(draw: st.DrawFn, value: Any, depth: int) -> Any:
    if draw(st.integers(0, 6)) == 0:
        return draw(JSON)
    if depth and isinstance(value, dict):
        return {key: _damage(draw, part, depth - 1) for key, part in value.items()}
    if depth and isinstance(value, list):
        return [_damage(draw, part, depth - 1) for part in value[:4]]
    return value


def check(events: list[Event]) -> None:
    """Check that the panel can show the events, and that tools are started first."""
    transcript = Transcript("Fake", root="/p")
    started: set[str] = set()
    for event in events:
        match event:
            case ToolStarted(tool, name, kind, title):
                assert all(isinstance(each, str) for each in (tool, name, kind, title))
                started.add(tool)
            case ToolInput(tool) | ToolEnded(tool):
                assert tool in started
        transcript.apply(event)
    while transcript.sheet.frame() is not None:
        pass


@settings(max_examples=150)
@given(st.lists(damaged(UPDATES), max_size=6), st.booleans())
def test_any_update_is_decoded(updates: list[Any], is_replaying: bool) -> None:
    decoder = UpdateDecoder("/p")
    decoder.is_replaying = is_replaying

    events = [
        event
        for update in updates
        for event in decoder.decode(update if isinstance(update, dict) else {})
    ]

    check([*events, *decoder.turn_ended(ToolStatus.COMPLETED)])


@settings(max_examples=100)
@given(damaged(REQUESTS))
def test_any_request_is_decoded(params: Any) -> None:
    given_params = params if isinstance(params, dict) else {}
    decoder = UpdateDecoder(str(Path("/p")))
    call = given_params.get("toolCall")

    known, events = decoder.tools.asked(call if isinstance(call, dict) else {})
    asked = tools.permission_asked("r1", given_params, known)

    check(events)
    assert all(option.id for option in asked.options)


@settings(max_examples=100)
@given(damaged(RESULTS))
def test_any_answer_is_decoded(answer: Any) -> None:
    result = answer if isinstance(answer, dict) else {}
    decoder = UpdateDecoder("/p")

    connection.offer(result)
    decoder.settings.load(result)
    sessions.summaries(result)

    check(list(decoder.settings.current()))


@given(JSON)
def test_any_form_is_decoded(schema: Any) -> None:
    requests.form_questions(schema)
