"""Reads the fields of an agent's messages safely.

The set of messages and fields grows with every version of an agent. So a field is read as the type
that it should have; a value of another type counts as empty.
"""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType, NoneType
from typing import Any, TypeVar, get_args

import msgspec
from msgspec import NODEFAULT, Struct
from msgspec.structs import fields

T = TypeVar("T", bound=Struct)
_SAME: Mapping[str, str] = MappingProxyType({})


def text(value: Any) -> str:
    """Return the value if it is a string, otherwise ""."""
    return value if isinstance(value, str) else ""


def integer(value: Any) -> int | None:
    """Return the value if it is an integer, otherwise None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def number(value: Any) -> float | None:
    """Return the value if it is a number, otherwise None."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def mapping(value: Any) -> dict[str, Any]:
    """Return the value if it is an object, otherwise {}."""
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> list[Any]:
    """Return the value if it is an array, otherwise []."""
    return value if isinstance(value, list) else []


def mappings(value: Any) -> list[dict[str, Any]]:
    """Return the objects in an array; [] if the value is no array."""
    return [item for item in sequence(value) if isinstance(item, dict)]


def strings(value: Any) -> tuple[str, ...]:
    """Return the strings in an array; () if the value is no array."""
    return tuple(item for item in sequence(value) if isinstance(item, str))


def parsed(content: str | bytes) -> dict[str, Any]:
    """Return the object in a text of JSON; {} if it has none."""
    try:
        return mapping(msgspec.json.decode(content))
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return {}


def read(type_: type[T], message: Any, keys: Mapping[str, str] = _SAME, **known: Any) -> T:
    """Return a struct of texts, numbers and flags, from the fields of a message.

    `keys` are the keys of the fields that have another name there, `known` the values that are
    known. What is missing or of another type has its default, or is empty.
    """
    given = mapping(message)
    values = {
        name: _fitting(kind, given.get(keys.get(name, name)), default)
        for name, kind, default in _shape(type_)
        if name not in known
    }
    return type_(**values, **known)


@cache
def _shape(type_: type[Struct]) -> list[tuple[str, Any, Any]]:
    """Return the name, the type and the default of each field."""
    found = []
    for each in fields(type_):
        kind = next(
            (arm for arm in get_args(each.type) if NoneType in get_args(each.type)), each.type
        )
        empty = () if kind not in (str, int, float, bool) else kind()
        found.append((each.name, kind, empty if each.default is NODEFAULT else each.default))
    return found


def _fitting(kind: Any, value: Any, default: Any) -> Any:
    if kind is bool or isinstance(value, bool):
        return value if kind is bool and isinstance(value, bool) else default
    if kind in (str, int, float):
        return value if isinstance(value, int | float if kind is float else kind) else default
    return strings(value) if isinstance(value, list) else default
