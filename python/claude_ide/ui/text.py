"""Text from outside as a buffer shows it: made harmless, measured in columns, kept short.

Of texts that the user has to judge, every character is shown, in rows that fit a window.
"""

import re
import unicodedata
from collections.abc import Iterator

# Lone surrogates cannot be encoded; they result from invalid UTF-8 and from texts that were cut.
_UNSAFE = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff]")
_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*(?:[@-~]|\Z)"
    r"|[\]PX^_](?:[^\x07\x1b]*(?:\x07|\x1b\\)|[^\x07\x1b\n]*\x1b?\Z)"
    r"|[ -/]*(?:[0-~]|\Z))"
)
"""Escape sequences of terminals, also an incomplete one at the end of what has arrived so far."""

_TO_FIRST_COLUMN = re.compile(r"\x1b\[[01]?G")
REPLACEMENT = "\ufffd"

LONGEST_SENTENCE, LONGEST_TITLE = 300, 120
_CODE = re.compile(r"^(```|~~~).*?(^\1|\Z)", re.DOTALL | re.MULTILINE)
_MARKDOWN = re.compile(r"^\s*(#+|[-*+>]|\d+[.)])\s+|[*`]")
_END = re.compile(r"(?<=[.!?])\s+")


def harmless(line: str) -> str:
    """Return a line with `^X` for control characters, and without trailing carriage returns.

    8-bit control characters become `<9b>`; `lua/claude_ide/messages/plain.lua` has the same rule.
    """
    return _UNSAFE.sub(_shown, line.rstrip("\r"))


def lines(text: str) -> list[str]:
    """Return a text's lines, each `harmless`; a final line break does not start another line."""
    found = [harmless(line) for line in text.split("\n")]
    if found[-1] == "":
        found.pop()
    return found


def as_printed(text: str) -> str:
    """Return a program's output without its colours and cursor movements.

    If a line overwrites itself, as progress bars do, only its final text is kept. Use this only for
    output: text that the user must judge must not disappear behind a carriage return.
    """
    if "\x1b" in text:
        text = _ESCAPES.sub("", _TO_FIRST_COLUMN.sub("\r", text))
    if "\r" in text:
        text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    if "\b" in text:
        text = "\n".join(map(_struck, text.split("\n")))
    return text


def one_line(text: str, most: int = 200) -> str:
    """Return a text's first non-blank line, cut to `most` characters."""
    stripped = text.strip()
    first, _, rest = stripped.partition("\n")
    first = harmless(first.rstrip())
    if len(first) > most:
        return f"{first[: most - 1]}…"
    return f"{first} …" if rest.strip() else first


def _struck(line: str) -> str:
    """Return a line without the characters that a backspace follows, as spinners print them."""
    kept: list[str] = []
    for character in line.rstrip("\b"):
        if character != "\b":
            kept.append(character)
        elif kept:
            kept.pop()
    return "".join(kept)


def _shown(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code >= 0xD800:
        return REPLACEMENT
    return f"<{code:02x}>" if code >= 0x80 else f"^{chr(code ^ 0x40)}"


_JOINER = "\u200d"
_EMOJI = "\ufe0f"
_SKIN = range(0x1F3FB, 0x1F400)
_FLAG = range(0x1F1E6, 0x1F200)
_JAMO = range(0x1160, 0x1200)
"""Vowels and final consonants, which join the letter before them."""

_NO_WIDTH = frozenset({"Mn", "Mc", "Me", "Cf"})


def cells(text: str) -> int:
    """Return the width of a line without tabs."""
    return len(text) if text.isascii() else sum(widths(text))


def cut(text: str, most: int) -> str:
    """Return a line without tabs, or its beginning and `…`, in at most `most` columns."""
    if len(text) <= most and text.isascii():
        return text
    columns = end = 0
    for at, wide in enumerate(widths(text), 1):
        columns += wide
        if columns > most:
            return f"{text[:end]}…" if most > 0 else ""
        end = at if columns < most else end
    return text


def widths(text: str) -> Iterator[int]:
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
_BLANK = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\U00016fe4\U0001d159"
)
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


def pieces(text: str, width: int) -> list[tuple[str, bool]]:
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
    for at, (character, wide) in enumerate(zip(line, widths(line), strict=True)):
        wide = TAB if character == "\t" else wide
        if column + wide > width:
            yield line[first:at]
            first, column = at, 0
        column += wide
    yield line[first:]


def duration(seconds: float) -> str:
    """Return `12 ms`, `3.2 s` or `2 min 5 s`."""
    if seconds < 0.9995:
        return f"{round(seconds * 1000)} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    return elapsed(round(seconds))


def elapsed(number: int) -> str:
    """Return `34 s` or `2 min 5 s`, for a duration that is not over."""
    minutes, rest = divmod(number, 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def rounded(number: int) -> str:
    """Return `345`, `1.2k` or `34k`."""
    thousands = number / 1000
    if thousands < 1:
        return str(number)
    return f"{thousands:.1f}k" if thousands < 9.95 else f"{thousands:.0f}k"


def money(dollars: float) -> str:
    """Return `$1.23`; amounts below one cent have four decimals, since a question costs little."""
    return f"${dollars:.2f}" if dollars >= 0.01 else f"${dollars:.4f}"


def counted(number: int, noun: str) -> str:
    """Return `1 line` or `1,034 lines`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def last_sentence(text: str) -> str:
    """Return the last sentence of a text in Markdown, without its marks; empty if it has none."""
    lines = [_MARKDOWN.sub("", line).strip() for line in _CODE.sub("", text).splitlines()]
    paragraph: list[str] = []
    for line in reversed(lines):
        if line:
            paragraph.insert(0, line)
        elif paragraph:
            break
    return _END.split(" ".join(paragraph))[-1].rstrip(":")[:LONGEST_SENTENCE]
