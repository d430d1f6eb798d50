"""`StreamJsonAgent` with a CLI that replays recordings."""

import inspect
import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from claude_ide.agents.agent import Agent, Rewind, Words
from claude_ide.agents.events import (
    Dead,
    EffortChanged,
    ModeChanged,
    ModelChanged,
    PromptChanged,
    PromptStage,
    Ready,
    SessionChanged,
    TextDelta,
    TodoList,
    ToolEnded,
    TurnEnded,
    TurnEndReason,
)
from claude_ide.agents.requests import Allow, PermissionAsked
from claude_ide.agents.session_state import AgentState, SessionState
from claude_ide.agents.stream_json.claude import StreamJsonAgent
from claude_ide.agents.stream_json.connection import ControlError
from claude_ide.agents.stream_json.protocol import CliLaunch
from claude_ide.base.errors import AgentError, TransportClosed, UnsupportedError
from support.agents import Replay, Talk
from support.mcp_server import Server
from support.transcripts import read_log, replaying


def test_the_agent_has_every_method_of_the_port() -> None:
    for name, verb in inspect.getmembers(Agent, inspect.isfunction):
        if not name.startswith("_"):
            assert [*inspect.signature(getattr(StreamJsonAgent, name)).parameters][
                : len(inspect.signature(verb).parameters)
            ] == [*inspect.signature(verb).parameters]
    agent: Agent = StreamJsonAgent(CliLaunch(("x",), Path(), {}))
    assert agent.state.state is AgentState.OFF


async def test_modes_models_and_commands_are_reported_before_the_first_prompt(
    replay: Replay,
) -> None:
    talk = await replay("plain_thinking")
    ready = await talk.until(Ready)

    assert tuple(mode.id for mode in ready.modes) == (
        *("manual", "acceptEdits", "plan", "auto", "dontAsk"),
    )
    assert ready.models[0].efforts == ("low", "medium", "high", "xhigh", "max")
    assert ready.commands[0].name == "deep-research"
    assert (await talk.until(ModeChanged)).mode == "manual"
    assert talk.agent.state.state is AgentState.IDLE


async def test_the_session_is_known_before_the_first_prompt(replay: Replay, tmp_path: Path) -> None:
    talk = await replay("plain_thinking")

    arguments = read_log(tmp_path / "received.jsonl")[0]["argv"]

    assert talk.agent.session == arguments[arguments.index("--session-id") + 1]
    assert (await talk.until(SessionChanged)).id == talk.agent.session


async def test_the_child_gets_a_clean_environment(replay: Replay, tmp_path: Path) -> None:
    theirs = {"CLAUDECODE": "1", "CLAUDE_CODE_SSE_PORT": "1", "MINE": "x"}
    await replay("plain_thinking", environment=theirs)

    environment = read_log(tmp_path / "received.jsonl")[0]["env"]

    assert environment["CLAUDE_CODE_ENTRYPOINT"] == "claude-ide-nvim"
    assert environment["MINE"] == "x"
    assert not {"CLAUDECODE", "CLAUDE_CODE_SSE_PORT"} & set(environment)


@pytest.mark.parametrize("piece", ["1000000", "17"])
async def test_a_turn_is_decoded_however_its_lines_are_split(replay: Replay, piece: str) -> None:
    talk = await replay("plain_thinking", environment={"FAKE_CLI_PIECE": piece})

    ended = await talk.turn("hello there")

    assert talk.story()[-3:] == ["thinks", "says Hello! **How**", "turn completed"]
    assert ended.why is TurnEndReason.COMPLETED
    assert talk.agent.state.state is AgentState.IDLE
    assert (await talk.end()).code == 0


async def test_an_interrupted_text_is_kept(replay: Replay) -> None:
    talk = await replay("interrupt_stream")
    await talk.prompt("write a lot")
    await talk.until(TextDelta)
    await talk.agent.interrupt()
    assert (await talk.until(TurnEnded)).why is TurnEndReason.INTERRUPTED

    await talk.turn("and again")

    assert talk.story()[-4:] == [
        *("says The quick brow", "turn interrupted"),
        *("says fresh answer", "turn completed"),
    ]


async def test_a_prompt_is_withdrawn_and_another_runs(replay: Replay) -> None:
    talk = await replay("cancel_queued")
    await talk.prompt("one")
    await talk.until(TextDelta)
    second = await talk.prompt("two")

    assert await talk.agent.withdraw(second)
    third = await talk.prompt("three")
    await talk.agent.interrupt()
    await talk.until(TurnEnded, count=2)

    withdrawn = talk.received("control_request", "cancel_async_message")[0]["request"]
    assert withdrawn["message_uuid"] == second
    await talk.until(
        PromptChanged, lambda event: event == PromptChanged(third, PromptStage.COMPLETED)
    )


