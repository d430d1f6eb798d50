"""Shows an agent's changes in the quickfix list, and reports to it what the user reverts."""

import os.path
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from claude_ide.editor.busy import soon
from claude_ide.editor.editor import Editor
from claude_ide.editor.port import diffs
from claude_ide.errors import EditorError, UserError
from claude_ide.paths import within
from claude_ide.review.journal import FileChange, Journal

MOST_COUNTED = 500_000
"""Characters of two texts that are compared only to count their lines."""

LONGEST_NOTE = 6000
REVERTED = (
    "The user has reverted these of your changes in the editor. The files no longer contain them; "
    "do not make them again unless the user asks:"
)
RESTORED = "The user has restored these of your changes, which had been reverted:"
KEYS = ("reverted", "restored")
BUSY_SECONDS = 1.0
NONE = "no file has changed in this chat"


class News(NamedTuple):
    """The changes that the user has reverted, and restored: each a file, and a diff or words."""

    reverted: tuple[tuple[str, str], ...] = ()
    restored: tuple[tuple[str, str], ...] = ()

    @property
    def note(self) -> str:
        """The note for the model, cut to `LONGEST_NOTE` characters; empty without news."""
        parts = [
            "\n".join([heading, *(f"\n{name}: {what}" for name, what in found)])
            for heading, found in ((REVERTED, self.reverted), (RESTORED, self.restored))
            if found
        ]
        whole = "\n\n".join(parts)
        return whole if len(whole) <= LONGEST_NOTE else f"{whole[:LONGEST_NOTE]}\n[…]"

    @property
    def summary(self) -> str:
        """The news in one line for the user, such as `reverted 2 changes in a.py`."""
        parts = ((verb, found) for verb, found in zip(KEYS, self, strict=True) if found)
        return ", ".join(f"{verb} {_counted(found)}" for verb, found in parts)


class Reviews:
    """The reviews of one journal, which `source` identifies in Lua, and `name` for the user.

    Paths below `root` are shown relative to it.
    """

    def __init__(self, editor: Editor, journal: Journal, source: str, name: str, root: str) -> None:
        self._editor = editor
        self._journal = journal
        self._source = source
        self._agent = name
        self._root = root
        self._was_shown = False

    def resume(self) -> None:
        """Ask Neovim for news from now on: an earlier host may have shown a review."""
        self._was_shown = True

    async def count(self, turn: str) -> tuple[int, int, int] | None:
        """Return how many files a turn has changed, and the lines that it has added and removed.

        None if it has changed none.
        """
        changes = await self._journal.changes(turn)
        if not changes:
            return None
        texts = [_differing(change) for change in changes]
        small = ["".join(lines) for pair in texts for lines in pair if _is_small(pair)]
        await self.name_files()
        added, removed = await self._editor.port.review.count(small)
        for old, new in texts:
            if not _is_small((old, new)):
                added, removed = added + len(new), removed + len(old)
        return len(changes), added, removed

    async def name_files(self) -> None:
        """Give Neovim the names of the changed files, for completion."""
        names = [self._name(path) for path in self._journal.paths()]
        await self._editor.port.review.name_files(self._source, names)

    async def show(self, turn: str | None, title: str, only: Sequence[str] = ()) -> None:
        """Show the changes of a turn, or of all turns, in the quickfix list.

        `only` restricts them to these files and folders. Raises `UserError` if there are none.
        """
        changes = await self._journal.changes(turn)
        if not changes:
            raise UserError(self._why_none(turn))
        shown = [change for change in changes if not only or self._is_in(change.path, only)]
        if not shown:
            hint = "" if turn is None else " (:ClaudeChanges! lists all turns)"
            raise UserError(f"no change in {' '.join(only)}{hint}")
        self._was_shown = True
        request = {
            "source": self._source,
            "name": self._agent,
            "turn": "" if turn is None else turn,
            "title": title,
            "files": [self._described(change) for change in shown],
        }
        await self._editor.port.review.show(request)

    async def news(self) -> News:
        """Return what the user has reverted and restored since the last call."""
        if not self._was_shown:
            return News()
        try:
            # The agent waits for this, and Neovim may be at a prompt.
            news = await soon(self._unreported(), BUSY_SECONDS)
        except (EditorError, TimeoutError):
            return News()
        return News(
            *(
                tuple((each["name"], each["what"]) for each in hunks)
                for hunks in (news.reverted, news.restored)
            )
        )

    async def _unreported(self) -> diffs.News:
        news = await self._editor.port.review.news(self._source)
        await self._editor.port.review.mark_reported(self._source)
        return news

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
        return within(path, os.path.realpath(self._root))

    def _is_in(self, path: str, only: Sequence[str]) -> bool:
        wanted = (os.path.realpath(Path(self._root, each).expanduser()) for each in only)
        return any(Path(path).is_relative_to(each) for each in wanted)

    def _why_none(self, turn: str | None) -> str:
        if self._journal.is_forgotten(turn):
            return "these changes are too old: their texts were dropped to save memory"
        if turn is None:
            return NONE
        if self._journal.is_earlier(turn):
            return "no tool has reported a change of this earlier turn; commands are not recorded"
        return "this turn has changed no file"


def _named(hunks: Sequence[Mapping[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((each["name"], each["what"]) for each in hunks)


def _counted(found: Sequence[tuple[str, str]]) -> str:
    files = list(dict.fromkeys(name for name, _ in found))
    changes = "1 change" if len(found) == 1 else f"{len(found)} changes"
    return f"{changes} in {files[0] if len(files) == 1 else f'{len(files)} files'}"


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
