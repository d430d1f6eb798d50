"""A page that is too long drops its oldest turns."""

from claude_ide.ui.page import EARLIER, Page
from support.frames import Drawn
from support.pages import draw, rows


def test_the_oldest_turns_are_dropped_from_a_page_that_is_too_long() -> None:
    page = Page()
    for number in range(12):
        page.write(page.add("turn"), rows(f"turn {number}"))
        page.write(page.add("text"), rows(*["text"] * 10))
    drawn = draw(page, Drawn())

    dropped = page.trim(most=100, kept=60)

    assert page.lines[:4] == [EARLIER, "", "turn 8", ""]
    assert len(dropped) == 16
    assert draw(page, drawn).text == page.lines
    assert [kind for _, kind in drawn.parts] == ["earlier", *["turn", "text"] * 4]


def test_a_page_is_trimmed_again_with_one_line_for_all_that_was_dropped() -> None:
    page = Page()
    drawn = Drawn()
    for number in range(40):
        page.write(page.add("turn"), rows(f"turn {number}", *["more"] * 9))
        page.trim(most=100, kept=60)
        draw(page, drawn)

    assert drawn.text == page.lines
    assert page.lines.count(EARLIER) == 1
    assert len(page.lines) <= 110


def test_a_turn_that_is_too_long_loses_its_beginning() -> None:
    page = Page()
    for number in range(20):
        page.write(page.add("text"), rows(*[f"text {number}"] * 2_000))

    page.trim(most=30_000, kept=20_000)

    assert page.lines[:3] == [EARLIER, "", "text 11"]
    assert len(page.lines) < 20_000


def test_one_endless_part_is_not_dropped_while_it_grows() -> None:
    page = Page()
    part = page.add("text")
    page.write(part, rows(*["line"] * 500))

    assert page.trim(most=100, kept=60) == []


def test_a_request_of_any_length_drops_no_lines() -> None:
    page = Page()
    for _ in range(9):
        page.write(page.add("turn"), rows("said"))
    page.write(page.add("request", tail=True), rows(*["line"] * 500))

    assert page.trim(most=100, kept=60) == []
