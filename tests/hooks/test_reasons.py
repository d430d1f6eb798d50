"""`hooks/sessions.py`: the editor hears why an edit is made, until the edit is over."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from claude_ide.hooks.sessions import Reasons
from support.fake_api import text
from support.neovim import until
from support.session_files import line

Told = list[tuple[str, str]]


@pytest.fixture
def told() -> Told:
    """What the editor has heard, as paths and words."""
    return []


@pytest.fixture
async def tasks() -> AsyncIterator[list[asyncio.Task[None]]]:
    """The tasks that wait for the transcript."""
    started: list[asyncio.Task[None]] = []
    yield started
    await asyncio.gather(*started)


@pytest.fixture
def reasons(told: Told, tasks: list[asyncio.Task[None]]) -> Reasons:
    return Reasons(
        lambda path, words: told.append((path, words)),
        lambda work: tasks.append(asyncio.ensure_future(work)),
    )


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


def said(words: str, use: str) -> bytes:
    """Return a line of a transcript: words, and an edit after them."""
    return line("assistant", text(words), {"type": "tool_use", "id": use})


async def test_the_words_are_told_until_the_edit_is_over(
    reasons: Reasons, told: Told, transcript: Path
) -> None:
    transcript.write_bytes(said("I fix it.", "t1"))

    reasons.begin("t1", "/a.py", str(transcript))
    await until(lambda: told == [("/a.py", "I fix it.")], "the words")
    reasons.end("t0")
    assert len(told) == 1
    reasons.end("t1")

    assert told[1:] == [("/a.py", "")]


async def test_words_that_come_after_the_end_are_not_told(
    reasons: Reasons, told: Told, transcript: Path, tasks: list[asyncio.Task[None]]
) -> None:
    reasons.begin("t1", "/a.py", str(transcript))
    reasons.end("t1")
    transcript.write_bytes(said("I fix it.", "t1"))
    await asyncio.gather(*tasks)

    assert told == [("/a.py", "")]


async def test_all_edits_end_with_the_turn(reasons: Reasons, told: Told) -> None:
    reasons.begin("t1", "/a.py", "")
    reasons.begin("t2", "/b.py", "")
    reasons.end_all()
    reasons.end_all()

    assert told == [("/a.py", ""), ("/b.py", "")]
