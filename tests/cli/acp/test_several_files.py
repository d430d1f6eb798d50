"""Real agents that change several files at once, in the chat panel of a real Neovim."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from support.acp.chatting import diff_is_open, open_diffs
from support.either_editor import choose
from support.fake_api import text, tool_use
from support.neovim import Neovim, until
from support.panel import Panel
from support.real_agents.agent import Desk, RealAgent
from support.real_agents.catalog import codex
from support.real_agents.catalog.node import OPENCODE
from support.real_agents.chosen import chosen
from support.real_agents.model import Model


def _with_patches(desk: Desk) -> dict[str, str]:
    """Configure OpenCode with a model for which it has a tool that changes several files."""
    environment = OPENCODE.configure(desk)
    place = desk.home / ".config/opencode/opencode.json"
    place.write_text(place.read_text().replace("fake-model", "gpt-5"))
    return environment


PATCHING = replace(OPENCODE, configure=_with_patches)
PATCH = """*** Begin Patch
*** Update File: {}
@@
-two
+TWO
*** Update File: {}
@@
-two
+TWO
*** End Patch"""


def only(agent: RealAgent, variant: RealAgent | None = None) -> pytest.MarkDecorator:
    """Run a test with an agent, or a variant of it, if the agent is to be tested."""
    agents = [variant or agent] if agent in chosen() else []
    return pytest.mark.parametrize("real_agent", agents, ids=lambda each: each.name)


@only(OPENCODE, PATCHING)
async def test_the_user_s_versions_of_several_files_are_written(
    nvim: Neovim, panel: Panel, model: Model, path: Path
) -> None:
    other = path.with_name("b.py")
    other.write_text("one\ntwo\n")
    patch = tool_use("apply_patch", patchText=PATCH.format(path, other))
    model.script([patch], [text("All done.")], [text("Fine.")])

    await panel.send("Shout")
    for name in ("a.py", "b.py"):
        await diff_is_open(nvim, name)
        await nvim.keys(f"ggcc{name}<Esc>:w<CR>")

    assert "allowed, with your changes" in await panel.shows("All done.")
    assert path.read_text() == "a.py\nTWO\n"
    assert other.read_text() == "b.py\nTWO\n"
    await panel.send("And now?")
    await panel.shows("Fine.")
    heard = json.dumps(model.requests[-1].body)
    assert heard.count("The user changed your proposal") == 2


@only(codex.ZED)
async def test_the_user_s_versions_become_a_prompt_for_an_agent_that_writes_itself(
    nvim: Neovim, panel: Panel, model: Model, path: Path
) -> None:
    new = path.with_name("new.py")
    model.script([codex.both(new, "first\n", path, "two", "TWO")], [text("All done.")])
    await panel.send("Shout")
    await diff_is_open(nvim)
    keys = {"new.py": ":w<CR>", "a.py": "ggccONE<Esc>:w<CR>"}
    (first,) = await open_diffs(nvim)  # the agent gives them in any order
    await nvim.keys(keys.pop(Path(first["path"]).name))
    ((second, typed),) = keys.items()
    await diff_is_open(nvim, second)
    await nvim.keys(typed)
    question = "cannot accept changes"
    await until(lambda: question in nvim.screen.text(), "the question")

    await choose(nvim, 1)

    await panel.shows("rejected, with your changes")
    await until(lambda: model.heard("Make this change instead"), "the prompt")
    assert model.heard("+ONE")
    assert model.heard("+first")
    assert path.read_text() == "one\ntwo\n"
    assert not new.exists()
