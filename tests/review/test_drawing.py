"""`review/drawing.py`: what an editor draws of the hunks of a file."""

import pytest

from claude_ide.editor.port.review import Drawn
from claude_ide.review import drawing
from claude_ide.review.baseline import Texts
from claude_ide.review.drawing import drawn


def of(before: str, after: str) -> list[Drawn]:
    return drawn(Texts.same(before).written_by_agent(after))


def test_changed_words_are_marked_in_bytes() -> None:
    [hunk] = of("a\nä = one + two\nb\n", "a\nä = three + two\nb\n")

    assert hunk == Drawn(1, 1, ["ä = one + two"], 0, [(0, [(5, 8)])], [(0, [(5, 10)])])


def test_a_removal_has_no_lines_in_the_file() -> None:
    [hunk] = of("a\r\nb\r\nc\r\n", "a\r\nc\r\n")

    assert hunk == Drawn(1, 0, ["b"], 0, [], [])


def test_lines_with_little_in_common_are_whole() -> None:
    [hunk] = of("return a\n", "import xyz, b\n")

    assert (hunk.old_spans, hunk.new_spans) == ([], [])


def test_lines_that_are_alike_belong_together() -> None:
    [hunk] = of("one = 1\ntwo = 2\n", "zero = 0\nnothing\none  =  1\ntwo = 22\n")

    assert (3, [(6, 8)]) in hunk.new_spans


@pytest.mark.parametrize("count", [drawing.MOST_REMOVED, drawing.MOST_REMOVED + 3])
def test_very_many_removed_lines_are_cut(count: int) -> None:
    [hunk] = of("".join(f"{row}\n" for row in range(count)) + "end\n", "end\n")

    assert (len(hunk.removed), hunk.more) == (drawing.MOST_REMOVED, count - drawing.MOST_REMOVED)
