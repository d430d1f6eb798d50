"""Which turn has written a line, for which prompt, and why: a journal of each file.

It is bounded: of the latest turns that wrote a file, with the first line of their prompts.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from claude_ide.base.text_diff import hunks
from claude_ide.review.baseline import lines_of
from claude_ide.review.store import Entry, Write

MOST_WRITES = 10
LONGEST_WORDS = 200
"""Characters of a prompt or a reason."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of a session."""

    session: str
    turn: str = ""
    prompt: str = ""
    reason: str = ""
    """What the agent has said before it wrote."""


def note(entry: Entry, turn: Turn, before: str | None, after: str | None) -> None:
    """Record that a turn has made one text of a file from another (their ids)."""
    last = entry.writes[-1] if entry.writes else None
    reason = turn.reason
    if last and (last.session, last.turn) == (turn.session, turn.turn) and last.after == before:
        entry.writes.pop()
        before, reason = last.before, reason or last.reason
    now = int(time.time())
    write = Write(turn.session, turn.turn, before, after, now, _cut(turn.prompt), _cut(reason))
    entry.writes = [*entry.writes, write][-MOST_WRITES:]


def explain(entry: Entry | None, turn: Turn, words: str) -> None:
    """Add why a turn has written a file, which may be known only later."""
    for write in entry.writes[-1:] if entry else ():
        if (write.session, write.turn) == (turn.session, turn.turn):
            write.reason = _cut(words)


def find(
    entry: Entry | None, text_of: Callable[[str | None], str | None], text: str, row: int
) -> Write | None:
    """Return the write that has made a row of a text; None if that is not known."""
    for write in reversed(entry.writes if entry else ()):
        before, after = text_of(write.before), text_of(write.after)
        if after is None or (write.before is not None and before is None):
            continue
        there = _row_in(after, text, row)
        if there is None:
            # Somebody else has written it since.
            return None
        text, older = before or "", _row_in(before or "", after, there)
        if older is None:
            return write
        row = older
    return None


def shown(write: Write) -> list[str]:
    """Return a write in words: when, for which prompt, and what the agent has said before."""
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(write.time))
    lines = [when, f"Prompt: {write.prompt or '(not known)'}"]
    return [*lines, f"Reason: {write.reason}"] if write.reason else lines


def _row_in(old: str, new: str, row: int) -> int | None:
    """Return where a row of a text was in an older one; None if it was not there."""
    shift = 0
    for _, stop, first, last in hunks(lines_of(old), lines_of(new)):
        if first <= row < last:
            return None
        if last <= row:
            shift = stop - last
    return row + shift


def _cut(words: str) -> str:
    line = words.strip().partition("\n")[0]
    return line if len(line) <= LONGEST_WORDS else f"{line[: LONGEST_WORDS - 1]}…"
