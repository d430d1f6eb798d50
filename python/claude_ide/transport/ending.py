"""Ends programs and all that they have started; itself a program that outlives its parent.

It reads lines from stdin: `watch PID MARK` names the leader of a session, which has `MARK` in its
environment; `end PID SECONDS` ends one with all that it has started, or has left behind if it has
ended by itself. When the parent has ended, however that came about, stdin does
so too, and all that are watched are ended. Standard library only, since it is run by path.
"""

import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

GRACE_SECONDS = 1.0
"""How long a program has to end by itself after SIGTERM."""

KILLING_SECONDS = 1.0
"""How long it is tried to kill what is left."""

POLL_SECONDS = 0.03
ENDED = ("Z", "X")
"""The states of processes that have ended and are not waited for yet."""

PS = ("ps", "-A", "-o", "pid=,ppid=,stat=,lstart=")


class Process(NamedTuple):
    """A running process."""

    pid: int
    parent: int
    session: int
    started: str

    def runs_in(self, processes: "Processes") -> bool:
        """Whether it still runs: its id may be another's by now, and its parent another one."""
        found = processes.get(self.pid)
        return found is not None and found.started == self.started


Processes = dict[int, Process]


def running() -> Processes:
    """Return all running processes by their ids."""
    found = _in_proc() if os.path.exists("/proc/self/stat") else _by_ps()
    return {process.pid: process for process in found}


class Family:
    """The leader of a session, and all that it has started.

    A program may start others in sessions of their own, which lose their parent when it ends. So
    the sessions are noted while it runs, and what is in them is found afterwards too. A command
    that a shell left in the background (`command &`) lost its parent before that: it is known by
    the mark that it inherited. A daemon, which leads a session, is meant to stay.
    """

    def __init__(self, leader: Process, mark: str) -> None:
        self._leader = leader
        self._mark = f"{mark}\0".encode()
        self._strangers: set[tuple[int, str]] = set()
        self._sessions = {leader.session}
        self._deadline = 0.0
        self._is_orphaned = False

    def end(self, processes: Processes, grace: float) -> None:
        """Begin to end it; `step` goes on with that."""
        self._deadline = time.monotonic() + grace
        if self._leader.runs_in(processes):
            self._members(processes)
            _signal(os.killpg, self._leader.pid, signal.SIGTERM)
        elif self._leader.pid in processes:
            self._sessions.clear()  # its id, and so that of its session, is another's

    def step(self, processes: Processes) -> bool:
        """Do what the time is for; return whether more is to be done."""
        members = self._members(processes)
        late = time.monotonic() - self._deadline
        if late >= 0:
            _signal_all(members, signal.SIGKILL)
        elif not self._is_orphaned and not self._leader.runs_in(processes):
            self._is_orphaned = True
            _signal_all(members, signal.SIGTERM)
        return bool(members) and late < KILLING_SECONDS

    def _members(self, processes: Processes) -> list[Process]:
        """Find all that belong to it, and note their sessions."""
        members: Processes = {}
        while True:
            found = {
                process.pid: process
                for process in processes.values()
                if process.session in self._sessions
                or process.parent in members
                or self._left_behind(process)
            }
            if len(found) == len(members):
                return [*found.values()]
            members = found
            self._sessions.update(process.session for process in found.values())

    def _left_behind(self, process: Process) -> bool:
        known = (process.pid, process.started)
        if process.session == process.pid or known in self._strangers:
            return False
        if self._mark in _environment(process.pid):
            return True
        self._strangers.add(known)
        return False


class Watch:
    """What the parent has named, and what is being ended."""

    def __init__(self, source: int) -> None:
        self._source = source
        self._is_open = True
        self._begun = b""
        self._families: dict[int, Family] = {}
        self._ending: list[Family] = []

    def run(self) -> None:
        """Do what is said until the source is closed and all has ended."""
        while self._is_open or self._ending:
            sources = [self._source] if self._is_open else []
            if select.select(sources, [], [], POLL_SECONDS if self._ending else None)[0]:
                self._read()
            if self._ending:
                processes = running()
                self._ending = [family for family in self._ending if family.step(processes)]

    def _read(self) -> None:
        piece = os.read(self._source, 65536)
        *lines, self._begun = (self._begun + piece).split(b"\n")
        for line in lines:
            self._take(line.decode().split())
        if not piece:
            self._is_open = False
            self._end(self._families.values(), GRACE_SECONDS)

    def _take(self, words: list[str]) -> None:
        match words:
            case ["watch", pid, mark]:
                # One that is gone already may have left something behind.
                leader = running().get(int(pid)) or Process(int(pid), 0, int(pid), "")
                if leader.session == leader.pid:
                    self._families[leader.pid] = Family(leader, mark)
            case ["end", pid, seconds] if int(pid) in self._families:
                self._end([self._families.pop(int(pid))], float(seconds))

    def _end(self, families: Iterable[Family], grace: float) -> None:
        processes = running()
        for family in families:
            family.end(processes, grace)
            self._ending.append(family)


def _in_proc() -> Iterator[Process]:
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        # It may end while its state is read.
        with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", "rb") as stat:
            # The name, which comes before, may hold anything.
            fields = stat.read().rpartition(b")")[2].decode().split()
            if fields[0] not in ENDED:
                yield Process(int(pid), int(fields[1]), int(fields[3]), fields[19])


def _environment(pid: int) -> bytes:
    """Return what a process was started with; nothing where that cannot be known."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as environment:
        return environment.read()
    return b""


def _by_ps() -> Iterator[Process]:
    import subprocess

    listed = subprocess.run(PS, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
    for line in listed.stdout.decode().splitlines():
        pid, parent, state, started = line.split(maxsplit=3)
        with contextlib.suppress(OSError):
            if state[0] not in ENDED:
                yield Process(int(pid), int(parent), os.getsid(int(pid)), started)


def _signal_all(processes: Iterable[Process], sent: signal.Signals) -> None:
    for process in processes:
        _signal(os.kill, process.pid, sent)


def _signal(send: Callable[[int, int], None], pid: int, sent: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        send(pid, sent)


def main() -> None:
    """Watch what stdin names. Only its end ends this: whoever ends the parent may mean us too."""
    for sent in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(sent, signal.SIG_IGN)
    Watch(sys.stdin.fileno()).run()


if __name__ == "__main__":
    main()
