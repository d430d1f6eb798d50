"""`transport/process.py`, with real children."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claude_ide.base.errors import TransportClosed
from claude_ide.transport.process import (
    LONGEST_STDERR_LINE_BYTES,
    STDERR,
    STDERR_LINES,
    Child,
    LineSplitter,
)
from support.checkout import program
from support.neovim import until
from support.processes import alive

Start = Callable[..., Awaitable[Child]]


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """Start Python children, which end with the test."""
    children: list[Child] = []

    async def start(code: str, **environment: str) -> Child:
        command = [sys.executable, "-I", "-u", "-c", f"import sys, os, signal, time\n{code}"]
        child = await Child.spawn(command, cwd=tmp_path, environment=environment)
        children.append(child)
        return child

    yield start
    for child in children:
        child.kill()
        await over(child)


async def over(child: Child) -> None:
    """Wait until the child has ended and its pipes are closed, so that it affects no later test."""
    await child.wait()
    await lines(child)
    await child.stop()


async def lines(child: Child) -> list[bytes]:
    async with asyncio.timeout(10):
        return [line async for line in child.lines()]


@given(st.lists(st.binary(max_size=30).map(lambda line: line.replace(b"\n", b""))), st.data())
def test_lines_do_not_depend_on_the_chunks_they_arrive_in(
    whole: list[bytes], data: st.DataObject
) -> None:
    stream = b"".join(line + b"\n" for line in whole) + b"rest"
    splitter = LineSplitter(10_000)
    got: list[bytes] = []
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        got += splitter.feed(stream[:size])
        stream = stream[size:]

    assert got == whole
    assert splitter.rest() == b"rest"
    assert splitter.rest() == b""


async def test_a_character_split_between_two_writes_is_read_correctly(start: Start) -> None:
    child = await start(
        "b = 'grüße 🎉\\n'.encode()\n"
        "for i in range(len(b)): os.write(1, b[i:i+1]); time.sleep(0.001)"
    )

    assert await lines(child) == ["grüße 🎉".encode()]


async def test_a_line_of_several_megabytes_is_read_whole(start: Start) -> None:
    child = await start("print('x' * 9_000_000); print('y')")

    assert [len(line) for line in await lines(child)] == [9_000_000, 1]


async def test_empty_lines_are_skipped_and_the_last_line_needs_no_newline(start: Start) -> None:
    child = await start("os.write(1, b'one\\n\\n  \\ntwo')")

    assert await lines(child) == [b"one", b"two"]


async def test_concurrent_messages_are_sent_whole_and_in_order(start: Start) -> None:
    child = await start("time.sleep(0.1)\nfor line in sys.stdin: print(line[:8], end='\\n')")
    sent = [f"{number:08}".encode() + b"x" * 40_000 for number in range(100)]

    async with asyncio.timeout(20), asyncio.TaskGroup() as sending:
        for line in sent:
            sending.create_task(child.send(line))
    child.close_input()

    assert await lines(child) == [line[:8] for line in sent]


async def test_send_waits_while_the_child_does_not_read(start: Start) -> None:
    child = await start("sys.stdin.readline(); time.sleep(60)")
    await child.send(b"x")

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await child.send(b"x" * 10_000_000)


async def test_a_child_waits_while_its_output_is_not_read(start: Start, tmp_path: Path) -> None:
    child = await start(
        "for i in range(40): os.write(1, b'x' * 999_999 + b'\\n'); open('n', 'w').write(str(i))"
    )
    written = tmp_path / "n"
    await until(lambda: written.exists() and int(written.read_text() or 0) > 3, "the child writes")

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(1):
            await child.wait()
    assert int(written.read_text()) < 20
    assert len(await lines(child)) == 40


async def test_sending_to_a_child_that_has_ended_is_an_error(start: Start) -> None:
    child = await start("")
    assert await lines(child) == []
    await child.wait()

    with pytest.raises(TransportClosed):
        await child.send(b"{}")


@pytest.mark.parametrize("before", ["", "os.close(2); "])
async def test_a_waiting_send_fails_when_the_child_ends(start: Start, before: str) -> None:
    child = await start(f"{before}time.sleep(0.2)")

    with pytest.raises(TransportClosed):
        async with asyncio.timeout(10):
            await child.send(b"x" * 10_000_000)


@pytest.mark.parametrize("size", [1, 10_000_000])
async def test_sending_to_a_child_that_has_closed_its_input_is_an_error(
    start: Start, size: int
) -> None:
    child = await start("os.close(0); print('closed'); time.sleep(1000)")
    assert await anext(child.lines()) == b"closed"

    with pytest.raises(TransportClosed):
        async with asyncio.timeout(10):
            await child.send(b"x" * size)


async def test_a_waiting_send_fails_when_the_child_closes_its_input(start: Start) -> None:
    child = await start("time.sleep(0.2); os.close(0); time.sleep(1000)")

    with pytest.raises(TransportClosed):
        async with asyncio.timeout(10):
            await child.send(b"x" * 10_000_000)


async def test_sending_after_the_input_was_closed_is_an_error(start: Start) -> None:
    child = await start("print(len(sys.stdin.read()))")
    await child.send(b"x" * 1_000_000)
    child.close_input()

    with pytest.raises(TransportClosed):
        await child.send(b"late")
    assert await lines(child) == [b"1000001"]


async def test_the_last_words_of_a_child_are_read_before_it_counts_as_stopped(start: Start) -> None:
    child = await start("os.close(1); os.write(2, b'the reason'); os._exit(1)")
    stderr = child._pipe(STDERR)
    stderr.pause_reading()  # as on a busy machine
    stopping = asyncio.create_task(child.stop())

    await child.wait()
    stderr.resume_reading()

    assert await stopping == 1
    assert child.stderr == "the reason"


async def test_the_last_lines_of_stderr_are_kept(start: Start) -> None:
    child = await start("for i in range(1000): print('line', i, file=sys.stderr)\nsys.exit(3)")
    await lines(child)

    assert await child.wait() == 3
    await until(lambda: "line 999" in child.stderr, "all of stderr has been read")
    assert len(child.stderr.splitlines()) == STDERR_LINES


async def test_a_line_that_does_not_end_is_not_kept_whole(start: Start) -> None:
    child = await start("while True: os.write(1, b'x' * 65536)")

    assert await lines(child) == []
    assert await child.wait() < 0
    assert child.stderr == "it sent a line of more than 67,108,864 bytes"


async def test_only_the_beginning_of_a_line_of_stderr_is_kept(start: Start) -> None:
    child = await start(
        "os.write(2, b'x' * 9_000_000 + b'\\nend\\n'); os.close(2); time.sleep(100)"
    )
    await until(lambda: b"end" in child._stderr, "stderr is read")

    kept, end = child.stderr.splitlines()

    assert (kept, end) == ("x" * LONGEST_STDERR_LINE_BYTES, "end")


def test_a_splitter_keeps_little_of_a_line_that_does_not_end() -> None:
    splitter = LineSplitter(100)
    assert [splitter.feed(b"x" * 60) for _ in range(10)] == [[]] * 10

    assert splitter.is_full
    assert splitter.feed(b"\nnext\n") == [b"x" * 120, b"next"]
    assert not splitter.is_full


async def test_the_exit_code_names_the_signal_that_ended_the_child(start: Start) -> None:
    child = await start("os.kill(os.getpid(), signal.SIGKILL)")

    assert await child.wait() == -signal.SIGKILL
    assert child.code == -signal.SIGKILL


async def test_a_program_that_does_not_exist_cannot_be_started(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        await Child.spawn(["/no/such/program"], cwd=tmp_path, environment={})


@pytest.mark.parametrize("path", ["", ".", ".:/usr/bin", ":/usr/bin", "/usr/bin:", "bin:."])
async def test_relative_entries_of_path_are_not_searched_for_a_program(
    tmp_path: Path, path: str
) -> None:
    program(tmp_path / "claude", "exit 0")
    program(tmp_path / "bin/claude", "exit 0")

    with pytest.raises(FileNotFoundError, match="claude"):
        await Child.spawn(["claude"], cwd=tmp_path, environment={"PATH": path})


async def test_a_program_is_found_on_path(tmp_path: Path) -> None:
    program(tmp_path / "bin/claude", "echo $0")
    path = f".:{tmp_path}/no:{tmp_path}/bin"

    child = await Child.spawn(["claude"], cwd="/", environment={"PATH": path})

    assert await lines(child) == [f"{tmp_path}/bin/claude".encode()]
    await over(child)


async def test_the_child_gets_only_the_given_environment(start: Start) -> None:
    child = await start("print(os.environ.get('ONLY'), os.environ.get('HOME'))", ONLY="this")

    assert await lines(child) == [b"this None"]


async def test_stop_only_closes_the_input_of_a_child_that_reads_it(start: Start) -> None:
    child = await start("sys.stdin.read(); print('bye')")

    assert await child.stop() == 0
    assert await lines(child) == [b"bye"]


async def test_stop_terminates_a_child_that_ignores_its_input(start: Start) -> None:
    child = await start("print(1); time.sleep(60)")
    assert await anext(child.lines()) == b"1"

    assert await child.stop(grace=0.2) == -signal.SIGTERM


async def test_stop_kills_a_child_that_ignores_sigterm(start: Start) -> None:
    child = await start(
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1)\nwhile True: time.sleep(60)"
    )
    assert await anext(child.lines()) == b"1"

    assert await child.stop(grace=0.2) == -signal.SIGKILL
    assert await child.stop() == -signal.SIGKILL


GRANDCHILD = "p = os.fork()\nif not p: signal.pause()\nprint(p)\n"


@pytest.mark.parametrize("end", ["sys.exit()", "sys.stdin.read()", "time.sleep(60)"])
async def test_a_grandchild_ends_with_the_child(start: Start, end: str) -> None:
    child = await start(GRANDCHILD + end)
    grandchild = int(await anext(child.lines()))

    await child.stop(grace=0.2)

    await until(lambda: not alive(grandchild), "the grandchild has ended")


LEADER = "p = os.fork()\nif not p: os.setsid(); print(os.getpid()); signal.pause()\n"
STUBBORN = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"


@pytest.mark.parametrize("before", ["", STUBBORN], ids=["yielding", "stubborn"])
async def test_a_grandchild_in_another_session_ends_with_the_child(
    start: Start, before: str
) -> None:
    child = await start(before + LEADER + "while True: time.sleep(60)")
    grandchild = int(await anext(child.lines()))

    await child.stop(grace=0.2)

    await until(lambda: not alive(grandchild), "the grandchild has ended")


async def test_a_killed_child_has_time_to_clean_up(start: Start) -> None:
    child = await start(
        "signal.signal(signal.SIGTERM, lambda *_: (print('clean'), sys.exit(7)))\n"
        "print('up')\nwhile True: time.sleep(60)"
    )
    assert await anext(child.lines()) == b"up"

    child.kill()

    assert await lines(child) == [b"clean"]
    assert await child.wait() == 7


async def test_the_output_ends_even_if_another_process_holds_it_open(start: Start) -> None:
    child = await start(
        "p = os.fork()\nif not p: os.setsid(); time.sleep(30); sys.exit()\nprint(p)"
    )
    got = await lines(child)

    assert child.code == 0
    os.kill(int(got[0]), signal.SIGKILL)


async def test_the_child_leads_its_own_process_group_and_session(start: Start) -> None:
    child = await start("print(os.getpgid(0), os.getsid(0))")

    assert await lines(child) == [f"{child.pid} {child.pid}".encode()]
