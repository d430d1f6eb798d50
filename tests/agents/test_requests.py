"""`requests.py`: a form described by a flat JSON Schema, and the answer to it."""

from typing import Any

import pytest

from claude_ide.agents import requests
from claude_ide.agents.requests import (
    Answer,
    AnswerKind,
    AnswerLimits,
    Choice,
    Dismiss,
    Question,
    Reject,
    Reply,
)


def asked(**schema: Any) -> Question:
    """Return the question for one property."""
    [question] = requests.form_questions({"type": "object", "properties": {"x": schema}})
    return question


def test_a_choice_has_its_title_and_description() -> None:
    letters = [{"const": each, "title": each.upper(), "description": f"+{each}"} for each in "ab"]

    question = asked(type="string", title="Which?", oneOf=letters)

    assert question.choices == (Choice("A", "+a", "a"), Choice("B", "+b", "b"))
    assert (question.text, question.kind, question.is_open) == ("Which?", AnswerKind.CHOICE, False)


def test_several_choices_have_limits_and_a_default() -> None:
    items = {"anyOf": [{"const": "a", "title": "A"}, {"const": "b"}]}

    question = asked(type="array", items=items, minItems=1, maxItems=2, default=["b"])

    assert question.kind is AnswerKind.CHOICES
    assert [choice.label for choice in question.choices] == ["A", "b"]
    assert (question.limits, question.default) == (AnswerLimits(1, 2), ("b",))


@pytest.mark.parametrize(
    ("schema", "kind", "limits"),
    [
        ({"type": "integer", "minimum": 0, "maximum": 9}, AnswerKind.INTEGER, AnswerLimits(0, 9)),
        ({"type": "number", "minimum": 0.5}, AnswerKind.NUMBER, AnswerLimits(0.5)),
        ({"type": "string", "minLength": 2}, AnswerKind.TEXT, AnswerLimits(2)),
        ({"type": "string", "format": "email"}, AnswerKind.TEXT, AnswerLimits(format="email")),
        ({"type": "boolean"}, AnswerKind.BOOLEAN, AnswerLimits()),
    ],
)
def test_a_type_determines_the_kind_of_answer(
    schema: dict[str, Any], kind: AnswerKind, limits: AnswerLimits
) -> None:
    question = asked(**schema)

    assert (question.kind, question.limits) == (kind, limits)


def test_the_given_order_precedes_that_of_the_properties() -> None:
    schema = {"properties": {"a": {}, "b": {}, "c": {}}, "required": ["c"]}

    found = requests.form_questions(schema, ("c", "missing"))

    assert [(question.key, question.required) for question in found] == [
        *(("c", True), ("a", False), ("b", False))
    ]


@pytest.mark.parametrize("schema", [None, [], {"properties": 7}, "form"])
def test_an_invalid_schema_has_no_questions(schema: Any) -> None:
    assert requests.form_questions(schema) == ()


@pytest.mark.parametrize(
    ("answer", "encoded"),
    [
        (
            Reply({"age": 7, "tags": ("a", "b"), "agree": False}),
            {"action": "accept", "content": {"age": 7, "tags": ["a", "b"], "agree": False}},
        ),
        (Reject("not now"), {"action": "decline"}),
        (Dismiss(), {"action": "cancel"}),
    ],
)
def test_an_answer_accepts_declines_or_cancels(answer: Answer, encoded: dict[str, Any]) -> None:
    assert requests.form_result(answer) == encoded
