"""Elicitation: an MCP server asks the user, with a form or an address to open.

Source: doc/stream-json.md, "Elicitation". The form is a flat JSON Schema.
"""

from typing import Any

from claude_ide.agents.answer import Answer, Dismiss, Reject, Reply
from claude_ide.agents.events import (
    AnswerKind,
    Choice,
    Limits,
    Question,
    QuestionAsked,
    UrlAsked,
    Value,
)
from claude_ide.agents.fields import mapping, mappings, number, strings, text
from claude_ide.agents.stream_json.wire.frames import Frame

SUBTYPE = "elicitation"
KINDS = {
    "number": AnswerKind.NUMBER,
    "integer": AnswerKind.INTEGER,
    "boolean": AnswerKind.BOOLEAN,
    "array": AnswerKind.CHOICES,
}
LEAST = ("minimum", "minLength", "minItems")
MOST = ("maximum", "maxLength", "maxItems")


def decode(request: str, asked: Frame) -> QuestionAsked | UrlAsked:
    """Return the event for the `request` of an elicitation."""
    server, message = text(asked.get("mcp_server_name")), text(asked.get("message"))
    asker = f"the MCP server {server}"
    if asked.get("mode") == "url":
        return UrlAsked(request, "", asker, message, text(asked.get("url")))
    schema = mapping(asked.get("requested_schema"))
    properties = mapping(schema.get("properties"))
    required = strings(schema.get("required"))
    ordered = dict.fromkeys((*strings(asked.get("property_order")), *properties))
    questions = tuple(
        _question(key, mapping(properties[key]), is_required=key in required)
        for key in ordered
        if key in properties
    )
    return QuestionAsked(request, "", questions, asker, message)


def encode(answer: Answer) -> Frame:
    """Return the answer to an elicitation."""
    match answer:
        case Reply(answers):
            content = {key: _plain(value) for key, value in answers.items()}
            return {"action": "accept", "content": content}
        case Reject():
            return {"action": "decline"}
        case Dismiss():
            return {"action": "cancel"}
        case _:
            return {"action": "accept"}


def _question(key: str, schema: Frame, *, is_required: bool) -> Question:
    choices = _choices(schema)
    kind = KINDS.get(text(schema.get("type")), AnswerKind.CHOICE if choices else AnswerKind.TEXT)
    description = text(schema.get("description"))
    title = text(schema.get("title")) or key
    return Question(
        f"{title}\n{description}" if description else title,
        choices=choices,
        kind=kind,
        key=key,
        is_open=not choices and kind is not AnswerKind.BOOLEAN,
        required=is_required,
        default=_default(schema.get("default")),
        limits=_limits(schema),
    )


def _choices(schema: Frame) -> tuple[Choice, ...]:
    given = mapping(schema.get("items")) or schema
    named = mappings(given.get("oneOf")) or mappings(given.get("anyOf"))
    if named:
        return tuple(_choice(text(each.get("const")), text(each.get("title"))) for each in named)
    values, names = strings(given.get("enum")), strings(given.get("enumNames"))
    names += values[len(names) :]
    return tuple(_choice(value, name) for value, name in zip(values, names, strict=False))


def _choice(value: str, name: str) -> Choice:
    return Choice(name or value, value=value)


def _default(value: Any) -> Value | None:
    if isinstance(value, list):
        return strings(value)
    return value if isinstance(value, str | int | float) else None


def _limits(schema: Frame) -> Limits:
    least, most = (
        next((found for key in keys if (found := number(schema.get(key))) is not None), None)
        for keys in (LEAST, MOST)
    )
    return Limits(least, most, text(schema.get("format")), text(schema.get("pattern")))


def _plain(value: Value) -> Any:
    return list(value) if isinstance(value, tuple) else value
