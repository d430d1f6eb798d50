"""Tasks: commands and subagents that run in the background."""

from typing import Any

import pytest

from claude_ide.agents.events import Event, TaskChanged, TaskState, ToolEnded, TurnBegun
from claude_ide.agents.stream_json.decode import FrameDecoder
from support.transcripts import frames_of


def system(subtype: str, **fields: Any) -> dict[str, Any]:
    return {"type": "system", "subtype": subtype, **fields}


def started(**fields: Any) -> dict[str, Any]:
    given = {"task_id": "b1", "tool_use_id": "t1", "description": "Build"}
    return system("task_started", task_type="local_bash", **given, **fields)


def ended(status: str = "completed", **fields: Any) -> dict[str, Any]:
    return system("task_notification", task_id="b1", status=status, **fields)


BEHIND = started(is_backgrounded=True)
INIT = system("init")
RESULT = {"type": "result", "subtype": "success"}


def decode(*frames: dict[str, Any], decoder: FrameDecoder | None = None) -> list[Event]:
    decoder = decoder or FrameDecoder()
    return [event for frame in frames for event in decoder.decode(frame)]


def last(*frames: dict[str, Any]) -> Any:
    """Return the last state of the task."""
    return [event.task for event in decode(*frames) if isinstance(event, TaskChanged)][-1]


def begun(*frames: dict[str, Any]) -> list[list[str]]:
    """Return the titles of the tasks that have started a turn, for each such turn."""
    events = decode(*frames)
    return [[task.title for task in e.ended] for e in events if isinstance(e, TurnBegun)]


def lifecycle(state: str) -> dict[str, Any]:
    return {"type": "command_lifecycle", "command_uuid": "p1", "state": state}


def test_a_command_in_the_foreground_is_no_task_in_the_background() -> None:
    task = last(started(is_backgrounded=False))

    assert (task.kind, task.title, task.tool) == ("command", "Build", "t1")
    assert not task.runs_in_background


def test_a_task_of_another_type_has_its_type_as_its_kind() -> None:
    assert last(BEHIND | {"task_type": "remote_review"}).kind == "remote review"


def test_the_progress_of_a_subagent_is_decoded() -> None:
    usage = {"total_tokens": 20, "tool_uses": 2, "duration_ms": 5}
    progress = system("task_progress", task_id="b1", usage=usage, last_tool_name="Read")

    task = last(BEHIND | {"task_type": "local_agent", "subagent_type": "Explore"}, progress)

    assert task.is_agent
    assert (task.kind, task.tools, task.tokens, task.last_tool) == ("Explore", 2, 20, "Read")


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("completed", TaskState.COMPLETED),
        ("failed", TaskState.FAILED),
        ("stopped", TaskState.STOPPED),
    ],
)
def test_a_task_ends_in_a_state(status: str, state: TaskState) -> None:
    task = last(BEHIND, ended(status, summary='Background command "Build" exited'))

    assert (task.state, task.result) == (state, "exited")


def test_a_summary_that_repeats_the_title_is_no_result() -> None:
    assert last(BEHIND, ended(summary="Build")).result == ""


def test_a_task_that_is_no_longer_listed_does_not_run_in_the_background() -> None:
    assert not last(BEHIND, system("background_tasks_changed", tasks=[])).runs_in_background


def test_frames_about_unknown_tasks_are_ignored() -> None:
    unknown = [
        ended(),
        system("task_progress", task_id="b1"),
        system("task_updated", task_id="b1", patch={"status": "failed"}),
        system("task_started"),
        system("task_updated", task_id=["b1"], patch=3),
        system("background_tasks_changed", tasks="none"),
    ]

    assert decode(*unknown) == []


def test_a_task_that_ends_between_turns_starts_a_turn() -> None:
    assert begun(BEHIND, ended(), INIT) == [["Build"]]


def test_a_task_that_ends_starts_one_turn() -> None:
    assert begun(BEHIND, ended(), INIT, RESULT, INIT) == [["Build"]]


def test_a_command_in_the_foreground_starts_no_turn() -> None:
    assert begun(started(), ended(), INIT) == []


def test_a_turn_with_a_prompt_was_not_started_by_a_task() -> None:
    assert begun(BEHIND, ended(), lifecycle("started"), INIT) == []


def test_a_completed_prompt_does_not_belong_to_the_next_turn() -> None:
    prompt = [lifecycle("started"), INIT, RESULT, lifecycle("completed")]

    assert begun(BEHIND, *prompt, ended(), INIT) == [["Build"]]


def test_a_task_whose_end_the_model_has_read_starts_no_turn() -> None:
    note = "<task-notification>\n<task-id>b1</task-id>\n</task-notification>"
    echo = {"type": "user", "isReplay": True, "message": {"role": "user", "content": note}}

    assert begun(BEHIND, ended(), echo, RESULT, INIT) == []


def test_an_old_cli_reports_the_background_with_the_result_of_the_tool() -> None:
    decoder = FrameDecoder()
    path = "/home/dev/scratch/my tasks/b1.output"
    words = f"Command running in background with ID: b1. Output is being written to: {path}. More"
    block = {"type": "tool_result", "tool_use_id": "t1", "content": words}
    message = {"role": "user", "content": [block]}
    result = {"type": "user", "message": message, "tool_use_result": {"backgroundTaskId": "b1"}}

    events = decode(started(), result, decoder=decoder)

    assert [e.task.in_background for e in events if isinstance(e, TaskChanged)] == [False, True]
    assert decoder.tasks.outputs == {"b1": path}
    assert [e.output for e in events if isinstance(e, ToolEnded)] == [""]


@pytest.mark.parametrize("name", ["tasks", "tasks_subagent", "tasks_moved", "cli197_tasks"])
def test_the_words_for_the_model_about_a_task_are_not_shown(name: str) -> None:
    outputs = [e.output for e in decode(*frames_of(name)) if isinstance(e, ToolEnded)]

    assert outputs
    assert not any("background" in output or "internal" in output for output in outputs)


def test_the_words_about_a_subagent_below_its_report_are_not_shown() -> None:
    report = {"type": "text", "text": "Two lines."}
    blocks = [report, {"type": "text", "text": "agentId: a1 (use SendMessage …)"}]
    block = {"type": "tool_result", "tool_use_id": "t1", "content": blocks}
    detail = {"agentId": "a1", "status": "completed", "content": [report]}
    frame = {"type": "user", "message": {"content": [block]}, "tool_use_result": detail}

    (event,) = decode(frame)

    assert isinstance(event, ToolEnded)
    assert event.output == "Two lines."
