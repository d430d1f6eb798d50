"""Transcripts with any content, and with events in any order."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from claude_ide.agents import events
from claude_ide.agents.events import (
    Dead,
    Notice,
    PreviewVoided,
    PromptChanged,
    PromptStage,
    Retry,
    Task,
    TaskChanged,
    TaskState,
    Text,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ThinkingTokens,
    ToolEnded,
    ToolInput,
    ToolOutput,
    ToolStarted,
    ToolStatus,
    TurnBegun,
    TurnEnded,
    TurnEndReason,
    UserMessage,
    Waiting,
)
from claude_ide.agents.requests import Option, OptionKind, PermissionAsked, RequestWithdrawn
from claude_ide.chat.transcript.transcript import Transcript
from support.frames import Drawn, Panel, shown

ALLOW = Option("allow", "Allow", OptionKind.ALLOW_ONCE)


def asks(request: str, tool: str = "t", **fields: Any) -> PermissionAsked:
    return PermissionAsked(request, tool, "Bash", {"command": "ls"}, (ALLOW,), **fields)


def test_text_from_outside_is_harmless() -> None:
    panel = Panel(root="/p")
    panel.transcript.queue.add("p", "a\x00b\udc80", ["c\nd"])
    panel.handle(
        Text("1", "a\x00b\x1b[31m\u2028c\r\nd\udcff\n```a\x01b\nx\n```\n"),
        ToolStarted("t", "Ba\nsh", "execute", "l\ns"),
        ToolInput("t", 3, {"command": "l\ns\x07", "k\ney": [b"\xff", "\n"]}),
        ToolOutput("t", "\x1b[1mout\x1b[0m\rput\n"),
        asks("r", title="a\nb", reason="c\nd"),
        Notice("e\x02\nf", "warn"),
        Retry(1, 2, 3, "g\nh"),
        Dead(1, "i\x03\nj"),
    )
    panel.press("⊘ Ba^Jsh")

    assert any("a^@b^[[31m\u2028c" in line for line in panel.text)
    assert "    put" in panel.text


def test_a_very_long_line_is_kept() -> None:
    assert shown(Text("1", "x" * 300_000)) == ["x" * 300_000]


def test_a_press_on_a_removed_part_does_nothing() -> None:
    transcript = Transcript("Claude")

    assert transcript.press(99, 0) is None
    assert transcript.location(99, 0, 0) is None
    assert transcript.queued_at(99) is None
    assert Panel().request(99) is None


def test_the_oldest_turns_of_an_endless_chat_are_dropped() -> None:
    transcript, drawn = Transcript("Claude"), Drawn()
    for number in range(120):
        transcript.load_history([UserMessage(f"prompt {number}"), Text(f"{number}", "x\n" * 200)])
        drawn.everything(transcript)

    assert len(drawn.text) < 20_500
    assert drawn.text[0] == "… earlier"
    assert drawn.text[2].startswith("» prompt")
    assert drawn.text == transcript.lines


BLOCKS = st.sampled_from(["1", "2", "3"])
TOOLS = st.sampled_from(["t", "u", "v"])
PARENTS = st.sampled_from(["", "", "", "t", "gone"])
WORDS = st.text(st.sampled_from("ab `*_#\n\r\t\x00ä🙂"), max_size=12)
FENCED = WORDS | st.sampled_from(["```py\n", "x = 1\n", "\n```\n"])
TASKS = st.builds(
    Task,
    id=BLOCKS,
    title=WORDS,
    tool=TOOLS,
    state=st.sampled_from(TaskState),
    in_background=st.booleans(),
    last_tool=WORDS,
    tools=st.none() | st.integers(0, 9),
    result=WORDS,
)
EVENTS = st.one_of(
    st.builds(TaskChanged, TASKS),
    st.builds(TurnBegun, st.lists(TASKS, max_size=2).map(tuple)),
    st.builds(TextDelta, BLOCKS, FENCED, PARENTS),
    st.builds(TextDelta, BLOCKS, FENCED),
    st.builds(Text, BLOCKS, FENCED, PARENTS),
    st.builds(ThinkingDelta, BLOCKS, WORDS),
    st.builds(ThinkingTokens, st.integers(0, 99)),
    st.builds(Thinking, BLOCKS, WORDS),
    st.builds(PreviewVoided, st.tuples(BLOCKS), st.tuples(TOOLS)),
    st.builds(ToolStarted, TOOLS, WORDS, st.sampled_from(["execute", "edit"]), WORDS, PARENTS),
    st.builds(ToolInput, TOOLS, st.integers(0, 99), st.none() | st.just({"command": "ls\n-l"})),
    st.builds(ToolOutput, TOOLS, WORDS),
    st.builds(ToolEnded, TOOLS, st.sampled_from(ToolStatus), WORDS),
    st.builds(asks, BLOCKS, TOOLS),
    st.builds(RequestWithdrawn, BLOCKS),
    st.builds(PromptChanged, BLOCKS, st.sampled_from(PromptStage)),
    st.builds(UserMessage, WORDS),
    st.builds(Retry, st.integers(1, 3), st.just(3), st.just(1.0), WORDS),
    st.builds(Notice, WORDS, st.sampled_from(["info", "error"])),
    st.builds(TurnEnded, st.sampled_from(TurnEndReason)),
    st.just(Waiting()),
    st.just(events.Cleared()),
    st.just(Dead(1, "gone")),
)


@given(st.data())
def test_after_any_events_the_frames_add_up_to_the_page(data: st.DataObject) -> None:
    panel = Panel()
    transcript = panel.transcript
    for _ in range(data.draw(st.integers(1, 40))):
        match data.draw(
            st.sampled_from(["apply", "apply", "apply", "draw", "press", "prompt", "answer"])
        ):
            case "apply":
                panel.handle_without_drawing(data.draw(EVENTS))
            case "draw":
                if (frame := transcript.sheet.frame()) is not None:
                    panel.drawn.apply(frame)
            case "press" if panel.drawn.parts:
                part, _ = data.draw(st.sampled_from(panel.drawn.parts))
                transcript.press(part, data.draw(st.integers(0, 3)))
            case "prompt":
                transcript.queue.add(data.draw(BLOCKS), data.draw(WORDS))
            case "answer":
                panel.answer(data.draw(BLOCKS), data.draw(WORDS))

    assert panel.text == transcript.lines
    waiting = [kind for _, kind in panel.drawn.parts if kind.startswith("request")]
    assert len(waiting) == len(panel.waiting)
    queued = [kind for _, kind in panel.drawn.parts].count("queued")
    assert queued == len(transcript.queue.queued)


def test_a_delta_costs_the_same_at_the_end_of_a_long_chat() -> None:
    """The test counts drawn lines and visited parts, since times vary on a busy machine."""
    transcript = Transcript("Claude")
    costs = []
    for number in range(50_000):
        end = "\n" if number % 7 == 6 else " "
        if number % 2_000 == 0:
            transcript.apply(ToolStarted(f"{number}", "Bash"))
        transcript.apply(TextDelta(f"{number // 2_000}", f"word {number}{end}"))
        if number % 5 == 4:
            frame = transcript.sheet.frame()
            assert frame is not None
            costs.append(sum(len(edit["lines"]) for edit in frame["edits"]))
            assert len(frame["edits"]) <= 2

    assert max(costs[-1000:]) <= max(costs[:1000]) <= 6
    assert sum(costs[-1000:]) <= sum(costs[:1000]) * 1.05
