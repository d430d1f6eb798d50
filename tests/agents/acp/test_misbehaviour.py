"""What the client makes of agents that break the protocol, or bend it."""

import asyncio
import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from claude_ide.agents.acp.prompting import BROKEN
from claude_ide.agents.editor_services import EditorServices
from claude_ide.agents.events import (
    Change,
    CommandsChanged,
    Dead,
    Ready,
    TextDelta,
    TodoList,
    ToolInput,
    ToolStarted,
    TurnEnded,
    TurnEndReason,
)
from claude_ide.agents.session_state import AgentState
from claude_ide.base.errors import AgentError, LoginNeededError
from support.acp import script as acp
from support.acp.script import Script
from support.acp.talk import Begin
from support.neovim import until
from support.processes import alive

SAID = [acp.say("Hello")]


async def test_a_turn_of_a_proper_agent(begin: Begin) -> None:
    talk = await begin(Script(prompt=SAID))

    ended = await talk.turn("hi")

    assert ended.why is TurnEndReason.COMPLETED
    assert talk.said == "Hello"
    (prompt,) = talk.fake.received("session/prompt")
    assert prompt["prompt"] == [{"type": "text", "text": "hi"}]


class Noting:
    """Observes no files; a prompt carries the next of its notes, or fails if it is an error."""

    def __init__(self, *notes: str | Exception) -> None:
        self._notes = iter(notes)

    async def before(self, tool: str, path: str) -> None:
        pass

    async def ended(self, tool: str, path: str, after: str | None = None) -> None:
        pass

    async def after(self, tool: str, path: str, change: Change | None) -> str:
        return ""

    async def prompted(self, *, is_command: bool = False) -> str:
        note = next(self._notes)
        if isinstance(note, Exception):
            raise note
        return note


async def test_bytes_that_are_not_utf8_reach_the_agent_readably(begin: Begin) -> None:
    services = EditorServices(edits=Noting("reverted: caf\udce9"))
    talk = await begin(Script(prompt=SAID), services=services)

    ended = await talk.turn("na\udcefve")

    assert ended.why is TurnEndReason.COMPLETED
    (prompt,) = talk.fake.received("session/prompt")
    words, note = (block["text"] for block in prompt["prompt"])
    assert words == "na�ve"
    assert "reverted: caf�" in note


async def test_an_error_of_our_own_in_a_turn_ends_it_with_a_message(begin: Begin) -> None:
    services = EditorServices(edits=Noting(RuntimeError("a bug"), ""))
    talk = await begin(Script(prompt=SAID), services=services)

    lost, ended = await talk.turn("one"), await talk.turn("two")

    assert (lost.why, lost.message) == (TurnEndReason.FAILED, BROKEN)
    assert ended.why is TurnEndReason.COMPLETED
    assert talk.agent.state.state is AgentState.IDLE


@pytest.mark.parametrize("last", [acp.exit_(3), acp.kill(signal.SIGKILL)])
async def test_an_agent_that_dies_in_a_turn_is_reported(begin: Begin, last: acp.Step) -> None:
    talk = await begin(Script(prompt=[*SAID, acp.tool("t1"), acp.complain("no memory"), last]))
    await talk.prompt("hi")

    dead = await talk.until(Dead)

    assert dead.code in (3, -signal.SIGKILL)
    assert (dead.stderr, dead.session) == ("no memory", "s-1")
    assert talk.said == "Hello"
    assert talk.agent.state.state is AgentState.DEAD


async def test_a_line_before_the_last_message_is_not_the_reason_of_an_end(begin: Begin) -> None:
    talk = await begin(Script(prompt=[acp.line("Loading…"), *SAID, acp.exit_()]))
    await talk.prompt("hi")

    assert (await talk.until(Dead)).stderr == ""


async def test_an_agent_that_has_died_starts_again(begin: Begin) -> None:
    talk = await begin(Script(prompt=[acp.exit_()]))
    await talk.prompt("hi")
    await talk.until(Dead)

    await talk.start()

    await talk.until(Ready, count=2)
    assert talk.agent.state.state is AgentState.IDLE


