"""Real agents in the chat panel of a real Neovim, used with keys."""

import os
import signal
from contextlib import suppress
from pathlib import Path

from claude_ide.agents.acp.agent import Acp
from claude_ide.agents.acp.launch import AgentEntry
from support.acp.chatting import diff_is_open
from support.fake_api import text, thinking
from support.neovim import Neovim, until
from support.panel import Panel
from support.processes import alive, pid_in, started_with
from support.real_agents.agent import Desk, RealAgent, Tools
from support.real_agents.chosen import each
from support.real_agents.model import Model
from support.real_agents.start import command, environment
from support.real_agents.talk import can_be_loaded, edit, is_stored

START_SECONDS = 120.0
"""Seconds in which a large program starts twice: it lists its sessions, and loads one."""

NO_DIFF = "return #require('claude_ide.diff').list() == 0"


async def answer_command(panel: Panel, key: str, is_done: Path) -> None:
    """Press a key on the request until a file exists; at first the request ignores keys."""

    async def pressed() -> bool:
        if not is_done.exists() and await panel.go_to("? "):
            await panel.nvim.keys(key)
        return is_done.exists()

    try:
        await until(pressed, f"{is_done.name} exists")
    except AssertionError as error:
        raise AssertionError(f"{error}; shown is\n{await panel.text()}") from None


@each()
async def test_an_answer_is_shown(panel: Panel, model: Model) -> None:
    model.script([thinking("Let me see."), text("Some **bold** words.")])

    await panel.send("Speak")

    await panel.shows("Some **bold** words.")
    assert model.heard("Speak")


@each("asks_to_edit", "shows_changes")
async def test_an_edit_accepted_in_the_diff_is_written(
    nvim: Neovim, panel: Panel, model: Model, tools: Tools, path: Path
) -> None:
    model.script(*edit(tools, path, "two", "TWO", then="All done."))

    await panel.send("Shout")
    await diff_is_open(nvim)
    await nvim.keys(":w<CR>")

    assert "↳ allowed" in await panel.shows("All done.")
    assert path.read_text() == "one\nTWO\n"
    assert await nvim.eval(f"getbufline('{path}', 1, '$')") == ["one", "TWO"]
    assert await nvim.eval("tabpagenr('$')") == 1


@each("asks_to_edit", "shows_changes")
async def test_an_edit_rejected_in_the_diff_is_not_written(
    nvim: Neovim, panel: Panel, model: Model, tools: Tools, path: Path
) -> None:
    model.script(*edit(tools, path, "two", "TWO", then="As you like."))

    await panel.send("Shout")
    await diff_is_open(nvim)
    await nvim.command("ClaudeReject")

    await panel.shows("↳ rejected")
    await until(lambda: nvim.lua(NO_DIFF), "the diff is closed")
    assert path.read_text() == "one\ntwo\n"
    assert await nvim.eval(f"getbufline('{path}', 1, '$')") == ["one", "two"]
    assert await nvim.eval("tabpagenr('$')") == 1


@each("asks_to_run")
async def test_a_command_is_allowed_with_one_key(
    panel: Panel, model: Model, tools: Tools, project: Path
) -> None:
    model.script([tools.run("printf 4%s7 2; touch made")], [text("Made.")])

    await panel.send("Make it")
    await answer_command(panel, "y", project / "made")

    await panel.shows("Made.")


@each()
async def test_ctrl_c_ends_the_turn_and_the_next_prompt_is_answered(
    nvim: Neovim, panel: Panel, model: Model
) -> None:
    model.hold = True
    model.script([text("a very long story " * 50)])

    await panel.send("Tell me")
    await panel.shows("a very")
    await nvim.keys("<C-c>")
    await panel.shows("interrupted")
    model.hold = False
    model.script([text("Another story.")])
    await panel.send("Again")

    await panel.shows("Another story.")


@each()
async def test_the_conversation_goes_on_after_the_agent_was_killed(
    panel: Panel, model: Model, real_agent: RealAgent, desk: Desk
) -> None:
    model.script([text("The first answer.")])
    await panel.send("The first question")
    await panel.shows("The first answer.")

    await is_stored(real_agent, desk, "The first answer.")
    for pid in started_with(str(desk.home)):
        with suppress(ProcessLookupError):  # it may have ended with another one
            os.kill(pid, signal.SIGKILL)
    await panel.bar_shows("not running")
    await can_be_loaded(real_agent)
    model.script([text("The second answer.")])
    await panel.send("The second question")

    await panel.shows("The second answer.")
    assert model.heard("The first question")


@each("runs_here")
async def test_a_command_runs_in_a_terminal_of_the_client(
    nvim: Neovim, panel: Panel, model: Model, tools: Tools, project: Path
) -> None:
    line = "printf 4%s7 2; echo $$ > pid; sleep 1000"
    model.script([tools.run(line)], [text("Never said.")])

    await panel.send("Run it")
    await answer_command(panel, "y", project / "pid")
    await panel.go_to("$ ")
    await nvim.keys("<CR>")
    await panel.shows("427")
    await nvim.keys("<C-c>")

    await panel.shows("interrupted")
    pid = await pid_in(project / "pid")
    await until(lambda: not alive(pid), "the command has ended")


@each("streams_output")
async def test_the_output_of_a_running_command_is_shown_below_its_line(
    nvim: Neovim, panel: Panel, model: Model, tools: Tools, project: Path
) -> None:
    line = r"sleep 1; printf '4%s7\n' 2; touch made; sleep 1000"
    model.script([tools.run(line)], [text("Never said.")])

    await panel.send("Run it")
    await answer_command(panel, "y", project / "made")

    assert "    427" in (await panel.shows("427")).splitlines()
    await nvim.keys("<C-c>")
    await panel.shows("interrupted")
    await panel.shows_no_more("427")


@each("repeats", "lists")
async def test_a_session_is_resumed_with_its_history(
    panel: Panel, model: Model, real_agent: RealAgent, desk: Desk
) -> None:
    name, words = real_agent.name, list(command(real_agent))
    kind = Acp(AgentEntry(name, words, name), environment(real_agent, desk))
    model.script([text("The first answer.")], [text("The second answer.")])
    await panel.send("The first question")
    await panel.shows("The first answer.")
    await is_stored(real_agent, desk, "The first answer.")
    await panel.end()
    await until(lambda: kind.sessions(desk.project), "the session is listed")

    await panel.nvim.command("ClaudeChat continue")
    await panel.wait_until_ready(START_SECONDS)
    shown = await panel.shows("The first answer.")
    await panel.send("The second question")

    assert "» The first question" in shown
    await panel.shows("The second answer.")
    assert model.heard("The first question")
