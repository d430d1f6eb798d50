"""Answers of bounded length, with a way to ask for more."""

from collections.abc import Iterable, Sequence

from claude_ide.mcp.tool import Content, text
from claude_ide.unicode import readable

LARGEST = 24_000
"""Characters. The CLI saves a longer answer to a file, of which the model sees only the start."""

LONGEST_LINE = 500
"""Characters of one entry."""


LONGEST_HEADING = 2_000
"""Characters of what comes before the entries."""


def page(heading: str, lines: Iterable[str], rest: str = "") -> Content:
    """Return a heading and lines as one text.

    `rest` says how to get what was left out before. Lines that do not fit are left out, too.
    """
    kept = [_shortened(heading, LONGEST_HEADING)]
    room = LARGEST - len(kept[0])
    left_out = 0
    for line in lines:
        short = _shortened(_one_line(line), LONGEST_LINE)
        room -= len(short) + 1
        if left_out or room < 0:
            left_out += 1
        else:
            kept.append(short)
    if left_out:
        kept.append(f"({left_out:,} more lines do not fit; ask for fewer entries)")
    if rest:
        kept.append(rest)
    # Half of a surrogate pair, which a buffer may have, is no valid JSON.
    return text(readable("\n".join(kept)))


def remaining(total: int, offset: int, shown: Sequence[object]) -> str:
    """Return the line that says how to get the entries after those shown; "" if there are none."""
    end = offset + len(shown)
    return f"({total - end:,} more: offset={end})" if end < total else ""


def count(number: int, noun: str) -> str:
    """Return `1 file` or `2 files`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _shortened(words: str, most: int) -> str:
    return words if len(words) <= most else words[: most - 1] + "…"


def _one_line(entry: str) -> str:
    """Show the ends of lines in an entry, such as in a file's name: they end the entry for us."""
    return entry.replace("\r", "\\r").replace("\n", "\\n")
