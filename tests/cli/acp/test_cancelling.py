"""A turn that the user ends, at each of its stages; the conversation goes on."""

from pathlib import Path

from claude_ide.agents.events import PromptChanged, PromptStage, TextDelta, TurnEnded, TurnEndReason
from claude_ide.agents.requests import Allow, PermissionAsked, RequestWithdrawn
from support.fake_api import text
from support.neovim import until
from support.processes import alive, pid_in
from support.real_agents.agent import Tools
from support.real_agents.chosen import each
from support.real_agents.model import Model
from support.real_agents.talk import REPLY_SECONDS, RealTalk

LONG = "A long answer, which has hardly begun."


async def ends(talk: RealTalk) -> None:
    """End the turn."""
    await talk.agent.interrupt()
    assert (await talk.until(TurnEnded)).why is TurnEndReason.INTERRUPTED


async def ends_and_goes_on(talk: RealTalk, model: Model) -> None:
    """End the turn; the next one is an ordinary one."""
    await ends(talk)
    model.hold = model.is_silent = False
    model.turns.clear()
    model.script([text("And so on.")])

    assert (await talk.answered_turn("again")).why is TurnEndReason.COMPLETED
    assert "And so on." in talk.said


@each()
async def test_a_turn_is_ended_before_its_first_words(talk: RealTalk, model: Model) -> None:
    model.hold = model.is_silent = True
    model.script([text(LONG)])
    await talk.prompt("write")
    await talk.until(PromptChanged, lambda event: event.stage is PromptStage.STARTED)
    await until(lambda: model.requests, "the model is asked", REPLY_SECONDS)

    await ends_and_goes_on(talk, model)


@each()
async def test_a_turn_is_ended_in_its_text(talk: RealTalk, model: Model) -> None:
    model.hold = True
    model.script([text(LONG)])
    await talk.prompt("write")
    await talk.until(TextDelta, lambda event: "long" in event.text)

    await ends_and_goes_on(talk, model)


@each("asks_to_run")
async def test_a_turn_is_ended_while_it_waits_for_an_answer(
    talk: RealTalk, model: Model, tools: Tools, project: Path
) -> None:
    model.script([tools.run("touch made")], [text(LONG)])
    await talk.prompt("run it")
    asked = await talk.until(PermissionAsked)

    await ends_and_goes_on(talk, model)

    assert RequestWithdrawn(asked.request) in talk.events
    assert not (project / "made").exists()


@each()
async def test_a_turn_is_ended_in_a_running_command(
    talk: RealTalk, model: Model, tools: Tools, project: Path
) -> None:
    model.script([tools.run("echo $$ > pid; sleep 1000")], [text(LONG)])
    await talk.prompt("run it")
    if talk.real.habits.asks_to_run:
        await talk.agent.answer((await talk.until(PermissionAsked)).request, Allow())
    pid = await pid_in(project / "pid")

    if talk.real.habits.ends_commands:
        await ends_and_goes_on(talk, model)
    else:  # it is busy until the command has ended
        await ends(talk)
        await talk.agent.stop()
    await until(lambda: not alive(pid), "the command has ended", REPLY_SECONDS)
