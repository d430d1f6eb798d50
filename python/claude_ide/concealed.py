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

_SHAPES = re.compile(
    r"(?P<before>\bBearer\s+)[\w.~+/=-]{8,}"
    r"|\bsk-[\w-]{16,}|\bgh[opsu]_\w{20,}|\bgithub_pat_\w{20,}|\bxox[abprs]-[\w-]{10,}",
    re.IGNORECASE,
)
"""Tokens that can be recognized by their form."""


def conceal(secret: str) -> None:
    """Replace a secret in all logs from now on; it must be plain ASCII, as base64 is."""
    _secrets.add(secret)


def without_secrets(text: str) -> str:
    """Return a text with a mark in place of each secret."""
    for secret in _secrets:
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
    and variables with telling names.
    """
    if isinstance(value, str):
        text = without_secrets(value)
        for secret in known:
            text = text.replace(secret, MARK)
        return _SHAPES.sub(lambda found: (found["before"] or "") + MARK, text)
    if isinstance(value, list):
        return [masked(item, known) for item in value]
    if isinstance(value, dict):
        named = isinstance(value.get("name"), str) and _names_one(value["name"])
        return {
            key: MARK
            if item and isinstance(item, str) and (_names_one(key) or (named and key == "value"))
            else masked(item, known)
            for key, item in value.items()
        }
    return value


def _names_one(name: str) -> bool:
    return name.lower() not in _HARMLESS and _NAMES.search(name) is not None