@pytest.mark.parametrize("method", ["initialize", "new"])
@pytest.mark.parametrize("say", [acp.complain, acp.line])
async def test_the_reason_of_an_agent_that_dies_while_it_starts_is_told(
    begin: Begin, method: str, say: Callable[[str], acp.Step]
) -> None:
    steps: dict[str, Any] = {method: [say("Error: no config"), acp.exit_()]}
    talk = await begin(Script(**steps), starts=False)

    with pytest.raises(AgentError, match="Error: no config"):
        await talk.start()


async def test_a_second_answer_is_ignored(begin: Begin) -> None:
    talk = await begin(Script(prompt=[acp.result({"stopReason": "end_turn"}), acp.again()]))

    await talk.turn("one")
    await talk.turn("two")

    assert len(talk.of(TurnEnded)) == 2


async def test_answers_to_requests_that_were_never_sent_are_ignored(begin: Begin) -> None:
    wrong: list[Any] = [9999, "9999", -1, 1.5, None]
    frames = [acp.frame(id=id_, result={"stopReason": "refusal"}) for id_ in wrong]
    talk = await begin(Script(prompt=[*frames, *SAID]))

    assert (await talk.turn("hi")).why is TurnEndReason.COMPLETED
    assert talk.said == "Hello"


@pytest.mark.parametrize("method", ["initialize", "new"])
async def test_a_start_without_an_answer_can_be_stopped(begin: Begin, method: str) -> None:
    steps: dict[str, Any] = {method: [acp.silent()]}
    talk = await begin(Script(**steps), starts=False)
    starting = asyncio.create_task(talk.start())
    await until(lambda: talk.fake.received(acp.METHODS[method]), f"{method} has arrived")

    await talk.agent.stop()

    with pytest.raises(AgentError, match="Fake has ended"):
        await starting


async def test_a_prompt_without_an_answer_can_be_interrupted(begin: Begin) -> None:
    talk = await begin(Script(prompt=[*SAID, acp.silent()]))
    await talk.prompt("hi")
    await talk.until(TextDelta)

    await talk.agent.interrupt()

    await until(lambda: talk.fake.received("session/cancel"), "the turn is cancelled")
    assert talk.agent.state.state is AgentState.STOPPING


async def test_large_lines_arrive_whole(begin: Begin) -> None:
    large = "x" * 300_000
    steps = [acp.say(large), acp.tool("t1", rawInput={"content": large}, status="in_progress")]
    talk = await begin(Script(prompt=steps))

    await talk.turn("hi")

    assert talk.said == large
    assert talk.of(ToolInput)[0].arguments == {"content": large}


async def test_a_large_answer_arrives_whole(begin: Begin) -> None:
    models = [{"modelId": f"m{n}", "name": "M" * 1000} for n in range(300)]
    opened = {"sessionId": "s-1", "models": {"currentModelId": "m7", "availableModels": models}}

    talk = await begin(Script(new=[acp.result(opened)]))

    assert len((await talk.until(Ready)).models) == 300


@pytest.mark.parametrize(
    "line",
    [
        "Loading model…",
        "\x1b[31mwarning\x1b[0m",
        "{",
        '{"jsonrpc": "2.0"}',
        "[]",
        "null",
        '"text"',
        "{}",
        '{"jsonrpc": "1.0", "method": "session/update", "params": {}}',
        '{"jsonrpc": "2.0", "method": "session/update"}',
        '{"jsonrpc": "2.0", "method": "session/update", "params": []}',
        '{"jsonrpc": "2.0", "method": "session/update", "params": {"update": 7}}',
        '{"jsonrpc": "2.0", "method": 7}',
    ],
)
async def test_a_line_that_is_no_message_is_ignored(begin: Begin, line: str) -> None:
    talk = await begin(Script(start=[acp.line(line)], prompt=[acp.line(line), *SAID]))

    assert (await talk.turn("hi")).why is TurnEndReason.COMPLETED
    assert talk.said == "Hello"


