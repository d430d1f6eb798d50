"""`AcpAgent` with real agents, without an account and without a network."""

from pathlib import Path

from claude_ide.agents.events import (
    ModeChanged,
    TodoList,
    ToolEnded,
    ToolStatus,
    TurnEnded,
    TurnEndReason,
)
from claude_ide.agents.requests import (
    Allow,
    Answer,
    PermissionAsked,
    PlanProposed,
    QuestionAsked,
    Reject,
    Reply,
)
from support.fake_api import text, thinking
from support.real_agents.agent import Tools
from support.real_agents.chosen import each, each_with
from support.real_agents.model import Model
from support.real_agents.talk import RealTalk, edit

WORDS = "Hello there, in more than one piece."
PLAN = "# Dig\n\nThen plant."


def reject_edits(asked: PermissionAsked) -> Answer:
    """Allow to read, and nothing else."""
    return Allow() if asked.kind == "read" else Reject()


async def ask_for_plan(talk: RealTalk, model: Model, tools: Tools) -> None:
    """Send a prompt in the mode in which the agent proposes a plan, and then says `done`."""
    assert tools.propose
    await talk.agent.set_mode("plan")
    model.script([tools.propose(PLAN)], [text("done")])
    await talk.prompt("plan it")


@each()
async def test_text_is_reported(talk: RealTalk, model: Model) -> None:
    model.script([text(WORDS)])

    ended = await talk.answered_turn("say hello")

    assert talk.said.count(WORDS) == 1
    assert ended.why is TurnEndReason.COMPLETED
    assert model.heard("say hello")
    assert talk.agent.session


@each("thinks")
async def test_thinking_is_reported(talk: RealTalk, model: Model) -> None:
    model.script([thinking("Let me see."), text(WORDS)])

    await talk.answered_turn("think about it")

    assert "Let me see." in talk.thought
    assert "Let me see." not in talk.said


@each()
async def test_an_allowed_edit_is_written(
    talk: RealTalk, model: Model, tools: Tools, path: Path
) -> None:
    model.script(*edit(tools, path, "one", "ONE", then="done"))

    ended = await talk.answered_turn("change it")

    assert path.read_text() == "ONE\ntwo\n"
    assert ended.why is TurnEndReason.COMPLETED
    assert "done" in talk.said
    assert bool(talk.of(PermissionAsked)) >= talk.real.habits.asks_to_edit
    assert bool(talk.disk.written) == talk.real.habits.writes_here
    assert {each.status for each in talk.of(ToolEnded)} == {ToolStatus.COMPLETED}


@each("asks_to_edit", "shows_changes")
async def test_an_edit_is_shown_before_it_is_allowed(
    talk: RealTalk, model: Model, tools: Tools, path: Path
) -> None:
    model.script(*edit(tools, path, "one", "ONE", then="done"))

    await talk.answered_turn("change it")

    [asked] = [each for each in talk.of(PermissionAsked) if each.edits]
    assert [Path(edit.path).name for edit in asked.edits] == ["a.py"]
    assert "ONE" in asked.edits[0].new


@each("asks_to_edit")
async def test_a_rejected_edit_is_not_written(
    talk: RealTalk, model: Model, tools: Tools, path: Path
) -> None:
    model.script(*edit(tools, path, "one", "ONE", then="as you like"))

    await talk.answered_turn("change it", reject_edits)

    assert path.read_text() == "one\ntwo\n"
    assert talk.of(ToolEnded)[-1].status is ToolStatus.REJECTED


@each("reports_output")
async def test_a_commands_output_is_reported(
    talk: RealTalk, model: Model, tools: Tools, project: Path
) -> None:
    model.script([tools.run("printf 4%s7 2; touch made")], [text("done")])

    await talk.answered_turn("run it")

    assert (project / "made").exists()
    assert "427" in talk.of(ToolEnded)[-1].output
    assert model.heard("427")


@each_with("plan")
async def test_a_plan_is_reported(talk: RealTalk, model: Model, tools: Tools) -> None:
    assert tools.plan
    model.script([tools.plan(["dig", "plant"])], [text("done")])

    await talk.answered_turn("plan it")

    [*_, todos] = talk.of(TodoList)
    assert [(todo.text, todo.status) for todo in todos.todos] == [
        ("dig", "in_progress"),
        ("plant", "pending"),
    ]


@each_with("ask")
async def test_a_question_is_answered(talk: RealTalk, model: Model, tools: Tools) -> None:
    assert tools.ask
    model.script([tools.ask("Which colour?", ["red", "blue"])], [text("done")])
    if asks_in := talk.real.habits.asks_in:
        await talk.agent.set_setting(*asks_in)
    await talk.prompt("ask me")
    asked = await talk.until(QuestionAsked)
    question = asked.questions[0]

    await talk.agent.answer(asked.request, Reply({question.key: "blue"}))
    await talk.until(TurnEnded)

    assert [choice.label for choice in question.choices][:2] == ["red", "blue"]
    assert "Which colour?" in f"{asked.message}\n{question.text}"
    assert model.heard("blue")
    assert "done" in talk.said


@each_with("propose")
async def test_a_plan_of_action_is_approved(talk: RealTalk, model: Model, tools: Tools) -> None:
    await ask_for_plan(talk, model, tools)

    await talk.agent.answer((await talk.until(PlanProposed)).request, Allow())
    ended = await talk.until(TurnEnded)

    assert talk.of(PlanProposed)[0].plan == PLAN
    assert talk.of(ModeChanged)[-1].mode != "plan"
    assert ended.why is TurnEndReason.COMPLETED
    assert "done" in talk.said


@each_with("propose")
async def test_a_plan_of_action_is_rejected(talk: RealTalk, model: Model, tools: Tools) -> None:
    await ask_for_plan(talk, model, tools)

    await talk.agent.answer((await talk.until(PlanProposed)).request, Reject())
    await talk.until(TurnEnded)

    assert talk.of(ModeChanged)[-1].mode == "plan"
    assert talk.of(ToolEnded)[-1].status is ToolStatus.REJECTED
