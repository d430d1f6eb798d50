"""A linked worktree and the main one, by git: what it has, merged, squashed, rebased, removed."""

import asyncio
import os
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from claude_ide.agents.stream_json.running import WORKTREES, is_alive
from claude_ide.base import files, git
from claude_ide.base.errors import UserError
from claude_ide.transport.process import Process
from claude_ide.ui.text import one_line

GIT_SECONDS, HOOKS_SECONDS = 60.0, 600.0
"""How long git may take, and where it runs the repository's hooks, which may be tests."""

KEEPS_CHANGES = ("-c", "merge.autoStash=false")
"""Git then refuses to merge into changed files, which otherwise it would put aside."""

MOST_NAMED, LONGEST_NAMED = 3, 60
LARGEST_REASON_BYTES, LARGEST_MESSAGE_BYTES = 4096, 2**20
MOST_COMMITS = 1000
BRANCH = "worktree-"
"""The beginning of the branches that the CLI makes for worktrees."""
_OPTION = re.compile(r"--worktree(?:=(.*))?|-w=?(.*)", re.DOTALL)
_SEGMENT = re.compile(r"[A-Za-z0-9._-]+")
LONGEST_NAME = 64
_LOCK = re.compile(r"claude .*\(pid (\d+)(?: start (\d+))?\)")
"""Why the CLI has locked a worktree: a session works there."""

_MERGED = re.compile(r"^(?:commit )?([0-9a-f]{40,64})$", re.MULTILINE)
"""The commits that git merges, in its own files."""

SUBMODULE_MODE, SKIPPED = "160000", "S"
"""What `git ls-files` says of a submodule, and of a file that git is not to look at."""
MARKS = (b"<<<<<<< ", b">>>>>>> ")
"""At the beginning of lines between which a conflict is."""


def unfit(name: str) -> str:
    """Return why a worktree cannot have a name; an empty string if it can.

    The CLI starts a session with a name that it or git refuses, which then fails.
    """
    segments = name.split("/")
    if not all(map(_SEGMENT.fullmatch, segments)):
        return f"not a name for a worktree: {name} (letters, digits, dots, dashes, underscores)"
    wrong = ".." in name or any(each.endswith((".", ".lock")) for each in segments)
    if wrong or len(name) > LONGEST_NAME or any(each.startswith(".") for each in segments):
        return f"git refuses a branch with this name: {name[:LONGEST_NAME]}"
    return ""


async def made(name: str, here: Path, *, runs_hooks: bool) -> Path:
    """Return the root of the worktree with a name, which is made unless it is there, as by the CLI.

    Raises `UserError`.
    """
    if problem := unfit(name):
        raise UserError(problem)
    found = git.find_repository(here.resolve())
    if found is None:
        raise UserError(f"there is no git repository for a worktree: {here}")
    plain = name.replace("/", "+")
    root = _root(found.main, plain)
    main = Worktree(found.main, found.main, runs_hooks=runs_hooks)
    if not (root / ".git").is_file():
        await main.add(root, f"{BRANCH}{plain}")
    return root


def _root(main: Path, plain: str) -> Path:
    """Return where a worktree is, or will be. Raises `UserError` if a link leads elsewhere."""
    root = main / WORKTREES / plain
    if root.resolve() != root:
        raise UserError(f"a link leads this worktree elsewhere: {root} → {root.resolve()}")
    return root


async def check_branch(name: str, here: Path, *, runs_hooks: bool) -> None:
    """Raise `UserError` if the CLI, for the worktree with a name, would move a branch that exists.

    The commits of that branch would be lost.
    """
    found = git.find_repository(here.resolve())
    plain = name.replace("/", "+")
    if found is None or (_root(found.main, plain) / ".git").is_file():
        return
    main = Worktree(found.main, found.main, runs_hooks=runs_hooks)
    branch = f"{BRANCH}{plain}"
    if await main.has_branch(branch):
        raise UserError(f"the CLI would reset the branch {branch}: rename or delete it first")


def given_to(words: Sequence[str]) -> str:
    """Return the name of the worktree in which the CLI is to work by its arguments, or ""."""
    for word, following in pairwise([*words, ""]):
        if found := _OPTION.fullmatch(word):
            return found[1] or found[2] or ("" if following.startswith("-") else following)
    return ""


