"""`sheet.py`: a view that cannot be drawn."""

import logging

import pytest

from claude_ide.chat.page.rows import Row
from claude_ide.chat.page.sheet import UNDRAWN, Sheet, View
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
