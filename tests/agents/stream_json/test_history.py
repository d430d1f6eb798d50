"""`stored.py`: the CLI's session files, in the format of 2.1.330."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from claude_ide.agents import events
from claude_ide.agents.agent import SessionSummary
from claude_ide.agents.stream_json import stored
from claude_ide.base.errors import UnknownSessionError
from support.digest import digest
from support.transcripts import GOLDEN

ID = "c84bef1a-63d6-4df7-8423-cb634ed9c696"


def summaries_in(folder: Path) -> list[SessionSummary]:
    return stored.listed(folder, {}, stored.FileReadings(stored.summary, None))


def user(content: Any, **fields: Any) -> dict[str, Any]:
    return {"type": "user", "uuid": "u1", "message": {"role": "user", "content": content}} | fields


def assistant(*blocks: dict[str, Any], **fields: Any) -> dict[str, Any]:
    message = {"id": "m1", "model": "claude-opus-5-5", "content": [*blocks]}
    return {"type": "assistant", "message": message} | fields


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def write_session(
    kept: Path, *lines: dict[str, Any], id_: str = ID, at: float | None = None
) -> Path:
    """Write a session's file."""
    kept.mkdir(parents=True, exist_ok=True)
    path = kept / f"{id_}.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    if at is not None:
        os.utime(path, (at, at))
    return path


PATCH = [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-one", "+ONE"]}]
CONVERSATION = [
    {"type": "queue-operation", "operation": "enqueue"},
    user([text("<ide_opened_file>The user opened…</ide_opened_file>"), text("edit it")]),
    {"type": "attachment", "attachment": {"type": "environment"}},
    assistant({"type": "thinking", "thinking": "hm"}),
    assistant({"type": "tool_use", "id": "t1", "name": "Edit", "input": {"file_path": "/p/a"}}),
    user(
        [{"type": "tool_result", "tool_use_id": "t1", "content": "updated"}],
        toolUseResult={"filePath": "/p/a", "structuredPatch": PATCH},
    ),
    assistant({"type": "tool_use", "id": "t2", "name": "Bash", "input": {"command": "ls"}}),
    user(
        [{"type": "tool_result", "tool_use_id": "t2", "content": "no", "is_error": True}],
        toolUseResult="Error: no",
        permissionDecision={"decision": "reject", "source": "user_reject"},
    ),
    assistant(text("found by a subagent"), isSidechain=True),
    assistant(text("done")),
    user("<local-command-caveat>…</local-command-caveat>", isMeta=True),
    user("<command-name>/context</command-name>\n<command-args>all</command-args>"),
    {
        "type": "system",
        "subtype": "local_command",
        "content": "<local-command-stdout>2.2k</local-command-stdout>",
    },
    {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"preTokens": 9}},
    user("This session is being continued…", isCompactSummary=True),
    user([text("[Request interrupted by user]")]),
    {"type": "custom-title", "customTitle": "My title"},
    {"type": "last-prompt", "lastPrompt": "edit it"},
]


@pytest.mark.parametrize("name", ["terminal", "terminal197"])
def test_a_session_of_the_terminal_shows_its_commands_as_such(name: str) -> None:
    happened = stored.read(GOLDEN / "sessions", name)

    assert digest(happened) == [
        *("says Hello.", "uses Bash", "completed Bash"),
        *("says Listed.", "info", "says (no more turns"),
    ]
    prompts = [event.text for event in happened if isinstance(event, events.UserMessage)]
    assert prompts == ["Greet me", "/context", "And now?"]
    assert events.ShellRan("echo hi; echo err >&2", "hi\nerr") in happened
    assert "\x1b" not in str(happened)


def test_the_output_of_a_shell_command_without_the_command_is_ignored(tmp_path: Path) -> None:
    write_session(tmp_path, user("<bash-stdout>hi</bash-stdout><bash-stderr></bash-stderr>"))

    assert stored.read(tmp_path, ID) == [events.SessionChanged(ID)]


