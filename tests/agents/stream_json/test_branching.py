"""`stored.py`: an earlier prompt in the CLI's session files, and the message before it."""

import base64
import json
import os
from pathlib import Path
from typing import Any

import pytest

from claude_ide.agents.agent import Earlier, Image, NewSession, ResumeSession
from claude_ide.agents.stream_json import stored
from claude_ide.agents.stream_json.stored import NotWrittenError, earlier
from claude_ide.base.errors import AgentError

IMAGE = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(b"dot").decode()}
COMMAND = "<command-name>/{}</command-name>\n<command-args>all</command-args>"


def user(id_: str, parent: str | None, content: Any, **fields: Any) -> dict[str, Any]:
    message = {"role": "user", "content": content}
    return {"type": "user", "uuid": id_, "parentUuid": parent, "message": message} | fields


def prompt(id_: str, parent: str | None, words: str) -> dict[str, Any]:
    return user(id_, parent, [{"type": "text", "text": words}])


def row(type_: str, id_: str, parent: str | None, **fields: Any) -> dict[str, Any]:
    return {"type": type_, "uuid": id_, "parentUuid": parent} | fields


def queued(id_: str, parent: str, source: str, words: str) -> dict[str, Any]:
    content = [{"type": "text", "text": words}]
    attachment = {"type": "queued_command", "prompt": content, "source_uuid": source}
    return row("attachment", id_, parent, attachment=attachment)


FIRST = [prompt("p1", None, "one"), row("assistant", "a1", "p1")]
BOUNDARY = row("system", "b", None, subtype="compact_boundary", logicalParentUuid="a1")
SUMMARY = user("s", "b", "This session is being continued…", isCompactSummary=True)
CAVEAT = user("c", "a1", f"{stored.CAVEAT}The command…", isMeta=True)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A folder for session files."""
    return tmp_path


def write(kept: Path, session: str, *rows: dict[str, Any], at: float = 0.0) -> None:
    path = kept / f"{session}.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    os.utime(path, (at, at))


def after(session: str, until: str) -> ResumeSession:
    return ResumeSession(session, fork=True, until=until)


def test_a_session_continues_after_the_message_before_the_prompt(kept: Path) -> None:
    write(kept, "s1", {"type": "mode"}, *FIRST, prompt("p2", "a1", "two"), {"type": "mode"})

    assert earlier(kept, "s1", "p2") == Earlier(after("s1", "a1"), "two")


def test_the_results_of_shell_commands_do_not_return_with_a_prompt(kept: Path) -> None:
    words = ("<bash-input>ls</bash-input>", "<bash-stdout>a</bash-stdout>", "what is this?")
    sent = user("p2", "a1", [{"type": "text", "text": each} for each in words])
    write(kept, "s1", *FIRST, sent)

    assert earlier(kept, "s1", "p2").text == "what is this?"


def test_the_first_prompt_begins_a_new_session(kept: Path) -> None:
    write(kept, "s1", *FIRST)

    assert earlier(kept, "s1", "p1") == Earlier(NewSession(), "one")


def test_commands_of_the_cli_are_no_conversation(kept: Path) -> None:
    caveat = user("c", None, f"{stored.CAVEAT}The command…", isMeta=True)
    command = user("k", "c", COMMAND.format("clear"))
    write(kept, "s1", caveat, command, prompt("p1", "k", "one"))

    assert earlier(kept, "s1", "p1").opening == NewSession()


def test_a_command_is_edited_without_the_caveat_before_it(kept: Path) -> None:
    write(kept, "s1", *FIRST, CAVEAT, user("p2", "c", COMMAND.format("cost")))

    assert earlier(kept, "s1", "p2") == Earlier(after("s1", "a1"), "/cost all")


def test_a_prompt_that_was_sent_during_a_turn_is_found(kept: Path) -> None:
    write(kept, "s1", *FIRST, queued("q", "a1", "p2", "quickly"), row("assistant", "a2", "q"))

    assert earlier(kept, "s1", "p2") == Earlier(after("s1", "a1"), "quickly")


def test_the_images_of_a_prompt_are_returned_and_the_context_is_not(kept: Path) -> None:
    content = [
        {"type": "text", "text": "<ide_opened_file>The user opened…</ide_opened_file>"},
        {"type": "text", "text": "See [Image 1]"},
        {"type": "image", "source": IMAGE},
        {"type": "image", "source": {"type": "base64", "data": "no base64!"}},
    ]
    write(kept, "s1", *FIRST, user("p2", "a1", content))

    found = earlier(kept, "s1", "p2")

    assert (found.text, found.images) == ("See [Image 1]", (Image(b"dot", "image/png"),))


def test_only_a_prompt_after_the_last_compaction_can_be_edited(kept: Path) -> None:
    command = user("k", "s", COMMAND.format("compact"))
    write(kept, "s1", *FIRST, BOUNDARY, SUMMARY, command, prompt("p2", "k", "two"))

    assert earlier(kept, "s1", "p2").opening == after("s1", "k")
    for compacted in ("p1", "k"):
        with pytest.raises(AgentError, match="compacted"):
            earlier(kept, "s1", compacted)


def test_the_session_itself_precedes_other_sessions_with_the_prompt(kept: Path) -> None:
    rows = [*FIRST, prompt("p2", "a1", "two")]
    for at, session in enumerate(("s1", "s2", "s3")):
        write(kept, session, *rows, at=at)

    assert earlier(kept, "s1", "p2").opening == after("s1", "a1")
    assert earlier(kept, "other", "p2").opening == after("s3", "a1")


def test_a_prompt_that_no_file_has_is_reported(kept: Path) -> None:
    write(kept, "s1", *FIRST, prompt("p2", "a1", "the id p9 is only in the text"))

    with pytest.raises(NotWrittenError, match="does not contain"):
        earlier(kept, "s1", "p9")


def test_damaged_lines_and_a_loop_of_parents_are_survived(kept: Path) -> None:
    write(kept, "s1", row("system", "x", "y"), row("system", "y", "x"), prompt("p1", "x", "one"))
    path = kept / "s1.jsonl"
    path.write_bytes(path.read_bytes() + b'{"type": "user", \xff\n\n[1]\n')

    assert earlier(kept, "s1", "p1").opening == NewSession()
