"""The chat panel in a real Neovim, with an agent other than Claude."""

from pathlib import Path

import pytest

from claude_ide.agents import events
from claude_ide.agents.agent import NewSession, ResumeSession
from claude_ide.agents.requests import (
    Allow,
    Choice,
    Option,
    OptionKind,
    PermissionAsked,
    PlanProposed,
    Question,
    QuestionAsked,
    Reject,
    Replacement,
    Reply,
    RequestWithdrawn,
)
from support.another_agent import FEW
from support.chunks import chunk
from support.either_editor import type_answer
from support.neovim import Neovim, until
from support.river import FLOAT, Begin

OPTIONS = (
    Option("o1", "Let it", OptionKind.ALLOW_ONCE),
    Option("o2", "Let it swim", OptionKind.ALLOW_ALWAYS, "this river"),
    Option("o3", "No", OptionKind.REJECT_ONCE),
)
SHELL = PermissionAsked(
    "r1", "t1", "paddle", {"command": "swim --far"}, OPTIONS, kind="execute", title="swim --far"
)


def tool(kind: str = "edit", name: str = "gnaw") -> list[events.Event]:
    return [events.ToolStarted("t1", name, kind), events.ToolInput("t1", 5, {"what": "wood"})]


async def test_text_and_thinking_are_shown_as_they_stream(begin: Begin) -> None:
    river = await begin()
    await river.panel.send("hello")
    assert await river.wait_for_call("prompt") == ("prompt", "hello")

    river.agent.emit(events.ThinkingDelta("b1", "Is there fish?"), events.Thinking("b1", "Fish!"))
    river.agent.emit(events.TextDelta("b2", "There is **fi"), events.TextDelta("b2", "sh**."))
    await river.panel.shows("There is **fish**.")
    river.agent.emit(events.Text("b2", "There is **trout**."))
    river.agent.emit(events.TurnEnded(events.TurnEndReason.COMPLETED, milliseconds=1200))

    shown = await river.panel.shows("There is **trout**.")
    assert "Thought" in shown
    assert "**fish**" not in shown
    await river.panel.shows("── 1.2 s")


async def test_new_output_replaces_the_old_output_of_a_tool(begin: Begin) -> None:
    river = await begin()
    river.agent.emit(*tool("execute"), events.ToolOutput("t1", "1 of 2"))
    await river.panel.shows("gnaw")
    river.agent.emit(events.ToolOutput("t1", "2 of 2", replaces=True))
    river.agent.emit(events.ToolEnded("t1", events.ToolStatus.COMPLETED))
    await river.panel.shows("$ gnaw")

    await river.panel.go_to("gnaw")
    await river.nvim.keys("<CR>")

    assert "1 of 2" not in await river.panel.shows("2 of 2")


