"""Every recorded conversation, as the events that it becomes, written down by hand."""

import re

import pytest

from claude_ide.agents import events
from claude_ide.agents.events import (
    Change,
    Hunk,
    OptionKind,
    PermissionAsked,
    PlanProposed,
    PreviewVoided,
    Question,
    QuestionAsked,
    Text,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ThinkingTokens,
    ToolEnded,
    ToolInput,
    ToolStatus,
    TurnEnded,
    Usage,
)
from claude_ide.agents.session_state import SessionState, State
from support.digest import decoded, digest
from support.transcripts import GOLDEN, names, told

READ = ["uses Read", "completed Read"]
EDITED = ["uses Edit", "asks Edit", "completed Edit +1 -1"]
END = ["turn completed"]
ONE = ["1 queued", "1 started"]

HOSTS = {"127.0.0.1", "claude.com", "code.claude.com"}

CONVERSATIONS: dict[str, list[str]] = {
    "always_allow": [
        *("uses Bash", "asks Bash", "mode acceptEdits", "completed Bash"),
        *("uses Bash", "completed Bash", "says both made", *END),
        *("uses Edit", "completed Edit +1 -1", *READ, "uses Edit", "failed Edit"),
        *("uses Write", "completed Write +1 -0", "says edits made", *END),
    ],
    "ask_user": [
        *("uses AskUserQuestion", "asks 2 questions", "completed AskUserQuestion"),
        *("says Thanks: httpx", *END),
        *("uses AskUserQuestion", "asks 1 questions", "rejected AskUserQuestion"),
        *("says no answer then", *END),
    ],
    "cancel_queued": [
        *(*ONE, "2 queued", "2 cancelled", "3 queued"),
        *("says slow slow slow", "turn interrupted", "1 cancelled"),
        *("3 started", "says second", *END, "3 completed"),
    ],
    "cli197": [
        *("thinks", "says Let me look.", *READ, *EDITED, "says Done.", *END),
        *("uses TodoWrite", "failed TodoWrite", "says x", *END),
    ],
    "cli197_queue": [
        *("says slow slow", "turn redirected", "uses Bash", "asks Bash", "completed Bash"),
        *("says as told", *END, "says slower", "turn interrupted", "says both", *END),
    ],
    "controls": [
        *("mode acceptEdits", "mode default", "mode dontAsk", "mode auto", "mode default"),
        *("says one", *END, "model claude-sonnet-4-5", "says two", *END),
        *("session My chat", "model claude-opus-5-5", "says three", *END),
    ],
    "edit_changed_on_disk": [
        *(*READ, "uses Edit", "asks Edit", "completed Edit +1 -1", "says ok", *END),
        *("uses Write", "asks Write", "failed Write", "says ok2", *END),
    ],
    "edit_deny": [
        *(*READ, "uses Edit", "asks Edit", "rejected Edit", "says Understood, I", *END),
        *("uses Edit", "asks Edit", "rejected Edit", "turn interrupted"),
    ],
    "edit_updated_input": [*READ, *EDITED, "says Done.", *END],
    "edit_user_modified_hook": [*READ, *EDITED, "says I see the user", *END],
    "edit_whole_file": [
        *(*READ, "uses Edit", "asks Edit", "completed Edit +2 -1", "says Done.", *END),
    ],
    "effort": ["says ok", *END, "says ok", *END],
    "error_401": [
        *(f"retry {number}/4 authentication_failed" for number in range(1, 5)),
        *("error authentication_failed", "turn failed"),
    ],
    "error_429": [
        *(f"retry {number}/4 rate_limit" for number in range(1, 4)),
        *("says recovered", *END),
    ],
    "error_drop": ["void", "retry 1/2 unknown", "says whole answer", *END],
    "error_midstream": ["void", "says whole answer", *END],
    "exit_plan": [
        *("uses ExitPlanMode", "proposes no plan", "mode default", "completed ExitPlanMode"),
        *("says Starting.", *END),
        *("uses EnterPlanMode", "mode plan", "completed EnterPlanMode", "says planning", *END),
    ],
    "exit_plan_file": [
        *("uses Write", "completed Write +4 -0", "uses ExitPlanMode", "proposes a plan"),
        *("rejected ExitPlanMode", "says Revising.", *END),
    ],
    "headless_json": [*END],
    "headless_stream": ["says hi there", *END],
    "hooks": [*READ, "uses Bash", "rejected Bash", "says done", *END],
    "image_and_context": ["says a red dot", *END, "says ok", *END],
    "interrupt_bash": ["uses Bash", "asks Bash", "rejected Bash", "turn interrupted"],
    "interrupt_cancel_queued": [
        *(*ONE, "2 queued", "2 cancelled", "says slow slow slow"),
        *("turn interrupted", "1 cancelled"),
    ],
    "interrupt_permission": [
        *("uses Bash", "asks Bash", "withdraws", "rejected Bash", "turn interrupted"),
    ],
    "interrupt_stream": [
        *("thinks", "says The quick brow", "turn interrupted", "says fresh answer", *END),
    ],
    "killed_int": ["says The quick brow", "turn interrupted"],
    "killed_kill": [],
    "malformed_badtype": ["says still alive", *END],
    "malformed_notjson": [],
    "mcp_neovim_tools": [
        *("uses mcp__neovim__openDiff", "completed mcp__neovim__openDiff", "says ok", *END),
    ],
    "mention_range": ["says ok", *END, "says ok", *END],
    "parallel_tools": [
        *("uses Bash", "asks Bash", "uses Bash", "uses Read", "completed Bash"),
        *("asks Bash", "completed Bash", "completed Read", "says all three", *END),
    ],
    "perm_bad_reply": [
        *("uses Bash", "asks Bash", "rejected Bash", "says hm", *END),
        *("uses Bash", "asks Bash", "completed Bash", "says hm2", *END),
    ],
    "plain_thinking": ["thinks", "says Hello! **How**", *END],
    "priority_next_midtools": [
        *(*READ, "says x x x x x x x", *READ, "6 queued", "6 started", "says saw it"),
        *("6 completed", *END),
    ],
    "priority_now": [
        *("5 queued", "says slow slow slow", "turn redirected", "5 started"),
        *("says redirected", *END, "5 completed"),
    ],
    "queue": [
        *(*ONE, "2 queued", "says The quick brow", *END, "1 completed"),
        *("2 started", "says second", *END, "2 completed"),
    ],
    "read_edit_allow": ["says Let me look.", *READ, *EDITED, "says Done.", *END],
    "resume_1": [*READ, "says first answer", *END],
    "resume_1_bad": ["turn failed"],
    "resume_1_resume": ["says second answer", *END],
    "rewind": [
        *("3 queued", "3 started", *READ, "uses Edit", "completed Edit +1 -1", "says ok"),
        *(*END, "3 completed"),
    ],
    "sdk_mcp": [
        *("uses mcp__editor__openDiff", "asks mcp__editor__openDiff"),
        *("completed mcp__editor__openDiff", "says the editor sai", *END),
    ],
    "sdk_mcp_alwaysload": ["says ok", *END],
    "slash_commands": [
        *("says one", *END, "info", *END, "info", *END, "compacting", "compacted", *END),
        *("says custom cmd ran", *END, "says done", *END, "cleared", "0 tasks", "session", *END),
        *("info", *END, "info", *END),
    ],
    "subagent": [
        *("uses Task", "1 tasks", "completed Task", "subagent says Found a.py", "0 tasks"),
        *("uses Glob", "failed Glob", "says The agent foun", *END),
    ],
    "thinking_off": ["says ok", *END, "says done", *END],
    "todos_sonnet": [
        *("uses TaskCreate", "completed TaskCreate", "todos pending"),
        *("uses TaskCreate", "completed TaskCreate", "todos pending pending"),
        *("uses TaskUpdate", "completed TaskUpdate", "todos in_progress pending"),
        *("uses TaskList", "completed TaskList"),
        *("uses TaskUpdate", "completed TaskUpdate", "todos completed pending"),
        *("says All done.", *END),
    ],
    "todowrite_env": [
        *("uses TodoWrite", "completed TodoWrite", "todos in_progress pending"),
        *("uses TodoWrite", "completed TodoWrite", "todos completed in_progress"),
        *("says All done.", *END),
    ],
}