class UnmergedWork(NamedTuple):
    """What a worktree has: the commit at its tip, those not in the main branch, loose files."""

    tip: str
    commits: tuple[str, ...]
    """Their hashes and subjects, the latest first."""
    uncommitted: tuple[str, ...]
    """Files with changes that are in no commit, untracked ones, too."""

    @property
    def words(self) -> str:
        """It in one line, by name as far as there is room."""
        parts = [_named("commit", [each.partition(" ")[2] for each in self.commits])]
        parts.append(_named("uncommitted file", self.uncommitted))
        return " and ".join(filter(None, parts)) or "nothing"


class Worktree:
    """The worktree with a root, of a main one; `runs_hooks` is whether git runs their programs."""

    def __init__(self, root: Path, main: Path, *, runs_hooks: bool) -> None:
        self.root, self.main = root, main
        self._runs_hooks = runs_hooks
        self.branch = git.branch(root)
        self.into = git.branch(main)

    @classmethod
    def named(cls, name: str, here: Path, *, runs_hooks: bool) -> "Worktree":
        """Return the worktree of a name, or without one that of a folder. Raises `UserError`."""
        found = git.find_repository(here)
        if found is None:
            raise UserError(f"there is no git repository: {here}")
        linked = git.worktrees(found.main)
        if not name and found.root != found.main:
            return cls(found.root, found.main, runs_hooks=runs_hooks)
        # The CLI writes a name with a slash so.
        names = name, name.replace("/", "+")
        wanted = [each for each in linked if {each.name, git.branch(each)} & {*names}]
        if len(wanted) > 1:
            branches = ", ".join(git.branch(each) or str(each) for each in wanted)
            raise UserError(f"several worktrees are called {name}: name the branch ({branches})")
        if not name or not wanted:
            known = ", ".join(each.name for each in linked)
            what = f"there is no worktree {name}" if name else "there is no worktree"
            if not name and (found.root / ".git").is_file():
                # Such as of a bare repository.
                what = f"there is no main worktree to merge into, of {found.root}"
            elif not name and known:
                what = "which worktree"
            raise UserError(f"{what} ({known})" if known else what)
        return cls(wanted[0], found.main, runs_hooks=runs_hooks)

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.root.name

    async def check(self) -> None:
        """Raise `UserError` if it cannot be merged at all."""
        if not self.branch or not self.into:
            which = self.root if not self.branch else self.main
            raise UserError(f"this worktree is on no branch: {which}")
        if tags := await self._text(self.main, "tag", "--list", self.branch, self.into):
            # Git would merge the tag.
            raise UserError(f"a tag has the name of a branch: {tags.split()[0]} (rename it first)")
        if left := await self.conflicts(self.root):
            raise UserError(f"still in conflict: {_named('file', left)}, in {self.root}")
        if await self._text(self.main, "diff", "--cached", "--name-only"):
            raise UserError(f"staged changes: commit or unstage them first, in {self.main}")

    async def work(self) -> UnmergedWork:
        """Return what it has. Raises `UserError`."""
        status = await self._text(self.root, "status", "--porcelain", "-z", "-uall")
        log = await self._text(
            *(self.root, "log", "--format=%h %s", f"refs/heads/{self.into}..HEAD")
        )
        tip = await self._text(self.root, "rev-parse", "HEAD")
        return UnmergedWork(tip, tuple(log.splitlines()), tuple(_files(status)))

    async def ignored(self) -> str:
        """Return in words what goes with it and is not part of `work`."""
        found = await self._ignored(self.root)
        # Their branches are in no other repository.
        folders = sorted((await self._data(self.root) / "modules").glob("*"))
        submodules, unseen = [each.name for each in folders], list[str]()
        for tag, mode, name in await self._entries():
            if mode == SUBMODULE_MODE and (self.root / name / ".git").is_dir():
                submodules.append(name)
            if (tag == SKIPPED or tag.islower()) and os.path.lexists(self.root / name):
                unseen.append(name)
        named = ("ignored file", found), ("skipped file", unseen)
        parts = [_named(*each) for each in (*named, ("submodule", submodules))]
        return " and ".join(filter(None, parts))

    async def _ignored(self, folder: Path) -> list[str]:
        listed = await self._text(folder, "status", "--porcelain", "-z", "--ignored")
        return [each[3:] for each in listed.split("\0") if each.startswith("!! ")]

    async def _entries(self) -> list[tuple[str, str, str]]:
        """Return the tag, the mode and the name of each file that git knows."""
        listed = await self._text(self.root, "ls-files", "-v", "--stage", "-z")
        split = (each.split(maxsplit=3) for each in listed.split("\0") if each)
        return [(tag, mode, name.partition("\t")[2]) for tag, mode, _, name in split]

    async def base(self) -> str:
        """Return the commit at which it has branched. Raises `UserError`."""
        return await self._text(self.root, "merge-base", "HEAD", f"refs/heads/{self.into}")

    async def add(self, root: Path, branch: str) -> None:
        """Make another worktree of the commit here; a branch of this name is used as it is."""
        is_known = await self.has_branch(branch)
        words = (str(root), branch) if is_known else ("-b", branch, str(root))
        await self._run(self.root, "worktree", "add", "--quiet", *words)

    async def has_branch(self, branch: str) -> bool:
        """Return whether the repository has a branch of this name."""
        return bool(await self._text(self.root, "branch", "--list", branch))

    async def stage(self) -> None:
        """Stage all that it has. Raises `UserError` with git's words."""
        others = []
        if not self._runs_hooks:
            # Git would look into a submodule, by whose filters it goes.
            entries = await self._entries()
            modules = [name for _, mode, name in entries if mode == SUBMODULE_MODE]
            others = ["--", *(f":(top,exclude,literal){each}" for each in modules)]
        await self._run(self.root, "add", "--all", *others)

    async def commit(self, message: str) -> None:
        """Commit all that is staged. Raises `UserError` with git's words."""
        await self._run(self.root, "commit", "--quiet", "-m", message)

    async def merge(self) -> None:
        """Merge it. Raises `UserError`, also for conflicts: git's own state then remains."""
        await self._merge("--commit", "--no-squash", "--no-edit")

    async def squash(self, message: str) -> None:
        """Put all its commits into one of the main branch, likewise."""
        await self._merge("--squash", "--ff")
        if not await self._text(self.main, "diff", "--cached", "--name-only"):
            raise UserError(f"{self.name} changes nothing in {self.into}: merge or discard it")
        await self._run(self.main, "commit", "--quiet", "-m", message)

    async def rebase(self) -> None:
        """Put its commits on top of the main branch, likewise; no merge may be among them."""
        if await self._text(self.root, "rev-list", "--merges", f"refs/heads/{self.into}..HEAD"):
            # Git would leave merges out, with what was resolved or added there.
            raise UserError(f"{self.name} has merges, which a rebase would lose: merge it instead")
        await self._check_ignored(self.root, self.into)
        await self._run(self.root, "rebase", self.into)
        await self._merge("--ff-only", "--commit", "--no-squash")

    async def _merge(self, *options: str) -> None:
        """Merge it with options, before which the user's own for the branch or `merge` count."""
        branch = git.branch(self.root)
        await self._check_ignored(self.main, branch)
        await self._run(self.main, "merge", *options, branch)

    async def _check_ignored(self, folder: Path, other: str) -> None:
        """Raise `UserError` if another branch has files which git here ignores, and overwrites."""
        names = ("diff", "--name-only", "--no-renames", "-z")
        other = f"refs/heads/{other}"
        changed = await self._text(folder, *names, "--diff-filter=d", f"HEAD...{other}")
        missing = await self._text(folder, *names, "--diff-filter=A", "HEAD", other)
        written = {*changed.split("\0")} & {*missing.split("\0")} - {""}
        ignored = {each.rstrip("/") for each in await self._ignored(folder)} if written else set()
        lost = [each for each in sorted(written) if _is_in_the_way(folder, each, ignored)]
        if lost:
            what = _named("ignored file", lost)
            raise UserError(f"git would overwrite {what}: move or delete first, in {folder}")

    async def conflicts(self, folder: Path) -> list[str]:
        """Return the files of a worktree that git has not merged."""
        listed = await self._text(folder, "diff", "--name-only", "--diff-filter=U", "-z")
        return [each for each in listed.split("\0") if each]

    async def unfinished(self) -> tuple[Path, str] | None:
        """Return the worktree in which its merge, squash or rebase is under way, and which it is.

        Raises `UserError` if in the main worktree that of something else is.
        """
        for folder in (self.main, self.root):
            data = await self._data(folder)
            what, source = "", data / "MERGE_HEAD"
            if source.exists():
                what = "merge"
            elif (data / "rebase-merge").exists() or (data / "rebase-apply").exists():
                what = "rebase"
            elif folder == self.main and await self._has_squashed():
                what, source = "squash", data / "SQUASH_MSG"
            if what and folder == self.main and not await self._is_merged_by(source):
                raise UserError(f"another {what} is under way: finish it first, in {folder}")
            if what:
                return folder, what
        return None

    async def _has_squashed(self) -> bool:
        """Return whether what is staged in the main worktree can be a squash of what is here.

        Git's note of a squash may be left from an earlier one.
        """
        if not (self.into and (await self._data(self.main) / "SQUASH_MSG").exists()):
            return False
        names = ("diff", "--name-only", "--no-renames", "-z")
        staged = await self._text(self.main, *names, "--cached")
        changed = await self._text(self.root, *names, f"refs/heads/{self.into}...HEAD")
        return staged != "" and {*staged.split("\0")} <= {*changed.split("\0")}

    async def _is_merged_by(self, source: Path) -> bool:
        """Return whether git merges commits from here, as far as one of its files says."""
        content = files.read_if_sound(source, LARGEST_MESSAGE_BYTES) or b""
        commits = _MERGED.findall(content.decode("utf-8", "replace"))
        return bool(commits) and not await self._text(
            *(self.root, "rev-list", "--max-count=1", *commits[:MOST_COMMITS], "^HEAD")
        )

    async def has_squashed(self, tip: str) -> bool:
        """Return whether the squash that is under way has all commits up to this one."""
        content = files.read_if_sound(await self._data(self.main) / "SQUASH_MSG", 2**20) or b""
        return tip in _MERGED.findall(content.decode("utf-8", "replace"))

    async def untouched(self, folder: Path) -> str:
        """Return in words what is in conflict, has no marks, and is as git has left it."""
        left = await self.conflicts(folder)
        _, changed = await self._since_stop(folder)
        same = [name for name in left if name not in changed and not _is_marked(folder / name)]
        return _named("file", same)

    async def lost_by_abort(self, folder: Path, what: str) -> str:
        """Return in words what was changed since git has stopped, and an abort gives up."""
        left = {*await self.conflicts(folder)}
        staged, changed = await self._since_stop(folder)
        # A rebase also gives up what is not staged.
        kept = set[str]() if what == "rebase" else changed - left
        return _named("changed file", sorted((staged - left) | (changed - kept)))

    async def _since_stop(self, folder: Path) -> tuple[set[str], set[str]]:
        """Return what is staged, and what a file has, that git did not leave at a conflict."""
        left = "AUTO_MERGE" if (await self._data(folder) / "AUTO_MERGE").exists() else "HEAD"
        names = ("diff", "--name-only", "--no-renames", "-z", left)
        staged, changed = await self._text(folder, *names, "--cached"), ""
        changed = await self._text(folder, *names)
        return {*staged.split("\0")} - {""}, {*changed.split("\0")} - {""}

    async def _data(self, folder: Path) -> Path:
        """Return git's own folder of a worktree."""
        return Path(await self._text(folder, "rev-parse", "--absolute-git-dir"))

    async def go_on(self, folder: Path, what: str, message: str) -> None:
        """Finish what is under way, once no conflict is left. Raises `UserError`."""
        left = await self.conflicts(folder)
        marked = [each for each in left if _is_marked(folder / each)]
        if marked:
            raise UserError(f"still in conflict: {_named('file', marked)}")
        if left:
            await self._run(folder, "add", "--", *left)
        if what == "rebase":
            if not self._runs_hooks and await self._runs_commands(folder):
                raise UserError(f"this rebase runs commands: trust {folder} first (:ClaudeTrust)")
            await self._run(folder, "rebase", "--continue")
            if folder == self.root:
                await self._merge("--ff-only", "--commit", "--no-squash")
        elif what == "merge":
            await self._run(folder, "commit", "--no-edit", "--quiet")
        else:
            await self._run(folder, "commit", "--quiet", "-m", message)

    async def _runs_commands(self, folder: Path) -> bool:
        todo = await self._data(folder) / "rebase-merge" / "git-rebase-todo"
        if not os.path.lexists(todo):
            return False
        content = files.read_if_sound(todo, LARGEST_MESSAGE_BYTES)
        return content is None or any(
            line.split()[:1] in ([b"exec"], [b"x"]) for line in content.split(b"\n")
        )

    async def abort(self, folder: Path, what: str) -> None:
        """Undo what is under way. Raises `UserError`."""
        words = ("reset", "--merge") if what == "squash" else (what, "--abort")
        await self._run(folder, *words)

    async def remove(
        self, known: UnmergedWork, *, discards: bool = False, is_squashed: bool = False
    ) -> None:
        """Remove it with its branch: what it has must be known. Raises `UserError`.

        Without `discards`, git refuses if something would be lost; of one that `is_squashed`, all
        commits are in the one of the main branch, of which git does not know.
        """
        if await self.work() != known:
            raise UserError(f"{self.name} has changed meanwhile: nothing is removed")
        # Git removes none with submodules otherwise, not even a clean one.
        is_clean = not known.uncommitted and await self._has_submodules()
        force = ("--force",) if discards or is_clean else ()
        await self._unlock()
        await self._run(self.main, "worktree", "remove", *force, str(self.root))
        kind = "-D" if discards or is_squashed else "-d"
        await self._run(self.main, "branch", kind, self.branch)

    async def _has_submodules(self) -> bool:
        is_one = any(mode == SUBMODULE_MODE for _, mode, _ in await self._entries())
        return is_one or (await self._data(self.root) / "modules").exists()

    async def _unlock(self) -> None:
        """Remove the lock of a session that has ended: the CLI leaves it."""
        data = await self._data(self.root)
        reason = files.read_if_sound(data / "locked", LARGEST_REASON_BYTES) or b""
        found = _LOCK.fullmatch(reason.decode("utf-8", "replace").strip())
        if found and not is_alive(int(found[1]), found[2] or ""):
            await self._run(self.main, "worktree", "unlock", str(self.root))

    async def _text(self, folder: Path, *words: str) -> str:
        """Return what git says without changing anything. Raises `UserError`."""
        command = [str(each) for each in git.command(*words)]
        given = git.environment(git.in_its_folder(os.environ))
        environment = await self._environment(given)
        return (await _output(command, folder, environment, GIT_SECONDS)).strip("\n")

    async def _run(self, folder: Path, *words: str) -> None:
        run = git.users_command if self._runs_hooks else git.command
        given = git.in_its_folder(os.environ)
        given = given if self._runs_hooks else git.environment(given)
        given |= {"GIT_EDITOR": "true", "GIT_TERMINAL_PROMPT": "0"}
        command = [str(each) for each in run(*KEEPS_CHANGES, *words)]
        seconds = HOOKS_SECONDS if self._runs_hooks else GIT_SECONDS
        await _output(command, folder, await self._environment(given), seconds)

    async def _environment(self, given: dict[str, str]) -> dict[str, str]:
        """Return an environment in which git runs no program of a repository without trust."""
        if self._runs_hooks:
            return given
        # Each worktree may have a configuration of its own.
        roots = self.main, self.root
        return await asyncio.to_thread(git.for_programs, given, *roots, are_roots=True)


