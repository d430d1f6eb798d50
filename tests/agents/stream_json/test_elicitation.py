"""`permission.py`: forms and addresses of MCP servers, compared with recorded answers."""

from typing import Any

import pytest

from claude_ide.agents.requests import (
    Allow,
    Answer,
    AnswerKind,
    AnswerLimits,
    Choice,
    Dismiss,
    Question,
    QuestionAsked,
    Reject,
    Reply,
    UrlAsked,
    Value,
)
from claude_ide.agents.stream_json.permission import decode_request, encode_answer
from support.transcripts import entries, frames_of

CONTENT: dict[str, Value] = {"name": "Ann", "color": "g", "age": 7, "agree": False, "tags": ("a",)}


def asked(name: str, number: int) -> dict[str, Any]:
    """Return the frame of a recorded elicitation."""
    frames = [frame for frame in frames_of(name) if frame["type"] == "control_request"]
    return [frame for frame in frames if frame["request"]["subtype"] == "elicitation"][number]


def answered(name: str, number: int) -> dict[str, Any]:
    """Return the answer of the recorded host."""
    sent = [entry["m"] for entry in entries(name) if entry["dir"] == "in"]
    answers = [frame["response"] for frame in sent if frame["type"] == "control_response"]
    found: dict[str, Any] = answers[number]["response"]
    return found


@pytest.mark.parametrize("name", ["elicitation", "cli197_elicitation"])
def test_a_form_has_a_question_for_each_property_in_the_order_of_the_server(name: str) -> None:
    [form] = decode_request(asked(name, 0))

    assert isinstance(form, QuestionAsked)
    assert (form.asker, form.message) == ("the MCP server mine", "Who are you?")
    questions = {question.key: question for question in form.questions}
    assert [*questions] == [
        *("name", "mail", "day", "age", "ratio", "agree", "color", "size", "tags", "tops")
    ]
    assert questions["name"] == Question(
        "Your name\nAs on the card", kind=AnswerKind.TEXT, key="name", limits=AnswerLimits(2, 20)
    )
    assert questions["mail"].limits.format == "email"
    assert [key for key, question in questions.items() if question.required] == ["name", "color"]
    assert questions["age"].kind is AnswerKind.INTEGER
    assert (questions["age"].default, questions["age"].limits) == (30, AnswerLimits(0, 150))
    assert questions["ratio"].kind is AnswerKind.NUMBER
    assert (questions["agree"].kind, questions["agree"].default) == (AnswerKind.BOOLEAN, True)


@pytest.mark.parametrize(
    ("key", "kind", "choices"),
    [
        ("color", AnswerKind.CHOICE, (Choice("Red", value="r"), Choice("Green", value="g"))),
        ("size", AnswerKind.CHOICE, (Choice("Small", value="s"), Choice("Large", value="l"))),
        ("tags", AnswerKind.CHOICES, tuple(Choice(each, value=each) for each in "abc")),
        ("tops", AnswerKind.CHOICES, (Choice("Ex", value="x"), Choice("Why", value="y"))),
    ],
)
def test_choices_have_names_and_values(
    key: str, kind: AnswerKind, choices: tuple[Choice, ...]
) -> None:
    [form] = decode_request(asked("elicitation", 0))

    assert isinstance(form, QuestionAsked)
    [question] = [each for each in form.questions if each.key == key]
    assert (question.kind, question.choices, question.is_open) == (kind, choices, False)


def test_an_address_is_asked_for_with_its_message() -> None:
    frame = asked("elicitation", 3)

    assert decode_request(frame) == [
        UrlAsked(
            frame["request_id"],
            "",
            "the MCP server mine",
            "Log in, please",
            "https://example.com/login?x=1",
        )
    ]


@pytest.mark.parametrize(
    ("number", "answer"), [(0, Reply(CONTENT)), (1, Reject()), (2, Dismiss()), (3, Allow())]
)
def test_an_answer_matches_that_of_the_recorded_host(number: int, answer: Answer) -> None:
    request = asked("elicitation", number)["request"]

    assert encode_answer(request, answer) == answered("elicitation", number)


@pytest.mark.parametrize(
    "schema",
    [None, [], {"properties": 7}, {"properties": {"x": None}}, {"properties": {"x": {"type": 3}}}],
)
def test_an_invalid_schema_is_no_error(schema: Any) -> None:
    request = {"subtype": "elicitation", "mode": "form", "requested_schema": schema}

    [form] = decode_request({"request_id": "r", "request": request})

    assert isinstance(form, QuestionAsked)
    assert all(question.kind is AnswerKind.TEXT for question in form.questions)
