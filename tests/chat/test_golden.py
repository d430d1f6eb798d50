"""Every recorded conversation, as the panel shows it."""

from collections.abc import Iterator

import pytest

from claude_ide.agents import events
from claude_ide.agents.events import Event
from claude_ide.agents.requests import Asked, RequestWithdrawn
from claude_ide.chat.transcript.transcript import Transcript
from support.digest import conversed, decoded
from support.frames import Drawn, Panel
from support.transcripts import frames_of, names

ROOT = "/home/dev/project"

READ = "→ Read a.py  0 ms"
EDIT = "± Edit a.py  +1 −1  0 ms"  # noqa: RUF001
SLOW = "The quick brown fox jumps over the lazy dog."

SCREENS = {
    "plain_thinking": [
        "▸ Thought 1 ms · 12 tokens",
        "",
        "Hello! **How** can I help?",
        "",
        "```python",
        "print(1)",
        "```",
        "── 162 ms · $0.0087",
    ],
    "read_edit_allow": ["Let me look.", "", READ, EDIT, "", "Done.", "── 256 ms · $0.03"],
    "edit_deny": [
        *(READ, "⊘ Edit a.py  rejected", "", "Understood, I will not.", "── 216 ms · $0.03"),
        *("", "⊘ Edit a.py  interrupted", "interrupted · 48 ms · $0.0098"),
    ],
    "error_midstream": ["whole answer", "── 178 ms · $0.0001"],
    "error_drop": ["retried once: connection lost", "", "whole answer", "── 743 ms · $0.02"],
    "error_401": [
        "retried 4 times: authentication failed (401)",
        "",
        "Invalid API key · Fix external API key",
        "L opens a terminal to log in",
        "failed · 8.0 s",
    ],
    "error_429": [*("retried 3 times: rate limit (429)", "", "recovered", "── 4.8 s · $0.0098")],
    "beside": [
        "SessionStart:startup says: welcome",
        "this prompt was blocked by a hook: no bad prompts here",
        "── 268 ms",
        "",
        "$ Bash echo one  0 ms",
        "$ Bash echo two  0 ms",
        "PreToolUse:Bash says: be careful",
        "PostToolUse:Bash hook failed: no such linter",
        *("", "Done.", "", "Stop hook feedback: run the tests first", "", "They have run."),
        "── 1.2 s · $0.0013",
    ],
    "denials": [
        "⊘ Bash mkdir y  denied by a hook: use the wrapper",
        "⊘ Bash touch x  denied by a rule",
        "⊘ Read secret.txt  denied by a rule",
        *("⊘ Bash rm z  rejected", "", "No more.", "── 1.1 s · $0.0022", ""),
        *("⊘ Bash rm z  denied by mode dontAsk", "", "As you wish.", "── 261 ms · $0.0009"),
    ],
    "hook_stop": [
        "$ Bash echo one  0 ms",
        "PostToolUse:Bash hook stopped the turn: enough now",
        *("── 644 ms · $0.0004", "", "a hook stopped this prompt: closed on sundays", "── 109 ms"),
    ],
    "model_fallback": [
        *("retried 2 times: overloaded (529)", ""),
        "Switched to Sonnet 4.5 due to high demand for Opus 5.5 · context window 1M → 200K tokens",
        *("", "from the fallback", "── 2.4 s · $0.0003"),
    ],
    "interrupt_bash": ["⊘ Bash yes > /dev/null  interrupted", "interrupted · 4.0 s · $0.0098"],
    "interrupt_permission": ["⊘ Bash touch x  interrupted", "interrupted · 175 ms · $0.0098"],
    "interrupt_stream": [
        "▸ Thought 302 ms · 10 tokens",
        "",
        f"{SLOW} {SLOW} {SLOW.partition(' the lazy')[0]}",
        "interrupted · 1.0 s · $0.0092",
        "",
        "fresh answer",
        "── 38 ms · $0.0098",
    ],
    "ask_user": [
        *("• Questions  0 ms", "", "Thanks: httpx it is.", "── 157 ms · $0.02", ""),
        *("⊘ Questions  rejected", "", "no answer then", "── 50 ms · $0.02"),
    ],
    "exit_plan_file": [
        "± Write /home/dev/.claude/plans/plan-it-jolly-seahorse.md  +4 −0  0 ms",  # noqa: RUF001
        "⊘ Plan  rejected",
        "",
        "Revising.",
        "── 319 ms · $0.03",
    ],
    "todos_sonnet": [
        "◇ TaskCreate Write tests  0 ms",
        "◇ TaskCreate Run tests  0 ms",
        "◇ TaskUpdate Write tests: in progress  0 ms",
        "◇ TaskList  0 ms",
        "◇ TaskUpdate Write tests: completed  0 ms",
        "",
        "All done.",
        "── 396 ms · $0.05",
    ],
    "subagent": [
        "◇ Task look around  10,585 tokens · 0 ms",
        "✗ Glob *.py  failed: No such tool available: Glob. Glob is not available in this session"
        " — find files with `find` via th…  0 ms",
        "",
        "The agent found a.py.",
        "── 261 ms · $0.04",
    ],
    "tasks_subagent": [
        "◇ Agent look at A  2 tools · 30 tokens · 0 ms",
        "",
        "I sent an agent.",
        "── 523 ms · $0.0013",
        "",
        "⟳ look at A has finished in the background",
        "",
        "The agent says two lines.",
        "── 74 ms · $0.0013",
    ],
    "parallel_tools": [
        *("$ Bash touch p1  0 ms", "$ Bash touch p2  0 ms", READ),
        *("", "all three", "── 1.0 s · $0.02"),
    ],
    "resume_1_bad": [
        "failed · 0 ms",
        "No conversation found with session ID: 00000000-0000-4000-8000-000000000000",
    ],
    "killed_kill": [f"{' '.join([SLOW] * 5)} The quick brown"],
}


