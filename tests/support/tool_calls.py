"""A call of each of the model's tools, with arguments that fit its schema."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from claude_ide.mcp import model as _model  # noqa: F401  importing it registers the tools
from claude_ide.mcp.tool import MODEL_TOOLS

Schema = Mapping[str, Any]

KNOWN: Mapping[str, Any] = {
    "line": 1,
    "symbol": "one",
    "query": "(identifier) @name",
    "title": "a title",
    "name": "a",
    "new_name": "another",
}
"""Values by the name of the property, for those that not any text or number fits."""


def calls(path: Path) -> dict[str, dict[str, Any]]:
    """Return the arguments of a call of each tool, by its name; `path` is the file."""
    return {name: arguments(name, path) for name in MODEL_TOOLS}


def arguments(name: str, path: Path) -> dict[str, Any]:
    """Return the arguments of a call of one tool."""
    schema = MODEL_TOOLS[name].describe()["inputSchema"]
    return _object(schema, path) | ({"file": str(path)} if name == "buffer_text" else {})


def _object(schema: Schema, path: Path) -> dict[str, Any]:
    properties = schema.get("properties", {})
    return {
        name: _value(name, properties[name], path)
        for name in properties
        if name in schema.get("required", ()) or (name == "symbol" and "line" in properties)
    }


def _value(name: str, schema: Schema, path: Path) -> Any:
    if name in ("file", "path"):
        return str(path)
    if name in KNOWN:
        return KNOWN[name]
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "integer" | "number":
            return schema.get("minimum", 0)
        case "boolean":
            return False
        case "array":
            return [_value(name, schema["items"], path)]
        case "object":
            return _object(schema, path)
        case _:
            return "text"
