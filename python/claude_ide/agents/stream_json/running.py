"""The CLIs that run, in every folder and terminal, and the sessions in the background.

A CLI keeps `<config>/sessions/<pid>.json`. A session in the background also has
`<config>/jobs/<id>/state.json`, which stays until it is removed. Both are the CLI's own files: one
that is broken, half written, or another user's is ignored.
"""

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from heapq import nlargest
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from claude_ide.agents.fields import integer, mapping, number, parsed, strings, text
from claude_ide.base import files, program
from claude_ide.base.paths import config_folder

LARGEST_BYTES = 100_000
MOST = 500
"""The files of each kind that are read, the latest first."""

START_FIELD = 19
"""The index of a process's start time in `/proc/<pid>/stat`, behind its name."""
ZOMBIE = "Z"
"""The state, before these, of a process that has ended, and whose parent does not know it yet."""

SETTINGS = "--settings"
IN_BACKGROUND, FAILED, BUSY = "bg", "failed", "busy"
WORKTREES = ".claude/worktrees"
"""The folder of a project in which the CLI makes worktrees."""

STARTING_SECONDS = 60.0
"""How long after its record was made a session may have no process yet."""

Stamp = tuple[int, int, int]
NONE: Stamp = (0, 0, 0)


class RunningSession(msgspec.Struct, frozen=True):
    """A session; one in the background has an `id`, and may have ended: then it has no `pid`."""

    session: str
    id: str = ""
    pid: int = 0
    name: str = ""
    folder: str = ""
    """The folder it works in, which may be a worktree."""
    is_printing: bool = False
    """Whether another program talks to it: it has no screen."""
    status: str = ""
    """`busy`, `idle` or `waiting`, which are facts; empty if it is not known."""
    needs: str = ""
    """What it waits for, in the words of the CLI."""
    failure: str = ""
    """Why it has failed; empty if it has not."""
    changed: float = 0.0
    """When, in seconds since the epoch."""
    settings: str = ""
    """Those with which it was begun in the background."""

    @property
    def is_starting(self) -> bool:
        """Whether its process is not there yet."""
        return not self.pid and self.status == BUSY

    @property
    def waits(self) -> bool:
        """Whether it waits for the user."""
        return bool(self.pid) and self.status == "waiting"


class Records:
    """The records below a configuration folder. A file that has not changed is not read again."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        config = config_folder(environment)
        self._sessions = config / "sessions"
        self._jobs = config / "jobs"
        self._known: dict[Path, tuple[Stamp, Mapping[str, Any]]] = {}
        self._watched = {path: _stamp(path) for path in (self._sessions, self._jobs)}
        self._pids: dict[int, str] = {}
        self.found: list[RunningSession] = []

    @property
    def paths(self) -> list[Path]:
        """What tells of a change: of each session that runs two files, and the two folders."""
        return [*self._watched]

    @property
    def pids(self) -> list[int]:
        """The processes that run."""
        return [*self._pids]

    def has_changed(self) -> bool:
        """Return whether `read` may find something else: a few calls of `stat`."""
        is_same = all(_stamp(path) == stamp for path, stamp in self._watched.items())
        is_settled = not any(each.is_starting for each in self.found)
        return not (is_same and is_settled and all(is_alive(*each) for each in self._pids.items()))

    def read(self) -> list[RunningSession]:
        """Return what runs, and the sessions in the background that have ended."""
        # A change between the look at a folder and that at its files is found by the next one.
        self._watched = {path: _stamp(path) for path in (self._sessions, self._jobs)}
        processes = {path: self._record(path) for path in _latest(self._sessions.glob("*.json"))}
        states = [*self._jobs.glob("*/state.json")]
        # Many that have ended may be later than one that runs, and waits.
        ids = {text(record.get("jobId")) for record in processes.values()}
        own = (path for path in states if path.parent.name in ids and _stamp(path) != NONE)
        jobs = {path.parent.name: self._record(path) for path in (*_latest(states), *own)}
        # A new one's folder is made before what is in it.
        empty = (each for each in self._jobs.glob("*") if each.name not in jobs)
        self._watched |= {path: _stamp(path) for path in islice(empty, MOST)}
        self._pids = {}
        self.found = []
        for path, record in processes.items():
            pid, started = integer(record.get("pid")), text(record.get("procStart"))
            job = text(record.get("jobId"))
            is_job = record.get("kind") == IN_BACKGROUND
            # One without a job is a spare, which waits for the next session.
            if not pid or not is_alive(pid, started):
                continue
            self._watched[path] = self._known[path][0]
            if is_job and job not in jobs:
                continue
            self._pids[pid] = started
            if job in jobs:
                state = self._jobs / job / "state.json"
                self._watched[state] = self._known[state][0]
            self.found.append(_running(record, jobs.pop(job, {}), job, pid))
        self.found += [_running({}, state, id_, 0) for id_, state in jobs.items() if state]
        self._known = {
            path: known
            for path, known in self._known.items()
            if path in processes or path.parent.parent == self._jobs
        }
        return self.found

    def _record(self, path: Path) -> Mapping[str, Any]:
        """Return the content of a file; the last good one while it is being written."""
        stamp = _stamp(path)
        before, record = self._known.get(path, (NONE, {}))
        if stamp != before:
            content = files.read_if_sound(path, LARGEST_BYTES)
            record = (mapping(parsed(content)) if content else {}) or record
            self._known[path] = (stamp, record)
        return record


def processes(environment: Mapping[str, str]) -> dict[str, int]:
    """Return the processes that hold sessions, by the ids of the sessions."""
    found = {}
    for path in (config_folder(environment) / "sessions").glob("*.json"):
        content = files.read_if_sound(path, LARGEST_BYTES)
        record = mapping(parsed(content)) if content else {}
        pid, session = integer(record.get("pid")), text(record.get("sessionId"))
        if pid and session and is_alive(pid, text(record.get("procStart"))):
            found[session] = pid
    return found


def is_alive(pid: int, started: str) -> bool:
    """Return whether a process is still the one that started at this time."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return not Path("/proc/self").exists() and program.lives(pid)
    fields = stat.rpartition(")")[2].split()
    return fields[0] != ZOMBIE and (not started or fields[START_FIELD] == started)


