"""`text.py`: text from outside is made safe."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claude_ide.chat.page.text import as_printed, harmless, lines, one_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("tab\tstays", "tab\tstays"),
        ("a\x00b\x1b\x7f", "a^@b^[^?"),
        ("line\nbreak", "line^Jbreak"),
        ("lone \ud800 half", "lone \ufffd half"),
        ("bytes \udcff", "bytes \ufffd"),
        ("whole 🙂 ä", "whole 🙂 ä"),
        ("rm -rf ~ \r echo hello", "rm -rf ~ ^M echo hello"),
        ("dos\r", "dos"),
        ("csi \x9b31m", "csi <9b>31m"),
    ],
)
def test_a_line_is_made_harmless(text: str, shown: str) -> None:
    assert harmless(text) == shown


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\r\nb\n\n", ["a", "b", ""]),
        ("a\u2028b\x0cc", ["a\u2028b^Lc"]),
    ],
)
def test_a_text_is_split_into_lines(text: str, found: list[str]) -> None:
    assert lines(text) == found


@given(st.text())
def test_every_line_is_valid_in_a_buffer(text: str) -> None:
    for line in lines(text):
        assert not set(line) & {"\n", "\r", "\x00"}
        line.encode()


@pytest.mark.parametrize(
    "escape",
    [
        *("\x1b[31m", "\x1b[1;31m", "\x1b[?25l", "\x1b]0;title\x07", "\x1b]8;;x\x1b\\", "\x1bM"),
        *("\x1b(B", "\x1b7", "\x1bc", "\x1bPq#0\x1b\\", "\x1b_Gf=24;AAAA\x1b\\"),
    ],
)
def test_colours_and_cursor_movements_are_removed(escape: str) -> None:
    assert as_printed(f"a{escape}b") == "ab"


@pytest.mark.parametrize(
    "incomplete", ["\x1b", "\x1b[", "\x1b[3", "\x1b]", "\x1b]0;tit", "\x1b]0;title\x1b", "\x1b("]
)
def test_a_sequence_that_has_not_arrived_completely_is_removed(incomplete: str) -> None:
    assert as_printed(f"a{incomplete}") == "a"


def test_a_sequence_that_never_ends_hides_no_other_lines() -> None:
    assert as_printed("\x1b]0;a\nb\nc") == "0;a\nb\nc"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        *(("10%\r20%\r100%", "100%"), ("a\r\nb\r\n", "a\nb\n"), ("1\r2\n3\r4\r\n", "2\n4\n")),
        *(("10%\x1b[1G20%", "20%"), ("a\x1b[2K\x1b[Gb", "b"), ("10%\r\x1b[K", "10%")),
        *(("|\b/\b-\b", "-"), ("N\bNA\bA", "NA"), ("ab\b\b\bc\nd", "c\nd")),
    ],
)
def test_the_final_text_of_an_overwritten_line_is_kept(text: str, shown: str) -> None:
    assert as_printed(text) == shown


def test_one_line_shows_that_there_is_more() -> None:
    assert one_line("  one  ") == "one"
    assert one_line("\none\ntwo") == "one …"
    assert one_line("x" * 10, 5) == "xxxx…"
    assert one_line("") == ""
