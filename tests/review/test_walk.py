"""A random walk through the review of a real folder: every line says who has written it.

Lines of the agent begin with "claude", those of the user with "mine", of commits with "git".
"""

import asyncio
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from claude_ide.review.entry import File, Turn
from claude_ide.review.folder import Folder
from claude_ide.review.snapshot import ChangedFile
from claude_ide.review.texts import OverlapError, encoded, lines_of, readable

NAMES = ("a.py", "b.py", "new.py")
MOVED = "moved.py"
FILES = (*NAMES, MOVED)
ENDS = {"b.py": "\udce9\r\n"}
"""This file is in latin-1: each line ends with é."""

names = st.sampled_from(NAMES)
editors = st.integers(0, 1)
places = st.integers(0, 9)
edits = st.lists(st.tuples(places, st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=3)
"""Where, how many lines go, and how many come."""
kinds = st.sampled_from(["rm", "mv", "sed", "commit", "stash", "both"])
rows_ = st.tuples(places, st.integers(1, 3), st.booleans())
"""First row, number of rows, and whether only these lines are meant."""


def git(root: Path, *words: str) -> bool:
    """Run git; return whether it succeeded."""
    identity = ["-c", "user.name=x", "-c", "user.email=x@localhost", "-c", "core.autocrlf=false"]
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_EDITOR": "true"}
    command = ["git", *identity, *words]
    return not subprocess.run(command, cwd=root, env=environment, capture_output=True).returncode


@cache
def template() -> Path:
    """A repository with two files, and a branch `other` that has changed both."""
    root = Path(tempfile.mkdtemp(prefix="claude-ide-walk-"))
    git(root, "init", "-q", "-b", "main", "--template=")
    for name in NAMES[:2]:
        lines = [f"{name[0]}{number}" for number in range(8)]
        _put(root / name, lines, name)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    git(root, "checkout", "-qb", "other")
    for name in NAMES[:2]:
        lines = [f"{name[0]}{number}" for number in range(8)]
        _put(root / name, [f"git{name[0]}0", *lines[1:4], f"git{name[0]}1", *lines[5:]], name)
    git(root, "commit", "-qam", "two")
    git(root, "checkout", "-q", "main")
    return root


def _put(path: Path, lines: list[str], name: str) -> None:
    path.write_bytes(encoded("".join(line + ENDS.get(name, "\n") for line in lines)))


def text_of(content: bytes | None) -> str:
    """Return the text of a content, without loss."""
    return (content or b"").decode("utf-8", "surrogateescape")


def tokens(text: str | bytes | None) -> set[str]:
    """Return the lines of a text without blanks."""
    return set((text_of(text) if isinstance(text, bytes) else text or "").split())


def users(text: str | bytes | None) -> set[str]:
    """Return the lines of a text that the user has typed."""
    return {each for each in tokens(text) if each.startswith("mine")}


class Walk(RuleBasedStateMachine):
    """Two editors on one folder, an agent, the user, and git."""

    def __init__(self) -> None:
        super().__init__()
        self.temporary = Path(tempfile.mkdtemp(prefix="claude-ide-walk-"))
        self.root = self.temporary / "project"
        shutil.copytree(template(), self.root)
        self.runner = asyncio.Runner()
        self.editors = [self.opened(), self.opened()]
        self.count = 0
        self.turn = Turn("s", "0")
        self.kept = set[str]()
        self.gone = set[str]()
        """Lines that were kept and have left the files: they may be back as either."""
        self.removed = set[str]()
        """Lines that the agent has removed or changed at any time."""
        self.added = set[str]()
        """Lines of others that the agent has brought back."""
        self.seen: dict[str, list[bytes | None]] = {name: [self.read(name)] for name in NAMES}
        self.before = dict[str, bytes | None]()
        """What files had before the agent, of those that nobody else has changed since."""

        self.followed(0)

    def opened(self) -> Folder:
        return Folder(str(self.root), self.temporary / "state", lambda path: False)

    def teardown(self) -> None:
        self.runner.close()
        shutil.rmtree(self.temporary)

    # Helpers

    def path(self, name: str) -> str:
        return str(self.root / name)

    def agent_changed(self, before: bytes | None, after: bytes | None) -> None:
        old, new = ({*lines_of(text_of(each))} for each in (before, after))
        self.removed |= tokens("\n".join(old - new))
        self.added |= tokens("\n".join(new - old))

    def begins(self, *names: str) -> None:
        """Know that the agent is about to write files."""
        waiting = self.files()
        moved = {file.entry.origin for file in waiting.values()}
        for name in names:
            if name not in {*waiting, *moved}:
                self.before[name] = self.read(name)

    def read(self, name: str) -> bytes | None:
        path = self.root / name
        return path.read_bytes() if path.exists() else None

    def write(self, name: str, content: bytes | None) -> None:
        path = self.root / name
        if content is None:
            path.unlink(missing_ok=True)
        else:
            path.write_bytes(content)

    def note(self) -> None:
        for name, seen in self.seen.items():
            if (content := self.read(name)) not in seen:
                seen.append(content)

    def edited(
        self, name: str, text: str | None, steps: list[tuple[int, int, int]], who: str
    ) -> str:
        """Return a text in which lines were removed and added."""
        end = ENDS.get(name, "\n")
        lines = lines_of(text or "")
        for place, gone, come in steps:
            at = place * (len(lines) + 1) // 10
            if at and not lines[at - 1].endswith("\n"):
                lines[at - 1] += end
            new = []
            for _ in range(come):
                self.count += 1
                new.append(f"{who}{self.count}{end}")
            lines[at : at + gone] = new
        if steps[0][0] == 9 and lines:
            lines[-1] = lines[-1].rstrip("\r\n") + ("" if steps[0][1] else end)
        return "".join(lines)

    def files(self, editor: int = 0) -> dict[str, File]:
        return {file.path: file for file in self.editors[editor].review.files()}

    def looked(self, editor: int, name: str = "") -> None:
        """Let an editor see what others have written."""
        self.before.pop(name, None)
        self.editors[editor].review.look_at_all()

    def followed(self, editor: int) -> None:
        """Do what an editor does at a prompt."""
        folder = self.editors[editor]
        before = self.unreviewed()
        self.runner.run(folder.follow_commits())
        self.kept |= before - self.unreviewed()
        folder.review.look_at_all()

    def unreviewed(self, *, is_all: bool = False) -> set[str]:
        """Return the lines of the agent that are shown, with `is_all` those of moved files, too."""
        found = set[str]()
        for file in self.files().values():
            now = lines_of((file.texts.now if file.texts else "") or "")
            if file.status == "created" or (is_all and file.is_whole):
                found |= tokens("".join(now))
            for hunk in file.hunks:
                found |= tokens("".join(now[hunk.start : hunk.stop]))
        return {each for each in found if each.startswith("claude")}

    # The agent

    @rule(name=names, steps=edits, editor=editors, is_new=st.booleans())
    def agent_writes(
        self, name: str, steps: list[tuple[int, int, int]], editor: int, is_new: bool
    ) -> None:
        before = self.read(name)
        after = encoded(self.edited(name, text_of(before), steps, "claude"))
        if is_new:
            self.turn = Turn("s", str(int(self.turn.turn) + 1))
        self.begins(name)
        self.write(name, after)
        self.agent_changed(before, after)
        found = ChangedFile(self.path(name), before, after)
        self.editors[editor].review.wrote(self.turn, [found])
        self.note()

    @rule(name=names, kind=kinds, editor=editors, is_prompted=st.booleans())
    def agent_runs(self, name: str, kind: str, editor: int, is_prompted: bool) -> None:
        """A command, as the recorder compares the folder before and after it."""
        folder = self.editors[editor]
        if is_prompted:
            self.followed(editor)
        self.begins(*FILES)
        before = self.runner.run(folder.snapshots.take(map(self.path, NAMES)))
        content = self.read(name)
        if kind == "rm":
            self.write(name, None)
        elif kind == "mv" and content is not None and self.read(MOVED) is None:
            (self.root / name).rename(self.root / MOVED)
        elif kind in ("sed", "both"):
            for each in NAMES if kind == "both" else [name]:
                if (old := self.read(each)) is not None:
                    new = self.edited(each, text_of(old), [(3, 1, 1)], "claude")
                    self.write(each, encoded(new))
        elif kind == "commit":
            git(self.root, "commit", "-qam", "agent")
        elif kind == "stash":
            git(self.root, "stash")
        after = self.runner.run(folder.snapshots.take(map(self.path, NAMES)))
        found = self.runner.run(folder.snapshots.changed(before, after))
        folder.review.wrote(self.turn, found)
        if kind == "commit":
            self.before.clear()
            self.followed(editor)
        for file in found:
            self.agent_changed(file.before, file.after)
        self.note()

    # The user

    @rule(name=names, steps=edits, editor=editors)
    def user_writes(self, name: str, steps: list[tuple[int, int, int]], editor: int) -> None:
        content = self.read(name)
        self.write(name, encoded(self.edited(name, text_of(content), steps, "mine")))
        self.looked(editor, name)
        self.note()

    @rule(name=names, at=places, editor=editors, steps=st.one_of(st.none(), edits))
    def user_undoes(
        self, name: str, at: int, editor: int, steps: list[tuple[int, int, int]] | None
    ) -> None:
        """Bring an earlier text back."""
        texts = self.seen[name]
        content = texts[-1 - at % len(texts)]
        self.write(name, content)
        if steps and content is not None:
            self.write(name, encoded(self.edited(name, text_of(content), steps, "mine")))
        self.looked(editor, name)
        self.note()

    @rule(name=names, editor=editors)
    def formatter_writes(self, name: str, editor: int) -> None:
        content = self.read(name)
        if content is not None:
            lines = [
                line.lstrip() if line[:1] == " " else f"  {line}"
                for line in lines_of(text_of(content))
            ]
            self.write(name, encoded("".join(lines)))
        self.looked(editor, name)
        self.note()

    @rule(
        name=names,
        chosen=rows_,
        editor=editors,
        is_all=st.booleans(),
        steps=st.one_of(st.none(), edits),
    )
    def keep(
        self,
        name: str,
        chosen: tuple[int, int, bool],
        editor: int,
        is_all: bool,
        steps: list[tuple[int, int, int]] | None,
    ) -> None:
        """Keep something, at times in a buffer with unsaved changes."""
        self.looked(editor, name)
        review, content = self.editors[editor].review, self.read(name)
        if content is None:
            return
        text = text_of(content)
        if steps:
            text = self.edited(name, text, steps, "mine")
        first, count, is_exact = chosen
        before = self.unreviewed()
        rows = None if is_all else (first, first + count)
        review.keep(self.path(name), rows, text, is_exact=is_exact)
        after = self.unreviewed()
        assert self.read(name) == content
        assert not after - before
        self.kept |= before - after
        if is_all:
            assert name not in self.files(editor)

    @rule(name=names, chosen=rows_, editor=editors, is_all=st.booleans())
    def keep_and_undo(
        self, name: str, chosen: tuple[int, int, bool], editor: int, is_all: bool
    ) -> None:
        self.looked(editor)
        first, count, is_exact = chosen
        before = self.facts(editor)
        rows = None if is_all else (first, first + count)
        if name in self.files(editor):
            self.editors[editor].review.keep(self.path(name), rows, is_exact=is_exact)
            last = self.editors[editor].review.undo()
            assert last is not None and last.path == name
            assert self.facts(editor) == before

    @rule(
        name=names,
        chosen=rows_,
        editor=editors,
        is_all=st.booleans(),
        steps=st.one_of(st.none(), edits),
    )
    def revert(
        self,
        name: str,
        chosen: tuple[int, int, bool],
        editor: int,
        is_all: bool,
        steps: list[tuple[int, int, int]] | None,
    ) -> None:
        """Revert something, at times in a buffer with unsaved changes, which is saved then."""
        self.looked(editor)
        review, content = self.editors[editor].review, self.read(name)
        file = review.file(self.path(name))
        if file is None:
            return
        text = None
        if steps and not file.is_whole:
            self.before.pop(name, None)
            text = self.edited(name, text_of(content), steps, "mine")
            file = review.file(self.path(name), text)
            if file is None:
                return
        first, count, is_exact = chosen
        rows = None if is_all else (first, first + count)
        shown = self.unreviewed()
        self._revert(editor, file, rows, is_exact=is_exact)
        if is_all or file.is_whole:
            assert name not in self.files(editor)
        assert not self.unreviewed() - shown - tokens(text)

    def _revert(
        self, editor: int, file: File, rows: tuple[int, int] | None, *, is_exact: bool = False
    ) -> None:
        """Revert as the service does."""
        if file.is_whole:
            return self._revert_whole(editor, file)
        review, name = self.editors[editor].review, file.path
        assert file.texts is not None and file.texts.now is not None
        try:
            texts = review.revert(file, rows, is_exact=is_exact)
        except OverlapError:
            self.before.pop(name, None)
            texts = review.revert(file, rows, is_exact=is_exact, is_forced=True)
        else:
            assert texts is not None and texts.now is not None
            assert not users(file.texts.now) - users(texts.now)
        assert texts is not None and texts.now is not None
        self.write(name, encoded(texts.now))
        self.looked(editor)
        self.note()

    def _revert_whole(self, editor: int, file: File) -> None:
        review = self.editors[editor].review
        content = review.content_of(file.entry.base)
        is_known = content is not None or file.entry.base is None
        assert is_known
        before = users(self.read(file.path))
        if file.entry.mode is None or file.entry.base != file.entry.now:
            if content is not None:
                self.write(file.entry.origin or file.path, content)
            if content is None or file.entry.origin:
                self.write(file.path, None)
        review.reverted_whole(self.path(file.path))
        if not file.is_mixed:
            assert not before - users(content)
        self.looked(editor)
        self.note()

    @rule(editor=editors)
    def undo_keep(self, editor: int) -> None:
        self.looked(editor)
        before = self.unreviewed()
        contents = {name: self.read(name) for name in FILES}
        self.editors[editor].review.undo()
        self.kept -= self.unreviewed() - before
        self.before.clear()
        assert {name: self.read(name) for name in FILES} == contents

    @rule(editor=editors)
    def keep_all(self, editor: int) -> None:
        self.looked(editor)
        before = self.unreviewed(is_all=True)
        contents = {name: self.read(name) for name in FILES}
        self.before.clear()
        for name in self.files(editor):
            self.editors[editor].review.keep(self.path(name))
        self.kept |= before
        assert self.files(editor) == {}
        assert {name: self.read(name) for name in FILES} == contents

    @rule(editor=editors)
    def revert_all(self, editor: int) -> None:
        self.looked(editor)
        for file in self.files(editor).values():
            self._revert(editor, file, None)
        assert self.files(editor) == {}
        for name, content in self.before.items():
            assert self.read(name) == content, name
        self.before.clear()

    @rule(editor=editors)
    def restart(self, editor: int) -> None:
        self.editors[editor] = self.opened()

    @rule(name=names, row=places, editor=editors, is_removed=st.booleans())
    def remark(self, name: str, row: int, editor: int, is_removed: bool) -> None:
        text = readable(text_of(self.read(name)))
        if row < len(lines_of(text)):
            review = self.editors[editor].review
            if is_removed:
                review.remove_remarks(self.path(name), (row, row + 1), text)
            else:
                review.remark(self.path(name), (row, row + 1), text, "why?")

    # Git

    @rule(
        words=st.sampled_from(
            [
                ("commit", "-qam", "x"),
                ("stash",),
                ("stash", "-u"),
                ("stash", "pop"),
                ("checkout", "-q", "other"),
                ("checkout", "-q", "main"),
                ("checkout", "-q", "--", "a.py"),
                ("rebase", "-q", "--autostash", "other"),
                ("reset", "-q", "HEAD~1"),
            ]
        ),
        editor=editors,
    )
    def git_runs(self, words: tuple[str, ...], editor: int) -> None:
        self.looked(editor)
        self.before.clear()
        if not git(self.root, *words):
            git(self.root, "rebase", "--abort")
            git(self.root, "reset", "-q", "--merge")
        self.followed(editor)
        self.note()

    # What holds after each step

    def facts(self, editor: int) -> object:
        return {
            name: (file.status, file.hunks, file.texts, file.counts)
            for name, file in self.files(editor).items()
        }

    @invariant()
    def both_editors_agree(self) -> None:
        assert self.facts(0) == self.facts(1)
        remarks = [folder.review.remarks() for folder in self.editors]
        assert remarks[0] == remarks[1]
        for name in NAMES:
            text = "mine\n" + text_of(self.read(name))
            there = [folder.review.file(self.path(name), text) for folder in self.editors]
            assert there[0] == there[1]

    @invariant()
    def every_line_of_the_agent_is_shown_or_kept(self) -> None:
        self.looked(0)
        shown = self.unreviewed()
        for name in FILES:
            there = {each for each in tokens(self.read(name)) if each.startswith("claude")}
            assert not there - self.unreviewed(is_all=True) - self.kept, name
        assert not shown & self.kept - self.gone
        self.gone |= self.kept - set[str]().union(*(tokens(self.read(name)) for name in FILES))

    @invariant()
    def hunks_are_of_the_agent(self) -> None:
        for file in self.files().values():
            if file.texts is None or file.is_whole:
                continue
            assert file.texts.now == text_of(self.read(file.path))
            base, now = lines_of(file.texts.base or ""), lines_of(file.texts.now or "")
            for hunk in file.hunks:
                old, new = (
                    tokens("".join(base[hunk.first : hunk.last])),
                    tokens("".join(now[hunk.start : hunk.stop])),
                )
                assert not {each for each in new - old - self.added if each.startswith("git")}
                assert old - new <= self.removed | {
                    each for each in old if each.startswith("claude")
                }


TestWalk = Walk.TestCase
TestWalk.settings = settings(
    max_examples=int(os.environ.get("WALKS", "15")),
    stateful_step_count=12,
    derandomize="WALKS" not in os.environ,
    deadline=None,
    suppress_health_check=[*HealthCheck],
)
