"""`review/display.py`: what an editor draws of the hunks of a file, and lists."""

import pytest

from claude_ide.editor.port.review import Drawn
from claude_ide.review import display
from claude_ide.review.display import LONGEST_LABEL, drawn, items
from claude_ide.review.entry import File, ReviewEntry
from claude_ide.review.texts import Texts

BEFORE = "one\ntwo\n"


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


@pytest.mark.parametrize("count", [display.MOST_REMOVED, display.MOST_REMOVED + 3])
def test_very_many_removed_lines_are_cut(count: int) -> None:
    [hunk] = of("".join(f"{row}\n" for row in range(count)) + "end\n", "end\n")

    assert (len(hunk.removed), hunk.more) == (display.MOST_REMOVED, count - display.MOST_REMOVED)


@pytest.mark.parametrize(
    ("status", "base", "now", "diff"),
    [
        ("created", None, BEFORE, ["+one", "+two"]),
        ("deleted", BEFORE, None, ["-one", "-two"]),
        ("renamed", BEFORE, BEFORE, []),
        ("renamed", BEFORE, "one\n2\n", [" one", "-two", "+2"]),
    ],
)
def test_the_preview_of_a_file_shows_what_has_changed_in_it(
    status: str, base: str | None, now: str | None, diff: list[str]
) -> None:
    [(rows, item)] = items(
        "/p", File("a", status, Texts(base, now, now), ReviewEntry(None, None, None))
    )

    assert (rows, item.diff) == (None, diff)


def test_the_line_of_a_long_line_is_short() -> None:
    text = "x" * 10_000 + "\n"
    file = File("a", "modified", Texts("one\n", text, text), ReviewEntry(None, None, None))
    [(_, item)] = items("/p", file)

    assert len(item.label) < LONGEST_LABEL + 20
