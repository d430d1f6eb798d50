"""What is known of a file that waits for review: its texts, who wrote them, and the remarks on it.

All of it is bounded, such as the writes: those of the latest turns, with the first line of their
prompts.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import msgspec

from claude_ide.base.text_diff import hunks
from claude_ide.review.snapshot import ChangedFile
from claude_ide.review.texts import Hunk, Rows, Texts, are_alike, decoded, lines_of, moved, touches

MOST_REMEMBERED = 12
"""Texts of a file."""

MOST_SESSIONS = 4
"""Sessions of which a file's base is kept."""

NONE = "?"
"""No id of a text."""

LONGEST_TOLD = 6000
"""Characters of the old and of the new lines of a change, and of the lines of a remark."""

MOST_WRITES = 10
LONGEST_WORDS = 200
"""Characters of a prompt or a reason."""

BINARY = "binary"

TextOf = Callable[[str | None], str | None]
"""Returns the text with an id."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of a session."""

    session: str
    turn: str = ""
    prompt: str = ""
    reason: str = ""
    """What the agent has said before it wrote."""


class Base(msgspec.Struct, frozen=True, omit_defaults=True):
    """The text before a session wrote a file, and before its latest turn did."""

    session: str | None
    turn: str | None
    turn_id: str = ""


class Memory(msgspec.Struct, frozen=True, omit_defaults=True):
    """The base and the agent's text of an earlier text, and how often was decided until then."""

    base: str | None
    agent: str | None
    decisions: int = 0


class Write(msgspec.Struct, omit_defaults=True):
    """What one turn has made of a file, from one text to another, and why."""

    session: str
    turn: str
    before: str | None
    after: str | None
    time: int
    """Unix time in seconds."""
    prompt: str = ""
    reason: str = ""

    def is_of(self, turn: Turn) -> bool:
        """Return whether a turn has written it."""
        return (self.session, self.turn) == (turn.session, turn.turn)

    def words(self) -> list[str]:
        """Return in words when it was, for which prompt, and what the agent has said before."""
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(self.time))
        lines = [when, f"Prompt: {self.prompt or '(not known)'}"]
        return [*lines, f"Reason: {self.reason}"] if self.reason else lines


