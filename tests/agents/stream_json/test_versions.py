"""CLIs that do not know an option: started without it, or named as too old."""

import sys
from pathlib import Path

import pytest

from claude_ide.agents.agent import NewSession
from claude_ide.agents.events import Dead
from claude_ide.agents.stream_json.claude import StreamJsonAgent
from claude_ide.agents.stream_json.protocol import CliLaunch
from claude_ide.base.errors import AgentError
from support.agents import Talk

OLD = """
import json, sys
if "--version" in sys.argv:
    print("1.0.3 (Claude Code)")
    sys.exit()
if {option!r} in sys.argv:
    sys.exit("error: unknown option '{option}'")
for line in sys.stdin:
    asked = json.loads(line)
    response = {{"subtype": "success", "request_id": asked["request_id"], "response": {{}}}}
    print(json.dumps({{"type": "control_response", "response": response}}), flush=True)
"""
"""A CLI that refuses one option."""


def without(option: str, folder: Path) -> CliLaunch:
    """Return a launch of a CLI that does not know this option."""
    code = OLD.format(option=option)
    return CliLaunch((sys.executable, "-I", "-c", code), folder, {}, trusted=True)


async def test_a_cli_that_cannot_report_hooks_is_started_without_that(tmp_path: Path) -> None:
    talk = Talk(without("--include-hook-events", tmp_path))

    await talk.start()

    assert not [event for event in talk.events if isinstance(event, Dead)]
    await talk.end()


async def test_a_cli_that_is_too_old_is_named(tmp_path: Path) -> None:
    agent = StreamJsonAgent(without("--permission-prompt-tool", tmp_path))

    with pytest.raises(AgentError) as refused:
        await agent.start(NewSession())

    assert str(refused.value) == (
        "Claude Code could not start: this version is too old: "
        "unknown option '--permission-prompt-tool'; update it"
    )