@pytest.mark.parametrize(
    "step",
    [
        acp.notify("_auth/status_update", status="ok"),
        acp.notify("something/else"),
        acp.update("usage_of_something", amount=1),
        acp.update("agent_message_chunk", session="s-99", content=acp.words("not yours")),
        acp.update("agent_message_chunk", content=None),
        acp.update("agent_message_chunk", content={"type": "text", "text": 7}),
        acp.update("plan", entries=None),
        acp.update("usage_update", used="many", size=None, cost=7),
        acp.update("config_option_update", configOptions={}),
        acp.update("current_mode_update"),
        acp.update("available_commands_update", availableCommands="all"),
        acp.notify("session/update", sessionId="$SESSION", update={}),
    ],
)
async def test_an_unknown_or_malformed_update_is_ignored(begin: Begin, step: acp.Step) -> None:
    talk = await begin(Script(prompt=[step, *SAID]))

    assert (await talk.turn("hi")).why is TurnEndReason.COMPLETED
    assert talk.said == "Hello"


@pytest.mark.parametrize(
    "before", ["\x1b[?25l", "\ufeff", "\x1b[0m\x1b[2K \t"], ids=["cursor", "mark", "colour"]
)
async def test_what_is_printed_before_a_message_is_ignored(begin: Begin, before: str) -> None:
    update = {"sessionUpdate": "agent_message_chunk", "content": acp.words("Hello")}
    params = {"sessionId": "s-1", "update": update}
    frame = {"jsonrpc": "2.0", "method": "session/update", "params": params}
    talk = await begin(Script(prompt=[acp.line(before + json.dumps(frame))]))

    await talk.turn("hi")

    assert talk.said == "Hello"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ("no", "no"),
        ({"message": "no"}, "no"),
        ({"code": "EACCES", "message": "no"}, "no"),
        ({"code": -32603}, "unknown error"),
        ({"code": -32603, "message": None}, "unknown error"),
    ],
)
async def test_an_error_of_another_form_is_an_error(begin: Begin, error: Any, message: str) -> None:
    refused = [acp.frame(id="$ID", error=error), acp.silent()]
    talk = await begin(Script(prompt=refused))

    ended = await talk.turn("hi")

    assert (ended.why, ended.message) == (TurnEndReason.FAILED, f"Fake: {message}")


async def test_an_answer_may_lack_the_version_of_json_rpc(begin: Begin) -> None:
    answer = [acp.bare(id="$ID", result={"stopReason": "max_tokens"}), acp.silent()]
    talk = await begin(Script(prompt=answer))

    assert (await talk.turn("hi")).why is TurnEndReason.ANSWER_TOO_LONG


async def test_a_tool_without_an_id_is_not_shown(begin: Begin) -> None:
    steps = [acp.update("tool_call", title="Work"), acp.tool_update("", status="completed"), *SAID]
    talk = await begin(Script(prompt=steps))

    await talk.turn("hi")

    assert not talk.of(ToolStarted)


@pytest.mark.parametrize("method", ["_x/ask", "something/else", "fs/delete_file"])
async def test_an_unknown_request_is_refused(begin: Begin, method: str) -> None:
    talk = await begin(Script(prompt=[acp.ask(method), *SAID]))

    await talk.turn("hi")

    (answer,) = talk.fake.answers(method)
    assert answer["error"]["code"] == -32601


async def test_an_agent_that_offers_nothing_can_be_used(begin: Begin) -> None:
    least = Script(
        initialize=[acp.result({"protocolVersion": 1})],
        new=[acp.result({"sessionId": "only"})],
        prompt=[*SAID, acp.result(None)],
        set_mode=[acp.result(None)],
    )
    talk = await begin(least)

    assert (await talk.turn("hi")).why is TurnEndReason.COMPLETED
    assert talk.agent.session == "only"
    assert talk.of(Ready) == [Ready()]
    assert not talk.agent.capabilities.images


