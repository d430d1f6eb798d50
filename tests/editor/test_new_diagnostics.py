"""`editor/diagnostics.py`: which diagnostics a change of a file has caused."""

from typing import Any

from claude_ide.editor.diagnostics import Item, new_diagnostics


def item(line: int, message: str = "bad", **more: Any) -> Item:
    """Return a diagnostic of a whole line, counted from 0."""
    place = {"line": line, "character": 2}
    return {"message": message, "severity": "Error", "range": {"start": place, "end": place}} | more


def two_below(line: int) -> int:
    """Return where a line is after two others were inserted above it."""
    return line + 2


def without_third(line: int) -> int | None:
    """Return where a line is after the third one was replaced."""
    return None if line == 2 else line


def test_a_diagnostic_that_moved_with_its_line_is_not_new() -> None:
    assert new_diagnostics([item(5)], [item(7)], two_below) == []


def test_a_known_message_on_another_line_is_new() -> None:
    assert new_diagnostics([item(5)], [item(0), item(7)], two_below) == [item(0)]


def test_the_same_message_of_another_source_is_new() -> None:
    old, new = item(5, source="mypy"), item(7, source="ruff")

    assert new_diagnostics([old], [item(7, source="mypy"), new], two_below) == [new]


def test_an_old_diagnostic_of_a_changed_line_is_not_new() -> None:
    worse = item(2, "worse")

    assert new_diagnostics([item(2)], [item(2), worse], without_third) == [worse]


def test_an_outdated_diagnostic_on_its_former_line_is_not_new() -> None:
    assert new_diagnostics([item(5)], [item(5)], two_below) == []


def test_without_line_numbers_only_the_additional_diagnostics_are_new() -> None:
    assert new_diagnostics([item(5)], [item(1), item(9)], None) == [item(9)]
