"""A file that waits for review."""

from dataclasses import dataclass

from claude_ide.review.baseline import Hunk, Rows, Texts, lines_of, touches
from claude_ide.review.encoding import are_alike, decoded
from claude_ide.review.snapshot import Found
from claude_ide.review.store import Entry

BINARY = "binary"


@dataclass(frozen=True, slots=True)
class File:
    """A file that waits for review."""

    path: str
    status: str
    """`modified`, `created`, `deleted`, `renamed` or `binary`."""
    texts: Texts | None
    """None: the texts are not known, or are none."""
    entry: Entry

    @property
    def is_whole(self) -> bool:
        """Whether it is kept or reverted as a whole only."""
        is_of_mode = self.entry.mode is not None and self.entry.base == self.entry.now
        return self.texts is None or self.status != "modified" or is_of_mode

    @property
    def is_mixed(self) -> bool:
        """Whether the user has changed what the agent has written."""
        return self.entry.agent != self.entry.now

    @property
    def hunks(self) -> list[Hunk]:
        """What is left to review of it, line by line."""
        return self.texts.hunks if self.texts else []

    def touches(self, rows: Rows) -> bool:
        """Return whether a hunk is in some rows."""
        count = len(lines_of(self.texts.now or "")) if self.texts else 0
        return any(touches(hunk, rows, count) for hunk in self.hunks)

    @property
    def counts(self) -> tuple[int, int]:
        """How many lines were added and removed."""
        if self.texts is None:
            return 0, 0
        if self.texts.base is None or self.texts.now is None:
            return len(lines_of(self.texts.now or "")), len(lines_of(self.texts.base or ""))
        added = sum(hunk.stop - hunk.start for hunk in self.hunks)
        return added, sum(hunk.last - hunk.first for hunk in self.hunks)


def obstacle_in(found: Found) -> str:
    """Return why no lines of a change can be shown; empty if they can."""
    texts = [decoded(each or b"") for each in (found.before, found.after)]
    return found.obstacle or ("" if None not in texts and are_alike(*texts) else BINARY)


def fits(texts: Texts, name: str | None, text: str | None) -> bool:
    """Return whether a text with an id, if it is known, can be compared with those of a file."""
    return (text is not None or name is None) and are_alike(texts.base, texts.now, text)
