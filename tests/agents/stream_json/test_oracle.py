"""What Anthropic's own SDK makes of the recordings, beside what we make of them.

Runs where `claude-agent-sdk` is installed, which nothing here needs otherwise.
"""

import sys
from pathlib import Path
from typing import Any

import pytest

from claude_ide.agents import events
from support.digest import decoded
from support.transcripts import FAKE_CLI, GOLDEN, told

sdk = pytest.importorskip("claude_agent_sdk", reason="claude-agent-sdk is not installed")

NAMES = ("plain_thinking", "thinking_off", "mention_range", "read_edit_allow", "parallel_tools")


@pytest.fixture
def cli(tmp_path: Path) -> Path:
    """A program that replays what `FAKE_CLI_RECORDING` names, whatever its arguments are."""
    program = tmp_path / "claude"
    program.write_text(
        f'#!/bin/sh\ncase "$1" in -v|--version) echo "2.1.330 (Claude Code)"; exit;; esac\n'
        f'exec {sys.executable} -I {FAKE_CLI} "$FAKE_CLI_RECORDING"\n'
    )
    program.chmod(0o755)
    return program


async def told_by_sdk(name: str, cli: Path, cwd: Path) -> list[Any]:
    """Every message of the first turn."""

    async def allow(_tool: str, arguments: dict[str, Any], _context: Any) -> Any:
        return sdk.PermissionResultAllow(updated_input=arguments)

    options = sdk.ClaudeAgentOptions(
        cli_path=cli,
        cwd=cwd,
        can_use_tool=allow,
        env={"FAKE_CLI_RECORDING": str(GOLDEN / f"{name}.jsonl")},
    )
    async with sdk.ClaudeSDKClient(options) as client:
        await client.query("hello there")
        return [message async for message in client.receive_response()]


def first_turn(name: str) -> list[events.Event]:
    """What we make of it."""
    made = decoded(told(name))
    end = next(n for n, event in enumerate(made) if isinstance(event, events.TurnEnded))
    return made[: end + 1]


@pytest.mark.parametrize("name", NAMES)
async def test_both_hear_the_same(name: str, cli: Path, tmp_path: Path) -> None:
    messages = await told_by_sdk(name, cli, tmp_path)
    blocks = [
        block
        for message in messages
        if isinstance(message, sdk.AssistantMessage | sdk.UserMessage)
        and isinstance(message.content, list)
        for block in message.content
    ]
    ours = first_turn(name)

    texts = [b.text for b in blocks if isinstance(b, sdk.TextBlock)]
    thoughts = [b.thinking for b in blocks if isinstance(b, sdk.ThinkingBlock)]
    uses = [b.name for b in blocks if isinstance(b, sdk.ToolUseBlock)]
    results = [b.tool_use_id for b in blocks if isinstance(b, sdk.ToolResultBlock)]
    assert [e.text for e in ours if isinstance(e, events.Text)] == texts
    assert [e.text for e in ours if isinstance(e, events.Thinking)] == thoughts
    assert [e.name for e in ours if isinstance(e, events.ToolStarted)] == uses
    assert [e.tool for e in ours if isinstance(e, events.ToolEnded)] == results
    cost = [e.cost for e in ours if isinstance(e, events.Usage) and e.cost is not None][-1]
    assert cost == messages[-1].total_cost_usd
