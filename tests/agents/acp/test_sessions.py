"""Sessions: opened, loaded with their history, resumed, forked, listed, lost."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from claude_ide.agents.acp.agent import Acp
from claude_ide.agents.acp.launch import AgentEntry
from claude_ide.agents.agent import NewSession, ResumeSession
from claude_ide.agents.editor_services import EditorServices
from claude_ide.agents.events import (
    CommandsChanged,
    Notice,
    Ready,
    SessionChanged,
    Text,
    TextDelta,
    Thinking,
    ToolEnded,
    TurnEnded,
    TurnEndReason,
    UserMessage,
)
from claude_ide.base.errors import UnknownSessionError, UnsupportedError
from support.acp import script as acp
from support.acp.script import Make, Script
from support.acp.talk import Begin
from support.neovim import until

SAID = [acp.say("Hello")]
LOADS = acp.initialized(loadSession=True)
RESUMES = acp.initialized(loadSession=True, sessionCapabilities={"resume": {}})


def user(words: str) -> acp.Step:
    return acp.update("user_message_chunk", content=acp.words(words))


HISTORY = [
    user("fix "),
    user('this\n<context ref="file:///a.py">\nx = 1\n</context>'),
    acp.think("hm"),
    acp.say("I will "),
    acp.say("fix it."),
    acp.tool("t1", "Edit", kind="edit", status="completed"),
    acp.say("Done."),
    user("thanks"),
    acp.update("available_commands_update", availableCommands=[{"name": "a", "description": ""}]),
]


async def test_a_loaded_session_has_its_history(begin: Begin) -> None:
    talk = await begin(Script(initialize=[LOADS], load=HISTORY, prompt=SAID), starts=False)

    history = await talk.agent.history("s-7")
    await talk.start(ResumeSession("s-7"))

    assert [type(event) for event in history if isinstance(event, UserMessage | Text)] == [
        *(UserMessage, Text, Text, UserMessage)
    ]
    told = [event.text for event in history if isinstance(event, UserMessage | Text | Thinking)]
    assert told == ["fix this", "hm", "I will fix it.", "Done.", "thanks"]
    assert any(isinstance(event, ToolEnded) for event in history)
    assert len(talk.fake.received("session/load")) == 1
    assert (await talk.turn("hi")).why is TurnEndReason.COMPLETED
    assert talk.said == "Hello"
    assert talk.of(CommandsChanged)
    assert talk.agent.session == "s-7"


@pytest.mark.parametrize(
    "content",
    [
        {"type": "resource_link", "name": "a.py", "uri": "file:///a.py"},
        {"type": "resource", "resource": {"uri": "file:///a.py", "text": "x = 1"}},
        {"type": "text", "text": "a note", "annotations": {"audience": ["assistant"]}},
        {"type": "text", "text": "[/p/a.py:1]\nx = 1"},
        {"type": "text", "text": '<context ref="shell">\nls\n</context>'},
        {"type": "text", "text": "[@a.py](file:///a.py)"},
    ],
)
async def test_the_context_of_a_prompt_is_not_part_of_the_history(
    begin: Begin, content: dict[str, Any]
) -> None:
    steps = [user("hi"), acp.update("user_message_chunk", content=content)]
    talk = await begin(Script(initialize=[LOADS], load=steps), starts=False)

    assert await talk.agent.history("s-7") == [UserMessage("hi", "b1")]


async def test_an_echo_of_a_prompt_is_not_shown_again(begin: Begin) -> None:
    talk = await begin(Script(prompt=[user("hi"), *SAID]))

    await talk.turn("hi")

    assert not talk.of(UserMessage)


@pytest.mark.parametrize(
    ("offer", "method"), [(RESUMES, "session/resume"), (LOADS, "session/load")]
)
async def test_a_session_is_resumed_without_its_history(
    begin: Begin, offer: acp.Step, method: str
) -> None:
    talk = await begin(Script(initialize=[offer], load=HISTORY), starts=False)

    await talk.start(ResumeSession("s-7"))

    await talk.until(Ready)
    assert talk.fake.received(method)[0]["sessionId"] == "s-7"
    assert not talk.of(TextDelta)
    assert talk.of(SessionChanged)[-1].id == "s-7"


async def test_an_agent_that_announces_to_resume_may_only_load(begin: Begin) -> None:
    missing = acp.error(-32601, "Method not found")
    talk = await begin(Script(initialize=[RESUMES], resume=[missing]), starts=False)

    await talk.start(ResumeSession("s-7"))

    assert len(talk.fake.received("session/load")) == 1


async def test_a_fork_has_an_id_of_its_own(begin: Begin) -> None:
    talk = await begin(starts=False)

    await talk.start(ResumeSession("s-7", fork=True))

    assert talk.fake.received("session/fork")[0]["sessionId"] == "s-7"
    assert talk.agent.session == "s-1"


async def test_an_unknown_session_is_named(begin: Begin) -> None:
    unknown = acp.error(-32002, "Resource not found", {"uri": "s-7"})
    talk = await begin(Script(initialize=[LOADS], load=[unknown]), starts=False)

    with pytest.raises(UnknownSessionError, match="Fake: Resource not found"):
        await talk.agent.history("s-7")


async def test_the_latest_session_is_resumed(begin: Begin) -> None:
    listed = [
        {"sessionId": "old", "cwd": "$FOLDER", "updatedAt": "2026-01-01T00:00:00Z"},
        {"sessionId": "new", "cwd": "$FOLDER", "updatedAt": "2026-01-02T00:00:00Z"},
        {"sessionId": "undated", "cwd": "$FOLDER"},
    ]
    talk = await begin(Script(list=[acp.result({"sessions": listed})]), starts=False)

    await talk.start(ResumeSession())

    assert talk.agent.session == "new"


async def test_sessions_are_listed_page_by_page(fake_agent: Make, tmp_path: Path) -> None:
    pages = [
        [acp.result({"sessions": [{"sessionId": "a", "title": "A"}], "nextCursor": "2"})],
        [acp.result({"sessions": [{"sessionId": "b", "updatedAt": "2026-01-02T00:00:00+00:00"}]})],
    ]
    fake = fake_agent(Script(list=pages))
    kind = Acp(AgentEntry("Fake", fake.command, "fake"), {})

    first, second = await kind.sessions(tmp_path)

    assert (first.id, first.changed) == ("b", datetime(2026, 1, 2, tzinfo=UTC))
    assert (second.id, second.title) == ("a", "A")
    assert [call.get("cursor") for call in fake.received("session/list")] == [None, "2"]
    assert fake.entries("eof")


async def test_an_agent_that_is_ending_is_not_asked_for_its_sessions(
    fake_agent: Make, tmp_path: Path
) -> None:
    listed = [acp.result({"sessions": [{"sessionId": "a", "title": "A"}]})]
    fake = fake_agent(Script(list=[listed], stubborn=True))
    kind = Acp(AgentEntry("Fake", fake.command, "fake"), {})
    agent = kind.open(tmp_path, EditorServices())
    await agent.start(NewSession())
    ending = asyncio.create_task(agent.stop(1.0))
    await until(lambda: fake.entries("eof"), "the agent's stdin has ended")

    [found] = await kind.sessions(tmp_path)
    await ending

    assert found.title == "A"
    assert len(fake.entries("pid")) == 2


async def test_an_agent_that_cannot_list_its_sessions_says_so(
    fake_agent: Make, tmp_path: Path
) -> None:
    fake = fake_agent(Script(initialize=[acp.initialized()]))

    with pytest.raises(UnsupportedError, match="Fake cannot list its sessions"):
        await Acp(AgentEntry("Fake", fake.command, "fake"), {}).sessions(tmp_path)


async def test_a_session_that_the_agent_has_lost_is_opened_again(begin: Begin) -> None:
    lost = [acp.error(-32002, "Session not found")]
    talk = await begin(Script(initialize=[LOADS], load=HISTORY, prompt=[lost, SAID]))

    ended = await talk.turn("hi")

    assert ended.why is TurnEndReason.COMPLETED
    assert talk.said == "Hello"
    assert talk.fake.received("session/load")[0]["sessionId"] == "s-1"
    assert len(talk.of(TurnEnded)) == 1


async def test_a_session_that_stays_lost_ends_the_turn(begin: Begin) -> None:
    lost = acp.error(-32002, "Session not found")
    talk = await begin(Script(initialize=[LOADS], load=[lost], prompt=[lost]))

    ended = await talk.turn("hi")

    assert (ended.why, ended.message) == (TurnEndReason.FAILED, "Fake: Session not found")


async def test_a_login_that_runs_out_is_told_in_the_turn(begin: Begin) -> None:
    talk = await begin(Script(prompt=[acp.error(-32000, "Authentication required")]))

    ended = await talk.turn("hi")

    assert ended.why is TurnEndReason.FAILED
    assert talk.of(Notice)[0].reason == "authentication_failed"


async def test_the_session_is_closed_with_the_agent(begin: Begin) -> None:
    talk = await begin()

    await talk.end()

    assert talk.fake.received("session/close") == [{"sessionId": "s-1"}]
    assert talk.fake.entries("eof")


FOLDERS: dict[str, Any] = {"additionalDirectories": {}}


@pytest.mark.parametrize(
    ("capabilities", "expected"), [(FOLDERS, ["/other", "/third"]), ({}, None)]
)
async def test_a_session_gets_the_other_folders_if_the_agent_takes_them(
    fake_agent: Make, tmp_path: Path, capabilities: dict[str, Any], expected: list[str] | None
) -> None:
    fake = fake_agent(Script(initialize=[acp.initialized(sessionCapabilities=capabilities)]))

    async def folders() -> list[str]:
        return [str(tmp_path), "/other", "/third", "/other"]

    agent = Acp(AgentEntry("Fake", fake.command, "fake"), {}).open(
        tmp_path, EditorServices(folders=folders)
    )
    await agent.start(NewSession())
    await agent.stop()

    (opened,) = fake.received("session/new")
    assert opened.get("additionalDirectories") == expected


async def test_the_agent_learns_which_settings_and_logins_are_understood(
    fake_agent: Make, tmp_path: Path
) -> None:
    fake = fake_agent(Script())

    await Acp(AgentEntry("Fake", fake.command, "fake"), {}).probe(tmp_path)

    (begun,) = fake.received("initialize")
    abilities = begun["clientCapabilities"]
    assert abilities["session"] == {"configOptions": {"boolean": {}}}
    assert abilities["auth"] == {"terminal": True}


async def test_an_agent_learns_that_nobody_waits_for_an_answer(
    fake_agent: Make, tmp_path: Path
) -> None:
    fake = fake_agent(Script(list=[acp.silent()]))
    agent = Acp(AgentEntry("Fake", fake.command, "fake"), {}).open(tmp_path, EditorServices())
    await agent.start(NewSession())
    async with agent.stored() as stored:
        listing = asyncio.ensure_future(stored.listed())
        await until(lambda: fake.received("session/list"))
        listing.cancel()
        await until(lambda: fake.received("$/cancel_request"))
    await agent.stop()

    [asked] = [each for each in fake.entries("in") if each.get("method") == "session/list"]
    assert fake.received("$/cancel_request") == [{"requestId": asked["id"]}]


async def test_an_agent_gets_nothing_of_the_editor_for_a_question(
    fake_agent: Make, tmp_path: Path
) -> None:
    fake = fake_agent(Script())
    agent = Acp(AgentEntry("Fake", fake.command, "fake"), {}).open_for_question(tmp_path)
    await agent.start(NewSession())
    await agent.stop()

    (begun,) = fake.received("initialize")
    assert begun["clientCapabilities"]["terminal"] is False
    assert begun["clientCapabilities"]["fs"] == {"readTextFile": False, "writeTextFile": False}
    assert fake.received("session/new")[0]["mcpServers"] == []
