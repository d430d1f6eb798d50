"""The end of a running command's output: a few short lines below the line of its tool."""

import unicodedata
from collections.abc import Sequence

from claude_ide.chat.page.plain import as_printed, harmless
from claude_ide.chat.page.rows import row
from claude_ide.chat.page.visible import cut
from claude_ide.chat.transcript.detail import DETAIL, Detail

MOST_LINES = 3

READ = 20_000
"""The characters at the end of the output in which the lines are found."""

_JOINER = "\u200d"
"""It joins emoji; Neovim spells out every other format character."""


def last_lines(output: str) -> tuple[str, ...]:
    """Return the last lines of an output that are not blank, as a terminal would show them."""
    end = output[-READ:]
    if len(end) < len(output):
        # It begins with a whole line unless that is very long.
        end = end.partition("\n")[2] or end
    found: list[str] = []
    for line in reversed(as_printed(end).split("\n")):
        if shown := _shown(line):
            found.append(shown)
        if len(found) == MOST_LINES:
            break
    return tuple(reversed(found))


def details(lines: Sequence[str], width: int) -> list[Detail]:
    """Return rows for the lines, each in at most `width` columns."""
    return [Detail(row((cut(line, width), DETAIL))) for line in lines]


def _shown(line: str) -> str:
    text = harmless(line.expandtabs()).rstrip()
    if text.isascii():
        return text
    return "".join(each for each in text if each == _JOINER or unicodedata.category(each) != "Cf")
