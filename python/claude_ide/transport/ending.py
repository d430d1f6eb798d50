"""A program that ends programs with all their descendants, and that outlives its parent.

It reads lines from stdin. `watch PID MARK` names the leader of a session, which has `MARK` in its
environment. `end PID SECONDS` ends that leader and its descendants, or the remaining descendants
of a leader that has exited. When the parent has ended for any reason, stdin closes, and all watched
programs are ended. It is run by path and therefore imports only the standard library.
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
"""The time between SIGTERM and SIGKILL."""

KILLING_SECONDS = 1.0
"""How long to repeat SIGKILL."""

POLL_SECONDS = 0.03
ENDED = ("Z", "X")
"""The states of processes that have ended but have not been waited for."""

PS = ("ps", "-A", "-o", "pid=,ppid=,stat=,lstart=")


class ProcessEntry(NamedTuple):
    """A running process."""

    pid: int
    parent: int
    session: int
    started: str

    def runs_in(self, processes: "Processes") -> bool:
        """Return whether this process is still running; its id may belong to another one now."""
        found = processes.get(self.pid)
        return found is not None and found.started == self.started


Processes = dict[int, ProcessEntry]


def running() -> Processes:
    """Return all running processes by id."""
    found = _in_proc() if os.path.exists("/proc/self/stat") else _by_ps()
    return {process.pid: process for process in found}


class Family:
    """The leader of a session and its descendants.

    A program may start others in new sessions, which lose their parent when it ends. Their session
    ids are therefore recorded while it runs, so that they are found afterwards. A background
    command of a shell (`command &`) may lose its parent earlier: the mark that it inherited
    identifies it. A daemon leads its own session and is left running.
    """

    def __init__(self, leader: ProcessEntry, mark: str) -> None:
        self._leader = leader
        self._mark = f"{mark}\0".encode()
        self._strangers: set[tuple[int, str]] = set()
        self._sessions = {leader.session}
        self._deadline = 0.0
        self._is_orphaned = False

    def end(self, processes: Processes, grace: float) -> None:
        """Start to end it; call `step` until it returns False."""
        self._deadline = time.monotonic() + grace
        if self._leader.runs_in(processes):
            self._members(processes)
            _signal(os.killpg, self._leader.pid, signal.SIGTERM)
        elif self._leader.pid in processes:
            self._sessions.clear()  # another process has its id, and so that of its session

    def step(self, processes: Processes) -> bool:
        """Send the signal that is due; return whether more steps are needed."""
        members = self._members(processes)
        late = time.monotonic() - self._deadline
        if late >= 0:
            _signal_all(members, signal.SIGKILL)
        elif not self._is_orphaned and not self._leader.runs_in(processes):
            self._is_orphaned = True
            _signal_all(members, signal.SIGTERM)
        return bool(members) and late < KILLING_SECONDS

    def _members(self, processes: Processes) -> list[ProcessEntry]:
        """Return the running members, and record their sessions."""
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

    def _left_behind(self, process: ProcessEntry) -> bool:
        known = (process.pid, process.started)
        if process.session == process.pid or known in self._strangers:
            return False
        if self._mark in _environment(process.pid):
            return True
        self._strangers.add(known)
        return False


class ProgramWatch:
    """The programs that the parent has named, and those that are being ended."""

    def __init__(self, source: int) -> None:
        self._source = source
        self._is_open = True
        self._rest = b""
        self._families: dict[int, Family] = {}
        self._ending: list[Family] = []

    def run(self) -> None:
        """Execute the lines from the source until it is closed and all programs have ended."""
        while self._is_open or self._ending:
            sources = [self._source] if self._is_open else []
            if select.select(sources, [], [], POLL_SECONDS if self._ending else None)[0]:
                self._read()
            if self._ending:
                processes = running()
                self._ending = [family for family in self._ending if family.step(processes)]

    def _read(self) -> None:
        piece = os.read(self._source, 65536)
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            self._execute(line.decode().split())
        if not piece:
            self._is_open = False
            self._end(self._families.values(), GRACE_SECONDS)

    def _execute(self, words: list[str]) -> None:
        match words:
            case ["watch", pid, mark]:
                # A program that has exited already may have left descendants.
                leader = running().get(int(pid)) or ProcessEntry(int(pid), 0, int(pid), "")
                if leader.session == leader.pid:
                    self._families[leader.pid] = Family(leader, mark)
            case ["end", pid, seconds] if int(pid) in self._families:
                self._end([self._families.pop(int(pid))], float(seconds))

    def _end(self, families: Iterable[Family], grace: float) -> None:
        processes = running()
        for family in families:
            family.end(processes, grace)
            self._ending.append(family)


def _in_proc() -> Iterator[ProcessEntry]:
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        # The process may end during this.
        with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", "rb") as stat:
            # The name, which comes first, may contain any character.
            fields = stat.read().rpartition(b")")[2].decode().split()
            if fields[0] not in ENDED:
                yield ProcessEntry(int(pid), int(fields[1]), int(fields[3]), fields[19])


def _environment(pid: int) -> bytes:
    """Return the initial environment of a process; empty if it cannot be read."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as environment:
        return environment.read()
    return b""


def _by_ps() -> Iterator[ProcessEntry]:
    import subprocess

    listed = subprocess.run(PS, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
    for line in listed.stdout.decode().splitlines():
        pid, parent, state, started = line.split(maxsplit=3)
        with contextlib.suppress(OSError):
            if state[0] not in ENDED:
                yield ProcessEntry(int(pid), int(parent), os.getsid(int(pid)), started)


def _signal_all(processes: Iterable[ProcessEntry], sent: signal.Signals) -> None:
    for process in processes:
        _signal(os.kill, process.pid, sent)


def _signal(send: Callable[[int, int], None], pid: int, sent: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        send(pid, sent)


def main() -> None:
    """Run until stdin closes. Signals are ignored: those for the parent may be sent here, too."""
    for sent in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(sent, signal.SIG_IGN)
    ProgramWatch(sys.stdin.fileno()).run()


if __name__ == "__main__":
    main()