class ReviewEntry(msgspec.Struct, omit_defaults=True):
    """A file that waits for review. Texts have ids; None: there is no file (`Texts`)."""

    base: str | None
    agent: str | None
    now: str | None
    obstacle: str = ""
    """Why no lines of the file are shown; its texts may be unknown then, and are stamps."""
    mode: tuple[int, int] | None = None
    """The permissions before and after, if an agent has changed them."""
    origin: str = ""
    """The path that the file had before an agent moved it."""
    is_perhaps: bool = False
    """Whether it is uncertain that an agent has written the file."""
    written: int = 0
    """When an agent wrote it last: Unix time in seconds."""
    bases: dict[str, Base] = msgspec.field(default_factory=dict)
    """By session, the latest last."""
    writes: list[Write] = msgspec.field(default_factory=list)
    """Of the latest turns that wrote it, the latest last."""
    memory: dict[str, Memory] = msgspec.field(default_factory=dict)
    """By an earlier text ("": no file), the latest last."""
    decisions: int = 0
    """How often the user has kept something, or taken that back."""

    @property
    def waits(self) -> bool:
        """Whether something of the file is left to review."""
        return self.base != self.now or bool(self.origin) or self.mode is not None

    @property
    def status(self) -> str:
        """What has become of the file: `modified`, `created`, `deleted`, `renamed` or `binary`."""
        if self.origin:
            return "renamed"
        if self.base is None:
            return "created"
        if self.now is None:
            return "deleted"
        return "binary" if self.obstacle == BINARY else "modified"

    def begin(self, turn: Turn) -> None:
        """Note the text before a session, and before a turn of it, writes the file."""
        known = self.bases.pop(turn.session, None) or Base(self.now, self.now, turn.turn)
        if known.turn_id != turn.turn:
            known = Base(known.session, self.now, turn.turn)
        self.bases[turn.session] = known
        for session in [*self.bases][:-MOST_SESSIONS]:
            del self.bases[session]

    def rebase(self, follow: Callable[[str | None], str | None]) -> None:
        """Move the texts before sessions and turns, each by its id."""
        for session, base in self.bases.items():
            self.bases[session] = Base(follow(base.session), follow(base.turn), base.turn_id)

    def remember(self, seen: "ReviewEntry | None" = None) -> None:
        """Note what a text of the file is compared with: that of now, or one that was `seen`."""
        seen = seen or self
        key = seen.now or ""
        self.memory.pop(key, None)
        self.memory[key] = Memory(seen.base, seen.agent, self.decisions)
        for name in [*self.memory][:-MOST_REMEMBERED]:
            del self.memory[name]

    def nearest(self, now: str | None, text: str, text_of: TextOf) -> str:
        """Return the id of the earlier text with hunks that a new text has most in common with.

        `NONE` if that is the text of now: the user may have changed something since an undo.
        """
        lines = _counted(text)
        best, most = NONE, (_counted(now) & lines).total()
        for name, then in self.memory.items():
            if name and name != then.base:
                common = (_counted(text_of(name)) & lines).total()
                if common > most:
                    best, most = name, common
        return best

    def note_write(self, turn: Turn, before: str | None, after: str | None) -> None:
        """Record that a turn has made one text of the file from another (their ids)."""
        last = self.writes[-1] if self.writes else None
        reason = turn.reason
        if last and last.is_of(turn) and last.after == before:
            self.writes.pop()
            before, reason = last.before, reason or last.reason
        now = int(time.time())
        write = Write(turn.session, turn.turn, before, after, now, _cut(turn.prompt), _cut(reason))
        self.writes = [*self.writes, write][-MOST_WRITES:]

    def explain(self, turn: Turn, words: str) -> None:
        """Add why a turn has written the file, which may be known only later."""
        if self.writes and self.writes[-1].is_of(turn):
            self.writes[-1].reason = _cut(words)

    def write_of(self, text_of: TextOf, text: str, row: int) -> Write | None:
        """Return the write that has made a row of a text; None if that is not known."""
        for write in reversed(self.writes):
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


class Remark(msgspec.Struct, omit_defaults=True):
    """Words of the user on some rows of a file, 0-based, the last one exclusive.

    `quoted` has the lines. `state` is "open", "sent" or "answered".
    """

    path: str
    first: int
    last: int
    quoted: str
    words: str
    state: str = "open"
    text: str | None = None
    """The id of the text that has these rows; None if it is not known."""

    def at(self, rows: Rows) -> "Remark":
        """Return it as it is if it is on these rows."""
        return msgspec.structs.replace(self, first=rows[0], last=rows[1])


class Told(msgspec.Struct, frozen=True):
    """A change that the user has `reverted` or `restored`, which its session has to learn."""

    session: str
    path: str
    kind: str
    old: str
    new: str

    @classmethod
    def of(cls, session: str, path: str, kind: str, old: str, new: str) -> "Told":
        """Return a change of any size."""
        return cls(session, path, kind, cut(old), cut(new))


class Kept(msgspec.Struct, frozen=True):
    """A file before the user kept something of it, and its base and agent's text after that."""

    path: str
    entry: ReviewEntry
    base: str | None = None
    agent: str | None = None
    unsaved: str = ""
    seen: Memory | None = None
    """What the text of a buffer was compared with before, if it was `unsaved`."""
    is_joined: bool = False
    """Whether `undo` takes it back together with the one before."""


