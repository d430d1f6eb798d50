"""`StreamJsonAgent`: a CLI that ends, cannot be started, or is stopped."""

import asyncio
import json
import signal
import sys
from pathlib import Path

import pytest

from claude_ide.agents.agent import NewSession, ResumeSession, Words
from claude_ide.agents.events import Dead, Notice, TextDelta
from claude_ide.agents.session_state import AgentState, SessionState
from claude_ide.agents.stream_json.claude import StreamJsonAgent
from claude_ide.agents.stream_json.protocol import CliLaunch
from claude_ide.base.errors import AgentError, TransportClosed, UnknownSessionError
from support.agents import Replay, Talk
from support.talking import REPLY_SECONDS
from support.transcripts import read_log, replaying


async def test_a_killed_cli_is_dead_and_can_be_restarted(replay: Replay, tmp_path: Path) -> None:
    talk = await replay("killed_kill")
    await talk.prompt("write")

    dead = await talk.until(Dead)

    assert dead.code == -signal.SIGKILL
    assert talk.agent.state == SessionState(AgentState.DEAD)
    with pytest.raises(TransportClosed):
        await talk.prompt("are you there?")
    await talk.start(ResumeSession(dead.session))
    assert talk.agent.state.state is AgentState.IDLE
    assert talk.agent.session == dead.session
    arguments = read_log(tmp_path / "received.jsonl")[-2]["argv"]
    assert arguments[arguments.index("--resume") + 1] == dead.session
    await talk.prompt("write")
    await talk.until(Dead, count=2)


async def test_an_unknown_session_is_an_error_though_initialize_has_no_answer(
    tmp_path: Path,
) -> None:
    with pytest.raises(UnknownSessionError, match="No conversation found with session ID: 0000"):
        await Talk.replay("resume_1_bad", tmp_path, ResumeSession("00000000"))


async def test_a_session_that_does_not_exist_is_not_resumed_again(tmp_path: Path) -> None:
    talk = Talk(replaying("resume_1_bad", tmp_path))

    with pytest.raises(UnknownSessionError):
        await talk.start(ResumeSession("00000000"))

    assert talk.agent.session == ""


FAILS = "import os, sys; os.close(1); sys.stdin.read(); sys.exit('out of order')"
"""Ends only some time after its output."""


async def test_a_session_that_could_not_be_resumed_can_be_retried(tmp_path: Path) -> None:
    fails = (sys.executable, "-I", "-c", FAILS)
    talk = Talk(CliLaunch(fails, tmp_path, {}))

    with pytest.raises(AgentError, match="out of order"):
        await talk.start(ResumeSession("11111111"))

    assert talk.agent.session == "11111111"


UNTRUSTING = """
import json, sys
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "control_request":
        answer = {"subtype": "success", "request_id": frame["request_id"]}
        print(json.dumps({"type": "control_response", "response": answer}), flush=True)
    else:
        print("Ignoring 1 rule: this workspace has not been trusted. Accept the trust dialog, or "
              "set projects[x] in y.", file=sys.stderr, flush=True)
        print(json.dumps({"type": "result"}), flush=True)
"""


async def test_a_warning_about_ignored_rules_is_reported_once(tmp_path: Path) -> None:
    """2.1.197 ignores an untrusted folder's "always" rules and asks again."""
    talk = Talk(CliLaunch((sys.executable, "-I", "-c", UNTRUSTING), tmp_path, {}))
    await talk.start()

    for words in ("make it", "make it again", "and again"):
        await talk.turn(words)

    [notice] = [event for event in talk.events if isinstance(event, Notice)]
    assert notice.text.endswith("has not been trusted. Accept the trust dialog")
    assert notice.level == "warning"
    await talk.end()


async def test_a_cli_that_ends_fails_its_pending_requests(replay: Replay) -> None:
    talk = await replay("killed_kill")
    asking = asyncio.create_task(talk.agent.context_usage())
    await talk.prompt("write")

    with pytest.raises(TransportClosed):
        await asking


async def test_a_missing_cli_is_named_in_the_error(tmp_path: Path) -> None:
    agent = StreamJsonAgent(CliLaunch(("/no/such/claude",), tmp_path, {}))

    with pytest.raises(AgentError, match="/no/such/claude cannot be started: No such file"):
        await agent.start(NewSession())
    assert agent.state.state is AgentState.OFF


async def test_the_reason_of_a_cli_that_ends_immediately_is_reported(tmp_path: Path) -> None:
    code = "import sys; sys.exit('requires --verbose')"
    agent = StreamJsonAgent(CliLaunch((sys.executable, "-I", "-c", code), tmp_path, {}))

    with pytest.raises(AgentError, match="could not start: requires --verbose"):
        await agent.start(NewSession())


async def test_an_agent_that_was_not_started_refuses_requests(tmp_path: Path) -> None:
    agent = StreamJsonAgent(CliLaunch(("x",), tmp_path, {}))

    with pytest.raises(AgentError, match="not running"):
        await agent.prompt([Words("x")])
    await agent.stop()
    agent.kill()


async def test_an_agent_cannot_be_started_twice(replay: Replay) -> None:
    talk = await replay("plain_thinking")

    with pytest.raises(AgentError, match="already running"):
        await talk.agent.start(NewSession())


async def test_a_cancelled_start_leaves_no_child(tmp_path: Path) -> None:
    code = "import sys; sys.stdin.read(); import time; time.sleep(60)"
    agent = StreamJsonAgent(CliLaunch((sys.executable, "-I", "-c", code), tmp_path, {}))

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.5):
            await agent.start(NewSession())

    async for event in agent.events():
        assert isinstance(event, Dead)
        assert event.code == -signal.SIGTERM


async def test_an_agent_that_is_stopped_while_it_starts_leaves_no_child(tmp_path: Path) -> None:
    agent = StreamJsonAgent(
        CliLaunch((sys.executable, "-I", "-c", "import sys; sys.stdin.read()"), tmp_path, {})
    )
    starting = asyncio.create_task(agent.start(NewSession()))
    await asyncio.sleep(0)

    async with asyncio.timeout(REPLY_SECONDS):
        await agent.stop()
        with pytest.raises(AgentError, match="could not start"):
            await starting


async def test_stopping_a_busy_agent_interrupts_it_first(replay: Replay) -> None:
    talk = await replay("interrupt_stream")
    await talk.prompt("write a lot")
    await talk.until(TextDelta)

    await talk.agent.stop()

    assert talk.received("control_request", "interrupt")
    assert (await talk.until(Dead)).session == talk.agent.session


async def test_the_traffic_of_a_dead_cli_includes_its_stderr(tmp_path: Path) -> None:
    code = "import sys; sys.exit('no such thing')"
    agent = StreamJsonAgent(CliLaunch((sys.executable, "-I", "-c", code), tmp_path, {}))

    with pytest.raises(AgentError):
        await agent.start(NewSession())

    assert json.loads(agent.log().splitlines()[-1])["m"] == "no such thing"
