"""Checks frames of ACP against the protocol's own JSON schema, and finds fields that it has not.

The schema is `tests/golden/acp/schema.json`; the README there says where it comes from.
"""

import functools
import json
from collections.abc import Iterable, Iterator
from typing import Any

import jsonschema

from support.neovim import ROOT

Frame = dict[str, Any]
Definitions = dict[str, Any]

SCHEMA = ROOT / "tests" / "golden" / "acp" / "schema.json"
OF_A_CALL = {"jsonrpc", "id", "method", "params"}
OF_AN_ANSWER = {"jsonrpc", "id", "result", "error"}
CLIENT, AGENT = "client", "agent"


def faults(entries: Iterable[Frame]) -> list[str]:
    """Return what is wrong with the frames of a client, in the log of a fake agent."""
    asked: dict[Any, str] = {}
    found: list[str] = []
    for entry in entries:
        match entry:
            case {"garbage": line}:
                found.append(f"not JSON: {line}")
            case {"out": {"id": id_, "method": method}}:
                asked[id_] = method
            case {"in": frame}:
                found += (f"{fault} in {json.dumps(frame)[:500]}" for fault in _check(frame, asked))
    return found


def fault_of(definition: str, value: Any) -> str:
    """Return what is wrong with a value of a definition of the schema; "" if nothing is."""
    error = jsonschema.exceptions.best_match(_validator(definition).iter_errors(value))
    return "" if error is None else f"{definition}: {error.json_path}: {error.message[:300]}"


def definition(method: str, side: str, ending: str) -> str:
    """Return the name of a method's definition; "" if the schema has none.

    `side` is the side that is called; `ending` is `Request`, `Response` or `Notification`.
    """
    return next(
        (
            name
            for name, described in _definitions().items()
            if described.get("x-method") == method
            and described["x-side"] in (side, "protocol")
            and name.endswith(ending)
        ),
        "",
    )


def _check(frame: Frame, asked: dict[Any, str]) -> Iterator[str]:
    if frame.get("jsonrpc") != "2.0":
        yield "no version"
    known = OF_A_CALL if "method" in frame else OF_AN_ANSWER
    if unknown := set(frame) - known:
        yield f"unknown fields {unknown}"
    fault = _call(frame) if "method" in frame else _answer(frame, asked)
    if fault:
        yield fault


def _call(frame: Frame) -> str:
    method = frame["method"]
    if method.startswith("_"):
        return ""
    name = definition(method, AGENT, "Request" if "id" in frame else "Notification")
    return fault_of(name, frame.get("params")) if name else f"unknown method {method}"


def _answer(frame: Frame, asked: dict[Any, str]) -> str:
    if frame.get("id") is None and "error" in frame:
        return ""  # the answer to a line that is no request
    if frame.get("id") not in asked:
        return "an answer without a request, or a second one"
    method = asked.pop(frame["id"])
    if "error" in frame:
        error = frame["error"]
        is_valid = isinstance(error.get("code"), int) and isinstance(error.get("message"), str)
        return "" if is_valid and "result" not in frame else "a malformed error"
    name = definition(method, CLIENT, "Response")
    if "result" not in frame or not name:
        return f"no result, or one of the unknown method {method}"
    return fault_of(name, frame["result"])


@functools.cache
def _definitions() -> Definitions:
    loaded: Definitions = json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"]
    for name, described in loaded.items():
        loaded[name] = _closed_inside(described, loaded)
    return loaded


@functools.cache
def _validator(name: str) -> jsonschema.Draft202012Validator:
    closed = _closed({"$ref": f"#/$defs/{name}"}, _definitions())
    return jsonschema.Draft202012Validator({**closed, "$defs": _definitions()})


def _closed_inside(schema: Any, definitions: Definitions) -> Any:
    """Return a schema in which the objects of all properties and items have no unknown fields."""
    if isinstance(schema, list):
        return [_closed_inside(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    inside = {key: _closed_inside(value, definitions) for key, value in schema.items()}
    for key, value in inside.get("properties", {}).items():
        inside["properties"][key] = _closed(value, definitions)
    if isinstance(inside.get("items"), dict):
        inside["items"] = _closed(inside["items"], definitions)
    return inside


def _closed(schema: Any, definitions: Definitions) -> Any:
    if not isinstance(schema, dict) or not _names_properties(schema, definitions):
        return schema
    return {**schema, "unevaluatedProperties": False}


def _names_properties(schema: Any, definitions: Definitions) -> bool:
    """Whether a schema lists properties, itself or through what it refers to."""
    if "properties" in schema:
        return True
    parts = [part for key in ("allOf", "anyOf", "oneOf") for part in schema.get(key, [])]
    if "$ref" in schema:
        parts.append(definitions[schema["$ref"].rpartition("/")[2]])
    return any(_names_properties(part, definitions) for part in parts)
