"""`notices.py`, frame by frame; the recordings are in `test_golden`."""

from typing import Any

import pytest

from claude_ide.agents.events import Event, Notice, PromptBlocked, ToolEnded, ToolStatus
from claude_ide.agents.stream_json.decode import FrameDecoder

ADVICE = " IMPORTANT: You *may* attempt to accomplish this action using other tools."


def decoded(*frames: dict[str, Any]) -> list[Event]:
    decoder = FrameDecoder()
    return [event for frame in frames for event in decoder.decode(frame)]


def system(subtype: str, **fields: Any) -> dict[str, Any]:
    return {"type": "system", "subtype": subtype, **fields}


def hook(event: str, **fields: Any) -> dict[str, Any]:
    return system("hook_response", hook_name=event, hook_event=event, outcome="success") | fields


def feedback(text: str) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return {"type": "user", "isSynthetic": True, "message": {"content": content}}


def result(output: str, **meta: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": "t", "is_error": True, "content": output}
    metas = {"tool_result_meta": [{"id": "t"} | meta]} if meta else {}
    return {"type": "user", "message": {"content": [block]}} | metas


RESULT = {"type": "result"}


@pytest.mark.parametrize(
    ("frame", "notice"),
    [
        (system("informational", content="x", level="info"), Notice("x", "notice")),
        (system("informational", content="x", level="warning"), Notice("x", "warning")),
        (system("notification", text="x · ctrl+o to see"), Notice("x", "notice")),
        (system("notification", text="x", priority="immediate"), Notice("x", "warning")),
        (system("model_fallback", content="Switched"), Notice("Switched", "warning")),
        (system("local_command_output", content="**x**"), Notice("**x**", "info")),
        (system("mirror_error", error="x"), Notice("x", "error")),
    ],
)
def test_a_text_of_the_cli_is_a_notice_with_a_level(frame: dict[str, Any], notice: Notice) -> None:
    assert decoded(frame) == [notice]


@pytest.mark.parametrize("value", [None, "", 3, ["x"]])
def test_a_notice_without_a_text_is_ignored(value: object) -> None:
    assert decoded(system("informational", content=value, level="notice")) == []


def test_the_same_words_are_reported_once_in_each_turn() -> None:
    says = system("informational", content="Stop says: x", level="notice")
    output = hook("Stop", stdout='{"systemMessage": "x"}')

    found = [event for event in decoded(output, says, RESULT, says) if isinstance(event, Notice)]

    assert found == [Notice("Stop says: x", "notice")] * 2


@pytest.mark.parametrize(
    ("frame", "notice"),
    [
        (
            hook("SessionStart", stderr="x", exit_code=1, outcome="error"),
            "SessionStart hook failed: x",
        ),
        (hook("PostToolUse", stderr="x", exit_code=2, outcome="error"), "PostToolUse hook: x"),
        (hook("PostToolUse", stdout='{"decision": "block", "reason": "x"}'), "PostToolUse hook: x"),
        (hook("Stop", stdout='{"continue": false}'), "Stop hook stopped the turn"),
    ],
)
def test_the_output_of_a_hook_is_a_notice(frame: dict[str, Any], notice: str) -> None:
    assert [event.text for event in decoded(frame) if isinstance(event, Notice)] == [notice]


@pytest.mark.parametrize(
    "frame",
    [
        hook("PreToolUse", stderr="x", exit_code=2, outcome="error"),
        hook("UserPromptSubmit", stdout='{"continue": false, "stopReason": "x"}'),
        hook("PostToolUse", stdout='{"suppressOutput": true}'),
        hook("PostToolUse", stdout='{"systemMessage": '),
        hook("PostToolUse", stdout="linted 3 files"),
        hook("PostToolUse", outcome="cancelled"),
    ],
)
def test_a_hook_that_says_nothing_else_is_no_notice(frame: dict[str, Any]) -> None:
    assert decoded(frame) == []


def test_feedback_is_shown_without_the_hooks_command_and_replaces_its_notification() -> None:
    words = feedback("Stop hook feedback:\n[if [ -e x ]; then exit 2; fi]: run the tests\n")
    empty = system("notification", key="stop-hook-error", text="stop hook problem")

    assert decoded(words, empty) == [Notice("Stop hook feedback: run the tests", "notice")]
    assert decoded(empty) == [Notice("stop hook problem", "notice")]


def test_other_texts_of_the_cli_to_the_model_are_not_shown() -> None:
    assert decoded(feedback("This session is being continued from a previous one.")) == []


@pytest.mark.parametrize("outcome", [{}, {"prompt_submit_outcome": {"prompt_kept": False}}])
@pytest.mark.parametrize("event", ["UserPromptSubmit", "UserPromptExpansion"])
def test_a_prompt_that_a_hook_keeps_from_the_model_is_blocked(
    event: str, outcome: dict[str, Any]
) -> None:
    content = (
        f"{event} operation blocked by hook:\n[check.sh]: no\nnever\n\n\nOriginal prompt: a\nb"
    )
    frame = system("informational", content=content, prevent_continuation=True) | outcome

    assert decoded(frame) == [PromptBlocked("a\nb", "no\nnever", "a hook")]


def test_a_prompt_that_ends_before_the_model_but_is_kept_is_not_blocked() -> None:
    frame = system("informational", content="Operation stopped by hook: closed")
    kept = {"prompt_kept": True, "reason": "closed"}

    [notice] = decoded(frame | {"prevent_continuation": True, "prompt_submit_outcome": kept})

    assert notice == Notice("a hook stopped this prompt: closed", "warning")


@pytest.mark.parametrize(
    ("output", "meta", "who", "reason"),
    [
        ("use git", {"decision": "reject", "source": "user_reject"}, "", ""),
        (
            f"Permission to use Bash with command touch has been denied.{ADVICE}",
            {"decision": "reject", "source": "user_reject", "reason_type": "rule"},
            *("a rule", ""),
        ),
        (
            "Permission to use Bash with command touch has been denied.",
            {"decision": "reject", "source": "user_reject", "reasonType": "rule"},
            *("a rule", ""),
        ),
        (
            "PreToolUse:Bash hook error: [a]: no\nnever",
            {"decision": "reject", "source": "hook", "reason_type": "hook"},
            *("a hook", "no\nnever"),
        ),
        (
            f"Not now.{ADVICE}",
            {"decision": "reject", "source": "config", "reason_type": "invented later"},
            *("the settings", "Not now."),
        ),
    ],
)
def test_a_rejection_names_who_has_decided(
    output: str, meta: dict[str, Any], who: str, reason: str
) -> None:
    [ended] = decoded(result(output, permission_decision=meta))

    assert isinstance(ended, ToolEnded)
    assert ended.status is ToolStatus.REJECTED
    assert (ended.denied_by, ended.reason) == (who, reason)


def test_the_reason_of_a_check_is_announced_before_the_result() -> None:
    announced = system(
        *("permission_denied",),
        **{"tool_use_id": "t", "decision_reason_type": "classifier", "decision_reason": "unsafe"},
    )

    [ended] = decoded(announced, result("Permission for this action was denied."))

    assert isinstance(ended, ToolEnded)
    assert (ended.denied_by, ended.reason) == ("the safety check", "unsafe")


def test_a_tool_that_fails_has_not_been_denied() -> None:
    [ended] = decoded(result("exit code 1", permission_decision={"decision": "accept"}))

    assert isinstance(ended, ToolEnded)
    assert (ended.status, ended.denied_by) == (ToolStatus.FAILED, "")
