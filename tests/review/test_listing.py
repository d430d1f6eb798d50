"""`review/listing.py`: what the list of the review shows."""

import pytest

from claude_ide.review.baseline import Texts
from claude_ide.review.file import File
from claude_ide.review.listing import LONGEST_LABEL, items
from claude_ide.review.store import Entry

BEFORE = "one\ntwo\n"


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
    [(rows, item)] = items("/p", File("a", status, Texts(base, now, now), Entry(None, None, None)))

    assert (rows, item.diff) == (None, diff)


def test_the_line_of_a_long_line_is_short() -> None:
    text = "x" * 10_000 + "\n"
    file = File("a", "modified", Texts("one\n", text, text), Entry(None, None, None))
    [(_, item)] = items("/p", file)

    assert len(item.label) < LONGEST_LABEL + 20
