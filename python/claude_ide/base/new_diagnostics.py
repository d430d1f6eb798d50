"""Tells which diagnostics of a file a change has caused, and which have only moved."""

from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

Item = dict[str, Any]
"""A diagnostic, as sent to clients."""


def new_diagnostics(
    old: list[Item], now: list[Item], line_after: Callable[[int], int | None] | None
) -> list[Item]:
    """Return the diagnostics that are new; without `line_after`, line numbers are ignored.

    `line_after` returns the number of a line after the change, or None if the line was changed. An
    old diagnostic moves with its line. One on its former line is old, too: its server has not
    checked the new text yet.
    """
    moved = defaultdict[Any, list[int]](list)
    changed = Counter[Any]()
    for item in old:
        line = line_of(item)
        to = None if line_after is None else line_after(line)
        if to is None:
            changed[_what(item)] += 1
        else:
            moved[_what(item), to].append(line)
    unmatched = [item for item in now if not _drop_last(moved[_what(item), line_of(item)])]
    stayed = Counter((what, line) for (what, _), lines in moved.items() for line in lines)
    return [
        item
        for item in unmatched
        if not (_drop_one(changed, _what(item)) or _drop_one(stayed, (_what(item), line_of(item))))
    ]


def line_of(item: Item) -> int:
    """Return the line on which a diagnostic begins, from 0."""
    return int(item["range"]["start"]["line"])


def _drop_last(lines: list[int]) -> bool:
    return bool(lines) and lines.pop() >= 0


def _drop_one(counter: Counter[Any], key: Any) -> bool:
    counter[key] -= 1
    return counter[key] >= 0


def _what(item: Item) -> tuple[Any, ...]:
    return tuple(item.get(key) for key in ("severity", "message", "source", "code"))
