"""Finds the place in a line that a model names by a column or by the symbol that is there."""

import re

from claude_ide.base.errors import EditorError

SHOWN = 80
"""Characters of a line in an error."""

MOST_COLUMNS = 20

WORD = "[0-9A-Za-z_\x80-\U0010ffff]"
INSIDE = f"(?<={WORD}){WORD}"
"""A place inside a word; a symbol begins and ends in none."""


def index_in(text: str, line: int, column: int | None, symbol: str | None) -> int:
    """Return the index of a column, from 1, or of a symbol; without both, of the first word.

    `line` is the number of the line. Raises `EditorError` that says what is wrong.
    """
    if column is not None:
        if column > len(text) + 1:
            why = f"line {line} has no column {column}; it has {len(text)} characters"
            raise EditorError(why)
        return column - 1
    if symbol is None:
        return len(text) - len(text.lstrip(" \t\v\f\r"))
    whole = f"(?!{INSIDE})(?={re.escape(symbol)}(?!{INSIDE}))"
    columns = [match.start() + 1 for match in re.finditer(whole, text)]
    if len(columns) == 1:
        return columns[0] - 1
    if not columns:
        raise EditorError(f'line {line} has no "{_cut(symbol)}"; it is: {_cut(text)}')
    listed = ", ".join(map(str, columns[:MOST_COLUMNS]))
    more = ", …" if len(columns) > MOST_COLUMNS else ""
    raise EditorError(f'line {line} has "{_cut(symbol)}" in columns {listed}{more}; give one')


def _cut(text: str) -> str:
    return f"{text[:SHOWN]}…" if len(text) > SHOWN else text
