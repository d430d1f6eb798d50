"""`text.py`: text from outside is made safe, measured in columns, and kept short."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claude_ide.ui.text import (
    TAB,
    as_printed,
    counted,
    duration,
    elapsed,
    fits,
    harmless,
    lines,
    money,
    one_line,
    pieces,
    rounded,
    visible,
    widths,
)


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


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("ls -l ü 字 👩 ש", "ls -l ü 字 👩 ש"),
        ("a\tb", "a\tb"),
        ("\r\x1b\x00\x7f", "^M^[^@^?"),
        ("\x85\x9b", "<0085><009b>"),
        ("\u200b\u200d\u202e\u2028\ufeff\u00a0", "<200b><200d><202e><2028><feff><00a0>"),
        ("\U000e0041\ue000\ud800", "<e0041><e000><d800>"),
        ("\u3164\u2800\u034f\ufe0f", "<3164><2800><034f><fe0f>"),
        ("a\u180b\u180f\U0001d159", "a<180b><180f><1d159>"),
        ("e\u0301x", "e\u0301x"),
        ("e\u0301\u0302\u0303\u0304x\u0301", "e\u0301\u0302<0303><0304>x\u0301"),
        (" \u0301-\u0301\u0301", " <0301>-<0301><0301>"),
    ],
)
def test_invisible_characters_are_named(line: str, shown: str) -> None:
    assert visible(line) == shown


def test_a_visible_line_is_unchanged() -> None:
    shown = visible("".join(map(chr, range(0x3000))))

    assert visible(shown) == shown


def columns(row: str) -> int:
    return sum(
        TAB if character == "\t" else wide for character, wide in zip(row, widths(row), strict=True)
    )


@given(st.text(), st.integers(8, 60))
def test_rows_contain_the_whole_text_and_fit_the_window(text: str, width: int) -> None:
    found = pieces(text, width)

    assert all(columns(row) <= width for row, _ in found)
    lines = "".join(f"\n{row}" if begins else row for row, begins in found)
    assert lines[1:] == "\n".join(map(visible, text.removesuffix("\n").split("\n")))


def test_a_window_without_width_has_rows_too() -> None:
    assert pieces("abcdef", -3) == [("abcd", True), ("ef", False)]


def test_a_tab_has_its_largest_width() -> None:
    assert pieces("a\tb", TAB + 2) == [("a\tb", True)]
    assert pieces("a\tb", TAB + 1) == [("a\t", True), ("b", False)]


def test_what_is_one_character_on_the_screen_is_not_cut() -> None:
    flag = "\U0001f1e9\U0001f1ea"
    assert pieces(f"abc{flag}", 4) == [("abc", True), (flag, False)]
    assert pieces(f"ab{flag}d", 4) == [(f"ab{flag}", True), ("d", False)]


@pytest.mark.parametrize("text", ["a\nb", "a\tb", " a", "a ", "abcdef", "字字字"])
def test_a_text_that_could_be_overlooked_does_not_fit(text: str) -> None:
    assert not fits(text, 5)
    assert fits("a b", 5)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0 ms"),
        (0.0123, "12 ms"),
        (0.9999, "1.0 s"),
        (3.24, "3.2 s"),
        (59.97, "1 min 0 s"),
        (125.4, "2 min 5 s"),
        (3725, "62 min 5 s"),
    ],
)
def test_a_duration_is_shown_in_suitable_units(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown


@pytest.mark.parametrize(
    ("dollars", "shown"), [(1.234, "$1.23"), (0.0294, "$0.03"), (0.0001, "$0.0001")]
)
def test_an_amount_of_money_is_shown_in_dollars(dollars: float, shown: str) -> None:
    assert money(dollars) == shown


def test_a_count_has_separators_and_a_plural() -> None:
    assert (counted(1, "line"), counted(1034, "line")) == ("1 line", "1,034 lines")


@pytest.mark.parametrize(("number", "shown"), [(0, "0 s"), (59, "59 s"), (125, "2 min 5 s")])
def test_a_duration_that_is_not_over_has_whole_seconds(number: int, shown: str) -> None:
    assert elapsed(number) == shown


@pytest.mark.parametrize(
    ("number", "shown"), [(999, "999"), (1234, "1.2k"), (9_949, "9.9k"), (34_567, "35k")]
)
def test_a_large_number_can_be_short(number: int, shown: str) -> None:
    assert rounded(number) == shown
