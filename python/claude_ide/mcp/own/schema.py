"""The JSON schema of a tool's arguments: checked once itself, then checks each call.

The library generates Python code for each schema. It is imported only if the user has tools.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import fastjsonschema
import msgspec

from claude_ide.mcp.own import WrongError

Check = Callable[[Any], Any]
"""Returns arguments with the defaults of the schema; raises `WrongError`."""

MAPS = ("properties", "patternProperties", "definitions", "$defs")
"""Keywords with schemas by name."""
CHOICES = ("allOf", "anyOf", "oneOf")
INNER = ("additionalProperties", "not", "contains")

_check_shape = fastjsonschema.compile(
    msgspec.json.decode(Path(__file__).with_name("schema.json").read_bytes())
)
"""Checks a schema by a schema: with less of it the library would fail, or say less about the place.
It says more about a condition than about a choice."""


def check_for(schema: dict[str, Any]) -> Check:
    """Return a function that checks arguments. Raises `WrongError` if the schema is none."""
    try:
        _check_shape(schema)
        check = fastjsonschema.compile(schema)
    except fastjsonschema.JsonSchemaValueException as error:
        raise WrongError(_problem(error)) from None
    except Exception as error:
        # The library lets some wrong schemas fail in its own code.
        raise WrongError(str(error)) from None

    def checked(arguments: Any) -> Any:
        try:
            return check(arguments)
        except fastjsonschema.JsonSchemaValueException as error:
            raise WrongError(_problem(error)) from None

    return checked


def repaired(schema: Any) -> Any:
    """Return a schema from Lua, where an empty object is the same as an empty list."""
    if schema == []:
        return {}
    if not isinstance(schema, dict):
        return schema
    return {key: _repaired_part(key, part) for key, part in schema.items()}


def _repaired_part(key: str, part: Any) -> Any:
    if key in MAPS and part == []:
        return {}
    if key in MAPS and isinstance(part, dict):
        return {name: repaired(each) for name, each in part.items()}
    if key in (*CHOICES, "items") and isinstance(part, list) and part:
        return [repaired(each) for each in part]
    return repaired(part) if key in (*INNER, "items") else part


def _problem(error: fastjsonschema.JsonSchemaValueException) -> str:
    """Return "times: must be integer" for the library's "data.times must be integer"."""
    place, problem = error.path[1:], str(error.message).removeprefix(error.name).strip()
    return f"{'.'.join(map(str, place))}: {problem}" if place else problem