async def test_a_prompt_can_steer_a_turn(replay: Replay) -> None:
    talk = await replay("priority_next_midtools")
    await talk.prompt("one")
    await talk.until(ToolEnded, count=2)

    steering = await talk.agent.steer([Words("steer: also do Y")])
    ended = await talk.until(TurnEnded)

    assert ended.prompts == (steering,)
    assert talk.received("user")[-1]["priority"] == "next"


async def test_a_prompt_can_redirect_a_turn(replay: Replay) -> None:
    talk = await replay("priority_now")
    await talk.prompt("one")
    await talk.until(TextDelta)

    redirecting = await talk.agent.redirect([Words("stop, do this")])

    assert (await talk.until(TurnEnded)).why is TurnEndReason.REDIRECTED
    assert (await talk.until(TurnEnded, count=2)).prompts == (redirecting,)
    assert talk.received("user")[-1]["priority"] == "now"


async def test_settings_are_changed_and_reported(replay: Replay) -> None:
    talk = await replay("controls")
    agent = talk.agent
    for mode in ("plan", "acceptEdits"):
        await agent.set_mode(mode)
    with pytest.raises(ControlError) as refused:
        await agent.set_mode("bypassPermissions")
    assert refused.value.code == "bypass_not_launched"
    for mode in ("default", "dontAsk", "auto", "manual"):
        await agent.set_mode(mode)
    with pytest.raises(AgentError, match="no such mode: nonsense; available: manual, "):
        await agent.set_mode("nonsense")
    await agent.set_mode("default")
    await talk.turn("first")
    await agent.set_model("claude-sonnet-4-5")
    await talk.turn("second")
    for model in ("default", "no-such-model-x", "default"):
        await agent.set_model(model)
    for most in (8000, 0, None):
        await agent.set_thinking_tokens(most)

    modes = [event.mode for event in talk.events if isinstance(event, ModeChanged)]
    models = [event.model for event in talk.events if isinstance(event, ModelChanged)]
    assert modes == ["manual", "plan", "acceptEdits", "manual", "dontAsk", "auto", "manual"]
    assert models == [
        *("claude-opus-5-5", "claude-sonnet-4-5"),
        *("claude-opus-5-5", "no-such-model-x", "claude-opus-5-5"),
    ]


async def test_the_effort_is_set(replay: Replay) -> None:
    talk = await replay("effort")
    await talk.turn("a")
    await talk.agent.set_effort("high")
    await talk.turn("b")

    [asked] = talk.received("control_request", "apply_flag_settings")
    assert asked["request"]["settings"] == {"effortLevel": "high"}
    assert (await talk.until(EffortChanged)).effort == "high"


async def test_a_turn_is_rewound_after_a_dry_run(replay: Replay) -> None:
    talk = await replay("rewind")
    prompt = await talk.prompt("change")
    await talk.until(TurnEnded)

    seen = await talk.agent.rewind(prompt, dry_run=True)
    done = await talk.agent.rewind(prompt, dry_run=False)

    assert seen == Rewind(True, ("/home/dev/project/a.py",), 1, 1)
    assert done.possible
    asked = [frame["request"] for frame in talk.received("control_request", "rewind_files")]
    assert [request.get("dry_run", False) for request in asked] == [True, False]
    assert {request["user_message_id"] for request in asked} == {prompt}


async def test_an_old_cli_works_and_refuses_unknown_requests(replay: Replay) -> None:
    talk = await replay("cli197")
    agent = talk.agent
    await talk.until(Ready)
    await talk.prompt("go")
    await agent.answer((await talk.until(PermissionAsked)).request, Allow())
    await talk.until(TurnEnded)
    await talk.turn("todo")

    usage = await agent.context_usage()
    assert (usage.used, usage.size) == (10_500, 1_000_000)
    assert ("Messages", 8938) in usage.categories
    assert agent.capabilities.context_usage
    assert TodoList not in talk.kinds()


async def test_the_mode_of_an_old_cli_comes_from_its_settings(replay: Replay) -> None:
    talk = await replay("cli197_queue")

    assert (await talk.until(ModeChanged)).mode == "manual"
    assert talk.received("control_request", "get_settings")
    assert not talk.received("user")


async def test_the_mode_of_an_old_cli_comes_from_its_options(tmp_path: Path) -> None:
    launch = replace(replaying("cli197", tmp_path, log=tmp_path / "received.jsonl"), mode="plan")
    talk = Talk(launch, tmp_path / "received.jsonl")
    await talk.start()

    assert (await talk.until(ModeChanged)).mode == "plan"
    assert not talk.received("control_request", "get_settings")
    await talk.end()


