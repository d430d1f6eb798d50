"""Details of single recorded conversations."""

import pytest

from claude_ide.agents import events
from claude_ide.agents.events import (
    Change,
    DiffHunk,
    PreviewVoided,
    Text,
    TextDelta,
    ThinkingDelta,
    ThinkingTokens,
    ToolEnded,
    ToolInput,
    ToolStatus,
    TurnEnded,
    Usage,
)
from claude_ide.agents.requests import (
    AnswerKind,
    Choice,
    OptionKind,
    PermissionAsked,
    PlanProposed,
    Question,
    QuestionAsked,
)
from support.digest import decoded
from support.transcripts import frames_of


def find(name: str, kind: type) -> list:  # type: ignore[type-arg]
    """Return the events of one class in a recording."""
    return [event for event in decoded(frames_of(name)) if isinstance(event, kind)]


def test_thinking_arrives_in_pieces_with_its_tokens_and_then_as_a_whole() -> None:
    pieces = find("plain_thinking", ThinkingDelta)
    tokens = [event.tokens for event in find("plain_thinking", ThinkingTokens)]

    assert "".join(piece.text for piece in pieces) == (
        "The user greets me. I will greet back politely."
    )
    assert tokens == [3, 6, 9, 12]


def test_previews_and_complete_blocks_have_the_same_id() -> None:
    pieces = {piece.block for piece in find("plain_thinking", TextDelta)}

    assert pieces == {whole.block for whole in find("plain_thinking", Text)}
    assert len(pieces) == 1


@pytest.mark.parametrize("name", ["error_midstream", "error_drop"])
def test_the_partial_answer_of_a_broken_stream_is_void(name: str) -> None:
    """It is void before its replacement begins, so that two answers are never shown."""
    recorded = decoded(frames_of(name))
    [voided] = [n for n, event in enumerate(recorded) if isinstance(event, PreviewVoided)]
    [whole] = find(name, Text)

    half = {event.block for event in recorded[:voided] if isinstance(event, TextDelta)}

    assert half == set(recorded[voided].blocks)  # type: ignore[union-attr]
    assert whole.block not in half


def test_an_edit_has_its_path_and_its_lines() -> None:
    edit = find("read_edit_allow", ToolEnded)[-1]

    lines = (" def hello():", "-    return 1", "+    return 2")
    assert edit.changes == (Change("/home/dev/project/a.py", 1, 1, (DiffHunk(1, 2, 1, 2, lines),)),)
    [whole] = [e for e in find("read_edit_allow", ToolInput) if "old_string" in (e.arguments or {})]
    assert (whole.title, whole.path) == ("/home/dev/project/a.py",) * 2


def test_the_input_of_a_tool_grows_before_it_is_complete() -> None:
    inputs = find("read_edit_allow", ToolInput)[-4:]

    assert [event.arguments is None for event in inputs] == [True, True, True, False]
    sizes = [event.size for event in inputs]
    assert sizes == sorted(sizes)


def test_a_suggestion_with_an_effect_is_an_option_with_its_scope() -> None:
    [asked] = find("always_allow", PermissionAsked)

    assert [(option.id, option.name, option.scope) for option in asked.options] == [
        ("allow", "Allow", ""),
        ("always:2", "switch to acceptEdits mode", "this session"),
        ("reject", "Reject", ""),
    ]
    assert {option.kind for option in asked.options[1:-1]} == {OptionKind.ALLOW_ALWAYS}
    assert asked.rule == "Bash(touch made.txt)"
    assert (asked.title, asked.path) == ("touch made.txt", "/home/dev/project/made.txt")


def test_a_permission_request_has_its_reason() -> None:
    [asked] = find("interrupt_bash", PermissionAsked)

    assert asked.reason == "This command requires approval"


def test_questions_have_their_choices() -> None:
    asked = find("ask_user", QuestionAsked)[0]

    assert [question.kind for question in asked.questions] == [
        *(AnswerKind.CHOICE, AnswerKind.CHOICES)
    ]
    assert asked.questions[0] == Question(
        "Which library?", "Library", (Choice("httpx", "async"), Choice("requests", "sync"))
    )


def test_a_plan_has_its_file_if_there_is_one() -> None:
    [with_file] = find("exit_plan_file", PlanProposed)
    [without] = find("exit_plan", PlanProposed)

    assert with_file.plan.startswith("# The plan\n")
    assert with_file.path.endswith("/plans/plan-it-jolly-seahorse.md")
    # Its request has no plan, but the use of the tool has.
    assert (without.plan, without.path) == ("# Plan\n1. change a.py\n2. test", "")


def test_the_reason_of_a_rejection_is_what_the_model_reads() -> None:
    rejected = [e for e in find("edit_deny", ToolEnded) if e.status is ToolStatus.REJECTED]

    assert rejected[0].output == "Use a constant instead, please."


def test_the_context_is_that_of_the_last_request_and_not_the_sum() -> None:
    """`usage` of a result adds up all requests of the turn."""
    usages = find("read_edit_allow", Usage)

    used = [usage.context_used for usage in usages if usage.context_used is not None]
    assert used == [10_585] * 3
    assert (usages[-1].cost, usages[-1].context_size) == (0.0294, 1_000_000)


def test_the_cost_of_a_resumed_session_continues() -> None:
    assert find("resume_1", Usage)[-1].cost == 0.0196
    assert find("resume_1_resume", Usage)[-1].cost == 0.0294


def test_the_cost_starts_at_zero_after_the_conversation_is_cleared() -> None:
    costs = [u.cost for u in find("slash_commands", Usage) if u.cost is not None]

    assert costs == [0.0098, 0.0098, 0.0098, 0.0294, 0.0392, 0.049, 0, 0, 0]


def test_clearing_changes_the_session() -> None:
    sessions = find("slash_commands", events.SessionChanged)

    assert len({session.id for session in sessions}) == 2


def test_compaction_reports_both_sizes() -> None:
    [compacted] = find("slash_commands", events.Compacted)

    assert (compacted.before, compacted.after, compacted.trigger) == (10_760, 2_565, "manual")


def test_an_interrupted_turn_shows_no_internal_diagnostics() -> None:
    [ended] = find("interrupt_bash", TurnEnded)

    assert ended.message == ""


def test_an_api_error_is_reported_though_the_result_counts_as_a_success() -> None:
    [notice] = find("error_401", events.Notice)
    [ended] = find("error_401", TurnEnded)

    assert (notice.text, notice.level) == ("Invalid API key · Fix external API key", "error")
    assert ended.message == notice.text
    assert find("error_401", events.Retry)[1].seconds == pytest.approx(1.18)
    assert find("error_drop", events.Retry)[0].status is None


def test_an_unknown_session_is_named() -> None:
    [ended] = find("resume_1_bad", TurnEnded)

    assert ended.message.startswith("No conversation found with session ID: 0000")


def test_two_merged_prompts_end_one_turn() -> None:
    """The third prompt of this recording had no id."""
    ended = find("queue", TurnEnded)

    assert [turn.prompts[0][:1] for turn in ended] == ["1", "2"]


def test_todos_keep_their_text_while_in_progress() -> None:
    todos = find("todos_sonnet", events.TodoList)[-1].todos

    assert [(todo.text, todo.active) for todo in todos] == [
        ("Write tests", "Writing tests"),
        ("Run tests", ""),
    ]
