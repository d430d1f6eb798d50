"""The earlier texts of a file, which may be back by an undo or git, with their hunks."""

from collections import Counter
from collections.abc import Callable

from claude_ide.review.baseline import Texts, lines_of
from claude_ide.review.store import Base, Entry, Memory
from claude_ide.review.why import Turn

MOST_REMEMBERED = 12
"""Texts of a file."""

MOST_SESSIONS = 4
"""Sessions of which a file's base is kept."""

NONE = "?"
"""No id of a text."""


def begin(entry: Entry, turn: Turn) -> None:
    """Note the text before a session, and before a turn of it, writes a file."""
    known = entry.bases.pop(turn.session, None) or Base(entry.now, entry.now, turn.turn)
    if known.turn_id != turn.turn:
        known = Base(known.session, entry.now, turn.turn)
    entry.bases[turn.session] = known
    for session in [*entry.bases][:-MOST_SESSIONS]:
        del entry.bases[session]


def remember(entry: Entry, seen: Entry) -> None:
    """Note what a file's text that was `seen` is compared with."""
    key = seen.now or ""
    entry.memory.pop(key, None)
    entry.memory[key] = Memory(seen.base, seen.agent, entry.decisions)
    for name in [*entry.memory][:-MOST_REMEMBERED]:
        del entry.memory[name]


def nearest(
    entry: Entry, texts: Texts, text: str, text_of: Callable[[str | None], str | None]
) -> str:
    """Return the id of the earlier text with hunks that a new text has most in common with.

    `NONE` if that is the text of now: the user may have changed something since an undo.
    """
    lines = _counted(text)
    best, most = NONE, (_counted(texts.now) & lines).total()
    for name, then in entry.memory.items():
        if name and name != then.base:
            common = (_counted(text_of(name)) & lines).total()
            if common > most:
                best, most = name, common
    return best


def _counted(text: str | None) -> Counter[str]:
    """Count the lines of a text; those that differ only in blanks are the same to formatters."""
    return Counter("".join(line.split()) for line in lines_of(text or ""))
