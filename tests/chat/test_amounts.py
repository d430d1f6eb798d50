"""`text.py`: durations, money and counts."""

import pytest

from claude_ide.chat.page.text import counted, duration, elapsed, money, rounded


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