class State(msgspec.Struct, omit_defaults=True):
    """What is known of a folder, by paths relative to it."""

    files: dict[str, ReviewEntry] = msgspec.field(default_factory=dict)
    remarks: list[Remark] = msgspec.field(default_factory=list)
    kept: list[Kept] = msgspec.field(default_factory=list)
    """What `undo` takes back, the latest last."""
    head: str = ""
    """The commit whose files were compared last."""
    told: list[Told] = msgspec.field(default_factory=list)
    unknown: list[str] = msgspec.field(default_factory=list)
    """What cannot be known of what agents have written, in one line each."""
    dropped: int = 0
    """How many files were dropped because they were too many, too large, or too old."""

    def since(self, session: str, *, is_turn: bool) -> dict[str, ReviewEntry]:
        """Return the files that differ from before a session, or its latest turn, based on that.

        An empty `session` is the one that wrote last.
        """
        latest = sorted(self.files.values(), key=lambda entry: entry.written)
        session = session or next((each for entry in reversed(latest) for each in entry.bases), "")
        turns = [entry.bases[session].turn_id for entry in latest if session in entry.bases]
        found = {}
        for name, entry in self.files.items():
            base = entry.bases.get(session)
            if base is None or (is_turn and base.turn_id != turns[-1]):
                continue
            before = base.turn if is_turn else base.session
            if before != entry.now or entry.origin or entry.mode:
                found[name] = msgspec.structs.replace(entry, base=before)
        return found

    def placed(self, path: str, text: str, text_of: TextOf) -> list[tuple[Rows, Remark]]:
        """Return the remarks on a file that has this text, with the rows where they are now."""
        known = [each for each in self.remarks if each.path == path]
        lines = lines_of(text) if known else []
        found = list[tuple[Rows, Remark]]()
        for each in known:
            then, rows = text_of(each.text), (each.first, each.last)
            near = rows if then is None else moved(then, text, rows)
            found.append((_rows(each, lines, near[0]) or _clamped(near, lines), each))
        return found

    def remarks_at(
        self, path: str, rows: Rows, text: str, text_of: TextOf
    ) -> list[tuple[Rows, Remark]]:
        """Return those of them that touch some rows."""
        placed = self.placed(path, text, text_of)
        return [(at, each) for at, each in placed if at[0] < rows[1] and rows[0] < at[1]]

    def remark(self, remark: Remark, text: str, text_of: TextOf) -> None:
        """Add a remark on a file that has this text, or change the words of the one there."""
        lines, rows = lines_of(text), (remark.first, remark.last)
        for at, there in self.remarks_at(remark.path, rows, text, text_of)[:1]:
            if there.quoted == cut("".join(lines[slice(*at)])):
                there.words, there.state = remark.words, "open"
                return
            # Its lines are others by now.
            self.remarks.remove(there)
        remark.quoted = cut("".join(lines[slice(*rows)]))
        self.remarks.append(remark)

    def moved(self, source: str, name: str) -> None:
        """Know that a file has another path: remarks on it follow."""
        for each in self.remarks:
            each.path = name if each.path == source else each.path

    def answer(self, path: str, before: str | None, after: str | None, text_of: TextOf) -> None:
        """Know that an agent has written a file: remarks on lines that it changed are answered."""
        placed = self.placed(path, before or "", text_of)
        sent = [(rows, each) for rows, each in placed if each.state == "sent"]
        old, new = lines_of(before or ""), lines_of(after or "")
        changed = [*hunks(old, new)] if sent else []
        for rows, each in sent:
            is_unknown = before is None or after is None or not each.quoted
            is_gone = is_unknown and _rows(each, new, rows[0]) is None
            is_written = is_gone if is_unknown else _is_changed(rows, changed)
            each.state = "answered" if is_written else each.state

    def texts(self) -> set[str]:
        """Return the ids of all texts that the state names."""
        entries = [*self.files.values(), *(each.entry for each in self.kept)]
        named: set[str | None] = set()
        for each in entries:
            named |= {each.base, each.agent, each.now}
            for base in each.bases.values():
                named |= {base.session, base.turn}
            for write in each.writes:
                named |= {write.before, write.after}
            for now, then in each.memory.items():
                named |= {now or None, then.base, then.agent}
        for kept in self.kept:
            named |= {kept.base, kept.agent, kept.unsaved or None}
            named |= {kept.seen.base, kept.seen.agent} if kept.seen else set()
        named |= {each.text for each in self.remarks}
        return {name for name in named if name is not None}


