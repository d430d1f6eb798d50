"""`editor/formatting.py`: which formatters a file gets."""

import pytest

from claude_ide.editor.formatting import chosen
from claude_ide.editor.port.files import Formatter, Formatters

CONFORM = Formatter("conform", "conform", is_own=True)
EXPRESSION = Formatter("expression", "'formatexpr'", is_own=True)
OWN = Formatter("program", "own", is_own=True)
SERVER, OTHER = Formatter("server", "server"), Formatter("server", "other")
GLOBAL, EQUALPRG = Formatter("program", "global"), Formatter("program", "equalprg")


def in_order(order: str) -> Formatter:
    return Formatter("conform", order, is_own=True, order=order)


def names(*candidates: Formatter) -> list[str] | None:
    found = chosen(Formatters([*candidates]), 0, is_new=False)
    return None if found is None else [each.name for each in found]


@pytest.mark.parametrize(
    ("candidates", "expected"),
    [
        ([CONFORM, EXPRESSION, SERVER, OWN], ["conform"]),
        ([EXPRESSION, SERVER, OWN], ["'formatexpr'"]),
        ([SERVER, OWN, EQUALPRG], ["own"]),
        ([SERVER, OTHER, GLOBAL, EQUALPRG], ["server", "other"]),
        ([GLOBAL, EQUALPRG], ["global"]),
        ([EQUALPRG], ["equalprg"]),
        ([in_order("first"), SERVER], ["server", "first"]),
        ([in_order("last"), SERVER], ["last", "server"]),
        ([in_order("prefer"), SERVER], ["server"]),
        ([in_order("prefer")], ["prefer"]),
        ([in_order("fallback"), SERVER], ["fallback"]),
    ],
)
def test_what_the_user_has_set_for_the_file_comes_first(
    candidates: list[Formatter], expected: list[str]
) -> None:
    assert names(*candidates) == expected


def awaits(*candidates: Formatter, age: float, is_starting: bool = False, new: bool = True) -> bool:
    found = Formatters([*candidates], is_starting, may_attach=True)
    return chosen(found, age, is_new=new) is None


def test_a_new_file_waits_for_servers_unless_the_user_has_set_something_for_it() -> None:
    assert awaits(age=1.4)
    assert not awaits(age=1.6)
    assert awaits(GLOBAL, age=0.2)
    assert not awaits(GLOBAL, age=0.4)
    assert not awaits(SERVER, age=0)
    assert not awaits(OWN, age=0)
    assert awaits(in_order("last"), age=0.2)


def test_an_open_file_waits_only_for_a_server_that_is_starting() -> None:
    assert not awaits(age=0, new=False)
    assert awaits(GLOBAL, age=1.4, is_starting=True, new=False)
    assert not awaits(GLOBAL, age=1.6, is_starting=True, new=False)
