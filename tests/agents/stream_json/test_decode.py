"""`decode.py` and its parts: cases that no recording has, and odd frames."""

import copy
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claude_ide.agents import events
from claude_ide.agents.events import Notice, PreviewVoided, Text, TextDelta, ToolEnded, ToolStarted
from claude_ide.agents.requests import PermissionAsked, Subagent
from claude_ide.agents.stream_json import decode
from claude_ide.agents.stream_json.decode import FrameDecoder
from support.digest import decoded, digest
from support.transcripts import frames_of, names

Frame = dict[str, Any]


def stream(kind: str, **fields: Any) -> Frame:
    return {"type": "stream_event", "event": {"type": kind, **fields}}


def begun(message: str, text: str = "half") -> list[Frame]:
    """Return the frames of a message with an incomplete block of text."""
    return [
        stream("message_start", message={"id": message}),
        stream("content_block_start", index=0, content_block={"type": "text"}),
        stream("content_block_delta", index=0, delta={"type": "text_delta", "text": text}),
    ]


def whole(message: str, *blocks: Frame, **fields: Any) -> Frame:
    return {"type": "assistant", "message": {"id": message, "content": [*blocks]}, **fields}


def asks(**asked: Any) -> Frame:
    request = {"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "ls"}}
    return {"type": "control_request", "request_id": "r", "request": request | asked}


def test_a_request_names_the_subagent_that_asks() -> None:
    started = {
        "type": "system",
        "subtype": "task_started",
        "task_id": "a1",
        "tool_use_id": "t1",
        "description": "explore things",
        "subagent_type": "general-purpose",
    }
    decoder = FrameDecoder()

    found = [*decoder.decode(started)]
    for frame in (asks(agent_id="a1"), asks(), asks(agent_id="a2")):
        found += decoder.decode(frame)

    agents = [event.agent for event in found if isinstance(event, PermissionAsked)]
    assert agents == [Subagent("t1", "explore things", "general-purpose"), None, Subagent()]


def text(words: str) -> Frame:
    return {"type": "text", "text": words}


def result_of(tool: str, result: Any, **block: Any) -> Frame:
    content = [{"type": "tool_result", "tool_use_id": tool, **block}]
    return {"type": "user", "message": {"content": content}, "tool_use_result": result}


def test_unknown_frames_and_subtypes_are_ignored() -> None:
    frames: list[Frame] = [
        {"type": "nonsense"},
        {"type": "system", "subtype": "nonsense"},
        {"type": ["a"]},
        {},
        stream("nonsense"),
        whole("m", {"type": "nonsense"}),
        {"type": "command_lifecycle", "command_uuid": "u", "state": "nonsense"},
    ]

    assert decoded(frames) == []


def test_a_complete_answer_without_a_preview_is_shown() -> None:
    """Examples: a stream that failed, a subagent, a command of the CLI."""
    found = decoded([whole("m", {"type": "thinking", "thinking": "hm"}, text("a"), text("b"))])

    blocks = [event.block for event in found]  # type: ignore[union-attr]
    assert digest(found) == ["thinks", "says a", "says b"]
    assert len(set(blocks)) == 3


def test_the_latest_frames_are_shown_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode, "MOST_SEEN", 3)
    frames = [whole(id_, text(id_), uuid=id_) for id_ in "abcdecdea"]

    found = [event.text for event in decoded(frames) if isinstance(event, Text)]

    assert found == ["a", "b", "c", "d", "e", "a"]


def test_blocks_of_one_message_in_separate_frames_have_separate_ids() -> None:
    found = decoded([whole("m", text("a")), whole("m", text("b")), whole("n", text("c"))])

    assert len({event.block for event in found if isinstance(event, Text)}) == 3


def test_a_preview_is_void_when_the_next_message_begins_without_it() -> None:
    found = decoded([*begun("m"), stream("message_delta"), stream("message_stop"), *begun("n")])

    assert [event for event in found if isinstance(event, PreviewVoided)] == [
        PreviewVoided(("m:0",))
    ]


def test_a_preview_is_void_when_the_turn_ends_without_it() -> None:
    found = decoded([*begun("m"), {"type": "result", "is_error": True}])

    assert digest(found) == ["void", "turn failed"]


def test_a_complete_block_that_arrives_late_still_replaces_its_preview() -> None:
    found = decoded(
        [*begun("m"), stream("message_delta"), stream("message_stop"), whole("m", text("half"))]
    )

    assert [event.block for event in found if isinstance(event, TextDelta | Text)] == ["m:0"] * 2


