"""`painter.py`: the times at which frames are drawn."""

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any

import pytest

from claude_ide.base.errors import EditorError
from claude_ide.ui.sheet import FRAME_SECONDS, Painter
from support.neovim import until

Frame = dict[str, Any]


class Source:
    """Numbered frames, of which `remaining` ones have yet to be drawn."""

    def __init__(self) -> None:
        self.remaining = 0
        self.given = 0
        self.redrawn = 0

    def frame(self) -> Frame | None:
        if not self.remaining:
            return None
        self.remaining -= 1
        self.given += 1
        return {"edits": [], "code": [], "number": self.given}

    def redraw(self) -> None:
        self.redrawn += 1
        self.remaining = 1


class Canvas:
    """An editor that draws; unless it is `free`, a test answers each frame."""

    def __init__(self) -> None:
        self.drawn: list[int] = []
        self.times: list[float] = []
        self.free = True
        self.error: Exception | None = None
        self.answers: list[asyncio.Future[None]] = []

    async def draw(self, frame: Frame) -> None:
        self.drawn.append(frame["number"])
        self.times.append(asyncio.get_running_loop().time())
        if self.error:
            raise self.error
        if not self.free:
            self.answers.append(asyncio.get_running_loop().create_future())
            await self.answers[-1]


@pytest.fixture
def source() -> Source:
    return Source()


@pytest.fixture
def canvas() -> Canvas:
    return Canvas()


@pytest.fixture
async def painter(source: Source, canvas: Canvas) -> AsyncIterator[Painter]:
    painter = Painter(canvas.draw, source)
    running = asyncio.create_task(painter.run())
    yield painter
    painter.close()
    for answer in canvas.answers:
        if not answer.done():
            answer.set_result(None)
    await asyncio.wait_for(running, 5)


async def test_a_requested_frame_is_drawn(painter: Painter, source: Source, canvas: Canvas) -> None:
    source.remaining = 1

    painter.soon()
    await painter.drawn()

    assert canvas.drawn == [1]


async def test_nothing_is_drawn_without_a_change(painter: Painter, canvas: Canvas) -> None:
    painter.soon()
    await painter.drawn()

    assert canvas.drawn == []


async def test_the_next_frame_follows_until_all_is_drawn(
    painter: Painter, source: Source, canvas: Canvas
) -> None:
    source.remaining = 3

    painter.soon()
    await painter.drawn()

    assert canvas.drawn == [1, 2, 3]


async def test_frames_have_a_minimum_interval(
    painter: Painter, source: Source, canvas: Canvas
) -> None:
    source.remaining = 4

    painter.now()
    await painter.drawn()

    pauses = [later - sooner for sooner, later in zip(canvas.times, canvas.times[1:], strict=False)]
    assert min(pauses) >= FRAME_SECONDS * 0.95


async def test_no_frame_is_drawn_before_the_last_one_was_answered(
    painter: Painter, source: Source, canvas: Canvas
) -> None:
    source.remaining, canvas.free = 2, False
    painter.now()
    await until(lambda: canvas.answers, "the first frame")

    painter.now()
    for _ in range(20):
        painter.soon()
        await asyncio.sleep(0)
    assert canvas.drawn == [1]

    canvas.answers[0].set_result(None)
    await until(lambda: canvas.drawn == [1, 2], "the second frame")


class Slow:
    """A clock for which each draw takes a second, and everything else no time."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas

    def __call__(self) -> float:
        return float(len(self.canvas.drawn))


async def test_after_a_slow_draw_there_is_a_longer_pause_unless_it_is_urgent(
    source: Source, canvas: Canvas
) -> None:
    painter = Painter(canvas.draw, source, clock=Slow(canvas))
    running = asyncio.create_task(painter.run())
    loop = asyncio.get_running_loop()
    source.remaining = 2
    painter.soon()
    await until(lambda: canvas.drawn == [1], "the first frame")

    await asyncio.wait([running], timeout=FRAME_SECONDS * 4)
    assert canvas.drawn == [1]
    painter.now()
    began = loop.time()
    await until(lambda: canvas.drawn == [1, 2], "the second frame")

    assert loop.time() - began < 2
    painter.close()
    await asyncio.wait_for(running, 5)


async def test_after_a_failure_the_next_request_sends_everything_again(
    painter: Painter, source: Source, canvas: Canvas, caplog: pytest.LogCaptureFixture
) -> None:
    source.remaining, canvas.error = 5, EditorError("no such buffer")
    with caplog.at_level(logging.WARNING):
        painter.soon()
        await painter.drawn()
    assert (canvas.drawn, source.redrawn) == ([1], 1)
    assert "no such buffer" in caplog.text

    canvas.error = None
    painter.soon()
    await painter.drawn()

    assert canvas.drawn == [1, 2]


async def test_failed_draws_are_retried_at_growing_intervals_and_logged_once(
    painter: Painter, source: Source, canvas: Canvas, caplog: pytest.LogCaptureFixture
) -> None:
    source.remaining, canvas.error = 1, EditorError("no such buffer")
    with caplog.at_level(logging.WARNING):
        while len(canvas.drawn) < 3:
            painter.now()
            await asyncio.sleep(0.001)

    first, second = (canvas.times[n + 1] - canvas.times[n] for n in range(2))
    assert first >= 2 * FRAME_SECONDS * 0.95
    assert second >= 4 * FRAME_SECONDS * 0.95
    assert caplog.text.count("no such buffer") == 1


@pytest.mark.parametrize("place", ["the source", "the editor"])
async def test_a_mistake_of_ours_does_not_end_the_drawing(
    painter: Painter,
    source: Source,
    canvas: Canvas,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    place: str,
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("a mistake of ours")

    with monkeypatch.context() as broken, caplog.at_level(logging.WARNING):
        if place == "the source":
            broken.setattr(source, "frame", fail)
        else:
            canvas.error = RuntimeError("a mistake of ours")
        source.remaining = 1
        painter.now()
        await asyncio.wait_for(painter.drawn(), 5)
    assert "RuntimeError: a mistake of ours" in caplog.text
    before = len(canvas.drawn)

    canvas.error = None
    painter.now()
    await asyncio.wait_for(painter.drawn(), 5)

    assert len(canvas.drawn) == before + 1


async def test_nothing_waits_for_a_frame_after_the_end(painter: Painter, source: Source) -> None:
    painter.close()
    source.remaining = 1
    painter.soon()

    await asyncio.wait_for(painter.drawn(), 5)


async def test_nothing_is_drawn_after_close(source: Source, canvas: Canvas) -> None:
    painter = Painter(canvas.draw, source)
    source.remaining = 1

    painter.close()
    await asyncio.wait_for(painter.run(), 5)

    assert canvas.drawn == []
