"""`StreamJsonAgent` and `Ask` with the real CLI, without an account and without a network."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from claude_ide.agents.agent import ResumeSession, Selection, Words
from claude_ide.agents.events import (
    Cleared,
    Dead,
    Event,
    ModeChanged,
    Notice,
    PromptChanged,
    PromptStage,
    Ready,
    Retry,
    Text,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ToolEnded,
    TurnEnded,
    TurnEndReason,
    UserMessage,
)
from claude_ide.agents.requests import (
    Allow,
    PermissionAsked,
    PermissionRule,
    PlanProposed,
    Reject,
    Replacement,
)
from claude_ide.agents.stream_json.claude import Claude
from claude_ide.agents.stream_json.headless import Ask, Format, HeadlessQuestion
from claude_ide.agents.stream_json.protocol import CliLaunch
from claude_ide.base.errors import UnknownSessionError
from support.agents import Talk
from support.claude_cli import environment, wait_until_saved
from support.digest import digest
from support.fake_api import FakeApi, edit, text, thinking, tool_use
from support.mcp_server import Server
from support.neovim import until
from support.talking import REPLY_SECONDS

StartTalk = Callable[..., Awaitable[Talk]]


@pytest.fixture
def launch(
    cli: Path, api: FakeApi, project: Path, tmp_path: Path, config_folder: Path
) -> CliLaunch:
    """The launch of the CLI in `project`, for a user who has answered its first questions."""
    given = environment(api, tmp_path / "home", config_folder)
    given |= {"CLAUDE_CODE_MAX_RETRIES": "1"}
    return CliLaunch((cli,), project, given, mode="default", trusted=True)


@pytest.fixture
async def start_talk(launch: CliLaunch) -> AsyncIterator[StartTalk]:
    """Start agents; they end with the test."""
    talks: list[Talk] = []

    async def start(opening: Any = None, **options: Any) -> Talk:
        talk = Talk(launch, **options)
        talks.append(talk)
        await talk.start(opening)
        return talk

    yield start
    for talk in talks:
        talk.agent.kill()
        await talk.until(Dead)


@pytest.fixture
async def talk(start_talk: StartTalk) -> Talk:
    """An agent that waits for its first prompt."""
    return await start_talk()


async def test_text_and_thinking_are_reported_while_they_arrive(talk: Talk, api: FakeApi) -> None:
    api.script([thinking("hm"), text("hello")])

    ended = await talk.turn("hi")

    assert talk.agent.session
    assert (await talk.until(Ready)).commands
    pieces = [event.text for event in talk.events if isinstance(event, TextDelta)]
    thoughts = [event.text for event in talk.events if isinstance(event, ThinkingDelta)]
    assert "".join(pieces) == (await talk.until(Text)).text == "hello"
    assert "".join(thoughts) == (await talk.until(Thinking)).text == "hm"
    assert ended.why is TurnEndReason.COMPLETED


async def test_an_allowed_edit_is_written(talk: Talk, api: FakeApi, path: Path) -> None:
    api.script(*edit(path, "one", "ONE", then="done"))
    await talk.prompt("change it")
    asked = await talk.until(PermissionAsked)

    await talk.agent.answer(asked.request, Allow())
    await talk.until(TurnEnded)

    assert path.read_text() == "ONE\ntwo\n"
    assert talk.story()[-7:] == [
        *("uses Read", "completed Read", "uses Edit", "asks Edit", "completed Edit +1 -1"),
        *("says done", "turn completed"),
    ]


async def test_the_users_change_to_an_edit_is_reported_to_the_model(
    talk: Talk, api: FakeApi, path: Path
) -> None:
    api.script(*edit(path, "one", "ONE", then="done"))
    await talk.prompt("change it")
    asked = await talk.until(PermissionAsked)

    whole = Replacement(asked.path, "mine\ntwo\n", "one\ntwo\n")
    await talk.agent.answer(asked.request, Allow(edits=(whole,)))
    await talk.until(TurnEnded)

    assert path.read_text() == "mine\ntwo\n"
    assert "The user changed your proposal" in api.requests[-1].new_text
    assert "+mine" in api.requests[-1].new_text


async def test_the_reason_for_rejecting_an_edit_reaches_the_model(
    talk: Talk, api: FakeApi, path: Path
) -> None:
    api.script(*edit(path, "one", "ONE", then="as you like"))
    await talk.prompt("change it")

    await talk.agent.answer((await talk.until(PermissionAsked)).request, Reject("Not this file."))
    await talk.until(TurnEnded)

    assert path.read_text() == "one\ntwo\n"
    assert "Not this file." in api.requests[-1].new_text
    assert "rejected Edit" in digest(talk.events)


async def test_no_request_follows_after_edits_are_always_allowed(
    talk: Talk, api: FakeApi, path: Path
) -> None:
    api.script(*edit(path, "one", "ONE", then="once"), *edit(path, "two", "TWO", then="twice"))
    await talk.prompt("change it")
    asked = await talk.until(PermissionAsked)
    [accept_edits] = [option for option in asked.options if "acceptEdits" in option.name]

    await talk.agent.answer(asked.request, Allow((accept_edits.id,)))
    await talk.until(TurnEnded)
    await talk.turn("and the other")

    assert path.read_text() == "ONE\nTWO\n"
    assert sum(isinstance(event, PermissionAsked) for event in talk.events) == 1
    assert [e.mode for e in talk.events if isinstance(e, ModeChanged)] == ["manual", "acceptEdits"]


async def test_a_rule_applies_in_an_untrusted_folder_or_the_user_is_warned(
    start_talk: StartTalk, api: FakeApi, config_folder: Path
) -> None:
    config = config_folder / ".claude.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"projects": {}}))
    touch = tool_use("Bash", command="touch made.txt")
    api.script([touch], [text("made")], [touch], [text("made again")])
    talk = await start_talk()
    await talk.prompt("make it")
    asked = await talk.until(PermissionAsked)
    assert asked.rule
    await talk.agent.answer(asked.request, Allow(rule=PermissionRule(asked.rule, "localSettings")))
    await talk.until(TurnEnded)

    await talk.prompt("make it again")

    def count(kind: type[Event]) -> int:
        return sum(isinstance(event, kind) for event in talk.events)

    await until(
        lambda: 2 in (count(PermissionAsked), count(TurnEnded)),
        "a second request or turn",
        REPLY_SECONDS,
    )
    warned = [event for event in talk.events if isinstance(event, Notice) and "trust" in event.text]
    assert len(warned) == (count(PermissionAsked) == 2)


async def test_a_plan_is_approved_together_with_its_edits(talk: Talk, api: FakeApi) -> None:
    await talk.agent.set_mode("plan")
    api.script([tool_use("ExitPlanMode", plan="# Plan")], [text("starting")])
    await talk.prompt("plan it")
    asked = await talk.until(PlanProposed)

    await talk.agent.answer(asked.request, Allow((asked.options[1].id,)))
    await talk.until(TurnEnded)

    modes = [event.mode for event in talk.events if isinstance(event, ModeChanged)]
    assert modes[-1] == "acceptEdits"


async def test_the_session_continues_after_an_interrupted_answer(talk: Talk, api: FakeApi) -> None:
    api.hold = True
    api.script([text("a long answer")], [text("fresh")])
    await talk.prompt("write")
    await talk.until(TextDelta)

    await talk.agent.interrupt()
    ended = await talk.until(TurnEnded)
    api.hold = False

    assert ended.why is TurnEndReason.INTERRUPTED
    assert (await talk.turn("again")).why is TurnEndReason.COMPLETED
    assert talk.story()[-2:] == ["says fresh", "turn completed"]


async def test_rewinding_a_turn_restores_its_file(talk: Talk, api: FakeApi, path: Path) -> None:
    api.script(*edit(path, "one", "ONE", then="done"))
    prompt = await talk.prompt("change it")
    await talk.agent.answer((await talk.until(PermissionAsked)).request, Allow())
    await talk.until(TurnEnded)

    seen = await talk.agent.rewind(prompt, dry_run=True)
    assert path.read_text() == "ONE\ntwo\n"
    done = await talk.agent.rewind(prompt, dry_run=False)

    assert (seen.files, seen.insertions, seen.deletions) == ((str(path),), 1, 1)
    assert done.possible
    assert path.read_text() == "one\ntwo\n"


async def test_a_session_is_resumed_with_its_history(
    launch: CliLaunch, start_talk: StartTalk, talk: Talk, api: FakeApi, path: Path
) -> None:
    api.script(*edit(path, "one", "ONE", then="first answer"))
    prompt = await talk.prompt("first question")
    await talk.agent.answer((await talk.until(PermissionAsked)).request, Allow())
    await talk.until(TurnEnded)
    await talk.agent.rename("My talk")
    await talk.end()
    session = talk.agent.session

    resumed = await start_talk(ResumeSession(session))
    kind = Claude(["claude"], launch.environment)
    [listed] = await kind.sessions(launch.cwd)
    history = await resumed.agent.history(session)
    api.script([text("second answer")])
    await resumed.turn("second question")

    assert (listed.id, listed.title, listed.first_prompt) == (session, "My talk", "first question")
    assert UserMessage("first question", prompt) in history
    assert digest(history)[-2:] == ["completed Edit +1 -1", "says first answer"]
    assert resumed.agent.session == session
    assert "first question" in str(api.requests[-1].body["messages"])


async def test_a_fork_has_its_own_id(start_talk: StartTalk, talk: Talk, api: FakeApi) -> None:
    api.script([text("one")], [text("two")])
    await talk.turn("first")
    await talk.end()

    fork = await start_talk(ResumeSession(fork=True))
    await fork.turn("second")

    assert fork.agent.session not in ("", talk.agent.session)
    assert "first" in str(api.requests[-1].body["messages"])


async def test_an_unknown_session_cannot_be_resumed(launch: CliLaunch) -> None:
    with pytest.raises(UnknownSessionError, match="No conversation found"):
        await Talk(launch).start(ResumeSession("00000000-0000-4000-8000-000000000000"))


async def test_the_session_of_a_killed_cli_is_resumed(
    talk: Talk, api: FakeApi, config_folder: Path
) -> None:
    api.script([text("one")], [text("two")])
    await talk.turn("first")
    await wait_until_saved("first", config_folder)

    talk.agent.kill()
    dead = await talk.until(Dead)
    await talk.start(ResumeSession(dead.session))
    await talk.turn("second")

    assert dead.code == 143  # by SIGTERM
    assert dead.session == talk.agent.session
    assert "first" in str(api.requests[-1].body["messages"])


async def test_clear_starts_a_new_conversation(talk: Talk, api: FakeApi) -> None:
    api.script([text("swordfish")], [text("two")])
    await talk.turn("first")
    before = talk.agent.session

    await talk.turn("/clear")
    await talk.turn("second")

    assert talk.kinds().count(Cleared) == 1
    assert talk.agent.session not in ("", before)
    assert "swordfish" not in str(api.requests[-1].body["messages"])


async def test_an_api_error_is_reported_with_its_retries(talk: Talk, api: FakeApi) -> None:
    api.status = 401

    ended = await talk.turn("hi")

    retry, notice = await talk.until(Retry), await talk.until(Notice)
    assert (retry.reason, retry.status) == ("authentication_failed", 401)
    assert (notice.level, notice.reason) == ("error", "authentication_failed")
    assert ended.why is TurnEndReason.FAILED
    assert ended.message == notice.text


async def test_the_selection_reaches_the_model_and_is_hidden_in_the_history(
    talk: Talk, api: FakeApi, config_folder: Path
) -> None:
    api.script([text("ok")])

    await talk.agent.prompt([Selection("a.py", 2, 2, "two"), Words("what is it?")])
    await talk.until(TurnEnded)
    await wait_until_saved("what is it?", config_folder)
    history = await talk.agent.history(talk.agent.session)

    assert "The user selected the lines 2 to 2 from a.py:\ntwo" in api.requests[-1].new_text
    prompts = [event.text for event in history if isinstance(event, UserMessage)]
    assert prompts == ["what is it?"]


async def test_the_stages_of_a_prompt_are_reported(talk: Talk, api: FakeApi) -> None:
    api.script([text("ok")])
    prompt = await talk.prompt("hi")
    await talk.until(PromptChanged, lambda event: event.stage is PromptStage.COMPLETED)

    changes = [event for event in talk.events if isinstance(event, PromptChanged)]
    assert {change.prompt for change in changes} == {prompt}
    assert [change.stage.value for change in changes] == ["queued", "started", "completed"]


async def test_the_model_can_use_the_editors_tools(start_talk: StartTalk, api: FakeApi) -> None:
    async def server(message: dict[str, Any]) -> dict[str, Any] | None:
        tool = {"name": "where", "description": "Where", "inputSchema": {"type": "object"}}
        results = {
            "initialize": {
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "neovim", "version": "1"},
            },
            "tools/list": {"tools": [tool | {"_meta": {"anthropic/alwaysLoad": True}}]},
            "tools/call": {"content": [{"type": "text", "text": "in line 7"}]},
        }
        if "id" not in message:
            return None
        return {"jsonrpc": "2.0", "id": message["id"], "result": results[message["method"]]}

    talk = await start_talk(servers={"neovim": Server(server)})
    api.script([tool_use("mcp__neovim__where")], [text("ok")])
    await talk.prompt("where am I?")
    await talk.agent.answer((await talk.until(PermissionAsked)).request, Allow())
    await talk.until(TurnEnded)

    assert (await talk.until(ToolEnded)).output == "in line 7"
    assert "in line 7" in api.requests[-1].new_text


@pytest.mark.parametrize("form", Format)
async def test_a_one_off_request_is_answered(launch: CliLaunch, api: FakeApi, form: Format) -> None:
    api.script([text("forty-two")])
    ask = Ask(replace(launch, mode=""), HeadlessQuestion("what is it?", form))

    events = [event async for event in ask.events()]

    assert ask.result().text == "forty-two"
    assert "what is it?" in api.requests[-1].new_text
    assert any(isinstance(event, TextDelta) for event in events) == (form is not Format.JSON)