def find(name: str, kind: type) -> list:  # type: ignore[type-arg]
    """The events of one kind in a recording."""
    return [event for event in decoded(told(name)) if isinstance(event, kind)]


@pytest.mark.parametrize("name", names())
def test_a_conversation_becomes_these_events(name: str) -> None:
    assert digest(decoded(told(name))) == CONVERSATIONS[name]


@pytest.mark.parametrize("name", names())
def test_the_pieces_of_a_block_add_up_to_the_whole(name: str) -> None:
    pieces: dict[str, str] = {}
    for event in decoded(told(name)):
        match event:
            case TextDelta(block, text) | ThinkingDelta(block, text):
                pieces[block] = pieces.get(block, "") + text
            case Text(block, text) | Thinking(block, text):
                assert pieces.pop(block, text) == text
            case PreviewVoided(blocks):
                for block in blocks:
                    del pieces[block]

    # Only a child that was killed leaves something half said.
    assert bool(pieces) == (name == "killed_kill")


@pytest.mark.parametrize("name", names())
def test_every_tool_that_has_begun_ends(name: str) -> None:
    open_tools: set[str] = set()
    for event in decoded(told(name)):
        match event:
            case events.ToolStarted(tool):
                open_tools.add(tool)
            case ToolEnded(tool):
                open_tools.remove(tool)

    assert not open_tools