def _stamp(path: Path) -> Stamp:
    """Return what tells a state of a file or folder from others; nothing of another user's."""
    with suppress(OSError):
        found = path.stat()
        if found.st_uid == os.getuid():
            return found.st_mtime_ns, found.st_size, found.st_ino
    return NONE


def _latest(paths: Iterable[Path]) -> list[Path]:
    """Return the files of the user, the latest of too many."""
    stamps = {path: _stamp(path) for path in paths}
    own = [path for path, stamp in stamps.items() if stamp != NONE]
    return own if len(own) <= MOST else nlargest(MOST, own, stamps.__getitem__)


def _running(
    record: Mapping[str, Any], state: Mapping[str, Any], id_: str, pid: int
) -> RunningSession:
    status = text(record.get("status")) or (BUSY if not pid and _is_starting(state) else "")
    needs = text(state.get("needs")) or text(record.get("waitingFor"))
    has_failed = text(state.get("state")) == FAILED
    updated = number(record.get("updatedAt")) or number(record.get("startedAt")) or 0.0
    return RunningSession(
        session=text(record.get("sessionId")) or text(state.get("sessionId")),
        id=id_,
        pid=pid,
        name=text(state.get("name")) or text(record.get("name")) or text(state.get("intent")),
        folder=_folder(record, state),
        is_printing=text(record.get("entrypoint")).startswith("sdk"),
        status=status,
        needs=needs if status == "waiting" else "",
        settings=_settings(strings(state.get("respawnFlags"))),
        failure=(text(state.get("detail")) or FAILED) if has_failed else "",
        changed=updated / 1000 or _seconds(text(state.get("updatedAt"))),
    )


def _is_starting(state: Mapping[str, Any]) -> bool:
    created = text(state.get("createdAt"))
    is_new = created != "" and created == text(state.get("updatedAt"))
    return is_new and abs(time.time() - _seconds(created)) < STARTING_SECONDS


def _settings(flags: Sequence[str]) -> str:
    for index, flag in enumerate(flags):
        option, has_value, value = flag.partition("=")
        if option == SETTINGS:
            return value if has_value else "".join(flags[index + 1 : index + 2])
    return ""


def _folder(record: Mapping[str, Any], state: Mapping[str, Any]) -> str:
    """Return the folder of a session; of one that has ended, also the worktree it was begun in."""
    found = text(record.get("cwd")) or text(state.get("worktreePath"))
    if found:
        return found
    project = text(state.get("cwd"))
    transcripts = Path(text(state.get("linkScanPath"))).parent.name
    _, mark, name = transcripts.partition(f"{folder_name(project)}-{folder_name(WORKTREES)}-")
    for each in _worktrees(project) if mark else ():
        if folder_name(each.name) == name:
            return str(each)
    return project


def _worktrees(project: str) -> list[Path]:
    try:
        return [*Path(project, WORKTREES).iterdir()]
    except OSError:
        return []


def folder_name(path: str) -> str:
    """Return the name that the CLI gives to the folder of a path's transcripts."""
    return "".join(each if each.isascii() and each.isalnum() else "-" for each in path)


def _seconds(when: str) -> float:
    try:
        return datetime.fromisoformat(when).timestamp()
    except ValueError:
        return 0.0
