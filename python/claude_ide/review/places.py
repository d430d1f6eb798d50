"""Where remarks stand in the text of a file, and whether an agent has answered them."""

from collections.abc import Iterable, Sequence

from claude_ide.base.text_diff import hunks
from claude_ide.review.baseline import Rows, lines_of
from claude_ide.review.store import Remark


def placed(remarks: Iterable[Remark], text: str) -> list[tuple[Rows, Remark]]:
    """Return remarks with the rows where they are in a text of their file."""
    known = [*remarks]
    lines = lines_of(text) if known else []
    return [(_rows(each, lines) or _clamped(each, lines), each) for each in known]


def answer(remarks: Iterable[Remark], before: str | None, after: str | None) -> None:
    """Know that an agent has written a file: sent remarks on lines that it changed are answered."""
    sent = [each for each in remarks if each.state == "sent"]
    old, new = lines_of(before or ""), lines_of(after or "")
    changed = [*hunks(old, new)] if sent else []
    for rows, each in placed(sent, before or ""):
        is_unknown = before is None or after is None or not each.quoted
        is_written = _rows(each, new) is None if is_unknown else _is_changed(rows, changed)
        each.state = "answered" if is_written else each.state


def _is_changed(rows: Rows, changed: Iterable[tuple[int, int, int, int]]) -> bool:
    """Return whether rows of a text are among those that are replaced, or lines were put inside."""
    first, last = rows
    return any(
        (first < start or start < stop) and start < last and first < max(stop, start + 1)
        for start, stop, *_ in changed
    )


def _rows(remark: Remark, lines: Sequence[str]) -> Rows | None:
    """Return the rows that have the quoted lines, the nearest ones; None if they are gone."""
    quoted = lines_of(remark.quoted)
    count = len(quoted)
    rows = range(len(lines) - count + 1)
    found = [row for row in rows if lines[row : row + count] == quoted] if count else []
    row = min(found, key=lambda each: abs(each - remark.first), default=None)
    return None if row is None else (row, row + count)


def _clamped(remark: Remark, lines: Sequence[str]) -> Rows:
    first = min(remark.first, max(len(lines) - 1, 0))
    return first, max(min(remark.last, len(lines)), first + 1)
