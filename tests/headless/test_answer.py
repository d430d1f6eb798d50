"""`headless/answer.py`: events become an answer, and its frames for the editor."""

import asyncio
from typing import Any

import pytest

from claude_ide.agents.events import (
    Event,
    Notice,
    PreviewVoided,
    Retry,
    Text,
    TextDelta,
    ThinkingDelta,
    ThinkingTokens,
    ToolEnded,
    ToolStarted,
    ToolStatus,
    Waiting,
)
from claude_ide.base.errors import EditorError
from claude_ide.headless.answer import FRAME_SECONDS, STARTING, WAITING, Answer, AnswerFrames
from support.neovim import until


def after(*events: Event) -> Answer:
    answer = Answer()
    for event in events:
        answer.apply(event)
    return answer


def test_pieces_are_joined_to_texts_in_order() -> None:
    answer = after(TextDelta("a", "one"), TextDelta("b", "two"), TextDelta("a", "!"))

    assert answer.text == "one!\n\ntwo"


def test_a_complete_text_replaces_its_pieces() -> None:
    assert after(TextDelta("a", "on"), Text("a", "one")).text == "one"


def test_a_void_preview_is_removed() -> None:
    assert after(Text("a", "one"), TextDelta("b", "tw"), PreviewVoided(("b", "c"))).text == "one"


def test_the_text_of_a_subagent_is_not_part_of_the_answer() -> None:
    assert after(TextDelta("a", "x", "tool"), Text("b", "y", "tool")).text == ""


def test_an_error_is_kept_and_other_notices_are_not() -> None:
    error = Notice("no", "error", "authentication_failed")

    assert after(error, Notice("by the way")).error is error


@pytest.mark.parametrize(
    ("events", "words"),
    [
        ([], STARTING),
        ([Waiting()], WAITING),
        ([ThinkingDelta("a", "hm")], "thinking…"),
        ([ThinkingTokens(70), ThinkingDelta("a", "hm")], "thinking… (70 tokens)"),
        ([ToolStarted("t", "Read", "read")], "using Read…"),
        ([ToolStarted("t", "Read", "read"), ToolEnded("t", ToolStatus.COMPLETED)], WAITING),
        ([Retry(2, 9, 3.6, "rate_limit")], "rate limit: trying again in 4 s (2 of 9)"),
        ([Retry(1, 9, 1, "")], "no connection: trying again in 1 s (1 of 9)"),
        ([TextDelta("a", "x")], ""),
        ([TextDelta("a", "x"), Waiting()], WAITING),
    ],
)
def test_the_progress_describes_the_latest_activity(events: list[Event], words: str) -> None:
    assert after(*events).progress == words


class Editor:
    """Receives frames, and finishes each once `free` is set; `text` is the text that it shows."""

    def __init__(self) -> None:
        self.frames: list[dict[str, Any]] = []
        self.times: list[float] = []
        self.text = b""
        self.free = asyncio.Event()
        self.free.set()

    async def receive(self, frame: dict[str, Any]) -> None:
        self.times.append(asyncio.get_running_loop().time())
        self.frames.append(frame)
        if "text" in frame:
            self.text = self.text[: frame["keep"]] + frame["text"].encode()
        await self.free.wait()


def update(answer: Answer, frames: AnswerFrames, words: str, progress: str = "") -> None:
    """Set the text and progress of an answer."""
    answer.apply(Text("block", words))
    answer.progress = progress
    frames.changed()


async def test_all_text_and_all_events_are_sent_by_the_end() -> None:
    editor = Editor()
    answer = Answer()
    frames = AnswerFrames(answer, editor.receive)

    async with frames.running():
        for count in range(1, 2001):
            update(answer, frames, "ä" * count, "busy")
            frames.put_event({"n": count})
            if count % 100 == 0:
                await asyncio.sleep(0.005)

    assert editor.text.decode() == "ä" * 2000
    received = [event["n"] for frame in editor.frames for event in frame["events"]]
    assert received == list(range(1, 2001))
    assert [frame["progress"] for frame in editor.frames if "progress" in frame] == ["busy"]
    pauses = [b - a for a, b in zip(editor.times[:-1], editor.times[1:-1], strict=False)]
    assert all(pause >= FRAME_SECONDS * 0.9 for pause in pauses)


async def test_the_next_frame_waits_for_the_previous_one() -> None:
    editor = Editor()
    editor.free.clear()
    answer = Answer()
    frames = AnswerFrames(answer, editor.receive)

    async with frames.running():
        update(answer, frames, "a")
        await until(lambda: editor.frames)
        update(answer, frames, "ab")
        await asyncio.sleep(3 * FRAME_SECONDS)
        assert len(editor.frames) == 1
        editor.free.set()

    assert editor.text == b"ab"


async def test_a_text_that_changes_is_sent_again() -> None:
    editor = Editor()
    answer = Answer()
    frames = AnswerFrames(answer, editor.receive)

    for text in ("abc", "xyz", ""):
        async with frames.running():
            update(answer, frames, text)
        assert editor.text.decode() == text


async def test_a_frame_that_cannot_be_shown_does_not_stop_the_answer() -> None:
    refused: list[dict[str, Any]] = []

    async def refuse(frame: dict[str, Any]) -> None:
        refused.append(frame)
        raise EditorError("no")

    answer = Answer()
    frames = AnswerFrames(answer, refuse)
    async with frames.running():
        update(answer, frames, "a")
        await until(lambda: refused)
        update(answer, frames, "b")

    assert len(refused) == 1