@dataclass(frozen=True, slots=True)
class File:
    """A file that waits for review."""

    path: str
    status: str
    """As `ReviewEntry.status`."""
    texts: Texts | None
    """None: the texts are not known, or are none."""
    entry: ReviewEntry
    is_compared: bool = False
    """Whether the base is another text than the one before its review."""

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
    def is_reviewed(self) -> bool:
        """Whether nothing of it is left to review: the lines of a buffer may be."""
        is_moved = bool(self.entry.origin) or self.entry.mode is not None
        return self.texts is not None and self.texts.is_reviewed and not is_moved

    @property
    def hunks(self) -> list[Hunk]:
        """What is left to review of it, line by line."""
        return self.texts.hunks if self.texts else []

    def hunks_in(self, rows: Rows, *, is_exact: bool = False) -> list[Hunk]:
        """Return the hunks that some rows touch; with `is_exact`, whose lines they have."""
        count = len(lines_of(self.texts.now or "")) if self.texts else 0
        return [hunk for hunk in self.hunks if touches(hunk, rows, count, is_exact=is_exact)]

    @property
    def counts(self) -> tuple[int, int]:
        """How many lines were added and removed."""
        if self.texts is None:
            return 0, 0
        if self.texts.base is None or self.texts.now is None:
            return len(lines_of(self.texts.now or "")), len(lines_of(self.texts.base or ""))
        added = sum(hunk.stop - hunk.start for hunk in self.hunks)
        return added, sum(hunk.last - hunk.first for hunk in self.hunks)


def compared(entry: ReviewEntry | None, path: str, base: str | None, now: str | None) -> File:
    """Return a file as it is compared with another base; None: no agent has written it."""
    status = "created" if base is None else "deleted" if now is None else "modified"
    # What no agent is known to have written is the user's.
    entry = entry or ReviewEntry(None, NONE, None)
    entry = msgspec.structs.replace(entry, origin="", mode=None, obstacle="")
    return File(path, status, Texts(base, now, now), entry, is_compared=True)


def obstacle_in(found: ChangedFile) -> str:
    """Return why no lines of a change can be shown; empty if they can."""
    texts = [decoded(each or b"") for each in (found.before, found.after)]
    return found.obstacle or ("" if None not in texts and are_alike(*texts) else BINARY)


def fits(texts: Texts, name: str | None, text: str | None) -> bool:
    """Return whether a text with an id, if it is known, can be compared with those of a file."""
    return (text is not None or name is None) and are_alike(texts.base, texts.now, text)


def _is_changed(rows: Rows, changed: Iterable[tuple[int, int, int, int]]) -> bool:
    """Return whether rows of a text are among those that are replaced, or lines were put inside."""
    first, last = rows
    return any(
        (first < start or start < stop) and start < last and first < max(stop, start + 1)
        for start, stop, *_ in changed
    )


def _rows(remark: Remark, lines: Sequence[str], near: int) -> Rows | None:
    """Return the rows that have the quoted lines, the nearest ones; None if they are gone."""
    quoted = lines_of(remark.quoted)
    count = len(quoted)
    if lines[near : near + count] == quoted:
        return (near, near + count) if count else None
    # Lines that were cut are nowhere.
    rows = range(len(lines) - count + 1 if len(remark.quoted) <= LONGEST_TOLD else 0)
    found = [row for row in rows if lines[row : row + count] == quoted] if count else []
    row = min(found, key=lambda each: abs(each - near), default=None)
    return None if row is None else (row, row + count)


def _clamped(near: Rows, lines: Sequence[str]) -> Rows:
    first = min(near[0], max(len(lines) - 1, 0))
    return first, max(min(near[1], len(lines)), first + 1)


def _counted(text: str | None) -> Counter[str]:
    """Count the lines of a text; those that differ only in blanks are the same to formatters."""
    return Counter("".join(line.split()) for line in lines_of(text or ""))


def _row_in(old: str, new: str, row: int) -> int | None:
    """Return where a row of a text was in an older one; None if it was not there."""
    shift = 0
    for _, stop, first, last in hunks(lines_of(old), lines_of(new)):
        if first <= row < last:
            return None
        if last <= row:
            shift = stop - last
    return row + shift


def cut(text: str) -> str:
    """Return a text, or its beginning if it is long."""
    return text if len(text) <= LONGEST_TOLD else f"{text[:LONGEST_TOLD]}…"


def _cut(words: str) -> str:
    line = words.strip().partition("\n")[0]
    return line if len(line) <= LONGEST_WORDS else f"{line[: LONGEST_WORDS - 1]}…"
