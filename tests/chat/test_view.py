"""The locations that a text contains."""

import pytest

from claude_ide.chat.page.sheet import Location, location_in
from support.cpu_time import is_linear


@pytest.mark.parametrize(
    ("line", "under", "location"),
    [
        ("see a.py now", "a.py", ("a.py", None)),
        ("see `src/a.py:12`.", "src", ("src/a.py", 12)),
        ("ä src/a.py:12:3: error", "12", ("src/a.py", 12)),
        ("[a](src/a.py#L10-L12)", "src", ("src/a.py", 10)),
        ("/etc/hosts(3)", "hosts", ("/etc/hosts", 3)),
        ("~/a.txt, and", "a.txt", ("~/a.txt", None)),
        ("Makefile:3 says", "Make", ("Makefile", 3)),
        ("src/ has it", "src", ("src/", None)),
        ("a sentence. Ends", "sentence", None),
        ("and so on...", "on", None),
        ("either/or", "or", ("either/or", None)),
    ],
)
def test_the_location_under_the_cursor_is_found(
    line: str, under: str, location: Location | None
) -> None:
    column = len(line[: line.index(under)].encode())

    assert location_in(line, column) == location


def test_there_is_no_location_outside_the_text() -> None:
    assert location_in("a.py b", 4) is None
    assert location_in("a.py", 99) is None
    assert location_in("", 0) is None


def test_searching_a_very_long_line_of_dots_takes_linear_time() -> None:
    assert location_in("." * 300_000, 150_000) is None
    assert is_linear(lambda size: location_in("." * size, size // 2), 300_000)
