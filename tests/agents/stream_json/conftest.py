"""Agents with a CLI that replays recordings."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from claude_ide.agents.events import Dead
from support.agents import Replay, Talk


@pytest.fixture
async def replay(tmp_path: Path) -> AsyncIterator[Replay]:
    """Start agents on recordings; they end with the test."""
    talks: list[Talk] = []

    async def replay(name: str, **options: Any) -> Talk:
        talk = await Talk.replay(name, tmp_path, **options)
        talks.append(talk)
        return talk

    yield replay
    for talk in talks:
        talk.agent.kill()
        await talk.until(Dead)
