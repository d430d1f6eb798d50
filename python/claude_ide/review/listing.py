"""What waits for review, as lines of a list and as a value for the user's scripts."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from claude_ide.editor.port.review import ListItem
from claude_ide.review.baseline import Hunk, Rows, Texts
from claude_ide.review.encoding import lines_shown
from claude_ide.review.review import File
from claude_ide.review.store import Remark

CONTEXT = 3
"""Lines around a hunk in the preview."""

LONGEST_LABEL = 200
"""Characters of a line; a minified file has one of megabytes."""

MOST_PREVIEWED = 400
"""Lines of one hunk in the preview."""


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