@pytest.mark.parametrize("answer", [None, {}, [], "s-1", {"sessionId": None}, {"sessionId": ""}])
async def test_a_session_without_an_id_is_no_session(begin: Begin, answer: Any) -> None:
    talk = await begin(Script(new=[acp.result(answer)]), starts=False)

    with pytest.raises(AgentError, match="without an id"):
        await talk.start()


async def test_another_version_of_the_protocol_is_named(begin: Begin) -> None:
    talk = await begin(Script(initialize=[acp.initialized(version=2)]), starts=False)

    with pytest.raises(AgentError, match="Fake speaks version 2 of the Agent Client Protocol"):
        await talk.start()


async def test_an_agent_that_wants_a_login_says_so(begin: Begin) -> None:
    wanted = acp.error(-32000, "Authentication required", {"details": "run `fake login`"})
    talk = await begin(Script(new=[wanted]), starts=False)

    with pytest.raises(LoginNeededError, match="Authentication required: run `fake login`"):
        await talk.start()


@pytest.mark.parametrize(
    ("reason", "why"),
    [
        ("max_tokens", TurnEndReason.ANSWER_TOO_LONG),
        ("max_turn_requests", TurnEndReason.TOO_MANY_REQUESTS),
        ("refusal", TurnEndReason.REFUSED),
        ("cancelled", TurnEndReason.INTERRUPTED),
        ("a_new_reason", TurnEndReason.COMPLETED),
    ],
)
async def test_the_reason_of_a_turns_end_is_told(
    begin: Begin, reason: str, why: TurnEndReason
) -> None:
    talk = await begin(Script(prompt=[acp.result({"stopReason": reason})]))

    assert (await talk.turn("hi")).why is why


async def test_a_failed_turn_says_why(begin: Begin) -> None:
    failure = acp.error(-32603, "Internal error", {"details": "the model\nhas left"})
    talk = await begin(Script(prompt=[failure]))

    ended = await talk.turn("hi")

    assert ended.why is TurnEndReason.FAILED
    assert ended.message == "Fake: Internal error: the model has left"


async def test_other_work_goes_on_in_a_flood(begin: Begin) -> None:
    talk = await begin(Script(prompt=[acp.flood(20_000, "x")]))
    rounds = 0

    async def count() -> None:
        nonlocal rounds
        while True:
            await asyncio.sleep(0)
            rounds += talk.agent.state.busy

    await talk.prompt("hi")
    await talk.until(TextDelta)
    counting = asyncio.create_task(count())
    await talk.until(TurnEnded)
    counting.cancel()

    assert len(talk.said) == 20_000
    assert rounds > 50


async def test_an_agent_that_ignores_the_end_is_terminated_with_its_children(
    begin: Begin, tmp_path: Path
) -> None:
    talk = await begin(Script(stubborn=True, start=[acp.breed()], prompt=SAID))
    await talk.turn("hi")
    processes = [*talk.fake.entries("pid"), *talk.fake.entries("child")]
    assert len(processes) == 2

    await talk.agent.stop(0.2)

    await talk.until(Dead)
    await until(lambda: not any(map(alive, processes)), "the processes have ended")


async def test_an_agent_that_closes_its_output_is_ended(begin: Begin) -> None:
    talk = await begin(Script(prompt=[acp.close_output(), acp.silent()]))
    await talk.prompt("hi")

    await talk.until(Dead)

    assert not alive(talk.fake.entries("pid")[0])


async def test_the_lists_of_an_agent_are_its_last_ones(begin: Begin) -> None:
    def commands(*names: str) -> acp.Step:
        listed = [{"name": name, "description": ""} for name in names]
        return acp.update("available_commands_update", availableCommands=listed)

    def plan(*states: str) -> acp.Step:
        entries = [{"content": s, "priority": "low", "status": s} for s in states]
        return acp.update("plan", entries=entries)

    steps = [commands("a", "b"), plan("pending"), commands("c"), plan("completed", "pending")]
    talk = await begin(Script(prompt=steps))

    await talk.turn("hi")

    assert [command.name for command in talk.of(CommandsChanged)[-1].commands] == ["c"]
    assert [todo.status for todo in talk.of(TodoList)[-1].todos] == ["completed", "pending"]