def replayed(name: str) -> Panel:
    return Panel(root=ROOT).handle(*decoded(frames_of(name)))


def replay(name: str) -> tuple[Transcript, Drawn]:
    panel = replayed(name)
    return panel.transcript, panel.drawn


@pytest.mark.parametrize("name", SCREENS)
def test_each_recorded_conversation_is_drawn_as_expected(name: str) -> None:
    _, page = replay(name)

    assert [line.rstrip() for line in page.text] == SCREENS[name]


@pytest.mark.parametrize("name", names())
def test_the_frames_add_up_to_the_page(name: str) -> None:
    transcript, page = replay(name)

    assert page.text == transcript.lines


@pytest.mark.parametrize("name", names())
def test_intermediate_frames_make_no_difference_to_the_result(name: str) -> None:
    _, often = replay(name)
    panel = Panel(root=ROOT)
    for event in decoded(frames_of(name)):
        panel.handle_without_drawing(event)

    once = panel.drawn.everything(panel.transcript)

    assert once.text == often.text
    assert [line.language for line in once.lines] == [line.language for line in often.lines]
    assert [line.marks for line in once.lines] == [line.marks for line in often.lines]


@pytest.mark.parametrize("name", names())
def test_each_use_of_a_tool_is_one_part(name: str) -> None:
    _, page = replay(name)

    started = [e for e in decoded(frames_of(name)) if isinstance(e, events.ToolStarted)]
    uses = {e.tool for e in started if not e.parent}
    assert [kind for _, kind in page.parts].count("tool") == len(uses)


@pytest.mark.parametrize("name", names())
def test_no_partial_answer_remains(name: str) -> None:
    """Each complete text is shown once, and no incomplete one is; those of subagents are folded."""
    happened = decoded(frames_of(name))
    texts = [e for e in happened if isinstance(e, events.Text) and not e.parent]
    whole = [e.text for e in texts if e.text.strip()]
    notes = [e.text for e in happened if isinstance(e, events.Notice) and e.level == "info"]
    _, page = replay(name)

    assert [kind for _, kind in page.parts].count("text") == len(whole) + (name == "killed_kill")
    lines = [line.strip() for line in page.text]
    for text in (*whole, *notes):
        assert text.strip().splitlines()[0].strip() in lines


@pytest.mark.parametrize("name", names())
def test_no_request_waits_when_the_conversation_is_over(name: str) -> None:
    panel = replayed(name)

    assert not panel.waiting
    assert "request" not in [kind for _, kind in panel.drawn.parts]


