"""`hooks/sessions.py`: the editor hears why an edit is made, until the edit is over."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from claude_ide.hooks import sessions
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


USE = {"type": "tool_use", "id": "t2", "name": "Edit", "input": {}}


PROMPT = line("user", "Fix it")
RESULT = line("user", {"type": "tool_result", "tool_use_id": "t1", "content": "x"})


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([PROMPT, line("assistant", text("I fix it.")), line("assistant", USE)], "I fix it."),
        ([PROMPT, line("assistant", text("I fix it."), USE)], "I fix it."),
        ([PROMPT, line("assistant", text("Read.")), RESULT, line("assistant", USE)], "Read."),
        ([line("assistant", text("Before.")), PROMPT, line("assistant", USE)], ""),
        ([PROMPT, line("assistant", text("  ")), line("assistant", USE)], ""),
        (
            [
                *(PROMPT, line("assistant", text("Main."))),
                *(line("assistant", text("Side."), isSidechain=True), b"{broken\n"),
                *(line("assistant", USE), line("assistant", text("After."))),
            ],
            "Main.",
        ),
    ],
)
async def test_the_last_text_of_the_turn_is_found(
    tmp_path: Path, lines: list[bytes], said: str
) -> None:
    transcript = tmp_path / "session.jsonl"
    transcript.write_bytes(b"".join(lines))

    assert await sessions.words_before(str(transcript), "t2") == said


async def test_a_use_that_is_written_later_is_waited_for(tmp_path: Path) -> None:
    transcript = tmp_path / "session.jsonl"
    reading = asyncio.create_task(sessions.words_before(str(transcript), "t2"))
    await asyncio.sleep(0)

    transcript.write_bytes(PROMPT + line("assistant", text("I fix it.")) + line("assistant", USE))

    assert await reading == "I fix it."


async def test_a_transcript_without_the_use_gives_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "POLLS", 1)
    (tmp_path / "session.jsonl").write_bytes(PROMPT + line("assistant", text("Talk.")))

    assert await sessions.words_before(str(tmp_path / "session.jsonl"), "t2") == ""
    assert await sessions.words_before(str(tmp_path), "t2") == ""
