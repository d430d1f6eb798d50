"""Batches: how they cross, how their results come back, and how they are tried again."""

import asyncio
from typing import Any, Protocol

import pytest

from claude_ide.base.errors import EditorError
from claude_ide.editor.port.batch import (
    MOST_TRIES,
    ChangedError,
    Gate,
    Guard,
    StepError,
    modified,
    named,
    retry,
    stamp,
    step,
    tick,
)
from claude_ide.editor.port.binding import Payload, notification, operation, request
from claude_ide.editor.port.files import Buffer, BuffersPort
from support.answering import Answering


class Given(Payload, frozen=True):
    text: str
    more: int = 0


class Noun(Protocol):
    @request("room.put")
    async def put(self, given: Given, last: str = ..., other: int = ...) -> None: ...

    @notification("room.tell")
    def tell(self) -> None: ...

    @operation("room.ask")
    async def ask(self) -> Given: ...


FOUND = {"bufnr": 3, "loaded": True, "modified": 0, "listed": True}


@pytest.fixture
def editor() -> Answering:
    return Answering("batch.run")


async def test_steps_cross_as_the_calls_that_they_are(editor: Answering) -> None:
    editor.answers.append({"results": [None, FOUND]})
    guard = Guard(Gate.HARMLESS, (tick(3, 7), modified(3, False), named(3, "/a")))

    steps = (step(Noun.put, Given("x"), other=2, last="y"), step(BuffersPort.find, "/a"))
    done = await editor.port.batch(steps, guard)

    assert done == (None, Buffer(bufnr=3, modified=False, listed=True))
    (function, _token, gate, facts, calls) = editor.calls[0]
    assert (function, gate) == ("batch.run", "harmless")
    assert [*facts] == [["changedtick", 3, 7], ["modified", 3, False], ["name", 3, "/a"]]
    assert calls == [("room.put", [{"text": "x"}, "y", 2]), ("file.buffers.find", ["/a"])]


async def test_facts_that_do_not_hold_are_named_with_their_present_values(
    editor: Answering,
) -> None:
    facts = (tick(3, 7), stamp("/a", "missing"), tick(4, 1))
    editor.answers.append({"failed": [[0, 8], [2, None]]})

    with pytest.raises(ChangedError, match="changedtick of 3, changedtick of 4") as raised:
        await editor.port.batch([step(BuffersPort.save, "/a")], Guard(Gate.POSSIBLE, facts))

    assert raised.value.failed == [(facts[0], 8), (facts[2], None)]


async def test_a_step_that_fails_is_named_and_earlier_results_are_kept(editor: Answering) -> None:
    editor.answers.append({"results": [FOUND], "failure": "disk full"})
    steps = [
        step(BuffersPort.find, "/a"),
        step(BuffersPort.save, "/a"),
        step(BuffersPort.save, "/b"),
    ]

    with pytest.raises(StepError, match="disk full") as raised:
        await editor.port.batch(steps, Guard(Gate.POSSIBLE))

    assert raised.value.index == 1
    assert [each.bufnr for each in raised.value.results] == [3]


async def test_an_unexpected_result_is_an_error(editor: Answering) -> None:
    editor.answers.append({"results": [{"bufnr": "three"}]})

    with pytest.raises(EditorError, match=r"file.buffers.find returned something unexpected"):
        await editor.port.batch([step(BuffersPort.find, "/a")], Guard(Gate.POSSIBLE))


async def test_cancelling_withdraws_the_batch(editor: Answering) -> None:
    batch = editor.port.batch([step(BuffersPort.save, "/a")], Guard(Gate.POSSIBLE))
    waiting = asyncio.ensure_future(batch)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    token = editor.calls[0][1]

    waiting.cancel()
    await asyncio.wait([waiting])

    assert editor.calls[1:] == [("batch.withdraw", token)]


@pytest.mark.parametrize("method", [Noun.ask, Noun.tell])
def test_only_a_call_that_ends_at_once_can_be_a_step(method: Any) -> None:
    with pytest.raises(TypeError, match="does not end in the instant"):
        step(method)


async def test_a_batch_that_is_sent_back_is_decided_again() -> None:
    tries: list[int] = []

    async def attempt() -> str:
        tries.append(len(tries))
        if len(tries) < 3:
            raise ChangedError([])
        return "done"

    assert await retry(attempt) == "done"
    assert tries == [0, 1, 2]


async def test_the_tries_have_an_end() -> None:
    count = 0

    async def attempt() -> None:
        nonlocal count
        count += 1
        raise ChangedError([(tick(1, count), None)])

    with pytest.raises(ChangedError) as raised:
        await retry(attempt)

    assert count == MOST_TRIES
    assert raised.value.failed[0][0].expected == MOST_TRIES


async def test_another_error_ends_the_tries() -> None:
    async def attempt() -> None:
        raise StepError("no", [])

    with pytest.raises(StepError):
        await retry(attempt)
