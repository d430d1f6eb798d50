"""The width of texts on the screen, in columns, as Neovim counts them."""

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