async def test_an_unknown_mode_is_not_reported(replay: Replay) -> None:
    talk = await replay("cli197")

    modes = (await talk.until(Ready)).modes
    assert [mode.id for mode in modes] == ["manual", "acceptEdits", "plan", "auto", "dontAsk"]
    assert [mode.id for mode in modes if not mode.in_cycle] == ["auto", "dontAsk"]
    assert ModeChanged not in talk.kinds()


async def test_the_stages_of_queued_prompts_are_inferred_for_an_old_cli(replay: Replay) -> None:
    talk = await replay("cli197_queue")
    agent = talk.agent
    one = await talk.prompt("one")
    assert agent.state.state is AgentState.QUEUED
    await talk.until(TextDelta)
    two, three, four = (
        await talk.prompt("two"),
        await talk.prompt("three"),
        await talk.prompt("four"),
    )
    assert agent.state.queued == (two, three, four)

    assert await agent.withdraw(four)
    five = await agent.redirect([Words("this instead")])
    asked = await talk.until(PermissionAsked)
    six = await agent.steer([Words("and be quick")])
    assert agent.state.queued == (two, three, six)
    await agent.answer(asked.request, Allow())
    await talk.until(TurnEnded, count=2)
    assert agent.state == SessionState(AgentState.IDLE)

    seven = await talk.prompt("seven")
    await talk.until(TextDelta, count=3)
    eight, nine = await talk.prompt("eight"), await talk.prompt("nine")
    await agent.interrupt()
    await talk.until(TurnEnded, count=4)

    assert agent.state == SessionState(AgentState.IDLE)
    ended = [event for event in talk.events if isinstance(event, PromptChanged | ToolEnded)]
    begun = [e.prompt if isinstance(e, PromptChanged) else "tool" for e in ended if not waits(e)]
    assert begun == [one, five, "tool", two, three, six, seven, eight, nine]


def waits(event: PromptChanged | ToolEnded) -> bool:
    return isinstance(event, PromptChanged) and event.stage is not PromptStage.STARTED


async def test_a_prompt_that_could_not_be_sent_is_not_queued(replay: Replay) -> None:
    talk = await replay("killed_kill")
    await talk.prompt("write a lot")
    await talk.until(Dead)

    with pytest.raises(TransportClosed):
        await talk.prompt("are you there?")

    assert talk.agent.state == SessionState(AgentState.DEAD)


async def test_a_refused_feature_is_no_longer_a_capability(replay: Replay) -> None:
    talk = await replay("plain_thinking")
    assert talk.agent.capabilities.rewind

    with pytest.raises(UnsupportedError):
        await talk.agent.rewind("u", dry_run=True)

    assert not talk.agent.capabilities.rewind


async def test_the_editors_tools_are_served_over_the_same_pipe(replay: Replay) -> None:
    asked: list[str] = []

    async def server(message: dict[str, Any]) -> dict[str, Any] | None:
        asked.append(message["method"])
        if "id" not in message:
            return None
        content = {"content": [{"type": "text", "text": "DIFF_REJECTED"}]}
        return {"jsonrpc": "2.0", "id": message["id"], "result": content}

    talk = await replay("sdk_mcp", servers={"editor": Server(server)})
    await talk.prompt("diff it")
    await talk.agent.answer((await talk.until(PermissionAsked)).request, Allow())
    await talk.until(TurnEnded)

    assert asked == ["initialize", "notifications/initialized", "tools/list", "tools/call"]
    assert talk.received("control_request", "initialize")[0]["request"]["sdkMcpServers"] == [
        "editor"
    ]
    answers = [frame["response"]["response"] for frame in talk.received("control_response")]
    # A notification is answered too.
    assert [a["mcp_response"]["id"] for a in answers if "mcp_response" in a] == [0, 0, 1, 2]


async def test_todos_are_reported_from_either_kind_of_tool(replay: Replay) -> None:
    talk = await replay("todowrite_env")
    await talk.turn("fix the bug")

    assert [todo.status for todo in (await talk.until(TodoList, count=2)).todos] == [
        *("completed", "in_progress")
    ]


async def test_the_traffic_is_kept(replay: Replay) -> None:
    talk = await replay("malformed_badtype")
    await talk.turn("are you there?")

    kept = [json.loads(line) for line in talk.agent.log().splitlines()]
    frames = [(entry["dir"], entry["m"]["type"]) for entry in kept]
    assert frames[:2] == [("in", "control_request"), ("out", "control_response")]
    assert frames[-1] == ("out", "result")
    assert 0 <= kept[0]["t"] <= kept[-1]["t"]
