"""`hooks/sessions.py`: what Claude has said before it uses a tool."""

import asyncio
from pathlib import Path

import pytest

from claude_ide.hooks import sessions
from support.fake_api import text
from support.session_files import line

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
