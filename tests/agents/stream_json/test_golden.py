"""Every recorded conversation, compared with its events, which were written by hand."""

import re

import pytest

from claude_ide.agents import events
from claude_ide.agents.events import (
    PreviewVoided,
    Text,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ToolEnded,
)
from claude_ide.agents.session_state import AgentState, SessionState
from support.digest import decoded, digest
from support.transcripts import GOLDEN, frames_of, names

READ = ["uses Read", "completed Read"]


EDITED = ["uses Edit", "asks Edit", "completed Edit +1 -1"]


END = ["turn completed"]


ONE = ["1 queued", "1 started"]


DENIED = ["uses Bash", "rejected Bash"] * 2 + ["uses Read", "rejected Read"]


HOSTS = {"127.0.0.1", "example.com", "claude.com", "code.claude.com"}


CONVERSATIONS: dict[str, list[str]] = {
    "always_allow": [
        *("uses Bash", "asks Bash", "mode acceptEdits", "completed Bash"),
        *("uses Bash", "completed Bash", "says both made", *END),
        *("uses Edit", "completed Edit +1 -1", *READ, "uses Edit", "failed Edit"),
        *("uses Write", "completed Write +1 -0", "says edits made", *END),
    ],
    "ask_user": [
        *("uses Questions", "asks 2 questions", "completed Questions"),
        *("says Thanks: httpx", *END),
        *("uses Questions", "asks 1 questions", "rejected Questions"),
        *("says no answer then", *END),
    ],
    "beside": [
        *("notice", "6 queued", "6 started", "blocks BAD prompt", *END, "6 completed"),
        *("2 queued", "2 started", "uses Bash", "uses Bash", "notice", "warning"),
        *("completed Bash", "completed Bash", "says Done.", "notice", "says They have run."),
        *(*END, "2 completed"),
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
    "cli197_beside": [
        *("notice", "blocks BAD prompt", *END, "uses Bash", "uses Bash", "notice", "warning"),
        *("completed Bash", "completed Bash", "says Done.", "notice", "says They have run.", *END),
    ],
    "cli197_denials": [
        *(*DENIED, "uses Bash", "asks Bash", "failed Bash", "says No more.", *END),
        *("mode dontAsk", "uses Bash", "rejected Bash", "says As you wish.", *END),
    ],
    "cli197_interrupt_tool": ["uses Bash", "asks Bash", "interrupted Bash", "turn interrupted"],
    "cli197_mcp_prompts": ["offers mcp__my_server_x__greet", "says Hello, Bob.", *END],
    "cli197_queue": [
        *("says slow slow", "turn redirected", "uses Bash", "asks Bash", "completed Bash"),
        *("says as told", *END, "says slower", "turn interrupted", "says both", *END),
    ],
    "cli197_elicitation": [
        *("uses mcp__mine__ask", "asks 10 questions", "completed mcp__mine__ask"),
        *("says thanks", *END),
        *("uses mcp__mine__ask", "completed mcp__mine__ask", "says opened", *END),
        *("uses mcp__mine__ask", "asks 1 questions", "withdraws", "completed mcp__mine__ask"),
        *("says late", *END),
    ],
    "cli197_tasks": [
        *("uses Bash", "task Build running", "completed Bash", "task Build running behind"),
        *("says Building.", *END, *["task Build failed behind"] * 2),
        *("turn after Build", "says The build fail", *END),
    ],
    "compact_again": [
        *("b queued", "b started", "says one one one on", *END, "b completed"),
        *("f queued", "f started", "says two two two tw", *END, "f completed"),
        *("b queued", "b started", "info", *END, "b completed"),
        *("5 queued", "5 started", "info", *END, "5 completed"),
        *("f queued", "f started", "model claude-sonnet-5-5", "info", "effort low", *END),
        *("f completed", "9 queued", "9 started", "compacting", "compacted", *END, "9 completed"),
        *("d queued", "d started", "says three", *END, "d completed"),
    ],
    "controls": [
        *("mode acceptEdits", "mode manual", "mode dontAsk", "mode auto", "mode manual"),
        *("says one", *END, "model claude-sonnet-4-5", "says two", *END),
        *("session My chat", "model claude-opus-5-5", "says three", *END),
    ],
    "denials": [
        *("3 queued", "3 started", *DENIED, "uses Bash", "asks Bash", "rejected Bash"),
        *("says No more.", *END, "3 completed", "mode dontAsk", "3 queued", "3 started"),
        *("uses Bash", "rejected Bash", "says As you wish.", *END, "3 completed"),
    ],
    "edit_changed_on_disk": [
        *(*READ, "uses Edit", "asks Edit", "completed Edit +1 -1", "says ok", *END),
        *("uses Write", "asks Write", "failed Write", "says ok2", *END),
    ],
    "edit_deny": [
        *(*READ, "uses Edit", "asks Edit", "rejected Edit", "says Understood, I", *END),
        *("uses Edit", "asks Edit", "interrupted Edit", "turn interrupted"),
    ],
    "edit_updated_input": [*READ, *EDITED, "says Done.", *END],
    "edit_user_modified_hook": [*READ, *EDITED, "says I see the user", *END],
    "edit_whole_file": [
        *(*READ, "uses Edit", "asks Edit", "completed Edit +2 -1", "says Done.", *END)
    ],
    "effort": ["says ok", *END, "says ok", *END],
    "elicitation": [
        *("uses mcp__mine__ask", "asks 10 questions", "completed mcp__mine__ask"),
        *("says thanks", *END),
        *("uses mcp__mine__ask", "asks 1 questions", "completed mcp__mine__ask"),
        *("says declined", *END),
        *("uses mcp__mine__ask", "asks 1 questions", "completed mcp__mine__ask"),
        *("says cancelled", *END),
        *("uses mcp__mine__ask", "asks to open an address", "completed mcp__mine__ask"),
        *("says opened", *END),
        *("uses mcp__mine__ask", "asks 1 questions", "withdraws", "completed mcp__mine__ask"),
        *("says late", *END),
    ],
    "error_401": [
        *(f"retry {number}/4 authentication_failed" for number in range(1, 5)),
        *("error authentication_failed", "turn failed"),
    ],
    "error_429": [
        *(f"retry {number}/4 rate_limit" for number in range(1, 4)),
        *("says recovered", *END),
    ],
    "error_drop": ["void", "retry 1/2 connection lost", "says whole answer", *END],
    "error_midstream": ["void", "says whole answer", *END],
    "exit_plan": [
        *("uses Plan", "proposes a plan", "mode manual", "completed Plan"),
        *("says Starting.", *END),
        *("uses Plan mode", "mode plan", "completed Plan mode", "says planning", *END),
    ],
    "exit_plan_file": [
        *("uses Write", "completed Write +4 -0", "uses Plan", "proposes a plan"),
        *("rejected Plan", "says Revising.", *END),
    ],
    "file_writes": [
        *(*ONE, *READ, "uses Edit", "completed Edit +1 -1"),
        *("uses Write", "completed Write +2 -0", *READ, "uses Write", "completed Write +1 -1"),
        *(*READ, "uses NotebookEdit", "completed NotebookEdit", "says Done.", *END, "1 completed"),
    ],
    "headless_json": [*END],
    "headless_stream": ["says hi there", *END],
    "hook_stop": [
        *("b queued", "b started", "uses Bash", "warning", "completed Bash", *END, "b completed"),
        *("9 queued", "9 started", "warning", *END, "9 completed"),
    ],
    "hooks": [*READ, "uses Bash", "rejected Bash", "says done", *END],
    "image_and_context": ["says a red dot", *END, "says ok", *END],
    "interrupt_bash": [
        *("uses Bash", "asks Bash", "task spin running", "task spin stopped"),
        *("interrupted Bash", "turn interrupted"),
    ],
    "interrupt_cancel_queued": [
        *(*ONE, "2 queued", "2 cancelled", "says slow slow slow"),
        *("turn interrupted", "1 cancelled"),
    ],
    "interrupt_permission": [
        *("uses Bash", "asks Bash", "withdraws", "interrupted Bash", "turn interrupted")
    ],
    "interrupt_stream": [
        *("thinks", "says The quick brow", "turn interrupted", "says fresh answer", *END)
    ],
    "interrupt_tool": [
        *("0 queued", "0 started", "uses Bash", "asks Bash", "interrupted Bash"),
        *("turn interrupted", "0 cancelled"),
    ],
    "killed_int": ["says The quick brow", "turn interrupted"],
    "killed_kill": [],
    "malformed_badtype": ["says still alive", *END],
    "malformed_notjson": [],
    "mcp_neovim_tools": [
        *("uses mcp__neovim__openDiff", "completed mcp__neovim__openDiff", "says ok", *END)
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
    "mcp_prompts": [
        *("offers mcp__my_server_x__greet", "7 queued", "7 started", "says Hello, Bob.", *END),
        "7 completed",
    ],
    "model_fallback": [
        *("c queued", "c started", "retry 1/3 overloaded", "retry 2/3 overloaded"),
        *("model claude-sonnet-4-5", "warning", "says from the fallb", *END, "c completed"),
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
        *("says custom cmd ran", *END, "says done", *END, "cleared", "session", *END),
        *("info", *END, "info", *END),
    ],
    "subagent": [
        *("uses Task", *["task look around running behind"] * 2, "completed Task"),
        *("subagent says Found a.py", *["task look around completed behind"] * 2),
        *("uses Glob", "failed Glob", "says The agent foun", *END),
    ],
    "tasks": [
        *("9 queued", "9 started", "uses Bash", *["task Serve running behind"] * 2),
        *("completed Bash", "says Started it.", *END, "9 completed", "task Serve stopped behind"),
        *("6 queued", "6 started", "uses Bash", *["task Build running behind"] * 2),
        *("completed Bash", "says Building.", *END, "6 completed"),
        *(*["task Build failed behind"] * 2, "turn after Build", "says The build fail", *END),
    ],
    "tasks_moved": [
        *("2 queued", "2 started", "uses Bash", "task Wait running", "task Wait running behind"),
        *("completed Bash", "says Moved on.", *END, "2 completed"),
        *(*["task Wait completed behind"] * 2, "turn after Wait", "says It is done.", *END),
    ],
    "tasks_subagent": [
        *("9 queued", "9 started", "uses Agent", *["task look at A running behind"] * 2),
        *("completed Agent", "says I sent an agen", "subagent says Looking.", "uses Bash"),
        *("task look at A running behind", *END, "9 completed", "completed Bash", "uses Read"),
        *("task look at A running behind", "completed Read", "subagent says A has two line"),
        *["task look at A completed behind"] * 2,
        *("turn after look at A", "says The agent says", *END),
    ],
    "thinking_off": ["says ok", *END, "says done", *END],
    "mcp_servers": [
        *("9 queued", "9 started", "servers failed: broken dies web", "says (no more turns"),
        *(*END, "9 completed", "session My chat"),
    ],
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


@pytest.mark.parametrize("name", names())
def test_a_conversation_becomes_these_events(name: str) -> None:
    assert digest(decoded(frames_of(name))) == CONVERSATIONS[name]


@pytest.mark.parametrize("name", names())
def test_the_pieces_of_a_block_add_up_to_the_complete_block(name: str) -> None:
    pieces: dict[str, str] = {}
    for event in decoded(frames_of(name)):
        match event:
            case TextDelta(block, text) | ThinkingDelta(block, text):
                pieces[block] = pieces.get(block, "") + text
            case Text(block, text) | Thinking(block, text):
                assert pieces.pop(block, text) == text
            case PreviewVoided(blocks):
                for block in blocks:
                    del pieces[block]

    # Only a killed child leaves an incomplete block.
    assert bool(pieces) == (name == "killed_kill")


@pytest.mark.parametrize("name", names())
def test_every_tool_that_starts_also_ends(name: str) -> None:
    open_tools: set[str] = set()
    for event in decoded(frames_of(name)):
        match event:
            case events.ToolStarted(tool):
                open_tools.add(tool)
            case ToolEnded(tool):
                open_tools.remove(tool)

    assert not open_tools


@pytest.mark.parametrize("name", names())
def test_the_session_is_idle_when_the_conversation_is_over(name: str) -> None:
    state = SessionState().spawned().after(events.Ready())
    for event in decoded(frames_of(name)):
        state = state.after(event)

    assert state.state is (AgentState.WRITING if name == "killed_kill" else AgentState.IDLE)
    assert not state.queued


@pytest.mark.parametrize("name", names())
def test_a_recording_names_no_machine(name: str) -> None:
    recorded = (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8")

    assert not re.findall(r"/(?:work|tmp|root|Users|var|opt|mnt|srv)/", recorded)
    assert set(re.findall(r"/home/(\w+)", recorded)) <= {"dev"}
    assert set(re.findall(r"://([^/:\"]+)", recorded)) <= HOSTS
