"""How the review looks in an editor: hunks in buffers, lines of the list, a value for scripts."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from claude_ide.base.errors import UserError
from claude_ide.base.text_diff import areas
from claude_ide.editor.port.files import NewText
from claude_ide.editor.port.review import Drawn, ListItem, ShownBuffer, Spans
from claude_ide.review.entry import File, Remark
from claude_ide.review.texts import USUAL, UTF_8, Hunk, Rows, Texts, encoded, lines_shown

WORD = re.compile(r"\w+|\s+|.", re.DOTALL)

LARGEST_HUNK = 100
"""Lines; of larger ones no words are marked."""

LONGEST_LINE = 500
"""Characters; of longer ones no words are marked."""

LEAST_COMMON = 0.3
"""Of the longer line: lines with less in common are different lines."""

MOST_REMOVED = 500
"""Lines of one hunk that are shown; nobody scrolls through more."""

CONTEXT = 3
"""Lines around a hunk in the preview."""

LONGEST_LABEL = 200
"""Characters of a line; a minified file has one of megabytes."""

MOST_PREVIEWED = 400
"""Lines of one hunk in the preview."""


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


def items(root: str, file: File) -> list[tuple[Rows | None, ListItem]]:
    """Return the lines of a file in the list, each with its rows; None: the whole file."""
    path = str(Path(root, file.path))
    texts, perhaps = file.texts, "perhaps: " if file.entry.is_perhaps else ""
    if file.is_whole or texts is None:
        added, removed = file.counts
        mode = file.entry.mode
        if mode is not None and file.status == "modified":
            label = f"+0 \N{MINUS SIGN}0  {perhaps}mode {mode[0]:o} → {mode[1]:o}"
            return [(None, ListItem(path, 0, label, []))]
        words = {"created": "new file", "deleted": "deleted file"}.get(file.status, file.status)
        moved = f" from {file.entry.origin}" if file.entry.origin else ""
        obstacle = file.entry.obstacle
        note = f" ({obstacle})" if obstacle not in ("", file.status) else ""
        text = f"+{added} \N{MINUS SIGN}{removed}  {perhaps}{words}{moved}{note}"
        return [(None, ListItem(path, 0, text, _diff_of_whole(texts)))]
    base, now = lines_shown(texts)
    items = list[tuple[Rows | None, ListItem]]()
    for hunk in file.hunks:
        new, old = now[hunk.start : hunk.stop], base[hunk.first : hunk.last]
        first = next((line.strip() for line in new or old if line.strip()), "")[:LONGEST_LABEL]
        text = f"+{len(new)} \N{MINUS SIGN}{len(old)}  {perhaps}{first}"
        diff = _preview(hunk, base, now)[:MOST_PREVIEWED]
        place = (hunk.start, max(hunk.stop, hunk.start + 1))
        items.append((place, ListItem(path, hunk.start, text, diff)))
    return items


def _preview(hunk: Hunk, base: Sequence[str], now: Sequence[str]) -> list[str]:
    """Return a hunk as a diff, with a few lines around it."""
    return [
        *_marked(" ", base[max(hunk.first - CONTEXT, 0) : hunk.first]),
        *_marked("-", base[hunk.first : hunk.last]),
        *_marked("+", now[hunk.start : hunk.stop]),
        *_marked(" ", now[hunk.stop : hunk.stop + CONTEXT]),
    ]


def _diff_of_whole(texts: Texts | None) -> list[str]:
    if texts is None:
        return []
    base, now = lines_shown(texts)
    if texts.now is None:
        return _marked("-", base)[:MOST_PREVIEWED]
    lines = [line for hunk in texts.hunks for line in _preview(hunk, base, now)]
    return lines[:MOST_PREVIEWED]


def _marked(sign: str, lines: Sequence[str]) -> list[str]:
    return [sign + line.rstrip("\r\n") for line in lines]


def note(line: str) -> ListItem:
    """Return a line of the list that is no change."""
    return ListItem("", 0, line, [], "ClaudeChatMeta")


def title(waiting: Sequence[File]) -> str:
    """Return the title of the list."""
    added = sum(each.counts[0] for each in waiting)
    removed = sum(each.counts[1] for each in waiting)
    noun = "file" if len(waiting) == 1 else "files"
    return f"Claude: {len(waiting)} {noun} +{added} \N{MINUS SIGN}{removed} · g? keys"


def value(
    root: str, waiting: Sequence[File], remarks: Sequence[Remark], unknown: Sequence[str]
) -> dict[str, list[Any]]:
    """Return what `review()` of the editors returns of a folder (`:help claude-ide.review()`)."""
    return {
        "files": [
            {
                "path": str(Path(root, file.path)),
                "status": file.status,
                "hunks": _hunk_values(file),
            }
            for file in waiting
        ],
        "remarks": [
            {
                "path": str(Path(root, each.path)),
                "first": each.first + 1,
                "last": each.last,
                "words": each.words,
                "state": each.state,
            }
            for each in remarks
        ],
        "unknown": [
            *unknown,
            *(f"{file.path}: {file.entry.obstacle}" for file in waiting if file.texts is None),
        ],
    }


def _hunk_values(file: File) -> list[dict[str, Any]]:
    now = lines_shown(file.texts)[1] if file.texts else []
    return [
        {
            "first": hunk.start + 1,
            "last": hunk.stop,
            "added": hunk.stop - hunk.start,
            "removed": hunk.last - hunk.first,
            "text": "".join(now[hunk.start : hunk.stop]),
        }
        for hunk in file.hunks
    ]


def of_buffer(buffer: ShownBuffer) -> str:
    """Return the text of a buffer, without loss. Raises `UserError` if it cannot be written so."""
    if buffer.encoding == UTF_8:
        return buffer.text
    try:
        return buffer.text.encode(buffer.encoding).decode(UTF_8, "surrogateescape")
    except UnicodeEncodeError:
        reason = "lacks some of its characters"
    except LookupError:
        reason = "is not known here"
    raise UserError(f"{buffer.path}: its encoding ({buffer.encoding}) {reason}")


def for_buffer(text: str, encoding: str) -> NewText:
    """Return a text without loss for a buffer with this 'fileencoding', which may get another."""
    try:
        return NewText(encoded(text).decode(encoding))
    except (UnicodeDecodeError, LookupError):
        return NewText(encoded(text).decode(USUAL), encoding=USUAL)
