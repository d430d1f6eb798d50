"""Shows an agent's changes in the quickfix list, and reports to it what the user reverts."""

import os.path
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from claude_ide.editor.editor import Editor
from claude_ide.errors import EditorError, UserError
from claude_ide.review.journal import FileChange, Journal

MOST_COUNTED = 500_000
"""Characters of two texts that are compared only to count their lines."""

LONGEST_NOTE = 6000
REVERTED = (
    "The user has reverted these of your changes in the editor. The files no longer contain them; "
    "do not make them again unless the user asks:"
)
RESTORED = "The user has restored these of your changes, which had been reverted:"


class Reviews:
    """The reviews of one journal, which `source` identifies in Lua.

    Paths below `root` are shown relative to it.
    """

    def __init__(self, editor: Editor, journal: Journal, source: str, root: str) -> None:
        self._editor = editor
        self._journal = journal
        self._source = source
        self._root = root
        self._was_shown = False

    async def count(self, turn: str) -> tuple[int, int, int] | None:
        """Return how many files a turn has changed, and the lines that it has added and removed.

        None if it has changed none.
        """
        changes = await self._journal.changes(turn)
        if not changes:
            return None
        texts = [_differing(change) for change in changes]
        small = ["".join(lines) for pair in texts for lines in pair if _is_small(pair)]
        names = [self._name(path) for path in self._journal.paths()]
        added, removed = await self._editor.run("review.count", self._source, small, names)
        for old, new in texts:
            if not _is_small((old, new)):
                added, removed = added + len(new), removed + len(old)
        return len(changes), int(added), int(removed)

    async def show(self, turn: str | None, title: str, only: Sequence[str] = ()) -> None:
        """Show the changes of a turn, or of all turns, in the quickfix list.

        `only` restricts them to these files and folders. Raises `UserError` if there are none.
        """
        changes = await self._journal.changes(turn)
        if not changes:
            raise UserError(self._why_none(turn))
        shown = [change for change in changes if not only or self._is_in(change.path, only)]
        if not shown:
            raise UserError(f"not among the changed files: {' '.join(only)}")
        self._was_shown = True
        request = {
            "source": self._source,
            "turn": "" if turn is None else turn,
            "title": title,
            "files": [self._described(change) for change in shown],
        }
        await self._editor.run("review.show", request)

    async def note(self) -> str:
        """Return a note for the model on what the user has reverted since the last note, or ""."""
        if not self._was_shown:
            return ""
        try:
            news = await self._editor.run("review.news", self._source)
        except EditorError:
            return ""
        return note(news)

    def _described(self, change: FileChange) -> dict[str, Any]:
        before, after = change.before, change.after
        return {
            "path": change.path,
            "name": self._name(change.path),
            "before": before.text,
            "after": after.text,
            "had_file": before.exists,
            "has_file": after.exists,
            "obstacle": before.obstacle or after.obstacle,
        }

    def _name(self, path: str) -> str:
        root = os.path.realpath(self._root)
        return os.path.relpath(path, root) if path.startswith(root + os.path.sep) else path

    def _is_in(self, path: str, only: Sequence[str]) -> bool:
        wanted = (os.path.realpath(Path(self._root, each).expanduser()) for each in only)
        return any(Path(path).is_relative_to(each) for each in wanted)

    def _why_none(self, turn: str | None) -> str:
        if self._journal.is_forgotten(turn):
            return "these changes are too old: their texts were dropped to save memory"
        if turn is None:
            return "no file has changed in this chat"
        return "this turn has changed no file"


def note(news: Mapping[str, Iterable[Mapping[str, str]]]) -> str:
    """Return the note for `review.news`, cut to `LONGEST_NOTE` characters."""
    parts = [
        "\n".join([heading, *(f"\n{each['name']}: {each['what']}" for each in found)])
        for heading, key in ((REVERTED, "reverted"), (RESTORED, "restored"))
        if (found := news.get(key))
    ]
    whole = "\n\n".join(parts)
    return whole if len(whole) <= LONGEST_NOTE else f"{whole[:LONGEST_NOTE]}\n[…]"


def _is_small(pair: tuple[list[str], list[str]]) -> bool:
    """Return whether two texts are compared line by line."""
    return sum(len(line) for lines in pair for line in lines) <= MOST_COUNTED


def _differing(change: FileChange) -> tuple[list[str], list[str]]:
    """Return the parts of both texts that differ; empty if one is unknown."""
    if change.before.obstacle or change.after.obstacle:
        return [], []
    old = (change.before.text or "").splitlines(keepends=True)
    new = (change.after.text or "").splitlines(keepends=True)
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    same = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), None)
    first = min(len(old), len(new)) if same is None else same
    return old[first:], new[first:]