@pytest.mark.parametrize("name", names())
def test_the_session_rests_when_the_conversation_is_over(name: str) -> None:
    state = SessionState().spawned().after(events.Ready())
    for event in decoded(told(name)):
        state = state.after(event)
        if isinstance(event, PermissionAsked | QuestionAsked | PlanProposed):
            assert event.request in state.asking
        if isinstance(event, ToolEnded):
            # A recording does not hold our answers as events.
            state = SessionState(state.state, (), state.queued)

    assert state.state is (State.WRITING if name == "killed_kill" else State.IDLE)
    assert not state.queued


@pytest.mark.parametrize("name", names())
def test_a_recording_names_no_machine(name: str) -> None:
    recorded = (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8")

    assert not re.findall(r"/(?:work|tmp|root|Users|var|opt|mnt|srv)/", recorded)
    assert set(re.findall(r"/home/(\w+)", recorded)) <= {"dev"}
    assert set(re.findall(r"://([^/:\"]+)", recorded)) <= HOSTS


def test_thinking_is_told_in_pieces_with_its_tokens_and_then_whole() -> None:
    pieces = find("plain_thinking", ThinkingDelta)
    tokens = [event.tokens for event in find("plain_thinking", ThinkingTokens)]

    assert "".join(piece.text for piece in pieces) == (
        "The user greets me. I will greet back politely."
    )
    assert tokens == [3, 6, 9, 12]


def test_previews_and_wholes_have_the_same_block() -> None:
    pieces = {piece.block for piece in find("plain_thinking", TextDelta)}

    assert pieces == {whole.block for whole in find("plain_thinking", Text)}
    assert len(pieces) == 1


@pytest.mark.parametrize("name", ["error_midstream", "error_drop"])
def test_the_half_answer_of_a_broken_stream_is_void(name: str) -> None:
    """Before anything takes its place, so that never two answers are shown."""
    told_events = decoded(told(name))
    [voided] = [n for n, event in enumerate(told_events) if isinstance(event, PreviewVoided)]
    [whole] = find(name, Text)

    half = {event.block for event in told_events[:voided] if isinstance(event, TextDelta)}

    assert half == set(told_events[voided].blocks)  # type: ignore[union-attr]
    assert whole.block not in half


def test_an_edit_is_told_with_its_place_and_its_lines() -> None:
    edit = find("read_edit_allow", ToolEnded)[-1]

    lines = (" def hello():", "-    return 1", "+    return 2")
    assert edit.changes == (Change("/home/dev/project/a.py", 1, 1, (Hunk(1, 2, 1, 2, lines),)),)
    [whole] = [e for e in find("read_edit_allow", ToolInput) if "old_string" in (e.arguments or {})]
    assert (whole.title, whole.path) == ("/home/dev/project/a.py",) * 2


def test_the_input_of_a_tool_grows_before_it_is_whole() -> None:
    inputs = find("read_edit_allow", ToolInput)[-4:]

    assert [event.arguments is None for event in inputs] == [True, True, True, False]
    sizes = [event.size for event in inputs]
    assert sizes == sorted(sizes)


def test_suggestions_are_options_of_their_own_with_their_scopes() -> None:
    [asked] = find("always_allow", PermissionAsked)

    assert [(option.id, option.name, option.scope) for option in asked.options] == [
        ("allow", "Allow", ""),
        ("always:0", "Always allow Bash(touch made.txt)", "this project, for you"),
        ("always:1", "Allow access to /home/dev/project", "this session"),
        ("always:2", "Switch to mode acceptEdits", "this session"),
        ("reject", "Reject", ""),
    ]
    assert {option.kind for option in asked.options[1:-1]} == {OptionKind.ALLOW_ALWAYS}
    assert (asked.title, asked.path) == ("touch made.txt", "/home/dev/project/made.txt")


def test_why_a_command_needs_permission_is_told() -> None:
    [asked] = find("interrupt_bash", PermissionAsked)

    assert asked.reason == "This command requires approval"


def test_questions_are_told_with_their_choices() -> None:
    asked = find("ask_user", QuestionAsked)[0]

    assert [question.multiple for question in asked.questions] == [False, True]
    assert asked.questions[0] == Question(
        "Which library?",
        "Library",
        (events.Choice("httpx", "async"), events.Choice("requests", "sync")),
    )


def test_a_plan_is_told_with_its_file_where_there_is_one() -> None:
    [with_file] = find("exit_plan_file", PlanProposed)
    [without] = find("exit_plan", PlanProposed)

    assert with_file.plan.startswith("# The plan\n")
    assert with_file.path.endswith("/plans/plan-it-jolly-seahorse.md")
    assert (without.plan, without.path) == ("", "")


def test_the_reason_of_a_rejection_is_what_the_model_reads() -> None:
    rejected = [e for e in find("edit_deny", ToolEnded) if e.status is ToolStatus.REJECTED]

    assert rejected[0].output == "Use a constant instead, please."


def test_the_context_is_that_of_the_last_request_and_not_their_sum() -> None:
    """`usage` of a result adds up all requests of the turn."""
    usages = find("read_edit_allow", Usage)

    used = [usage.context_used for usage in usages if usage.context_used is not None]
    assert used == [10_585] * 3
    assert (usages[-1].cost, usages[-1].context_size) == (0.0294, 1_000_000)


def test_the_cost_goes_on_from_where_the_resumed_session_was() -> None:
    assert find("resume_1", Usage)[-1].cost == 0.0196
    assert find("resume_1_resume", Usage)[-1].cost == 0.0294


def test_the_cost_begins_anew_with_a_cleared_conversation() -> None:
    costs = [u.cost for u in find("slash_commands", Usage) if u.cost is not None]

    assert costs == [0.0098, 0.0098, 0.0098, 0.0294, 0.0392, 0.049, 0, 0, 0]


def test_clearing_changes_the_session() -> None:
    sessions = find("slash_commands", events.Session)

    assert len({session.id for session in sessions}) == 2


def test_compaction_tells_what_it_has_saved() -> None:
    [compacted] = find("slash_commands", events.Compacted)

    assert (compacted.before, compacted.after, compacted.trigger) == (10_760, 2_565, "manual")


def test_an_interrupted_turn_shows_no_internal_diagnostics() -> None:
    [ended] = find("interrupt_bash", TurnEnded)

    assert ended.message == ""


def test_an_error_of_the_api_is_told_though_the_result_counts_as_a_success() -> None:
    [notice] = find("error_401", events.Notice)
    [ended] = find("error_401", TurnEnded)

    assert (notice.text, notice.level) == ("Invalid API key · Fix external API key", "error")
    assert ended.message == notice.text
    assert find("error_401", events.Retry)[1].seconds == pytest.approx(1.18)
    assert find("error_drop", events.Retry)[0].status is None


def test_an_unknown_session_is_named() -> None:
    [ended] = find("resume_1_bad", TurnEnded)

    assert ended.message.startswith("No conversation found with session ID: 0000")


def test_two_prompts_that_were_merged_end_one_turn() -> None:
    """The third prompt of this recording had no id of its own."""
    ended = find("queue", TurnEnded)

    assert [turn.prompts[0][:1] for turn in ended] == ["1", "2"]


def test_todos_keep_what_they_are_called_while_they_are_done() -> None:
    todos = find("todos_sonnet", events.TodoList)[-1].todos

    assert [(todo.text, todo.active) for todo in todos] == [
        ("Write tests", "Writing tests"),
        ("Run tests", ""),
    ]