async def test_a_tool_shows_all_the_files_that_it_has_changed(begin: Begin, project: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (project / name).write_text("first\nnew\n")
    changes = tuple(
        events.Change(str(project / name), 1, 0, (events.DiffHunk(1, 1, 1, 2, (" first", "+new")),))
        for name in ("a.txt", "b.txt")
    )
    river = await begin()
    river.agent.emit(*tool(), events.ToolEnded("t1", events.ToolStatus.COMPLETED, changes=changes))

    await river.panel.shows("± gnaw  +2 \N{MINUS SIGN}0")
    await river.panel.go_to("gnaw")
    await river.nvim.keys("<CR>")
    await river.panel.shows("b.txt")
    await river.panel.go_to("b.txt")
    await river.nvim.keys("jjgf")

    await until(lambda: river.nvim.eval("expand('%:t') == 'b.txt' && line('.') == 2"), "b.txt")


@pytest.mark.parametrize(
    ("key", "answer"), [("y", Allow()), ("a", Allow(("o2",))), ("n", Reject())]
)
async def test_a_permission_request_is_answered_in_the_transcript(
    begin: Begin, key: str, answer: Allow | Reject
) -> None:
    river = await begin()
    river.agent.emit(*tool("execute"), SHELL)
    await river.panel.shows("? Run this command?  swim --far")
    await river.panel.bar_shows("1 request waiting")

    assert await river.press("? Run", key, "answer") == ("answer", "r1", answer)

    await river.panel.shows_no_more("? Run")


async def test_a_withdrawn_request_disappears(begin: Begin) -> None:
    river = await begin()
    river.agent.emit(*tool("execute"), SHELL)
    await river.panel.shows("? Run this")

    river.agent.emit(RequestWithdrawn("r1"))

    await river.panel.shows_no_more("? Run")


def edit_of(path: Path) -> PermissionAsked:
    return PermissionAsked(
        *("r1", "t1", "gnaw", {}, OPTIONS),
        kind="edit",
        title=str(path),
        path=str(path),
        edits=(Replacement(str(path), "TWO", "two"),),
    )


async def diff_buffer(nvim: Neovim) -> int:
    """Wait until a proposed text is shown; return its buffer."""
    find = chunk("another_agent/proposal")
    return int(await until(lambda: nvim.lua(find), "the diff is shown"))


async def change_and_accept(nvim: Neovim, bufnr: int, line: str) -> None:
    """Change the second line of a proposed text and accept the result."""
    go = "vim.api.nvim_set_current_win(vim.fn.win_findbuf(...)[1])"
    await nvim.keys("<Esc>")
    await nvim.lua(go, bufnr)
    await nvim.keys(f"2Gcc{line}<Esc>:w<CR>")


@pytest.fixture
def path(project: Path) -> Path:
    path = project / "a.txt"
    path.write_text("one\ntwo\nthree\n")
    return path


async def test_an_edit_is_shown_as_a_diff_that_the_user_can_change(
    begin: Begin, path: Path
) -> None:
    river = await begin()
    river.agent.emit(*tool(), edit_of(path))
    bufnr = await diff_buffer(river.nvim)
    assert await river.nvim.eval(f"getbufline({bufnr}, 1, '$')") == ["one", "TWO", "three"]

    await change_and_accept(river.nvim, bufnr, "2")

    changed = Replacement(str(path), "one\n2\nthree\n", "one\ntwo\nthree\n")
    assert await river.wait_for_call("answer") == ("answer", "r1", Allow(edits=(changed,)))
    await river.panel.shows("allowed, with your changes")


async def test_an_edit_is_also_shown_in_the_transcript(begin: Begin, path: Path) -> None:
    river = await begin()
    river.agent.emit(*tool(), edit_of(path))
    await diff_buffer(river.nvim)
    await river.panel.shows("? Edit a.txt?")

    async def unfolded() -> bool:
        if "+TWO" not in await river.panel.text():
            await river.panel.go_to("? Edit")
            await river.nvim.keys("d")
        return "+TWO" in await river.panel.text()

    await until(unfolded, "the edit")
    assert "-two" in await river.panel.text()


async def test_a_reason_that_a_rejection_cannot_carry_is_sent_as_the_next_prompt(
    begin: Begin,
) -> None:
    river = await begin(FEW)
    river.agent.emit(*tool("execute"), SHELL)
    await river.panel.shows("? Run this")

    async def asked() -> bool:
        if await river.nvim.lua(FLOAT) == "" and (await river.nvim.mode())["mode"] != "c":
            await river.panel.go_to("? Run")
            await river.nvim.keys("N")
        return "Why not?" in river.nvim.screen.text()

    await until(asked, "it asks why not")
    await type_answer(river.nvim, "use a raft<CR>")

    assert await river.wait_for_call("prompt") == ("prompt", "use a raft")
    assert ("answer", "r1", Reject("use a raft")) in river.agent.calls
    await river.panel.shows("use a raft")


async def test_questions_open_a_form(begin: Begin) -> None:
    question = Question("Which bank?", "Bank", (Choice("Left"), Choice("Right")))
    river = await begin()
    river.agent.emit(QuestionAsked("r1", "", (question,)))
    await river.panel.shows("? Bank: Which bank?")
    await river.panel.go_to("? Bank")
    await river.nvim.keys("<CR>")
    await until(lambda: _float(river.nvim, "Otter asks", "Right"), "the form")

    await river.nvim.keys("2<CR>")

    assert await river.wait_for_call("answer") == ("answer", "r1", Reply({"Which bank?": "Right"}))


async def _float(nvim: Neovim, title: str, words: str) -> bool:
    return title in nvim.screen.text() and words in str(await nvim.lua(FLOAT))


async def test_a_plan_opens_in_a_buffer_and_can_be_changed(begin: Begin) -> None:
    river = await begin()
    river.agent.emit(PlanProposed("r1", "", "1. Build a dam\n", "", OPTIONS))
    await river.panel.shows("? Approve this plan?")
    await river.nvim.keys("<Esc>")
    is_open = "bufname() =~# ' plan' && &modifiable"
    await until(lambda: river.nvim.eval(is_open), "the plan can be changed")

    await river.nvim.keys("cc1. Build two dams<Esc>:w<CR>")

    _, _, answer = await river.wait_for_call("answer")
    assert (answer.options, answer.plan.strip()) == ((), "1. Build two dams")


async def test_todos_notices_and_retries_are_shown(begin: Begin) -> None:
    river = await begin()
    todos = (events.Todo("1", "Gnaw wood", "completed"), events.Todo("2", "Swim", "in_progress"))
    river.agent.emit(events.TodoList(todos), events.TaskChanged(events.Task("k", "x", "y")))
    river.agent.emit(events.Notice("the river rises", "warning"))
    river.agent.emit(events.Retry(2, 5, 0, "low_water"), events.Compacted(900, 300))

    shown = await river.panel.shows("the river rises")
    assert "retry 2/5: low water" in shown
    assert "compacted: 900 → 300 tokens" in shown
    await until(lambda: "Gnaw wood" in river.nvim.screen.text(), "the todos are pinned")


@pytest.mark.parametrize(
    ("why", "words"),
    [
        (events.TurnEndReason.ANSWER_TOO_LONG, "the answer was too long and was cut off"),
        (events.TurnEndReason.TOO_MANY_REQUESTS, "too many requests in this turn"),
        (
            events.TurnEndReason.TOO_LONG,
            "the conversation is too long for the model: :ClaudeChat new",
        ),
        (events.TurnEndReason.REFUSED, "the model refused to continue"),
        (events.TurnEndReason.FAILED, "failed"),
    ],
)
async def test_the_reason_for_the_end_of_a_turn_is_shown(
    begin: Begin, why: events.TurnEndReason, words: str
) -> None:
    river = await begin()
    await river.panel.send("go")
    await river.wait_for_call("prompt")

    river.agent.emit(events.TurnEnded(why))

    await river.panel.shows(words)


async def test_an_ended_agent_is_reported_by_name_and_can_be_resumed(begin: Begin) -> None:
    river = await begin()
    await river.panel.send("go")
    await river.wait_for_call("prompt")
    river.agent.emit(events.Text("b", "gone"), events.Dead(3, "drowned", "s-1"))
    shown = await river.panel.shows("Otter has ended (exit code 3)")
    assert "drowned" in shown

    await river.panel.go_to("has ended")
    await river.nvim.keys("R")

    await river.panel.shows("── resumed")
    assert river.agent.calls[-1] == ("start", ResumeSession("s-1"))


async def test_an_agent_that_cannot_resume_begins_a_new_session(begin: Begin) -> None:
    river = await begin(FEW)
    await river.panel.send("go")
    await river.wait_for_call("prompt")
    river.agent.emit(events.Text("b", "gone"), events.Dead(3))
    assert "R starts a new session" in await river.panel.shows("Otter has ended")

    await river.panel.go_to("has ended")
    await river.nvim.keys("R")

    await river.panel.shows("── started again, in a new session")
    assert isinstance(river.agent.calls[-1][1], NewSession)


async def test_an_earlier_session_is_shown_and_resumed(begin: Begin) -> None:
    river = await begin()

    await river.command("resume s-old")

    await river.panel.wait_for_chats(2)
    shown = await river.panel.shows("In the past.")
    assert "where is the fish?" in shown
    assert river.agent.calls == [("start", ResumeSession("s-old"))]


async def test_resuming_an_unknown_session_opens_no_panel(begin: Begin) -> None:
    river = await begin()

    await river.command("resume s-none")

    await river.reports("there is no session s-none")
    assert (await river.panel.look())["count"] == 1
