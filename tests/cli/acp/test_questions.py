"""One-off requests that a real agent answers, in a real Neovim and Vim."""

from pathlib import Path

import pytest

from support.either_editor import BOTH, Editor, configure, edit, on_screen
from support.fake_api import text
from support.headless import accept, answers, ask, holds
from support.neovim import Neovim, until
from support.real_agents.agent import Desk, RealAgent, Tools
from support.real_agents.chosen import each
from support.real_agents.model import Model
from support.real_agents.start import command, environment
from support.real_agents.talk import REPLY_SECONDS

IDS = {"codex-zed": "codex", "claude-agent": "claude-acp", "kimi-code": "kimi"}
"""Our ids of agents that have several entries in the catalog."""


@pytest.fixture
async def id_(nvim: Editor, real_agent: RealAgent, desk: Desk, path: Path) -> str:
    """The id of the agent; the editor has a file of two lines, in a trusted folder."""
    id_ = IDS.get(real_agent.name, real_agent.name)
    own = {"cmd": list(command(real_agent)), "env": environment(real_agent, desk)}
    for config in desk.home.glob(".codex/config.toml"):
        # Codex begins its answer with a warning about a model that it does not know.
        config.write_text(config.read_text().replace('"gpt-5"', '"gpt-5.2"'))
    await configure(nvim, agents={id_: own})
    await edit(nvim, path)
    await nvim.command("ClaudeTrust yes")
    await on_screen(nvim, "trusted")
    return id_


@BOTH
@each()
async def test_a_question_about_the_file_is_answered(
    nvim: Editor, id_: str, model: Model, path: Path
) -> None:
    model.script([text("A list of numbers.")])

    await nvim.keys(f":ClaudeAsk @{id_} what is it?<CR>")

    await until(lambda: holds(nvim, ["A list of numbers."]), "the answer", REPLY_SECONDS)
    assert model.heard("what is it?")
    assert model.heard(str(path))


@BOTH
@each()
async def test_a_rewrite_is_a_diff(nvim: Editor, id_: str, model: Model, path: Path) -> None:
    model.script([text("```python\nTWO\n```")])

    await nvim.command(f"2ClaudeEdit @{id_} shout")

    await on_screen(nvim, "rewrite")
    await accept(nvim)
    await until(lambda: holds(nvim, ["one", "TWO"]), "the rewrite", REPLY_SECONDS)


@BOTH
@each("asks_to_edit")
async def test_it_changes_no_file(
    nvim: Editor, id_: str, model: Model, tools: Tools, path: Path
) -> None:
    read = [[tools.read(path)]] if tools.read else []
    model.script(*read, [tools.edit(path, "one", "ONE")], [text("Done.")])

    await nvim.keys(f":ClaudeAsk @{id_} change it<CR>")

    await until(lambda: len(model.requests) > len(read) + 1, "the rejection", REPLY_SECONDS)
    assert path.read_text() == "one\ntwo\n"


@each()
async def test_a_function_asks_it(nvim: Neovim, id_: str, model: Model) -> None:
    model.script([text("A list of numbers.")])

    await ask(nvim, "what is it?", {"agent": id_})

    (answer,) = await answers(nvim)
    assert answer["result"] == "A list of numbers."
