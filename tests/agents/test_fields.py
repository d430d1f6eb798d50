"""`agents/fields.py`: fields of messages that may be missing, or of another type."""

from typing import Any

import pytest
from msgspec import Struct

from claude_ide.agents.fields import parsed, read


class Otter(Struct, frozen=True):
    """A struct with a field of each kind."""

    name: str
    weight: float
    fish: int = 3
    cubs: int | None = None
    swims: bool = True
    dens: tuple[str, ...] = ()


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({}, Otter("", 0.0)),
        ("no object", Otter("", 0.0)),
        ({"name": "Tarka", "weight": 9, "fish": 0}, Otter("Tarka", 9, 0)),
        ({"name": 5, "weight": "9", "fish": 1.5, "cubs": "two"}, Otter("", 0.0)),
        ({"weight": True, "fish": False, "cubs": True, "swims": 0}, Otter("", 0.0)),
        ({"cubs": 2, "swims": False}, Otter("", 0.0, cubs=2, swims=False)),
        ({"dens": ["bank", 5, "reeds"]}, Otter("", 0.0, dens=("bank", "reeds"))),
        ({"dens": "bank", "eats": "fish"}, Otter("", 0.0)),
    ],
)
def test_what_is_missing_or_of_another_type_has_its_default(message: Any, expected: Otter) -> None:
    assert read(Otter, message) == expected


def test_a_field_can_have_another_key_and_a_known_value_wins() -> None:
    message = {"title": "Tarka", "name": "other", "fish": 5}

    assert read(Otter, message, {"name": "title"}, fish=7) == Otter("Tarka", 0.0, 7)


@pytest.mark.parametrize("content", ["", "[]", "{", "nan", b"\xff", b"[" * 100_000])
def test_a_text_without_an_object_is_an_empty_one(content: str | bytes) -> None:
    assert parsed(content) == {}
    assert parsed('{"a": 1}') == {"a": 1}