def test_a_tool_with_incomplete_input_is_void() -> None:
    tool = {"type": "tool_use", "id": "t1", "name": "Edit"}
    found = decoded(
        [
            stream("message_start", message={"id": "m"}),
            stream("content_block_start", index=0, content_block=tool),
            stream("message_stop"),
        ]
    )

    assert found == [ToolStarted("t1", "Edit", "edit"), PreviewVoided(("m:0",), ("t1",))]


def test_the_stream_of_a_subagent_does_not_disturb_the_preview() -> None:
    subagent = [frame | {"parent_tool_use_id": "t1"} for frame in begun("other")]

    found = decoded([*begun("m"), *subagent, whole("m", text("half"))])

    assert digest(found) == ["says half"]


def test_two_blocks_of_one_kind_are_confirmed_in_order() -> None:
    frames = begun("m", "a")
    frames.append(whole("m", text("a")))
    frames.append(stream("content_block_start", index=1, content_block={"type": "text"}))
    frames.append(stream("content_block_delta", index=1, delta={"type": "text_delta", "text": "b"}))
    frames.append(whole("m", text("b")))

    confirmed = [(e.block, e.text) for e in decoded(frames) if isinstance(e, Text)]
    assert confirmed == [("m:0", "a"), ("m:1", "b")]


def test_an_error_message_of_the_cli_is_a_notice_and_not_an_answer() -> None:
    frame = whole("x", text("Overloaded"), error="server_error")
    frame["message"]["model"] = "<synthetic>"

    [notice] = decoded([frame])

    assert isinstance(notice, Notice)
    assert (notice.text, notice.level, notice.reason) == ("Overloaded", "error", "server_error")


@pytest.mark.parametrize("flag", ["isReplay", "isSynthetic"])
def test_messages_that_the_user_did_not_type_are_hidden(flag: str) -> None:
    assert decoded([result_of("t1", {}) | {flag: True}]) == []


def test_a_failed_tool_has_a_string_instead_of_a_result() -> None:
    [ended] = decoded(
        [result_of("t1", "Error: no", content="<tool_use_error>no</tool_use_error>", is_error=True)]
    )

    assert ended == ToolEnded("t1", events.ToolStatus.FAILED, "no")


def test_a_rejection_that_the_cli_does_not_report_is_remembered() -> None:
    """2.1.197 reports it like any failure."""
    decoder = FrameDecoder()
    decoder.denials.rejected.add("t1")

    mine, other = (decoder.decode(result_of(t, "Error: no", is_error=True)) for t in ("t1", "t2"))

    assert [event.status.value for event in (*mine, *other) if isinstance(event, ToolEnded)] == [
        *("rejected", "failed")
    ]


def test_the_output_of_a_tool_may_have_several_parts() -> None:
    content = [{"type": "text", "text": "one"}, {"type": "image", "source": {}}]

    [ended] = decoded([result_of("t1", [], content=content)])

    assert isinstance(ended, ToolEnded)
    assert ended.output == "one\n[image]"


def test_a_new_file_counts_all_its_lines() -> None:
    created = {"type": "create", "filePath": "/n", "content": "a\nb", "structuredPatch": []}

    [written, ended] = decoded([result_of("t1", created)])

    assert isinstance(ended, ToolEnded)
    assert ended.changes == (events.Change("/n", 2, 0, created=True),)
    assert written == events.FileWritten("t1", "/n", None, "a\nb")


@pytest.mark.parametrize(
    "result", [{"filePath": "/n"}, {"filePath": "", "structuredPatch": []}], ids=["patch", "path"]
)
def test_a_result_without_a_patch_or_a_path_reports_no_write(result: Frame) -> None:
    [ended] = decoded([result_of("t1", {"originalFile": "a\n"} | result)])

    assert isinstance(ended, ToolEnded)


def test_a_deleted_todo_is_removed() -> None:
    def use(tool: str, name: str, arguments: Frame, result: Frame) -> list[Frame]:
        block = {"type": "tool_use", "id": tool, "name": name, "input": arguments}
        return [whole("m", block), result_of(tool, result)]

    task = {"task": {"id": "1", "subject": "a"}}
    deleted = {"taskId": "1", "status": "deleted"}
    found = decoded(
        [*use("t1", "TaskCreate", {}, task), *use("t2", "TaskUpdate", deleted, {"success": True})]
    )

    lists = [event.todos for event in found if isinstance(event, events.TodoList)]
    assert [len(todos) for todos in lists] == [1, 0]


