"""`agents/stream_json/headless.py`: a question and its answer become a session."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from claude_ide.agents import events
from claude_ide.agents.agent import Selection, Words
from claude_ide.agents.stream_json.headless import HeadlessConversation
from claude_ide.agents.stream_json.stored import file_of, folder, read
from claude_ide.base.errors import AgentError

Frame = dict[str, Any]


@pytest.fixture
def conversation(tmp_path: Path) -> HeadlessConversation:
    """A question about a line, without an answer."""
    return HeadlessConversation(tmp_path, [Selection("/a.py", 2, 2, "two"), Words("What is it?")])


def said(*blocks: Frame, id_: str = "a", **fields: Any) -> Frame:
    """Return a message of the model."""
    usage = {"input_tokens": 1, "output_tokens": 2}
    about: Frame = {"id": "msg", "role": "assistant", "model": "opus", "usage": usage}
    message = about | {"content": [*blocks]}
    return {"type": "assistant", "uuid": id_, "message": message, **fields}


def text(words: str) -> Frame:
    return {"type": "text", "text": words}


def use(id_: str) -> Frame:
    return {"type": "tool_use", "id": id_, "name": "Read", "input": {"file_path": "/b.py"}}


def result(id_: str, uuid: str = "r") -> Frame:
    block = {"type": "tool_result", "tool_use_id": id_, "content": "1\tbee"}
    message = {"role": "user", "content": [block]}
    return {"type": "user", "uuid": uuid, "message": message, "tool_use_result": {"type": "text"}}


def delta(words: str) -> Frame:
    event = {"type": "content_block_delta", "delta": {"type": "text_delta", "text": words}}
    return {"type": "stream_event", "event": event}


ENDED = {"type": "result", "is_error": False, "result": "It is two."}


def noted(conversation: HeadlessConversation, *frames: Frame) -> HeadlessConversation:
    for frame in frames:
        conversation.note(frame)
    return conversation


def stored(conversation: HeadlessConversation, tmp_path: Path) -> tuple[Path, list[Frame]]:
    """Store the conversation; return the file and its rows."""
    environment = {"CLAUDE_CONFIG_DIR": str(tmp_path / "config")}
    session = conversation.store(environment)
    path = file_of(folder(environment, tmp_path), session)
    return path, [json.loads(line) for line in path.read_text().splitlines()]


def contents(rows: list[Frame]) -> list[Any]:
    return [row["message"]["content"] for row in rows]


def test_the_session_has_the_question_with_its_lines_and_the_answer(
    conversation: HeadlessConversation, tmp_path: Path
) -> None:
    noted(conversation, said(text("It is two.")), ENDED)

    path, (asked, answer) = stored(conversation, tmp_path)

    about, words = asked["message"]["content"]
    assert about["text"].startswith("<ide_selection>The user selected the lines 2 to 2 from /a.py:")
    assert words["text"] == "What is it?"
    assert answer["message"]["content"] == [text("It is two.")]
    assert (asked["parentUuid"], answer["parentUuid"]) == (None, asked["uuid"])
    assert {row["sessionId"] for row in (asked, answer)} == {path.stem}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_chat_reads_the_question_without_the_lines(
    conversation: HeadlessConversation, tmp_path: Path
) -> None:
    noted(conversation, said(text("It is two.")), ENDED)
    path, _ = stored(conversation, tmp_path)

    found = read(path.parent, path.stem)

    assert [event.text for event in found if isinstance(event, events.UserMessage)] == [
        "What is it?"
    ]
    assert [event.text for event in found if isinstance(event, events.Text)] == ["It is two."]


def test_the_files_that_the_model_has_read_are_part_of_it(
    conversation: HeadlessConversation, tmp_path: Path
) -> None:
    noted(
        conversation,
        said(use("t1"), id_="a"),
        result("t1"),
        said(text("It is two."), id_="b"),
        ENDED,
    )

    _, rows = stored(conversation, tmp_path)

    assert [row["type"] for row in rows] == ["user", "assistant", "user", "assistant"]
    assert rows[2]["toolUseResult"] == {"type": "text"}
    assert rows[2]["message"]["content"][0]["content"] == "1\tbee"


def test_the_chat_gets_its_own_model(conversation: HeadlessConversation, tmp_path: Path) -> None:
    noted(conversation, said(text("It is two.")), ENDED)

    _, (_, answer) = stored(conversation, tmp_path)

    assert answer["message"]["model"] == ""
    assert answer["message"]["usage"] == {"input_tokens": 1, "output_tokens": 2}


@pytest.mark.parametrize(
    "frame",
    [
        said({"type": "thinking", "thinking": "hm", "signature": "s"}, id_="x"),
        said(use("unanswered"), id_="x"),
        said(text("within"), id_="x", parent_tool_use_id="t"),
        said(text("It is two."), id_="a"),
        {**said(text("API Error"), id_="x"), "message": {"model": "<synthetic>", "content": []}},
        {"type": "assistant", "message": "wrong"},
        {"type": "system", "subtype": "init"},
    ],
    ids=["thinking", "unanswered", "subagent", "repeated", "synthetic", "malformed", "system"],
)
def test_what_no_chat_can_continue_is_left_out(
    conversation: HeadlessConversation, tmp_path: Path, frame: Frame
) -> None:
    noted(conversation, said(text("It is two.")), frame, ENDED)

    _, rows = stored(conversation, tmp_path)

    assert contents(rows)[1:] == [[text("It is two.")]]


def test_the_feedback_of_a_hook_is_hidden_from_the_user(
    conversation: HeadlessConversation, tmp_path: Path
) -> None:
    feedback = {"type": "user", "uuid": "f", "message": {"role": "user", "content": [text("no")]}}

    noted(conversation, said(text("One.")), feedback, said(text("Two."), id_="b"), ENDED)

    _, rows = stored(conversation, tmp_path)
    assert [row.get("isMeta", False) for row in rows] == [False, False, True, False]


def test_a_stopped_answer_ends_as_the_cli_would_end_it(
    conversation: HeadlessConversation, tmp_path: Path
) -> None:
    noted(conversation, said(text("First.")), delta("It is "), delta("tw"))

    _, rows = stored(conversation, tmp_path)

    assert contents(rows)[1:] == [
        [text("First.")],
        [text("It is tw")],
        [text("[Request interrupted by user]")],
    ]
    assert rows[2]["message"]["usage"] == {"input_tokens": 0, "output_tokens": 0}


def test_a_block_that_began_again_is_not_doubled(
    conversation: HeadlessConversation, tmp_path: Path
) -> None:
    start = {"type": "stream_event", "event": {"type": "message_start", "message": {}}}
    noted(conversation, delta("It is "), start, delta("It"))

    _, rows = stored(conversation, tmp_path)

    assert contents(rows)[1] == [text("It")]


def test_without_messages_the_result_is_the_answer(
    conversation: HeadlessConversation, tmp_path: Path
) -> None:
    noted(conversation, ENDED)

    _, rows = stored(conversation, tmp_path)

    assert contents(rows)[1:] == [[text("It is two.")]]


@pytest.mark.parametrize(
    ("frames", "has_answer"),
    [
        ([], False),
        ([said(use("t1")), result("t1")], False),
        ([{"type": "result", "is_error": True, "result": "API Error"}], False),
        ([delta("It")], True),
        ([ENDED], True),
        ([said(text("It is two."))], True),
    ],
)
def test_only_words_of_the_model_are_an_answer(
    conversation: HeadlessConversation, frames: list[Frame], has_answer: bool
) -> None:
    assert noted(conversation, *frames).has_answer is has_answer


def test_a_folder_that_cannot_be_written_is_reported(
    conversation: HeadlessConversation, tmp_path: Path
) -> None:
    (tmp_path / "config").write_text("a file")

    with pytest.raises(AgentError, match="cannot store the session: "):
        noted(conversation, ENDED).store({"CLAUDE_CONFIG_DIR": str(tmp_path / "config")})
