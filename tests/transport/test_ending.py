"""`transport/ending.py` and the guardian, with real processes."""

import asyncio
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from claude_ide.transport.ending import Family, ProcessEntry, running
from claude_ide.transport.process import Guardian
from support.neovim import ROOT, until
from support.processes import alive

SLEEP = [sys.executable, "-I", "-c", "import signal; signal.pause()"]

MARK = "MARK=of-this-test"

LEADER = "p = os.fork()\nif not p: os.setsid(); signal.pause()\n"
STUBBORN = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
CHILD = "import os, signal\n{}print(os.getpid(), p, flush=True)\nwhile True: signal.pause()"
CHILDREN = [CHILD.format(LEADER), CHILD.format(STUBBORN + LEADER)]

HOST = f"""
import asyncio, os, signal, sys
sys.path.insert(0, {str(ROOT / "python")!r})
from claude_ide.transport.process import Child

async def main():
    for code in {CHILDREN!r}:
        child = await Child.spawn([sys.executable, "-I", "-c", code], cwd="/", environment=dict())
        print((await anext(child.lines())).decode(), flush=True)
    END

asyncio.run(main())
"""
"""A program with two children, each of which starts a process in another session."""


@pytest.fixture
def leader() -> Iterator[subprocess.Popen[bytes]]:
    """A process that leads a session."""
    with subprocess.Popen(SLEEP, start_new_session=True) as process:
        yield process
        process.kill()


@pytest.fixture
def others() -> set[int]:
    """The sessions that this process has started so far."""
    return started_sessions()


@pytest.fixture
def guardian(others: set[int]) -> Iterator[Guardian]:
    """A guardian that ends with the test."""
    guardian = Guardian()
    guardian.start()
    yield guardian
    guardian.end_all()


@pytest.fixture
def pid(others: set[int], guardian: Guardian) -> int:
    """The process id of the guardian."""
    (pid,) = started_sessions() - others
    return pid


def ignores(pid: int, sent: signal.Signals) -> bool:
    """Whether a process ignores a signal."""
    status = Path(f"/proc/{pid}/status").read_text()
    (ignored,) = [line.split()[1] for line in status.splitlines() if line.startswith("SigIgn")]
    return bool(int(ignored, 16) >> (sent - 1) & 1)


def started_sessions() -> set[int]:
    """The children of this process that lead a session."""
    own = os.getpid()
    return {
        each.pid for each in running().values() if (each.parent, each.session) == (own, each.pid)
    }


def test_running_finds_the_parent_and_session_of_a_process() -> None:
    found = running()[os.getpid()]

    assert (found.parent, found.session) == (os.getppid(), os.getsid(0))


@pytest.mark.skipif(not shutil.which("ps"), reason="there is no ps")
def test_running_uses_ps_where_there_is_no_proc(monkeypatch: pytest.MonkeyPatch) -> None:
    own = running()[os.getpid()]
    monkeypatch.setattr(os.path, "exists", lambda _path: False)

    listed = running()[os.getpid()]

    assert listed[:3] == own[:3]
    assert listed.started


async def test_a_process_with_a_reused_id_is_not_ended(leader: subprocess.Popen[bytes]) -> None:
    earlier = ProcessEntry(leader.pid, os.getpid(), leader.pid, "once")
    family = Family(earlier, MARK)

    family.end(running(), 0)

    assert not family.step(running())
    assert alive(leader.pid)


def test_only_session_leaders_are_ended(
    guardian: Guardian, leader: subprocess.Popen[bytes]
) -> None:
    with subprocess.Popen(SLEEP) as process:
        for each in (process, leader):
            guardian.watch(each.pid, MARK)
            guardian.end(each.pid, 0.1)
        assert leader.wait(10) == -signal.SIGTERM

        assert process.poll() is None
        process.kill()


@pytest.fixture
def untidy_leader() -> Iterator[subprocess.Popen[bytes]]:
    """A session leader that leaves behind a shell's background command, and a daemon."""
    name, _, value = MARK.partition("=")
    sleep = shlex.join(SLEEP)
    shell = f"setsid sh -c {shlex.quote(f'{sleep} >/dev/null & echo $!')}"
    daemon = f"setsid -f sh -c {shlex.quote(f'echo $$; exec {sleep} >/dev/null')}"
    with subprocess.Popen(
        ["sh", "-c", f"{shell}; {daemon}; read -r _"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, name: value},
        start_new_session=True,
    ) as leader:
        yield leader


async def test_the_background_command_of_a_shell_is_ended_and_a_daemon_is_not(
    guardian: Guardian, untidy_leader: subprocess.Popen[bytes], request: pytest.FixtureRequest
) -> None:
    assert untidy_leader.stdout and untidy_leader.stdin
    abandoned, daemon = (int(untidy_leader.stdout.readline()) for _ in range(2))
    request.addfinalizer(lambda: os.kill(daemon, signal.SIGKILL))
    guardian.watch(untidy_leader.pid, MARK)
    untidy_leader.stdin.close()
    assert untidy_leader.wait(10) == 1  # `read` reached the end of its input

    guardian.end(untidy_leader.pid, 5)

    await until(lambda: not alive(abandoned), "the background command has ended")
    assert alive(daemon)


async def test_a_killed_guardian_is_replaced(
    guardian: Guardian, pid: int, leader: subprocess.Popen[bytes]
) -> None:
    guardian.watch(leader.pid, MARK)
    os.kill(pid, signal.SIGKILL)
    await until(lambda: not alive(pid), "the guardian has ended")

    guardian.end(leader.pid, 1)

    assert leader.wait(10) == -signal.SIGTERM


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
async def test_a_guardian_does_its_work_before_it_obeys_a_signal(
    guardian: Guardian, pid: int, leader: subprocess.Popen[bytes], sent: signal.Signals
) -> None:
    await until(lambda: ignores(pid, sent), "the guardian is running")
    guardian.watch(leader.pid, MARK)
    os.kill(pid, sent)

    guardian.end_all()

    assert leader.wait(10) == -signal.SIGTERM
    await until(lambda: not alive(pid), "the guardian has ended")


@pytest.mark.parametrize("end", ["os._exit(0)", "os.kill(os.getpid(), signal.SIGKILL)"])
async def test_the_children_of_a_process_end_with_it(end: str) -> None:
    command = [sys.executable, "-I", "-c", HOST.replace("END", end)]
    host = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    output, _ = await host.communicate()
    started = [int(pid) for pid in output.split()]

    assert len(started) == 4
    await until(lambda: not any(map(alive, started)), "all processes have ended")
