"""The user's own tools: their schemas, and what they may return."""

from typing import Any

import pytest

from claude_ide.base.errors import ToolError
from claude_ide.mcp.user_tools import InvalidToolError, check_for, content_of, repaired


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ({"type": "array"}, "type"),
        ({"type": "object", "properties": {"a": 3}}, "properties.a"),
        (
            {"type": "object", "properties": {"a": {"type": "text"}}},
            "properties.a.type: must be one",
        ),
        ({"type": "object", "properties": []}, "properties"),
        ({"type": "object", "required": "a"}, "required"),
        ({"type": "object", "properties": {"a": {"enum": []}}}, "properties.a.enum"),
        ({"type": "object", "properties": {"a": {"pattern": "("}}}, "pattern"),
        ({"type": "object", "properties": {"a": {"$ref": "https://x/y"}}}, "properties.a.$ref"),
        ({"type": "object", "properties": {"a": {"$ref": "#/no"}}}, "no"),
    ],
)
def test_a_wrong_schema_is_refused_with_the_place(schema: dict[str, Any], place: str) -> None:
    with pytest.raises(InvalidToolError) as raised:
        check_for(schema)

    assert place in str(raised.value)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"word": 1}, "word: must be string"),
        ([], "must be object"),
        ({"words": {"a": ["b", 2]}}, "words.a.1: must be string"),
        ({"other": 1}, "must not contain {'other'} properties"),
    ],
)
def test_wrong_arguments_are_named(arguments: Any, problem: str) -> None:
    words = {"type": "object", "additionalProperties": {"items": {"type": "string"}}}
    properties = {"word": {"type": "string"}, "words": words}
    check = check_for({"type": "object", "properties": properties, "additionalProperties": False})

    with pytest.raises(InvalidToolError) as raised:
        check(arguments)

    assert str(raised.value) == problem


def test_a_schema_may_refer_to_its_own_definitions() -> None:
    definitions = {"word": {"type": "string"}}
    schema = {"type": "object", "$defs": definitions, "properties": {"a": {"$ref": "#/$defs/word"}}}

    assert check_for(schema)({"a": "b"}) == {"a": "b"}


def test_empty_tables_of_lua_become_objects_where_a_schema_has_them() -> None:
    from_lua = {
        "properties": {"a": [], "b": {"type": "array", "items": [], "default": []}},
        "required": [],
        "anyOf": [[], {"properties": []}],
    }

    assert repaired(from_lua) == {
        "properties": {"a": {}, "b": {"type": "array", "items": {}, "default": []}},
        "required": [],
        "anyOf": [{}, {"properties": {}}],
    }


@pytest.mark.parametrize("result", [{}, {"type": "image"}, {"text": 3}, [[{"type": "x"}]]])
def test_a_result_that_a_model_cannot_read_is_an_error_of_the_tool(result: Any) -> None:
    with pytest.raises(ToolError, match="neither a text nor a list"):
        content_of(result)


def test_the_texts_of_a_result_share_the_room() -> None:
    content = content_of(["a" * 20_000, "b" * 20_000, "c"])

    assert [each["text"][-1] for each in content[:1]] == ["a"]
    assert content[1]["text"].endswith("[cut here: 16,000 more characters]")
    assert len(content) == 2
