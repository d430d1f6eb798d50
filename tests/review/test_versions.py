"""Which version of a file a buffer has, of those that an agent has found and left."""

import pytest

from claude_ide.review.merging import Versions
from claude_ide.review.recorder import _reported
from claude_ide.review.snapshot import UNSEEN


def test_the_stamp_of_the_buffer_tells_its_version() -> None:
    versions = Versions()
    versions.begin(b"0", "s0")
    assert versions.base(b"anything", "s0") == b"0"
    versions.end(b"0", b"1", "s1")
    versions.begin(b"1", "s1")
    versions.end(b"1", b"2", "s2")
    assert versions.base(b"2", "s1") == b"1"
    assert versions.base(b"2", "s0") == b"0"
    assert versions.base(b"2", "") == b"0", "the earliest one, on which all are based"


def test_what_another_program_wrote_is_not_the_agents() -> None:
    versions = Versions()
    with pytest.raises(LookupError):
        versions.base(b"0", "")
    versions.end(b"0", b"1", "s1")
    with pytest.raises(LookupError):
        versions.base(b"other", "s1")
    versions.end(b"other", b"2", "s2")
    assert versions.base(b"2", "") == b"other"


def test_edits_that_overlap_in_time_are_one() -> None:
    versions = Versions()
    versions.begin(b"0", "s0")
    versions.begin(b"1", "s1")
    versions.end(b"0", b"2", "s2")
    assert versions.base(b"2", "") == b"0"


@pytest.mark.parametrize(
    ("before", "found"),
    [(None, (None, "")), ("é\n", ("é\n".encode(), "")), ("caf\ufffd\n", (None, UNSEEN))],
    ids=["no file", "a text", "not UTF-8"],
)
def test_a_text_that_a_tool_reports_is_known_if_it_is_whole(
    before: str | None, found: tuple[bytes | None, str]
) -> None:
    assert _reported(before) == found
