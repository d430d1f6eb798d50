"""Reads the parameters of an agent's requests; a wrong one is named in the error."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from claude_ide.errors import RpcError
from claude_ide.paths import normalized

LONGEST_SHOWN = 200


def text(params: Mapping[str, Any], name: str) -> str:
    """Return a required text."""
    value = params.get(name)
    if not isinstance(value, str):
        raise RpcError.invalid_params(f"{name}: not a text")
    return value


def number(params: Mapping[str, Any], name: str) -> int | None:
    """Return a number that is not negative; None if it is missing."""
    value = params.get(name)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise RpcError.invalid_params(f"{name}: not a number from 0")
    return value


def texts(params: Mapping[str, Any], name: str) -> list[str]:
    """Return a list of texts; empty if it is missing."""
    value = params.get(name) or []
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise RpcError.invalid_params(f"{name}: not a list of texts")
    return value


def absolute(params: Mapping[str, Any], name: str) -> str:
    """Return a required absolute path, normalized."""
    path = text(params, name)
    if "\0" in path or not Path(path).is_absolute():
        reason = "contains a NUL" if "\0" in path else "not an absolute path"
        raise RpcError.invalid_params(f"{name}: {shown(path)}: {reason}")
    return normalized(path)


def shown(path: str) -> str:
    """Return a text for one line of an error."""
    plain = "".join(letter if letter.isprintable() else "�" for letter in path)
    return plain if len(plain) <= LONGEST_SHOWN else f"{plain[:LONGEST_SHOWN]}…"
