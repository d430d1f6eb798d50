"""What an editor draws of the hunks of a file: rows, removed lines, and the words that differ."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from claude_ide.base.text_diff import areas
from claude_ide.editor.port.review import Drawn, Spans
from claude_ide.review.baseline import Texts
from claude_ide.review.encoding import UTF_8, lines_shown

WORD = re.compile(r"\w+|\s+|.", re.DOTALL)

LARGEST_HUNK = 100
"""Lines; of larger ones no words are marked."""

LONGEST_LINE = 500
"""Characters; of longer ones no words are marked."""

LEAST_COMMON = 0.3
"""Of the longer line: lines with less in common are different lines."""

MOST_REMOVED = 500
"""Lines of one hunk that are shown; nobody scrolls through more."""


def drawn(texts: Texts, encoding: str = UTF_8) -> list[Drawn]:
    """Return what is drawn of the hunks of a file in a buffer with this 'fileencoding'."""
    base, now = lines_shown(texts, encoding)
    found = []
    for hunk in texts.hunks:
        old = [_shown(line) for line in base[hunk.first : hunk.last]]
        new = [_shown(line) for line in now[hunk.start : hunk.stop]]
        removed, added = _words(old, new)
        shown = old[:MOST_REMOVED]
        rest = len(old) - len(shown)
        spans = [*removed.items()], [*added.items()]
        found.append(Drawn(hunk.start, len(new), shown, rest, *spans))
    return found


def _shown(line: str) -> str:
    return line.removesuffix("\n").removesuffix("\r")


def _words(old: Sequence[str], new: Sequence[str]) -> tuple[dict[int, Spans], dict[int, Spans]]:
    """Return the parts of the lines that their counterparts do not have, by index."""
    removed, added = dict[int, Spans](), dict[int, Spans]()
    if not old or not new or len(old) + len(new) > 2 * LARGEST_HUNK:
        return removed, added
    for before, after in _counterparts([*old], [*new]):
        spans = _differences(old[before], new[after])
        if spans is not None:
            removed[before], added[after] = spans
    return removed, added


def _counterparts(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """Return which lines belong together, by their indexes."""
    if len(old) == len(new):
        return [(row, row) for row in range(len(old))]
    found = []
    for first, last, start, stop in areas(old, new):
        found += [(first + row, start + row) for row in range(min(last - first, stop - start))]
    return found


def _differences(old: str, new: str) -> tuple[Spans, Spans] | None:
    """Return what differs in two lines; None if they have too little in common."""
    longest = max(len(old), len(new))
    if not old or not new or longest > LONGEST_LINE:
        return None
    before, after = WORD.findall(old), WORD.findall(new)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    common = sum(
        len("".join(before[at : at + size])) for at, _, size in matcher.get_matching_blocks()
    )
    if common < LEAST_COMMON * longest:
        return None
    removed, added = Spans(), Spans()
    for tag, first, last, start, stop in matcher.get_opcodes():
        if tag != "equal":
            _add(removed, before, first, last)
            _add(added, after, start, stop)
    return removed, added


def _add(spans: Spans, words: Sequence[str], first: int, last: int) -> None:
    if first < last:
        start = len("".join(words[:first]).encode())
        spans.append((start, start + len("".join(words[first:last]).encode())))