async def _output(
    command: Sequence[str], folder: Path, environment: dict[str, str], seconds: float
) -> str:
    said: list[bytes] = []
    errors: list[bytes] = []
    try:
        process = await Process.start(command, folder, environment, said.append, errors.append)
    except OSError as error:
        raise UserError(f"git cannot run in {folder}: {error.strerror}") from None
    ended = asyncio.ensure_future(process.wait())
    try:
        await asyncio.wait((ended,), timeout=seconds)
        if not ended.done():
            process.stop()
            await ended
            raise UserError(f"git has not ended within {seconds:.0f} s, in {folder}")
        code = ended.result()
    finally:
        ended.cancel()
    if code:
        told = b"".join(errors or said).decode("utf-8", "replace")
        raise UserError(" ".join(told.split()) or f"git has failed with {code}")
    return os.fsdecode(b"".join(said))


async def goes_with(root: Path, main: Path) -> str:
    """Say in the end of a question what the CLI removes unasked with a session; or nothing."""
    if root.parent != main / WORKTREES:
        return ""
    ignored = await Worktree(root, main, runs_hooks=False).ignored()
    return f", also {ignored}" if ignored else ""


def _files(status: str) -> list[str]:
    """Return the files in `git status --porcelain -z`; a rename has its old name behind it."""
    fields, found = iter(status.split("\0")), []
    for field in fields:
        if field:
            found.append(field[3:])
            if field[0] in "RC":
                next(fields, None)
    return found


def _is_in_the_way(folder: Path, name: str, ignored: set[str]) -> bool:
    """Return whether a file that is to be written takes the place of one that git ignores."""
    above = [name, *map(str, PurePosixPath(name).parents)]
    found = next((each for each in above if each in ignored), None)
    if found is None:
        return False
    return found == name or os.path.lexists(folder / name) or not (folder / found).is_dir()


def _is_marked(path: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    content = files.read_if_sound(path, files.LARGEST_BYTES)
    return content is None or any(line.startswith(MARKS) for line in content.splitlines())


def _named(noun: str, names: Sequence[str]) -> str:
    if not names:
        return ""
    shown = ", ".join(one_line(each, LONGEST_NAMED) for each in names[:MOST_NAMED])
    shown += ", …" if len(names) > MOST_NAMED else ""
    return f"{len(names)} {noun}{'s' * (len(names) > 1)} ({shown})"
