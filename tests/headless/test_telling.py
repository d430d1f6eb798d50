"""`headless/telling.py`: frames at a pace that the editor sets."""

import asyncio
from typing import Any

from claude_ide.agents.events import Text
from claude_ide.errors import EditorError
from claude_ide.headless.answer import Answer
from claude_ide.headless.telling import FRAME_SECONDS, Telling
from support.neovim import until


class Editor:
    """Takes frames, each when it may; `text` is what it then shows."""

    def __init__(self) -> None:
        self.frames: list[dict[str, Any]] = []
        self.times: list[float] = []
        self.text = b""
        self.free = asyncio.Event()
        self.free.set()

    async def take(self, frame: dict[str, Any]) -> None:
        self.times.append(asyncio.get_running_loop().time())
        self.frames.append(frame)
        if "text" in frame:
            self.text = self.text[: frame["keep"]] + frame["text"].encode()
        await self.free.wait()


def say(answer: Answer, telling: Telling, words: str, progress: str = "") -> None:
    """Have an answer be these words."""
    answer.take(Text("block", words))
    answer.progress = progress
    telling.changed()


async def test_everything_is_told_by_the_end() -> None:
    editor = Editor()
    answer = Answer()
    telling = Telling(answer, editor.take)

    async with telling.running():
        for count in range(1, 2001):
            say(answer, telling, "ä" * count, "busy")
            telling.put_event({"n": count})
            if count % 100 == 0:
                await asyncio.sleep(0.005)

    assert editor.text.decode() == "ä" * 2000
    told = [event["n"] for frame in editor.frames for event in frame["events"]]
    assert told == list(range(1, 2001))
    assert [frame["progress"] for frame in editor.frames if "progress" in frame] == ["busy"]
    pauses = [b - a for a, b in zip(editor.times[:-1], editor.times[1:-1], strict=False)]
    assert all(pause >= FRAME_SECONDS * 0.9 for pause in pauses)


async def test_the_next_frame_waits_for_the_last_one() -> None:
    editor = Editor()
    editor.free.clear()
    answer = Answer()
    telling = Telling(answer, editor.take)

    async with telling.running():
        say(answer, telling, "a")
        await until(lambda: editor.frames)
        say(answer, telling, "ab")
        await asyncio.sleep(3 * FRAME_SECONDS)
        assert len(editor.frames) == 1
        editor.free.set()

    assert editor.text == b"ab"


async def test_a_text_that_turns_out_otherwise_is_told_anew() -> None:
    editor = Editor()
    answer = Answer()
    telling = Telling(answer, editor.take)

    for text in ("abc", "xyz", ""):
        async with telling.running():
            say(answer, telling, text)
        assert editor.text.decode() == text


async def test_what_cannot_be_shown_stops_no_answer() -> None:
    refused: list[dict[str, Any]] = []

    async def refuse(frame: dict[str, Any]) -> None:
        refused.append(frame)
        raise EditorError("no")

    answer = Answer()
    telling = Telling(answer, refuse)
    async with telling.running():
        say(answer, telling, "a")
        await until(lambda: refused)
        say(answer, telling, "b")

    assert len(refused) == 1
