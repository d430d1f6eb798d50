"""The width of texts in columns, as Neovim counts them; texts that the user has to judge.

Of these, every character is shown, in rows that fit a window.
"""

import unicodedata
from collections.abc import Iterator

_JOINER = "\u200d"
_EMOJI = "\ufe0f"
_SKIN = range(0x1F3FB, 0x1F400)
_FLAG = range(0x1F1E6, 0x1F200)
_JAMO = range(0x1160, 0x1200)
"""Vowels and final consonants, which join the letter before them."""

_NO_WIDTH = frozenset({"Mn", "Mc", "Me", "Cf"})


def cells(text: str) -> int:
    """Return the width of a line without tabs."""
    return len(text) if text.isascii() else sum(each(text))


def cut(text: str, most: int) -> str:
    """Return a line without tabs, or its beginning and `…`, in at most `most` columns."""
    if len(text) <= most and text.isascii():
        return text
    columns = end = 0
    for at, wide in enumerate(each(text), 1):
        columns += wide
        if columns > most:
            return f"{text[:end]}…" if most > 0 else ""
        end = at if columns < most else end
    return text


def each(text: str) -> Iterator[int]:
    """Yield the width that each character adds; several characters can be one emoji."""
    joined, flags = False, 0
    for before, character in zip(" " + text, text, strict=False):
        code = ord(character)
        flags = flags + 1 if code in _FLAG else 0
        if joined or (code in _SKIN and not before.isascii()):
            wide = 0
        elif flags:
            wide = 2 * (flags % 2)
        elif character == _EMOJI:
            wide = int(not before.isascii() and _cells(before) == 1)
        else:
            wide = _cells(character)
        joined = character == _JOINER
        yield wide


def _cells(character: str) -> int:
    if character.isascii():
        return 1
    if unicodedata.category(character) in _NO_WIDTH or ord(character) in _JAMO:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


_HIDING = frozenset({"Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"})
_MARKS = frozenset({"Mn", "Mc", "Me"})
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and signs that are invisible."""

MOST_MARKS = 2
"""Combining marks on one letter: a screen cell holds only a few, and more would be invisible."""

TAB = 8
"""The most columns of a tab."""

NARROWEST = 4


def visible(line: str) -> str:
    """Return a line in which each invisible character is replaced by `^X` or `<code>`."""
    if _is_plain(line):
        return line
    return "".join(_named(line))


def rows(text: str, width: int) -> list[tuple[str, bool]]:
    """Return a text in rows of at most `width` columns, with True for rows that begin a line.

    A final line break does not start another line.
    """
    most = max(width, NARROWEST)
    found = []
    for line in text.removesuffix("\n").split("\n"):
        if len(line) <= most and _is_plain(line):
            found.append((line, True))
            continue
        pieces = list(_cut(visible(line), most))
        found += [(piece, number == 0) for number, piece in enumerate(pieces)]
    return found


def fits(text: str, width: int) -> bool:
    """Return whether a text fits in one row without tabs or blanks at its ends."""
    shown = visible(text)
    has_edges = shown != shown.strip() or "\t" in shown
    return "\n" not in text and not has_edges and cells(shown) <= width


def _is_plain(text: str) -> bool:
    """Return whether each character is visible and one column wide."""
    return text.isascii() and text.isprintable()


def _named(line: str) -> Iterator[str]:
    marks = MOST_MARKS
    for character in line:
        category = unicodedata.category(character)
        if category in _MARKS:
            marks += 1
        else:
            marks = 0 if category[0] in "LN" else MOST_MARKS
        if character in " \t":
            yield character
        elif category == "Cc":
            yield _control(character)
        elif _is_hidden(character, category) or marks > MOST_MARKS:
            yield f"<{ord(character):04x}>"
        else:
            yield character


def _is_hidden(character: str, category: str) -> bool:
    is_selector = "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"
    return category in _HIDING or character in _BLANK or is_selector


def _control(character: str) -> str:
    code = ord(character)
    return f"^{chr(code ^ 0x40)}" if code < 0x80 else f"<{code:04x}>"


def _cut(line: str, width: int) -> Iterator[str]:
    if _is_plain(line):
        yield line[:width]
        yield from (line[at : at + width] for at in range(width, len(line), width))
        return
    first = column = 0
    for at, (character, wide) in enumerate(zip(line, each(line), strict=True)):
        wide = TAB if character == "\t" else wide
        if column + wide > width:
            yield line[first:at]
            first, column = at, 0
        column += wide
    yield line[first:]
