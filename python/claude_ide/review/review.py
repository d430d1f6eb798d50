"""What agents have written in a folder and the user has not reviewed: kept, reverted, told.

Paths are relative to the folder's root. All methods read and write files: they are called in
threads.
"""

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from claude_ide.base.text_diff import merge
from claude_ide.review.entry import (
    File,
    Kept,
    Memory,
    Remark,
    ReviewEntry,
    State,
    Told,
    Turn,
    Write,
    compared,
    fits,
    obstacle_in,
)
from claude_ide.review.snapshot import LARGEST, ChangedFile, content_of, moves
from claude_ide.review.store import Store
from claude_ide.review.telling import KEPT, REVERTED, bounded, kept, record, reviewable
from claude_ide.review.texts import (
    Rows,
    Texts,
    are_alike,
    decoded,
    encoded,
    moved,
    readable,
    without,
)

UNKNOWN = "?"
"""The first letter of what stands for the id of a content that is not known."""

PRIVATE = "private"

MOST_UNKNOWN = 5
"""Lines."""


class Review:
    """The review of the folder `root`, whose state is in `store`."""

    def __init__(
        self, root: str, store: Store, is_private: Callable[[str], bool] = lambda path: False
    ) -> None:
        self.root = root
        self._store = store
        self._is_private = is_private
        self.held = set[str]()
        """Paths of files that are being reverted in several steps: there is nothing to look at."""

    # What is written

    def wrote(self, turn: Turn, found: Iterable[ChangedFile], *, is_perhaps: bool = False) -> None:
        """Record what an agent has written, with what was there before."""
        moved, rest = moves([*found])
        with self._store.change() as state:
            for old, new in moved:
                self._move(state, turn, old, new)
            for each in rest:
                self._write(state, turn, each, is_perhaps=is_perhaps)

    def know_not(self, what: str) -> None:
        """Record in one line what cannot be known of what an agent has written."""
        if what not in self._store.state().unknown:
            with self._store.change() as state:
                state.unknown = [*state.unknown[1 - MOST_UNKNOWN :], what]

    def decided(self) -> None:
        """Know that the user has decided about everything, also about what cannot be known."""
        with self._store.change() as state:
            state.unknown, state.dropped = [], 0

    def unknown(self) -> list[str]:
        """Return what cannot be known, in one line each."""
        state = self._store.state()
        dropped = f"{state.dropped} files were dropped: too many, too large or too old"
        lines = [*state.unknown, *([dropped] if state.dropped else [])]
        return [*lines, *([self._store.problem] if self._store.problem else [])]

    def accepted(self, path: str, before: bytes | None, after: bytes | None, turn: Turn) -> None:
        """Record what an agent has written and the user has accepted, as it stands."""
        name = self._relative(path)
        if name in self._store.state().files:
            self._other(path, before)
            self._other(path, after)
        if not self._is_private(path):
            with self._store.change() as state:
                old, now = (self._kept(each, is_known=True) for each in (before, after))
                entry = state.files.setdefault(
                    name, ReviewEntry(now, now, now, written=int(time.time()))
                )
                entry.note_write(turn, old, now)
        if any(each.path == name for each in self._store.state().remarks):
            with self._store.change() as state:
                self._answer(state, name, *(decoded(each or b"") for each in (before, after)))

    def look(self, path: str) -> None:
        """Record what somebody else has written to a file that waits for review."""
        entry = self._store.state().files.get(self._relative(path))
        if entry is None or path in self.held:
            return
        content = self._content(path)
        if content is None and os.path.lexists(path):
            # It is private, too large, or no file any more: nothing is known of what it has.
            return
        if entry.now != (None if content is None else self._store.id_of(content)):
            self._other(path, content)

    def look_at_all(self) -> None:
        """Do the same with all files that wait."""
        for name in [*self._store.state().files]:
            self.look(str(Path(self.root, name)))

    def _write(self, state: State, turn: Turn, found: ChangedFile, *, is_perhaps: bool) -> None:
        if self._is_private(found.path):
            found = ChangedFile(found.path, None, None, found.mode, PRIVATE)
        name = self._relative(found.path)
        entry = state.files.get(name)
        if entry is None:
            before = self._kept(
                found.before, is_known=found.before is not None or not found.obstacle
            )
            entry = ReviewEntry(before, before, before, is_perhaps=is_perhaps)
        else:
            self._apply_other(name, entry, state, found.before, found.obstacle)
        entry.begin(turn)
        entry.remember()
        entry.obstacle = obstacle_in(found)
        after = self._kept(found.after, is_known=found.after is not None or not found.obstacle)
        entry.note_write(turn, entry.now, after)
        texts = self._texts(entry)
        new = self._text(after)
        self._answer(state, name, self._text(entry.now), new)
        if texts is None or not fits(texts, after, new):
            entry.agent = entry.now = after
        else:
            self._set(entry, texts.written_by_agent(new))
        if found.mode is not None:
            entry.mode = entry.mode[0] if entry.mode else found.mode[0], found.mode[1]
        entry.written, entry.is_perhaps = int(time.time()), entry.is_perhaps and is_perhaps
        state.files[name] = entry

    def _move(self, state: State, turn: Turn, old: ChangedFile, new: ChangedFile) -> None:
        source, name = self._relative(old.path), self._relative(new.path)
        state.moved(source, name)
        entry = state.files.pop(source, None)
        content = self._kept(old.before, is_known=True)
        if entry is None:
            entry = ReviewEntry(content, content, content)
        self._apply_other(source, entry, state, old.before, "")
        entry.begin(turn)
        entry.remember()
        if entry.base is not None:
            entry.origin = entry.origin or source
        if entry.now != content:
            entry.agent = entry.now = content
        entry.obstacle = obstacle_in(new)
        entry.written = int(time.time())
        state.files[name] = entry

    def _other(self, path: str, content: bytes | None) -> None:
        name = self._relative(path)
        with self._store.change() as state:
            if entry := state.files.get(name):
                self._apply_other(name, entry, state, content, "")
                state.files[name] = entry

    def _apply_other(
        self, name: str, entry: ReviewEntry, state: State, content: bytes | None, obstacle: str
    ) -> None:
        """Move the texts of a file to what somebody else has made of it."""
        if obstacle:
            return
        now = self._kept(content, is_known=True)
        if now == entry.now:
            return
        texts, text = self._texts(entry), self._text(now)
        if texts is None or not fits(texts, now, text):
            entry.base = entry.agent = entry.now = now
            return
        before = reviewable(texts)
        entry.remember()
        new = self._written_by_other(entry, texts, text)
        self._rebase(entry, texts, text, new)
        self._set(entry, new)
        after = reviewable(self._texts(entry) or texts)
        record(state, next(reversed(entry.bases), ""), name, before, after)

    def _written_by_other(self, entry: ReviewEntry, texts: Texts, text: str | None) -> Texts:
        """Return the texts after somebody else has written a text, which may be an earlier one."""
        name = "" if text is None else self._id_of(text)
        if text is not None and name not in entry.memory:
            name = entry.nearest(texts.now, text, self._text)
        if known := entry.memory.get(name):
            there = known.base, known.agent, name or None
            then = Texts(*(self._text(each) for each in there))
            is_decided = known.decisions != entry.decisions
            texts = texts.recalled(then) if is_decided else then
        return texts.written_by_other(text)

    def _rebase(self, entry: ReviewEntry, texts: Texts, text: str | None, new: Texts) -> None:
        """Move the texts before sessions and turns to what somebody else has made of a file."""

        def follow(name: str | None) -> str | None:
            if name == entry.base:
                return self._id(new.base)
            there = Texts(self._text(name), texts.agent, texts.now)
            return self._id(there.written_by_other(text).base)

        entry.rebase(follow)

    def put_below(self, path: str, before: str, unsaved: str) -> None:
        """Compare a file with what the user had made of a text before an agent wrote over that."""

        def below(name: str | None) -> str | None:
            text = self._text(name)
            merged = None if text is None else merge(before, text, unsaved)
            return name if merged is None else self._id(merged)

        with self._store.change() as state:
            if entry := state.files.get(self._relative(path)):
                entry.base = below(entry.base)
                entry.rebase(below)

    def explain(self, turn: Turn, path: str, words: str) -> None:
        """Record why a turn has written a file."""
        with self._store.change() as state:
            if entry := state.files.get(self._relative(path)):
                entry.explain(turn, words)

    def why(self, path: str, text: str, row: int) -> Write | None:
        """Return what an agent has made of a file when it wrote a row of it, as far as known."""
        entry = self._store.state().files.get(self._relative(path))
        return entry.write_of(self._text, text, row) if entry else None

    # What is left

    def names(self) -> list[str]:
        """Return the files that agents have written, reviewed or not."""
        return [*self._store.state().files]

    def files(self) -> list[File]:
        """Return the files that wait for review."""
        state = self._store.state()
        return [self._file(name, entry) for name, entry in state.files.items() if entry.waits]

    def since(self, session: str, *, is_turn: bool) -> list[File]:
        """Return the files that differ from before a session, or its latest turn, reviewed or not.

        An empty `session` is the one that wrote last.
        """
        found = self._store.state().since(session, is_turn=is_turn)
        return [self._file(name, entry) for name, entry in found.items()]

    def file(self, path: str, text: str | None = None) -> File | None:
        """Return a file that waits, with its texts as if it had this one; None if none waits."""
        name = self._relative(path)
        entry = self._store.state().files.get(name)
        if entry is None:
            return None
        found = self._file(name, entry)
        if text is None or found.texts is None or text == found.texts.now:
            return found if entry.waits else None
        texts = self._written_by_other(entry, found.texts, text)
        if texts.is_reviewed and not entry.waits:
            return None
        return File(name, found.status, texts, entry)

    def compared(self, name: str, base: str | None, now: str | None) -> File:
        """Return a file that has a text as it is compared with another base."""
        return compared(self._store.state().files.get(name), name, base, now)

    def _file(self, name: str, entry: ReviewEntry) -> File:
        return File(name, entry.status, self._texts(entry), entry)

    def count(self, turn: Turn) -> tuple[int, int, int]:
        """Return how many files a turn has left unreviewed, and its added and removed lines."""
        count = added = removed = 0
        for name, entry in self._store.state().files.items():
            base = entry.bases.get(turn.session)
            if base is None or base.turn_id != turn.turn:
                continue
            texts = self._known(base.turn, entry.agent, entry.now)
            plus, minus = File(name, "modified", texts, entry).counts
            count, added, removed = count + 1, added + plus, removed + minus
        return count, added, removed

    def latest(self, path: str) -> bytes | None:
        """Return the content that a file had at the last look; None if that is unknown."""
        entry = self._store.state().files.get(self._relative(path))
        return self.content_of(entry.now) if entry else None

    # What the user decides

    def keep(
        self,
        path: str,
        rows: Rows | None = None,
        text: str | None = None,
        *,
        is_exact: bool = False,
        is_joined: bool = False,
    ) -> None:
        """Keep the hunks that rows of a file, or of its buffer with this text, touch, or all."""
        name = self._relative(path)
        with self._store.change() as state:
            entry = state.files.get(name)
            if entry is None:
                return
            before = msgspec.structs.replace(entry, memory={})
            texts = self._texts(entry)
            seen: tuple[str, Memory | None] = ("", None)
            there = None
            if texts is not None and text is not None and text != texts.now:
                there = self._written_by_other(entry, texts, text)
            entry.decisions += 1
            if there is not None:
                seen = self._keep_unsaved(entry, there, rows, is_exact=is_exact)
            if rows is not None and text is not None and texts is not None:
                rows = moved(text, texts.now or "", rows)
            if rows is None or texts is None or self._file(name, entry).is_whole:
                entry.base, entry.origin, entry.mode = entry.now, "", None
                entry.agent = entry.now
            else:
                self._set(entry, texts.kept(rows, is_exact=is_exact))
            state.kept.append(Kept(name, before, entry.base, entry.agent, *seen, is_joined))
            told = self._told_kept(name, before, entry)
            state.told = bounded([*state.told, *told])
            state.files[name] = entry

    def _keep_unsaved(
        self, entry: ReviewEntry, there: Texts, rows: Rows | None, *, is_exact: bool
    ) -> tuple[str, Memory]:
        """Keep what only a buffer has; return its text, and what that was compared with."""
        before, after = ReviewEntry(None, None, None), ReviewEntry(None, None, None)
        self._set(before, there)
        self._set(after, there.kept(rows, is_exact=is_exact))
        entry.remember(after)
        return before.now or "", Memory(before.base, before.agent)

    def _told_kept(self, name: str, before: ReviewEntry, after: ReviewEntry) -> list[Told]:
        """Return what the sessions of a file have to learn of a keep."""
        is_whole = self._file(name, before).is_whole
        changes = kept(*(None if is_whole else self._texts(each) for each in (before, after)))
        session = next(reversed(after.bases), "")
        return [Told.of(session, name, KEPT, *each) for each in changes]

    def revert(
        self, found: File, rows: Rows | None, *, is_exact: bool = False, is_forced: bool = False
    ) -> Texts | None:
        """Return the texts of a file after a revert; None if its texts are not known.

        Nothing is written: the caller writes the text, or lets the buffer have it. Raises
        `OverlapError` as `Texts.reverted` does.
        """
        if found.texts is None:
            return None
        texts = found.texts.reverted(rows, is_exact=is_exact, is_forced=is_forced)
        with self._store.change() as state:
            if entry := state.files.get(found.path):
                # Not all that differs from another base waits.
                for each in () if found.is_compared else (found.texts, texts):
                    seen = ReviewEntry(None, None, None)
                    self._set(seen, each)
                    entry.remember(seen)
                if found.is_compared:
                    self._let_wait(entry, found.texts.now or "", texts.now or "")
        return texts

    def _let_wait(self, entry: ReviewEntry, now: str, reverted: str) -> None:
        """Let what the user has kept and reverts wait again: its session learns of the revert."""
        written = [self._text(each.session) for each in entry.bases.values()]
        base = self._text(entry.base)
        if base is not None:
            agents = [text for text in written if text is not None]
            entry.base = self._id(without(now, base, reverted, agents))
            entry.decisions += 1

    def let_wait_whole(self, found: File) -> None:
        """Do the same with a file that is new, or gone, in comparison with another base."""
        with self._store.change() as state:
            entry = state.files.get(found.path)
            base = self._id(found.texts.base) if found.texts else None
            if entry and base in {each.session for each in entry.bases.values()}:
                entry.base = base

    def undo(self) -> Kept | None:
        """Take the last keep back and return it, None if there is none."""
        with self._store.change() as state:
            if not state.kept:
                return None
            last = state.kept.pop()
            before = last.entry
            as_kept = ReviewEntry(
                last.base, last.agent, before.now, before.obstacle, bases=before.bases
            )
            undone = self._told_kept(last.path, before, as_kept)
            state.told = [each for each in state.told if each not in undone]
            entry = state.files.get(last.path, as_kept)
            content = self._content(str(Path(self.root, last.path)))
            if content is not None or not os.path.lexists(Path(self.root, last.path)):
                self._apply_other(last.path, entry, state, content, "")
            entry.decisions += 1
            if last.seen:
                entry.remember(ReviewEntry(last.seen.base, last.seen.agent, last.unsaved))
            if (entry.base, entry.now) == (last.base, before.now):
                entry.base, entry.agent = before.base, before.agent
                entry.origin, entry.mode = before.origin, before.mode
                entry.obstacle = before.obstacle
            else:
                now, then, after = (self._texts(each) for each in (entry, before, as_kept))
                if now and then and after:
                    self._set(entry, now.unkept(then, after))
            state.files[last.path] = entry
            return last

    def reverted_whole(self, path: str, *, is_mode: bool = False) -> None:
        """Record that a file was brought back to what it was, as a whole, or only its mode."""
        name = self._relative(path)
        with self._store.change() as state:
            if entry := state.files.get(name):
                old, new = (readable(self._text(each) or "") for each in (entry.base, entry.now))
                if is_mode and entry.mode:
                    old, new = (f"mode {each:o}\n" for each in entry.mode)
                else:
                    entry.remember()
                    reverted = None if entry.origin else entry.base
                    entry.base = entry.agent = entry.now = reverted
                    entry.origin, entry.obstacle = "", ""
                entry.mode = None
                session = next(reversed(entry.bases), "")
                state.told.append(Told.of(session, name, REVERTED, old, new))

    def told(self, session: str) -> list[Told]:
        """Return what the user has reverted and restored of a session's changes, once."""
        found = [each for each in self.untold() if each.session == session and each.kind != KEPT]
        self.tell(found)
        return found

    def untold(self) -> list[Told]:
        """Return what the user has reverted, restored and kept, and no session has learnt."""
        return [*self._store.state().told]

    def tell(self, told: Sequence[Told], *, is_untold: bool = False) -> None:
        """Know that this was told, or was not."""
        if told:
            with self._store.change() as state:
                rest = [each for each in state.told if each not in told]
                state.told = [*told, *rest] if is_untold else rest

    def committed(
        self, head: str, contents: Mapping[str, bytes | None], *, is_kept: bool = True
    ) -> list[str]:
        """Keep the files that are as a commit has them; return the paths of those it has kept.

        `contents` are those of the commit `head`, by path; None: it has no such file. What git has
        written together with the commit is nobody's, also unless `is_kept`.
        """
        kept = list[str]()
        with self._store.change() as state:
            state.head = head
            for name, content in contents.items():
                entry = state.files.get(name)
                if entry is None or not entry.waits or entry.mode is not None:
                    continue
                now = self._content(str(Path(self.root, name)))
                if now != content and not (now and now.replace(b"\r\n", b"\n") == content):
                    continue
                name_now = self._kept(now, is_known=True)
                if name_now == entry.now:
                    if not is_kept:
                        continue
                    was, is_joined = msgspec.structs.replace(entry, memory={}), bool(kept)
                    state.kept.append(Kept(name, was, name_now, name_now, is_joined=is_joined))
                    kept.append(name)
                    entry.decisions += 1
                else:
                    entry.remember()
                    if texts := self._texts(entry):
                        text = self._text(name_now)
                        self._rebase(entry, texts, text, Texts.same(text))
                entry.base, entry.agent, entry.now, entry.origin = name_now, name_now, name_now, ""
                state.files[name] = entry
        return kept

    @property
    def path(self) -> Path:
        """The file of the state."""
        return self._store.path

    @property
    def head(self) -> str:
        """The commit whose files were compared last."""
        return self._store.state().head

    # Remarks

    def sessions(self, path: str = "") -> set[str]:
        """Return the sessions that have written a file, or any."""
        name = self._relative(path) if path else ""
        files_ = self._store.state().files.items()
        return {session for each, entry in files_ if name in ("", each) for session in entry.bases}

    def remarks(self) -> list[Remark]:
        """Return all remarks."""
        return [*self._store.state().remarks]

    def remark(self, path: str, rows: Rows, text: str, words: str) -> None:
        """Add a remark on rows of a file that has this text, or change the one that is there."""
        id_ = self._id(text) if len(text) <= LARGEST else None
        with self._store.change() as state:
            state.remark(Remark(self._relative(path), *rows, "", words, text=id_), text, self._text)

    def remove_remarks(self, path: str = "", rows: Rows | None = None, text: str = "") -> int:
        """Remove the remarks on rows of a file, or all; return how many."""
        with self._store.change() as state:
            gone = [*state.remarks]
            if path and rows:
                found = state.remarks_at(self._relative(path), rows, text, self._text)
                gone = [each for _, each in found]
            state.remarks = [each for each in state.remarks if each not in gone]
            return len(gone)

    def sent(self, sent: Sequence[Remark]) -> None:
        """Know that these remarks were sent."""
        with self._store.change() as state:
            for each in state.remarks:
                each.state = "sent" if each in sent else each.state

    def placed(self, path: str, text: str) -> list[tuple[Rows, Remark]]:
        """Return the remarks on a file that has this text, with the rows where they are now."""
        return self._store.state().placed(self._relative(path), text, self._text)

    def _answer(self, state: State, name: str, before: str | None, after: str | None) -> None:
        old, new = (None if each is None else readable(each) for each in (before, after))
        state.answer(name, old, new, self._text)

    # Texts

    def _texts(self, entry: ReviewEntry) -> Texts | None:
        return self._known(entry.base, entry.agent, entry.now)

    def _known(self, *ids: str | None) -> Texts | None:
        """Return the texts with these ids; None if one of them is not known."""
        found = [self._text(each) for each in ids]
        is_known = all(
            text is not None or name is None for text, name in zip(found, ids, strict=True)
        )
        return Texts(*found) if is_known and are_alike(*found) else None

    def _text(self, name: str | None) -> str | None:
        content = self.content_of(name)
        return None if content is None else decoded(content)

    def content_of(self, name: str | None) -> bytes | None:
        """Return the content with an id; None if it is not known, or there is none."""
        if name is None or name.startswith(UNKNOWN):
            return None
        return self._store.content(name)

    def _set(self, entry: ReviewEntry, texts: Texts) -> None:
        entry.base, entry.agent, entry.now = (
            self._id(each) for each in (texts.base, texts.agent, texts.now)
        )

    def _id(self, text: str | None) -> str | None:
        return None if text is None else self._store.keep(encoded(text))

    def _id_of(self, text: str) -> str:
        return self._store.id_of(encoded(text))

    def _kept(self, content: bytes | None, *, is_known: bool) -> str | None:
        if content is not None:
            return self._store.keep(content)
        return None if is_known else f"{UNKNOWN}{time.time_ns()}"

    def _content(self, path: str) -> bytes | None:
        return content_of(path, self._is_private)

    def _relative(self, path: str) -> str:
        # A link waits itself, and not what it leads to.
        folder, name = os.path.split(path)
        return os.path.relpath(Path(os.path.realpath(folder), name), self.root)