def requests(name: str) -> Iterator[tuple[Event, Panel]]:
    panel = Panel(root=ROOT)
    for event in decoded(frames_of(name)):
        yield event, panel.handle(event)


@pytest.mark.parametrize("name", names())
def test_a_request_is_the_last_thing_shown_while_it_waits(name: str) -> None:
    for event, panel in requests(name):
        if isinstance(event, Asked):
            assert panel.waiting[-1] == event
            part, kind = panel.drawn.parts[-1]
            assert (kind.partition(":")[0], panel.request(part)) == ("request", event)
        if isinstance(event, RequestWithdrawn):
            assert "request" not in [kind for _, kind in panel.drawn.parts]


@pytest.mark.parametrize("name", names())
def test_only_our_own_prompts_are_shown(name: str) -> None:
    transcript, page = replay(name)

    assert not transcript.queue.queued
    kinds = [kind for _, kind in page.parts]
    by_itself = sum(isinstance(event, events.TurnBegun) for event in decoded(frames_of(name)))
    assert kinds.count("turn") == by_itself
    assert "queued" not in kinds


def replay_with_prompts(name: str) -> list[str]:
    """Return the lines if each prompt is sent just before the agent first reports it."""
    transcript, page = Transcript("Claude", clock=lambda: 0.0), Drawn()
    sent: set[str] = set()
    for event in conversed(name):
        if isinstance(event, events.PromptChanged) and event.prompt not in sent:
            sent.add(event.prompt)
            transcript.queue.add(event.prompt, f"prompt {event.prompt[:1]}")
        transcript.apply(event)
        page.everything(transcript)
    assert not transcript.queue.queued
    return [line[:10] for line in page.text if line]


def test_queued_prompts_are_shown_where_their_turns_start() -> None:
    assert replay_with_prompts("queue") == [
        *("» prompt 1", "The quick ", "── 1.0 s ·"),
        *("» prompt 2", "second", "── 30 ms ·"),
    ]


def test_a_withdrawn_prompt_leaves_no_lines() -> None:
    assert replay_with_prompts("cancel_queued") == [
        *("» prompt 1", "slow slow ", "interrupte"),
        *("» prompt 3", "second", "── 48 ms ·"),
    ]


def test_a_prompt_that_steers_is_shown_where_the_model_received_it() -> None:
    lines = replay_with_prompts("priority_next_midtools")

    assert lines[-3:] == ["» prompt 6", "saw it", "── 1.0 s ·"]
    assert lines[-4].startswith("→ Read")


def test_a_prompt_that_redirects_is_shown_below_the_turn_that_it_ended() -> None:
    assert replay_with_prompts("priority_now") == [
        *("slow slow ", "interrupte", "» prompt 5", "redirected", "── 59 ms ·")
    ]


def test_a_prompt_is_interrupted_with_all_queued_ones() -> None:
    assert replay_with_prompts("interrupt_cancel_queued") == [
        *("» prompt 1", "slow slow ", "interrupte")
    ]


def test_prompts_of_a_cli_without_stages_are_shown_where_they_start() -> None:
    assert replay_with_prompts("cli197_queue") == [
        *("» prompt 1", "slow slow", "interrupte"),
        *("» prompt 5", "$ Bash tou", "» prompt 2", "» prompt 3", "» prompt 6"),
        *("as told", "── 318 ms "),
        *("» prompt 7", "slower", "interrupte"),
        *("» prompt 8", "» prompt 9", "both", "── 26 ms ·"),
    ]


def test_clearing_draws_a_line_and_keeps_the_old_conversation() -> None:
    _, page = replay("slash_commands")

    cleared = page.text.index("── the conversation was cleared: Claude does not see the text above")
    assert page.text.index("one") < cleared
    assert "── the conversation was compacted: 10,760 → 2,565 tokens" in page.text
    assert page.text[-2:] == ["Set model to `Sonnet 5.5` for this session only", "── 7 ms"]


def test_the_output_of_a_command_is_markdown() -> None:
    _, page = replay("slash_commands")

    assert page.groups("## Context") == {("## Context Usage", "ClaudeChatHeading")}
