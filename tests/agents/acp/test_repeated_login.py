"""A login that an agent forgets when it ends is repeated (`agents/acp/launch.py`)."""

import asyncio
import stat
from pathlib import Path
from typing import Any

import pytest

from claude_ide.agents.acp.agent import Acp
from claude_ide.agents.acp.launch import AgentEntry, Remembered
from claude_ide.agents.agent import NewSession
from claude_ide.agents.editor_services import EditorServices
from claude_ide.base.errors import LoginNeededError, UnsupportedError
from support.acp import script as acp
from support.acp.script import Fake, Make, Script
from support.neovim import until

METHODS = [{"id": "fish", "name": "With a fish"}, {"id": "tree", "name": "With a tree"}]
OFFERS = acp.result({"protocolVersion": 1, "agentCapabilities": {}, "authMethods": METHODS})
NEEDED = acp.error(-32000, "Authentication required")
OPENED = acp.result({"sessionId": "s-1"})
FORGETFUL = Script(initialize=[OFFERS], new=[[NEEDED], [OPENED]])
"""An agent that wants a login in each process."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The file that remembers the logins."""
    return tmp_path / "state" / "logins.json"


def kind(fake: Fake, path: Path | None, id_: str = "otter") -> Acp:
    """Return what a new host knows about an agent."""
    return Acp(AgentEntry("Otter", fake.command, id_), {}, Remembered(path))


async def start(otter: Acp, folder: Path) -> None:
    """Start an agent and end it again."""
    agent = otter.open(folder, EditorServices())
    try:
        await agent.start(NewSession())
    finally:
        await agent.stop()


async def log_in(fake: Fake, path: Path, folder: Path, method: str = "fish") -> None:
    """Log in as a user of another host."""
    otter = kind(fake, path)
    otter.choose_login(method)
    await start(otter, folder)


def requested(fake: Fake) -> list[Any]:
    return [params["methodId"] for params in fake.received("authenticate")]


async def test_a_new_host_repeats_the_login_that_an_agent_wants(
    fake_agent: Make, path: Path, tmp_path: Path
) -> None:
    ready = Script(initialize=[OFFERS], new=[OPENED])
    await log_in(fake_agent(ready), path, tmp_path)
    assert path.read_text() == '{"otter":"fish"}'
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    forgetful = fake_agent(FORGETFUL)
    otter = kind(forgetful, path)

    await start(otter, tmp_path)
    await start(otter, tmp_path)

    assert requested(forgetful) == ["fish", "fish"]


async def test_an_agent_that_keeps_its_login_is_not_asked_for_it_again(
    fake_agent: Make, path: Path, tmp_path: Path
) -> None:
    keeping = fake_agent(Script(initialize=[OFFERS], new=[OPENED]))
    await log_in(keeping, path, tmp_path)

    await start(kind(keeping, path), tmp_path)

    assert requested(keeping) == ["fish"]


async def test_a_login_that_fails_is_tried_once_and_the_user_can_choose_again(
    fake_agent: Make, path: Path, tmp_path: Path
) -> None:
    Remembered(path).add("otter", "fish")
    refused = [acp.error(-32603, "no fish")]
    fake = fake_agent(Script(initialize=[OFFERS], new=[NEEDED], authenticate=refused))
    otter = kind(fake, path)

    for _ in range(2):
        with pytest.raises(LoginNeededError, match="Authentication required"):
            await start(otter, tmp_path)
    assert requested(fake) == ["fish"]
    otter.choose_login("tree")
    with pytest.raises(LoginNeededError, match="no fish"):
        await start(otter, tmp_path)

    assert requested(fake) == ["fish", "tree"]
    assert Remembered(path).of("otter") == "fish"


async def test_an_agent_that_is_slow_to_end_is_not_asked_again(
    fake_agent: Make, path: Path, tmp_path: Path
) -> None:
    fake = fake_agent(Script(initialize=[OFFERS], new=[[NEEDED], [OPENED]], stubborn=True))
    agent = kind(fake, path).open(tmp_path, EditorServices())

    for _ in range(2):
        with pytest.raises(LoginNeededError):
            await agent.start(NewSession())

    assert len(fake.received("initialize")) == 2
    agent.kill()
    await agent.stop()


async def test_a_login_that_was_interrupted_is_not_waited_for_again(
    fake_agent: Make, path: Path, tmp_path: Path
) -> None:
    Remembered(path).add("otter", "fish")
    fake = fake_agent(Script(initialize=[OFFERS], new=[NEEDED], authenticate=[acp.silent()]))
    otter = kind(fake, path)
    agent = otter.open(tmp_path, EditorServices())
    starting = asyncio.ensure_future(agent.start(NewSession()))
    await until(lambda: requested(fake) == ["fish"], "the login")
    starting.cancel()
    await asyncio.wait([starting])
    await agent.stop()

    with pytest.raises(LoginNeededError):
        await start(otter, tmp_path)

    assert requested(fake) == ["fish"]


async def test_a_method_that_the_agent_no_longer_offers_is_not_requested(
    fake_agent: Make, path: Path, tmp_path: Path
) -> None:
    Remembered(path).add("otter", "feather")
    fake = fake_agent(Script(initialize=[OFFERS], new=[NEEDED]))

    with pytest.raises(LoginNeededError):
        await start(kind(fake, path), tmp_path)

    assert requested(fake) == []


async def test_who_has_logged_out_is_not_logged_in_again(
    fake_agent: Make, path: Path, tmp_path: Path
) -> None:
    Remembered(path).add("otter", "fish")
    abilities: dict[str, Any] = {"auth": {"logout": {}}}
    offers = {"protocolVersion": 1, "agentCapabilities": abilities, "authMethods": METHODS}
    fake = fake_agent(Script(initialize=[acp.result(offers)], new=[OPENED]))
    agent = kind(fake, path).open(tmp_path, EditorServices())
    await agent.start(NewSession())

    assert agent.capabilities.logout
    await agent.log_out()
    await agent.stop()

    assert fake.received("logout") == [{}]
    assert path.read_text() == "{}"
    forgetful = fake_agent(FORGETFUL)
    with pytest.raises(LoginNeededError):
        await start(kind(forgetful, path), tmp_path)
    assert requested(forgetful) == []


async def test_an_agent_that_does_not_offer_it_is_not_asked_to_log_out(
    fake_agent: Make, path: Path, tmp_path: Path
) -> None:
    fake = fake_agent(Script(initialize=[OFFERS], new=[OPENED]))
    agent = kind(fake, path).open(tmp_path, EditorServices())
    await agent.start(NewSession())

    with pytest.raises(UnsupportedError, match="Otter cannot log out"):
        await agent.log_out()
    await agent.stop()

    assert not fake.received("logout")


def test_each_agent_has_its_own_method_and_hosts_share_the_file(path: Path) -> None:
    one, other = Remembered(path), Remembered(path)

    one.add("otter", "fish")
    other.add("beaver", "tree")

    assert (one.of("otter"), one.of("beaver"), one.of("crab")) == ("fish", "tree", "")


@pytest.mark.parametrize("broken", ["", "[]", '{"otter": 1}', "{"])
def test_a_broken_file_remembers_nothing_and_is_replaced(path: Path, broken: str) -> None:
    path.parent.mkdir()
    path.write_text(broken)

    remembered = Remembered(path)
    assert remembered.of("otter") == ""
    remembered.add("otter", "fish")

    assert Remembered(path).of("otter") == "fish"


def test_a_file_that_cannot_be_written_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    remembered = Remembered(tmp_path / "state" / "logins.json")

    remembered.add("otter", "fish")

    assert remembered.of("otter") == "fish"
