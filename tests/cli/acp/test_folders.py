"""Further folders of the workspace, in sessions of real agents that take them."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from claude_ide.agents.editor_services import EditorServices
from support.fake_api import text
from support.real_agents.agent import Desk, RealAgent
from support.real_agents.chosen import each
from support.real_agents.model import Model
from support.real_agents.talk import RealTalk


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Another folder of the workspace."""
    folder = tmp_path / "another-pond"
    folder.mkdir()
    return folder


@pytest.fixture
async def talk(real_agent: RealAgent, desk: Desk, other: Path) -> AsyncIterator[RealTalk]:
    """An agent that has got the folder."""

    async def folders() -> list[str]:
        return [str(desk.project), str(other)]

    talk = RealTalk(real_agent, desk, EditorServices(folders=folders))
    await talk.start()
    yield talk
    await talk.close()


@each("takes_folders")
async def test_the_model_hears_of_the_other_folders(
    talk: RealTalk, model: Model, other: Path
) -> None:
    model.script([text("Fine.")])

    await talk.answered_turn("hello")

    frames = [json.loads(line)["m"] for line in talk.agent.log().splitlines()]
    (opened,) = [each["params"] for each in frames if each.get("method") == "session/new"]
    assert opened["additionalDirectories"] == [str(other)]
    assert model.heard(str(other))
