"""`openFile`: passages are found by their texts, in bytes."""

import pytest

from claude_ide.mcp.ide_tools import NO_END, NO_START, passage

TEXT = "eins\n\tzwei ä😀 drei\nvier\n"


def at(row: int, col: int) -> dict[str, int]:
    return {"row": row, "col": col}


@pytest.mark.parametrize(
    ("start", "end", "first", "last"),
    [
        ("zwei", "", at(1, 1), at(1, 5)),
        ("😀", "", at(1, 8), at(1, 12)),
        ("eins", "zwei", at(0, 0), at(1, 5)),
        ("eins\n", "", at(0, 0), at(1, 0)),
        ("eins\r\n\tz", "dr", at(0, 0), at(1, 15)),
        ("drei\nvier", "", at(1, 13), at(2, 4)),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_passage_is_found(
    line_end: str, start: str, end: str, first: dict[str, int], last: dict[str, int]
) -> None:
    found = passage(TEXT.replace("\n", line_end), start, end, to_end_of_line=False)

    assert found == ({"first": first, "last": last}, "")


@pytest.mark.parametrize(("start", "row", "col"), [("zwei", 1, 17), ("vi", 2, 4), ("eins", 0, 4)])
def test_a_passage_is_extended_to_the_end_of_its_line(start: str, row: int, col: int) -> None:
    found, _ = passage(TEXT, start, "", to_end_of_line=True)

    assert found is not None
    assert found["last"] == at(row, col)


def test_what_is_missing_is_named() -> None:
    assert passage(TEXT, "fünf", "", to_end_of_line=False) == (None, NO_START)
    assert passage(TEXT, "vier\n", "", to_end_of_line=False) == (None, NO_START)
    assert passage(TEXT, "vier", "eins", to_end_of_line=False) == (
        {"first": at(2, 0), "last": at(2, 4)},
        NO_END,
    )
