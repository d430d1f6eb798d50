"""Reads the fields of an agent's messages safely.

The set of messages and fields grows with every version of an agent. So a field is read as the type
that it should have; a value of another type counts as empty.
"""

from typing import Any


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
