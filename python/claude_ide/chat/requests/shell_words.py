"""Colours the commands of requests: the words that a reader needs to find each program.

It takes linear time, and knows only as much of the shell's language as that needs.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from claude_ide.chat.page.rows import Mark, Row, size

LONGEST = 4000
"""Characters of a command."""

GROUP = "@{}.bash"
"""The highlight group of a word, as Neovim's parsers name it."""

KEYWORDS = {
    **dict.fromkeys(("!", "{", "do", "elif", "else", "if", "then", "time", "until", "while"), True),
    **dict.fromkeys(("}", "case", "done", "esac", "fi", "for", "function", "in"), False),
}
"""Whether a command follows."""

TOKENS = re.compile(
    r"""
    (?P<end>\n)
    | (?P<comment>(?<![^\s;])\#[^\n]*)
    | (?P<string>'[^']*'? | "(?:\\.|[^"\\])*\\?"?)
    | (?P<heredoc><<[-~]?[ \t]*['"]?(?P<delimiter>\w+)['"]?)
    | (?P<redirection>\d*[<>]+[&|]?)
    | (?P<variable>\$\{[^}\n]{0,99}\} | \$\w+ | \$[#?!@*$-])
    | (?P<operator>\$\( | [|&;()`]+)
    | (?P<word>(?:\\. | [^\s|&;()`<>'"$\\])+)
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)
ASSIGNED = re.compile(r"[A-Za-z_]\w*=", re.ASCII)


class Word(NamedTuple):
    """A part of a command with a colour: characters from 0, the last one exclusive."""

    first: int
    last: int
    name: str


def words(command: str) -> Iterator[Word]:
    """Yield the words of a command that have a colour."""
    at, starts, delimiter = 0, True, ""
    while found := TOKENS.search(command, at):
        first, at = found.span()
        match found.lastgroup:
            case "end":
                starts = True
                if delimiter:
                    begin, at = at, _end_of_document(command, first, delimiter)
                    if begin < at:
                        yield Word(begin, at, "string")
                delimiter = ""
            case "heredoc" | "redirection" as kind:
                delimiter = found["delimiter"] if kind == "heredoc" else delimiter
                yield Word(first, at, "operator")
            case "operator":
                starts = True
                yield Word(first, at, "operator")
            case "word":
                word = found[0]
                name = _name(word, starts=starts)
                starts = starts and (name == "variable" or KEYWORDS.get(word, False))
                if name:
                    yield Word(first, at, name)
            case "string" | "variable" as name:
                starts = False
                yield Word(first, at, name)
            case name:
                yield Word(first, at, str(name))


def _end_of_document(command: str, line: int, delimiter: str) -> int:
    """Return the end of the here-document that begins after a line."""
    end = f"{command}\n".find(f"\n{delimiter}\n", line)
    return len(command) if end < 0 else end + 1 + len(delimiter)


def _name(word: str, *, starts: bool) -> str:
    if not starts:
        return "constant" if word.startswith("-") else ""
    if ASSIGNED.match(word):
        return "variable"
    return "keyword" if word in KEYWORDS else "function.call"


def coloured(rows: Sequence[Row], group: str, goes_on: str) -> list[Row]:
    """Return rows in which the words of a command have colours; the command has the group.

    A row that begins with `goes_on` continues the line of the command in the row before it.
    """
    pieces: list[tuple[int, Mark, int]] = []
    command = ""
    for number, each in enumerate(rows):
        for mark in (mark for mark in each.marks if mark.group == group):
            command += "\n" if pieces and not each.text.startswith(goes_on) else ""
            pieces.append((number, mark, len(command)))
            command += _text(each, mark)
    if not command or len(command) > LONGEST:
        return list(rows)
    found = [*words(command)]
    shown = list(rows)
    for number, mark, start in pieces:
        marks = [*_marks(_text(rows[number], mark), mark, start, found)]
        others = (other for other in rows[number].marks if other != mark)
        shown[number] = rows[number]._replace(marks=(*others, *marks))
    return shown


def _text(row: Row, mark: Mark) -> str:
    return row.text.encode()[mark.first : mark.last].decode()


def _marks(text: str, mark: Mark, start: int, found: Sequence[Word]) -> Iterator[Mark]:
    """Yield the marks of a piece of the command: those of its words, and between these its own."""

    def column(character: int) -> int:
        return mark.first + size(text[:character])

    shown = 0
    for word in found:
        first, last = max(word.first - start, 0), min(word.last - start, len(text))
        if first < last:
            if shown < first:
                yield Mark(column(shown), column(first), mark.group)
            yield Mark(column(first), column(last), GROUP.format(word.name))
            shown = last
    if shown < len(text):
        yield Mark(column(shown), mark.last, mark.group)
