"""Every recorded agent, replayed through the client, compared with what the user is told."""

import asyncio
from pathlib import Path

import pytest

from claude_ide.agents.events import SettingsChanged, ToolEnded
from claude_ide.agents.requests import PermissionAsked
from claude_ide.base.errors import LoginNeededError
from support import frame_log
from support.acp.digest import digest
from support.acp.schema import faults
from support.acp.talk import GOLDEN, AcpTalk, Recorded, names, replayed, replaying, sections

TOLD = sections(GOLDEN / "told.txt")
UNUSABLE = {"auggie", "cline", "pi_acp"}
"""Agents that do not open a session."""


def test_every_recording_is_described() -> None:
    assert set(names()) == set(TOLD) | UNUSABLE


@pytest.mark.parametrize("name", TOLD)
async def test_the_user_is_told_what_a_recorded_agent_does(name: str, tmp_path: Path) -> None:
    talk = await replayed(name, tmp_path)

    assert digest([*talk.past, *talk.events], tmp_path) == TOLD[name]
    assert not faults(frame_log.read(talk.fake.log))


@pytest.mark.parametrize("name", ["auggie", "cline"])
async def test_an_agent_that_wants_a_login_says_so(name: str, tmp_path: Path) -> None:
    talk = AcpTalk(replaying(name, tmp_path), tmp_path)

    with pytest.raises(LoginNeededError, match="Fake: Authentication required: "):
        await Recorded(name, talk).converse()

    await talk.close()


async def test_an_agent_that_never_opens_a_session_can_be_stopped(tmp_path: Path) -> None:
    talk = AcpTalk(replaying("pi_acp", tmp_path), tmp_path)
    starting = asyncio.create_task(talk.start())
    await Recorded("pi_acp", talk).expects("session/new")

    await talk.agent.stop()

    with pytest.raises(Exception, match="Fake has ended"):
        await starting


async def test_the_options_of_a_request_keep_their_names(tmp_path: Path) -> None:
    talk = await replayed("mistral_vibe", tmp_path)

    (asked,) = talk.of(PermissionAsked)

    assert [option.name for option in asked.options] == [
        *("Allow once", "Allow for remainder of this session", "Always allow", "Deny")
    ]


async def test_a_change_of_several_files_is_one_request(tmp_path: Path) -> None:
    talk = await replayed("codex_acp_zed", tmp_path)

    asked = next(event for event in talk.of(PermissionAsked) if event.edits)
    ended = next(event for event in talk.of(ToolEnded) if event.changes)

    assert [(Path(edit.path).name, edit.old) for edit in asked.edits] == [
        ("new.txt", None),
        ("a.py", "def hello():\n    return 1\n"),
    ]
    assert [[*hunk.lines] for change in ended.changes for hunk in change.hunks] == [
        ["+hello"],
        [" def hello():", "-    return 1", "+    return 2"],
    ]


async def test_settings_have_the_agents_names(tmp_path: Path) -> None:
    talk = await replayed("copilot", tmp_path)

    (setting,) = talk.of(SettingsChanged)[-1].settings

    assert (setting.name, [value.name for value in setting.values]) == ("Allow All", ["On", "Off"])
