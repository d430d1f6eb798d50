"""ACP agents that misbehave as a script says, or replay a recording."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from support.acp.script import Make, Script
from support.acp.talk import AcpTalk, Begin


@pytest.fixture
async def begin(fake_agent: Make, tmp_path: Path) -> AsyncIterator[Begin]:
    """Begin a conversation with a fake agent; it ends with the test."""
    talks: list[AcpTalk] = []

    async def begin(
        script: Script | None = None, *, starts: bool = True, **options: Any
    ) -> AcpTalk:
        talk = AcpTalk(fake_agent(script), tmp_path, **options)
        talks.append(talk)
        if starts:
            await talk.start()
        return talk

    yield begin
    for talk in talks:
        await talk.close()
