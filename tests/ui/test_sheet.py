"""`sheet.py`: a view that cannot be drawn, and the locations that a text contains."""

import logging

import pytest

from claude_ide.ui.page import Row
from claude_ide.ui.sheet import UNDRAWN, Location, Sheet, View, location_in
from support.cpu_time import is_linear
from support.frames import Drawn


class Words(View):
    """Some words; None of them are a mistake of ours."""

    words: str | None = None

    def rows(self) -> list[Row]:
        if self.words is None:
            raise RuntimeError("a mistake of ours")
        return [Row(self.words)]


def drawn(sheet: Sheet, lines: Drawn) -> list[str]:
    while (frame := sheet.frame()) is not None:
        lines.apply(frame)
    return [text for text in lines.text if text]


def test_a_view_that_cannot_be_drawn_leaves_the_others_as_they_are(
    caplog: pytest.LogCaptureFixture,
) -> None:
    sheet, lines = Sheet(), Drawn()
    first, broken, last = (sheet.add(kind, Words) for kind in ("text", "request", "text"))
    first.words, last.words = "first", "last"

    with caplog.at_level(logging.ERROR):
        shown = drawn(sheet, lines)

    assert shown == ["first", UNDRAWN, "last"]
    assert "RuntimeError: a mistake of ours" in caplog.text
    # A key must not answer a request that is not on the screen.
    assert lines.parts == [(1, "text"), (2, "notice"), (3, "text")]

    last.words, broken.words = "later", "mended"
    sheet.changed(last)
    assert drawn(sheet, lines) == ["first", UNDRAWN, "later"]
    sheet.changed(broken)
    assert drawn(sheet, lines) == ["first", "mended", "later"]
    assert lines.parts == [(1, "text"), (2, "request"), (3, "text")]


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
