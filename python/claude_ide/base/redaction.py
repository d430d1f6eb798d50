"""Secrets that no log and no recording may contain."""

import os
import re
from collections.abc import Mapping
from typing import Any

MARK = "[hidden]"
"""Stands for a secret in a text."""

SHORTEST = 8
"""Characters of a secret in the environment; a shorter value may also be a common word."""

_secrets: set[str] = set()

_NAMES = re.compile(
    r"(^|[-_.]|(?<=[a-z]))(token|secret|password|passwd|passphrase|authorization|cookie|credentials?"
    r"|(api|access|secret|private|auth)[-_]?key)$",
    re.IGNORECASE,
)
_HARMLESS = frozenset(["progresstoken"])
"""Names of this form that are no secrets: MCP numbers the progress of a call."""

_LONGEST_NAME = 64
_OPENING = re.compile(r'(?P<quote>\\{0,15}")\s{0,8}:\s{0,8}(?P=quote)')
"""What is between the name and the value of a field in JSON that is part of a text, or was cut: the
quotes have as many backslashes as the texts around it demand."""
_NAMED = re.compile(r'"name\\*"\s*:\s*\\*"(?P<name>[^"\\]*)\\*"\s*,\s*$')
"""The field in front of a `value`, as in headers and variables."""

_SHAPES = re.compile(
    r"(?P<before>\bBearer\s+)[\w.~+/=-]{8,}"
    r"|\bsk-[\w-]{16,}|\bgh[opsu]_\w{20,}|\bgithub_pat_\w{20,}|\bxox[abprs]-[\w-]{10,}",
    re.IGNORECASE,
)
"""Tokens that can be recognized by their form."""


def conceal(secret: str) -> None:
    """Replace a secret in all logs from now on; it must be plain ASCII, as base64 is."""
    _secrets.add(secret)


def forget(secret: str) -> None:
    """No longer look for a secret that opens nothing any more: each log entry is searched."""
    _secrets.discard(secret)


def without_secrets(text: str) -> str:
    """Return a text with a mark in place of each secret."""
    # Threads log, too, while the loop conceals another one.
    for secret in tuple(_secrets):
        text = text.replace(secret, MARK)
    return text


def in_environment(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return the values of variables that hold secrets by their names, the longest first."""
    found = {
        value for name, value in environment.items() if _names_one(name) and len(value) >= SHORTEST
    }
    return sorted(found, key=len, reverse=True)


def masked(value: Any, known: tuple[str, ...] = ()) -> Any:
    """Return a decoded message with a mark in place of secrets.

    These are our own, those in `known`, tokens of a common form, and the values of fields, headers
    and variables with telling names, also in JSON within a text, and those of MCP servers.
    """
    if isinstance(value, str):
        text = without_secrets(value)
        for secret in known:
            text = text.replace(secret, MARK)
        text = _without_named(text)
        return _SHAPES.sub(lambda found: (found["before"] or "") + MARK, text)
    if isinstance(value, list):
        return [masked(item, known) for item in value]
    if isinstance(value, dict):
        named = isinstance(value.get("name"), str) and _names_one(value["name"])
        return {
            key: MARK
            if item and isinstance(item, str) and (_names_one(key) or (named and key == "value"))
            else masked(_without_values(item) if key == "mcpServers" else item, known)
            for key, item in value.items()
        }
    return value


def _without_values(servers: Any) -> Any:
    """Return MCP servers as ACP lists them, without the values of variables and headers."""
    if not isinstance(servers, list):
        return servers
    return [
        each
        if not isinstance(each, dict)
        else each
        | {
            key: [{**pair, "value": MARK} for pair in each[key] if isinstance(pair, dict)]
            for key in ("env", "headers")
            if isinstance(each.get(key), list)
        }
        for each in servers
    ]


def _without_named(text: str) -> str:
    """Return a text with a mark in place of the values of fields with telling names."""
    parts: list[str] = []
    at = 0
    for found in _OPENING.finditer(text):
        quote, begin = found["quote"], found.end()
        if begin > at and _names_one(_name(text, found.start(), quote)):
            end = _end(text, begin, quote)
            if end > begin:
                parts += [text[at:begin], MARK]
                at = end
    return "".join([*parts, text[at:]])


def _name(text: str, end: int, quote: str) -> str:
    """Return the name of a field; for `value` that in the field `name` in front of it."""
    begin = text.rfind(quote, max(0, end - _LONGEST_NAME), end)
    name = text[begin + len(quote) : end] if begin >= 0 else ""
    if name == "value":
        before = text[max(0, begin - 2 * _LONGEST_NAME) : begin]
        if named := _NAMED.search(before):
            return named["name"]
    return name


def _end(text: str, begin: int, quote: str) -> int:
    """Return the end of a value; a text that was cut may end before its closing quote."""
    end = text.find(quote, begin)
    # More backslashes before a quote make it a part of the value.
    while end > begin and text[end - 1] == "\\":
        end = text.find(quote, end + len(quote))
    return len(text) if end < 0 else end


def _names_one(name: str) -> bool:
    return name.lower() not in _HARMLESS and _NAMES.search(name) is not None
