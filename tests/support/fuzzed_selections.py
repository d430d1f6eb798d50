"""Random selections in random text, and how they relate to what `y` yanks."""

import random
from dataclasses import dataclass
from typing import Any

PIECES = [
    *["a", "bc", "def ghi", "  ", "\t", "\t\t", "x"],
    *["é", "ß", "漢", "字幕", "😀", "🇩🇪", "👩\u200d👩\u200d👧", "e\u0301", "o\u0302\u0323"],
]
MOVES = [
    *["l", "3l", "h", "2h", "j", "2j", "k", "w", "b", "e", "iw"],
    *["$", "0", "^", "g_", "5|", "9|", "G", "gg", "o", "O"],
]


@dataclass(frozen=True, slots=True)
class Case:
    lines: list[str]
    selection: str
    virtualedit: str
    row: int
    keys: str

    @classmethod
    def random(cls, chance: random.Random) -> "Case":
        pieces = chance.choice([PIECES, PIECES, ["abc", "d", "ef g"]])
        lines = ["".join(chance.choices(pieces, k=chance.randrange(7))) for _ in range(6)]
        lines = lines[: chance.randint(1, 6)]
        keys = [f"{chance.randint(1, 12)}|", chance.choice(["v", "V", "\x16"])]
        return cls(
            lines=lines,
            selection=chance.choice(["inclusive", "exclusive", "old"]),
            virtualedit=chance.choice(["", "", "", "onemore", "block", "all"]),
            row=chance.randint(1, len(lines)),
            keys="".join(keys + chance.choices(MOVES, k=chance.randrange(6))),
        )

    def arguments(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}

    def between(self, start: dict[str, int], end: dict[str, int]) -> str:
        """Return the text in an LSP range; the whole text ends with a newline."""
        lines = [*(f"{line}\n" for line in self.lines), ""]
        encoded = [line.encode("utf-16-le") for line in lines[start["line"] : end["line"] + 1]]
        encoded[-1] = encoded[-1][: end["character"] * 2]
        encoded[0] = encoded[0][start["character"] * 2 :]
        return b"".join(encoded).decode("utf-16-le")


def without_blanks(text: str) -> str:
    return text.replace(" ", "").replace("\t", "")


def check_lines(text: str, yanked: list[str]) -> None:
    # A range that ends with an empty line ends on the next line.
    assert text == "\n".join(yanked) + ("\n" if yanked[-1] == "" else "")


LONGEST_CHARACTER = 8
"""With the characters that it is composed of."""


def check_block(case: Case, now: dict[str, Any], yanked: list[str]) -> None:
    rows = now["text"].split("\n")
    assert len(rows) == len(yanked)
    is_plain = all(line.isascii() and "\t" not in line for line in case.lines)
    for row, yanked_row in zip(rows, yanked, strict=True):
        if is_plain:
            # `y` pads short rows.
            assert yanked_row.startswith(row) and not yanked_row[len(row) :].strip(" ")
        else:
            # `y` yanks spaces for the part of a character.
            shown, expected = without_blanks(row), without_blanks(yanked_row)
            assert expected in shown and len(shown) <= len(expected) + 2 * LONGEST_CHARACTER
    start, end = now["selection"]["start"], now["selection"]["end"]
    assert end["line"] - start["line"] + (end["character"] > 0) == len(rows)
    covered = case.between(start, end).split("\n")
    if is_plain:
        assert covered[0].startswith(rows[0])
        assert covered[len(rows) - 1].endswith(rows[-1])
    else:
        # A range covers all of a character that the block covers in part.
        assert without_blanks(rows[0]) in without_blanks(covered[0])
        assert without_blanks(rows[-1]) in without_blanks(covered[len(rows) - 1])


def check_characters(case: Case, text: str, yanked: list[str]) -> None:
    expected = "\n".join(yanked)
    if case.virtualedit == "all":
        # `y` yanks spaces for virtual space and for part of a tab.
        text, expected = without_blanks(text), without_blanks(expected)
    if case.selection == "old" and text.endswith("\n"):
        # `y` drops a last line with nothing selected; it then sometimes yanks whole lines.
        assert expected.rstrip("\n").endswith(text.rstrip("\n"))
    else:
        assert text == expected
