"""Forms of MCP servers, and of agents that ask in the same way: a flat JSON Schema as questions."""

from typing import Any

from msgspec.structs import replace

from claude_ide.agents import requests
from claude_ide.agents.fields import mapping, mappings, number, read, strings, text

KINDS = {
    "number": requests.AnswerKind.NUMBER,
    "integer": requests.AnswerKind.INTEGER,
    "boolean": requests.AnswerKind.BOOLEAN,
    "array": requests.AnswerKind.CHOICES,
}
LEAST = ("minimum", "minLength", "minItems")
MOST = ("maximum", "maxLength", "maxItems")


def questions(schema: Any, order: tuple[str, ...] = ()) -> tuple[requests.Question, ...]:
    """Return a question for each property of a schema; those in `order` come first."""
    fields = mapping(schema)
    properties = mapping(fields.get("properties"))
    required = strings(fields.get("required"))
    return tuple(
        _question(key, mapping(properties[key]), is_required=key in required)
        for key in dict.fromkeys((*order, *properties))
        if key in properties
    )


def encode(answer: requests.Answer) -> dict[str, Any]:
    """Return the answer in the format of an elicitation's result."""
    match answer:
        case requests.Reply(answers):
            content = {
                key: list(value) if isinstance(value, tuple) else value
                for key, value in answers.items()
            }
            return {"action": "accept", "content": content}
        case requests.Reject():
            return {"action": "decline"}
        case requests.Dismiss():
            return {"action": "cancel"}
        case _:
            return {"action": "accept"}


def _question(key: str, schema: dict[str, Any], *, is_required: bool) -> requests.Question:
    choices = _choices(schema)
    kind = KINDS.get(
        text(schema.get("type")),
        requests.AnswerKind.CHOICE if choices else requests.AnswerKind.TEXT,
    )
    description = text(schema.get("description"))
    title = text(schema.get("title")) or key
    default = schema.get("default")
    return requests.Question(
        f"{title}\n{description}" if description else title,
        choices=choices,
        kind=kind,
        key=key,
        is_open=not choices and kind is not requests.AnswerKind.BOOLEAN,
        required=is_required,
        default=strings(default) if isinstance(default, list) else _plain(default),
        limits=_limits(schema),
    )


def _choices(schema: dict[str, Any]) -> tuple[requests.Choice, ...]:
    given = mapping(schema.get("items")) or schema
    named = mappings(given.get("oneOf")) or mappings(given.get("anyOf"))
    if named:
        keys = {"label": "title", "value": "const"}
        found = (read(requests.Choice, each, keys) for each in named)
        return tuple(replace(each, label=each.label or each.value) for each in found)
    values, names = strings(given.get("enum")), strings(given.get("enumNames"))
    names += values[len(names) :]
    pairs = zip(values, names, strict=False)
    return tuple(requests.Choice(name or value, value=value) for value, name in pairs)


def _limits(schema: dict[str, Any]) -> requests.Limits:
    least, most = (
        next((found for key in keys if (found := number(schema.get(key))) is not None), None)
        for keys in (LEAST, MOST)
    )
    return requests.Limits(least, most, text(schema.get("format")), text(schema.get("pattern")))


def _plain(value: Any) -> requests.Value | None:
    return value if isinstance(value, str | int | float) else None
