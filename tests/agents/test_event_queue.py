"""`session_state.py`: many events leave time for other tasks, and slow down who sends them."""

import asyncio
import itertools
from collections.abc import AsyncIterator

from claude_ide.agents.events import Dead, Event, TextDelta
from claude_ide.agents.session_state import MOST_WAITING, SLICE_SECONDS, EventQueue

SAID = TextDelta("1", "x")


async def read(events: AsyncIterator[Event]) -> int:
    """Read the events of an agent to its end; return how many there are."""
    return len([event async for event in events])


async def test_other_tasks_run_while_many_events_are_handled() -> None:
    ticks = itertools.count()
    events = EventQueue(clock=lambda: next(ticks) * SLICE_SECONDS)
    for event in [SAID] * 99 + [Dead(0)]:
        events.put(event)
    reading = asyncio.create_task(read(events.until_dead()))

    turns = 0
    while not reading.done():
        await asyncio.sleep(0)
        turns += 1

    assert await reading == 100
    assert turns > 30


async def test_an_agent_is_read_on_only_when_its_events_are_handled() -> None:
    events = EventQueue()
    arrived = asyncio.Event()
    reading = asyncio.create_task(read(events.until_dead()))
    await asyncio.sleep(0)
    for _ in range(MOST_WAITING + 1):
        events.put(SAID)

    waiting = asyncio.create_task(events.room())
    waiting.add_done_callback(lambda _: arrived.set())
    assert not waiting.done()
    await arrived.wait()

    events.put(Dead(0))
    assert await reading == MOST_WAITING + 2


async def test_an_agent_that_nobody_reads_yet_does_not_wait() -> None:
    events = EventQueue()
    for _ in range(2 * MOST_WAITING):
        events.put(SAID)

    await asyncio.wait_for(events.room(), 5)


async def test_nothing_waits_for_a_reader_that_was_cancelled() -> None:
    events = EventQueue()
    reading = asyncio.create_task(read(events.until_dead()))
    await asyncio.sleep(0)
    for _ in range(2 * MOST_WAITING):
        events.put(SAID)
    waiting = asyncio.create_task(events.room())
    reading.cancel()

    await asyncio.wait_for(waiting, 5)