def test_a_stored_conversation_becomes_events(tmp_path: Path) -> None:
    write_session(tmp_path, *CONVERSATION)

    found = stored.read(tmp_path, ID)

    assert found[0] == events.SessionChanged(ID, "My title")
    assert digest(found) == [
        *("thinks", "uses Edit", "completed Edit +1 -1", "uses Bash", "rejected Bash"),
        *("says done", "info", "compacted"),
    ]
    messages = [event for event in found if isinstance(event, events.UserMessage)]
    assert messages == [
        events.UserMessage("edit it", "u1"),
        events.UserMessage("/context all", "u1"),
    ]
    assert events.Compacted(9) in found


def test_a_turn_that_ended_with_its_cli_is_shown_as_interrupted(tmp_path: Path) -> None:
    interrupted = (
        "[Tool call interrupted: the session ended before this call's result was recorded]"
    )
    filler = assistant(text("No response requested."))
    filler["message"]["model"] = "<synthetic>"
    write_session(
        tmp_path,
        user("wait"),
        assistant({"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "sleep"}}),
        user(
            [
                {
                    "type": "tool_result",
                    "tool_use_id": "t1",
                    "content": interrupted,
                    "is_error": True,
                }
            ],
            toolDenialKind="interrupted",
        ),
        filler,
    )

    assert digest(stored.read(tmp_path, ID)) == ["uses Bash", "interrupted Bash"]


def test_the_end_of_a_task_is_no_prompt_of_the_user(tmp_path: Path) -> None:
    note = (
        "<task-notification>\n<task-id>a1</task-id>\n<tool-use-id>t1</tool-use-id>\n"
        '<status>completed</status>\n<summary>Agent "look at A" finished</summary>\n'
        "<result>Two lines.</result>\n</task-notification>"
    )
    write_session(tmp_path, user(note), assistant(text("Two lines, I hear.")))

    happened = stored.read(tmp_path, ID)

    assert digest(happened) == [
        *("task look at A completed behind", "turn after look at A", "says Two lines, I h")
    ]
    (changed,) = [event for event in happened if isinstance(event, events.TaskChanged)]
    assert (changed.task.tool, changed.task.result) == ("t1", "Two lines.")


def test_an_image_in_a_prompt_is_mentioned(tmp_path: Path) -> None:
    write_session(tmp_path, user([text("what is this?"), {"type": "image", "source": {}}]))

    assert stored.read(tmp_path, ID)[1] == events.UserMessage("what is this?\n[image]", "u1")


def test_the_marks_around_a_pasted_text_are_not_part_of_a_prompt(tmp_path: Path) -> None:
    pasted = '\n\n<pasted_content id="81e6">\na\nb\n</pasted_content id="81e6">\n'
    write_session(tmp_path, user(pasted))

    assert stored.read(tmp_path, ID)[1] == events.UserMessage("a\nb", "u1")
    assert summaries_in(tmp_path)[0].title == "a b"


def test_prompts_that_waited_together_are_shown_one_by_one(tmp_path: Path) -> None:
    image = {"type": "image", "source": {}}
    write_session(tmp_path, user([text("what is this?"), image, text("and\nthat?"), text("hm?")]))

    assert stored.read(tmp_path, ID)[1:] == [
        events.UserMessage("what is this?\n[image]", "u1"),
        events.UserMessage("and\nthat?"),
        events.UserMessage("hm?"),
    ]


def test_a_prompt_that_was_sent_during_a_turn_is_shown(tmp_path: Path) -> None:
    steering = {"type": "queued_command", "commandMode": "prompt", "source_uuid": "u2"}
    lines = [
        {"type": "attachment", "attachment": steering | {"prompt": prompt}}
        for prompt in ([text("be quick")], "be quick", [])
    ]
    write_session(tmp_path, *lines)

    assert stored.read(tmp_path, ID)[1:] == [events.UserMessage("be quick", "u2")] * 2


def test_the_results_of_shell_commands_are_shown_above_their_prompt(tmp_path: Path) -> None:
    ran = [
        *(text("<bash-input>ls &amp;&amp; b</bash-input>"), text("<bash-stdout>a</bash-stdout>")),
        *(text("<bash-input>c</bash-input>"), text("<bash-stderr>&lt;d&gt;</bash-stderr>")),
    ]
    write_session(tmp_path, user([*ran, text("what is this?")]))

    happened = stored.read(tmp_path, ID)[1:]

    assert happened == [
        events.ShellRan("ls && b", "a"),
        events.ShellRan("c", "<d>"),
        events.UserMessage("what is this?", "u1"),
    ]


def test_a_session_that_begins_with_a_shell_command_has_it_as_its_title(tmp_path: Path) -> None:
    write_session(tmp_path, user("<bash-input>ls &amp;&amp; b</bash-input>"))

    [session] = summaries_in(tmp_path)

    assert session.title == "! ls && b"


def test_a_broken_line_is_skipped(tmp_path: Path) -> None:
    path = write_session(tmp_path, user("a"), user("b"))
    path.write_text(path.read_text().replace('"b"', '"b').replace("\n", "\n\n", 1))

    assert [event.text for event in stored.read(tmp_path, ID)[1:]] == ["a"]  # type: ignore[union-attr]


@pytest.mark.parametrize("session", ["unknown", "../etc/passwd", "", "a/b"])
def test_a_session_that_does_not_exist_is_an_error(tmp_path: Path, session: str) -> None:
    write_session(tmp_path, user("a"))

    with pytest.raises(UnknownSessionError):
        stored.read(tmp_path, session)


def test_sessions_are_listed_with_titles_and_the_latest_first(tmp_path: Path) -> None:
    generated = {"type": "ai-title", "aiTitle": "By the model"}
    mine = {"type": "custom-title", "customTitle": "My  title\n"}
    write_session(tmp_path, user("one"), generated, mine, id_="a", at=1000)
    write_session(tmp_path, user("two"), generated, id_="b", at=3000)
    write_session(
        tmp_path, user("three"), {"type": "last-prompt", "lastPrompt": "four"}, id_="c", at=2000
    )
    write_session(tmp_path, user([text("five")]), id_="d", at=500)
    write_session(tmp_path, {"type": "queue-operation"}, id_="e", at=9000)

    listed = summaries_in(tmp_path)

    assert [(session.id, session.title, session.first_prompt) for session in listed] == [
        *(("b", "By the model", "two"), ("c", "four", "three")),
        *(("a", "My title", "one"), ("d", "five", "five")),
    ]
    assert listed[0].changed.timestamp() == 3000


def test_the_title_of_a_long_session_is_found_at_its_end(tmp_path: Path) -> None:
    filling = [assistant(text("x" * 1000)) for _ in range(300)]
    title = {"type": "custom-title", "customTitle": "Late"}
    write_session(tmp_path, user("first"), *filling, title)

    [session] = summaries_in(tmp_path)

    assert (session.title, session.first_prompt) == ("Late", "first")


def test_a_folder_without_sessions_has_none(tmp_path: Path) -> None:
    assert summaries_in(tmp_path / "nothing") == []


def test_the_sessions_of_a_folder_are_stored_under_its_path(tmp_path: Path) -> None:
    project = tmp_path / "my project_ü"
    name = str(project.resolve()).replace("/", "-").replace("my project_ü", "my-project--")

    given = stored.folder({"CLAUDE_CONFIG_DIR": "/cfg"}, project)
    usual = stored.folder({"HOME": "/home/me"}, project)

    assert given == Path("/cfg/projects") / name.replace("_", "-")
    assert usual == Path("/home/me/.claude/projects") / name.replace("_", "-")


def test_the_sessions_of_a_very_deep_folder_are_found(tmp_path: Path) -> None:
    """The CLI cuts the name and appends a number that only it can compute."""
    deep = Path("/", *["d" * 50] * 6)
    cut = "-".join(["", *["d" * 50] * 6])[: stored.LONGEST_NAME]
    kept = tmp_path / "projects" / f"{cut}-1x2y3z"
    kept.mkdir(parents=True)

    assert stored.folder({"CLAUDE_CONFIG_DIR": str(tmp_path)}, deep) == kept


def test_a_session_that_is_not_a_file_is_an_immediate_error(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / f"{ID}.jsonl")

    assert summaries_in(tmp_path) == []
    with pytest.raises(UnknownSessionError, match="not a file but a pipe"):
        stored.read(tmp_path, ID)


def test_a_session_that_is_too_large_is_an_error_with_its_size(tmp_path: Path) -> None:
    with (tmp_path / f"{ID}.jsonl").open("wb") as file:
        file.truncate(300_000_001)

    with pytest.raises(UnknownSessionError, match="has 300,000,001 bytes, more than 300,000,000"):
        stored.read(tmp_path, ID)
