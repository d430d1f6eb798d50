"""`hooks/sessions.py`: the record of a CLI says that the user has interrupted its turn."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from claude_ide.hooks.sessions import LONGEST_READ_BYTES, Interruptions, TranscriptFile
from support.neovim import until

MARK = "[Request interrupted by user for tool use]"


def said(text: str, role: str = "user") -> str:
    """Return a line of the record."""
    content = [{"type": "text", "text": text}]
    line = {"type": role, "promptId": "p", "message": {"role": role, "content": content}}
    return json.dumps(line) + "\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A record with an earlier interruption."""
    path = tmp_path / "record.jsonl"
    path.write_text(said(MARK))
    return path


@pytest.fixture
def record(path: Path) -> TranscriptFile:
    """The same, from now on."""
    record = TranscriptFile(str(path))
    assert record.interrupted() == []
    return record


def add(path: Path, *lines: str) -> None:
    with path.open("a") as file:
        file.writelines(lines)


def test_only_a_new_interruption_by_the_user_counts(path: Path, record: TranscriptFile) -> None:
    odd = [
        '{"type": "user"}\n',
        f'"{MARK}"\n',
        f"{MARK}\n",
        f'{{"type": "user", "message": "{MARK}"}}\n',
        f'{{"type": "user", "message": {{"content": "{MARK}"}}}}\n',
    ]
    add(path, said("swim"), said(MARK, "assistant"), said(f"it says {MARK}"), *odd)
    assert record.interrupted() == []

    line = said(MARK)
    add(path, line[:20])
    assert record.interrupted() == []
    add(path, line[20:])

    assert record.interrupted() == ["p"]
    assert record.interrupted() == []


def test_a_prompt_without_an_id_counts(path: Path, record: TranscriptFile) -> None:
    line = json.loads(said(MARK))
    add(path, json.dumps({**line, "promptId": None}) + "\n")

    assert record.interrupted() == [""]


def test_a_line_of_odd_bytes_is_skipped(path: Path, record: TranscriptFile) -> None:
    with path.open("ab") as file:
        file.write(b"\xff" + MARK.encode() + b"\n" + b"[" * 100_000 + MARK.encode() + b"\n")
    add(path, said(MARK))

    assert record.interrupted() == ["p"]


def test_of_much_text_only_the_end_is_read(path: Path, record: TranscriptFile) -> None:
    add(path, said(MARK), "x" * LONGEST_READ_BYTES + "\n", said(MARK))

    assert record.interrupted() == ["p"]


@pytest.mark.parametrize("name", ["/dev/zero", "folder", "missing", "nul\0"])
def test_what_is_no_file_is_not_read(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    record = TranscriptFile(str(tmp_path / name))
    assert record.interrupted() == []

    assert record.interrupted() == []


def test_a_record_may_begin_during_the_turn(tmp_path: Path) -> None:
    path = tmp_path / "projects" / "mine" / "record.jsonl"
    record = TranscriptFile(str(path))
    assert record.interrupted() == []
    assert record.interrupted() == []
    path.parent.mkdir(parents=True)
    path.write_text(said("swim") + said(MARK))

    assert record.interrupted() == ["p"]


@pytest.fixture
async def interruptions() -> AsyncIterator[tuple[Interruptions, list[tuple[str, str]]]]:
    """The records of running turns, and what is reported."""
    reported: list[tuple[str, str]] = []
    interruptions = Interruptions(lambda launch, prompt: reported.append((launch, prompt)))
    yield interruptions, reported
    interruptions.unwatch("t")
    interruptions.unwatch("u")


async def test_after_the_turn_nothing_is_reported(
    interruptions: tuple[Interruptions, list[tuple[str, str]]], path: Path
) -> None:
    watched, reported = interruptions
    other = path.with_name("other.jsonl")
    watched.watch("t", str(path))
    watched.watch("u", str(other))
    watched.unwatch("t")

    def is_reported() -> bool:
        add(path, said(MARK))
        add(other, said(MARK))
        return bool(reported)

    await until(is_reported, "the other turn is over")
    assert {launch for launch, _ in reported} == {"u"}


async def test_a_report_that_fails_ends_no_watch(path: Path) -> None:
    reported: list[str] = []

    def report(launch: str, _prompt: str) -> None:
        reported.append(launch)
        if launch == "bad":
            raise ValueError(launch)

    watched = Interruptions(report)
    other = path.with_name("other.jsonl")
    watched.watch("bad", str(path))
    watched.watch("good", str(other))

    def are_reported() -> bool:
        add(path, said(MARK))
        if reported:
            add(other, said(MARK))
        return {"bad", "good"} <= set(reported)

    await until(are_reported, "both are reported")
    watched.unwatch("bad")
    watched.unwatch("good")