def test_a_todo_tool_that_failed_changes_nothing() -> None:
    block = {"type": "tool_use", "id": "t1", "name": "TodoWrite", "input": {"todos": [{}]}}

    found = decoded([whole("m", block), result_of("t1", "Error: no", is_error=True)])

    assert not any(isinstance(event, events.TodoList) for event in found)


@pytest.mark.parametrize(
    ("result", "why", "message"),
    [
        ({"terminal_reason": "completed"}, "completed", ""),
        ({"terminal_reason": "aborted_streaming", "is_error": True}, "interrupted", ""),
        ({"terminal_reason": "aborted_tools", "is_error": True}, "interrupted", ""),
        ({"terminal_reason": "aborted_streaming", "is_error": False}, "redirected", ""),
        ({"terminal_reason": "prompt_too_long", "is_error": True, "result": "x"}, "too long", "x"),
        ({"terminal_reason": "api_error", "is_error": True, "result": "x"}, "failed", "x"),
        ({"is_error": True, "errors": ["[ede_diagnostic] a", "b"]}, "failed", "b"),
        ({"is_error": False}, "completed", ""),
    ],
)
def test_the_reason_for_the_end_of_a_turn_is_decoded(result: Frame, why: str, message: str) -> None:
    [_, ended] = decoded([{"type": "result", **result}])

    assert isinstance(ended, events.TurnEnded)
    assert (ended.why.value, ended.message) == (why, message)


def test_the_context_size_is_that_of_the_model_that_answers() -> None:
    models = {"small": {"contextWindow": 10}, "big": {"contextWindow": 1000}}
    init = {"type": "system", "subtype": "init", "model": "big"}

    usage = decoded([init, {"type": "result", "modelUsage": models}])[1]

    assert isinstance(usage, events.Usage)
    assert usage.context_size == 1000


def test_settings_are_reported_only_when_they_change() -> None:
    init = {
        "type": "system",
        "subtype": "init",
        "session_id": "s",
        "model": "m",
        "permissionMode": "plan",
    }

    found = decoded([init, init, init | {"permissionMode": "default"}])

    assert found == [
        *(events.SessionChanged("s"), events.ModeChanged("plan"), events.ModelChanged("m")),
        events.ModeChanged("manual"),
    ]


def test_a_new_session_id_means_that_the_conversation_was_cleared() -> None:
    """2.1.197 reports nothing else."""
    decoder = FrameDecoder()
    decoder.settings.set_session("asked for")

    init: Frame = {"type": "system", "subtype": "init"}
    found = [decoder.decode(init | {"session_id": id_}) for id_ in ("a", "a", "b", "b")]

    assert found == [
        [events.SessionChanged("a")],
        [],
        [events.Cleared(), events.SessionChanged("b")],
        [],
    ]


def test_a_reset_conversation_is_cleared_once() -> None:
    init: Frame = {"type": "system", "subtype": "init"}

    found = decoded(
        [init | {"session_id": "a"}, {"type": "conversation_reset"}, init | {"session_id": "b"}]
    )

    assert found == [events.SessionChanged("a"), events.Cleared(), events.SessionChanged("b")]


def test_a_command_without_output_is_not_shown() -> None:
    frame = whole("x", text("(no content)"))
    frame["message"]["model"] = "<synthetic>"

    assert decoded([frame]) == []


ODD: list[Any] = [None, True, -1, 0.5, "", "x", [], ["x"], [None], {}, {"type": "text"}, [{}]]


def with_one_odd_value(frame: Frame, chance: random.Random) -> Frame:
    """Return a copy of a frame in which one value, at any depth, has an odd type."""
    frame = copy.deepcopy(frame)
    node: Any = frame
    while True:
        keys: list[Any] = [*node] if isinstance(node, dict) else [*range(len(node))]
        key = chance.choice(keys)
        inner = node[key]
        if isinstance(inner, dict | list) and inner and chance.random() < 0.8:
            node = inner
            continue
        node[key] = chance.choice(ODD)
        return frame


@settings(max_examples=100)
@given(st.sampled_from(names()), st.randoms(use_true_random=False))
def test_a_frame_with_any_odd_value_is_decoded(name: str, chance: random.Random) -> None:
    """The set of frames and fields grows with every version."""
    decoder = FrameDecoder()
    for frame in frames_of(name):
        odd = with_one_odd_value(frame, chance) if chance.random() < 0.5 else frame
        decoder.decode(odd)
