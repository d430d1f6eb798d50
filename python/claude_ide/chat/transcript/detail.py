"""The rows below a tool's line: its input, its change, its output, each cut at 200 lines."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from claude_ide.agents.events import Change
from claude_ide.base import paths
from claude_ide.ui.page import DETAIL, KEY, META, Chunk, Mark, Row, indented, row, size
from claude_ide.ui.sheet import Action, OpenOutput
from claude_ide.ui.text import as_printed, counted, cut, harmless, lines

MOST_LINES = 200

INDENTED = 2
"""How many times the rows are indented."""

GROUPS = {"+": "ClaudeChatAdded", "-": "ClaudeChatRemoved"}
OLD, NEW = ("old_string",), ("new_string", "content", "new_source")
_NUMBERED = re.compile(r"^\s*(\d+)(?:\t|→)")


class Detail(NamedTuple):
    """A row below a tool; `line` is the line in its file, `action` the effect of a press.

    If `path` is empty, the file is that of the tool.
    """

    row: Row
    line: int | None = None
    action: Action | None = None
    path: str = ""


def of_change(change: Change, title: str) -> list[Detail]:
    """Return rows for the hunks of a change."""
    found: list[Detail] = []
    for number, hunk in enumerate(change.hunks):
        if number:
            found.append(Detail(row(("⋮", DETAIL)), hunk.new_start))
        line = hunk.new_start
        for text in hunk.lines:
            found.append(Detail(_diff_row(harmless(text)), line))
            line += not text.startswith(("-", "\\"))
    text = "\n".join(text for hunk in change.hunks for text in hunk.lines)
    return _with_more(found[:MOST_LINES], len(found) - MOST_LINES, title, text)


def of_input(kind: str, arguments: Mapping[str, Any], title: str) -> list[Detail]:
    """Return rows for a tool's input."""
    if kind == "execute" and isinstance(command := arguments.get("command"), str):
        return _of_text(command, title, lambda line: row((line, "ClaudeChatCode")))
    if kind == "edit":
        edits = arguments.get("edits")
        each = [arguments, *(edits if isinstance(edits, list) else [])]
        if changed := "\n".join(line for edit in each for line in _edit_lines(edit)):
            return _of_text(changed, title, _diff_row)
    named = "\n".join(_named(key, value) for key, value in arguments.items())
    return _of_text(named, title, lambda line: row((line, DETAIL)))


def of_output(output: str, title: str) -> list[Detail]:
    """Return rows for a tool's output; rows with line numbers lead to these lines."""
    found = _of_text(as_printed(output), title, lambda line: row((line, DETAIL)))
    return [each._replace(line=_number(each.row.text)) for each in found]


def below(details: Iterable[Detail]) -> list[Detail]:
    """Return the rows, indented below a tool's line."""
    return [detail._replace(row=indented([detail.row], INDENTED)[0]) for detail in details]


def _of_text(text: str, title: str, shown: Callable[[str], Row]) -> list[Detail]:
    head = text.split("\n", MOST_LINES)
    more = 0
    if len(head) > MOST_LINES:
        rest = head.pop()
        more = rest.count("\n") + (not rest.endswith("\n") and bool(rest))
    found = [Detail(shown(line)) for line in lines("\n".join(head))]
    return _with_more(found, more, title, text)


def _with_more(details: list[Detail], more: int, title: str, text: str) -> list[Detail]:
    if more <= 0:
        return details
    label = f"… {counted(more, 'more line')}"
    return [*details, Detail(row((label, META)), action=OpenOutput(title, text))]


def _diff_row(line: str) -> Row:
    return row((line, GROUPS.get(line[:1], DETAIL)))


def _edit_lines(edit: Any) -> list[str]:
    if not isinstance(edit, dict):
        return []
    found = []
    for sign, keys in (("-", OLD), ("+", NEW)):
        for key in keys:
            if isinstance(value := edit.get(key), str):
                found += [f"{sign}{line}" for line in value.removesuffix("\n").split("\n")]
    return found


def _named(key: str, value: Any) -> str:
    text = value if isinstance(value, str) else _json(value)
    return f"{key}: {text}".rstrip().replace("\n", "\n  ")


def _json(value: Any) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError):
        return str(value)


def _number(line: str) -> int | None:
    found = _NUMBERED.match(line)
    return int(found[1]) if found else None


class Summary(NamedTuple):
    """The numbers of changed files, of added and of removed lines."""

    files: int
    added: int
    removed: int


def unified(changes: Iterable[Change], root: str) -> str:
    """Return all changes in order; paths below `root` are relative to it."""
    lines: list[str] = []
    for change in changes:
        name = paths.within(change.path, root)
        lines += ["--- /dev/null" if change.created else f"--- a/{name}", f"+++ b/{name}"]
        lines += map(str, change.hunks)
    return "\n".join(lines)


def sizes(added: int, removed: int) -> list[Chunk]:
    """Return the numbers of added and of removed lines."""
    return [
        (f"+{added:,}", "ClaudeChatAdded"),
        (" ", ""),
        (f"\N{MINUS SIGN}{removed:,}", "ClaudeChatRemoved"),
    ]


def at_end(rows: Sequence[Row], summary: Summary) -> list[Row]:
    """Return the rows at a turn's end with what it has changed, and the key that shows it."""
    first, *others = rows or [row(("──", META))]
    joint = " · " if rows else " "
    shown = row(
        (f"{joint}{counted(summary.files, 'file')} ", META),
        *sizes(summary.added, summary.removed),
        (" · ", META),
        ("gd", KEY),
    )
    by = size(first.text)
    marks = (Mark(a + by, b + by, group) for a, b, group in shown.marks)
    return [Row(first.text + shown.text, (*first.marks, *marks)), *others]


MOST_LIVE_LINES = 3

LIVE_CHARACTERS = 20_000
"""The characters at the end of the output in which the lines are found."""

_JOINER = "\u200d"
"""It joins emoji; Neovim spells out every other format character."""


def last_lines(output: str) -> tuple[str, ...]:
    """Return the last lines of an output that are not blank, as a terminal would show them."""
    end = output[-LIVE_CHARACTERS:]
    if len(end) < len(output):
        # It begins with a whole line unless that is very long.
        end = end.partition("\n")[2] or end
    found: list[str] = []
    for line in reversed(as_printed(end).split("\n")):
        if shown := _shown(line):
            found.append(shown)
        if len(found) == MOST_LIVE_LINES:
            break
    return tuple(reversed(found))


def of_live(lines: Sequence[str], width: int) -> list[Detail]:
    """Return rows for the lines, each in at most `width` columns."""
    return [Detail(row((cut(line, width), DETAIL))) for line in lines]


def _shown(line: str) -> str:
    text = harmless(line.expandtabs()).rstrip()
    if text.isascii():
        return text
    return "".join(each for each in text if each == _JOINER or unicodedata.category(each) != "Cf")
