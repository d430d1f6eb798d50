"""Every recorded agent, as the transcript shows it."""

import re
from pathlib import Path

import pytest

from support.acp.talk import GOLDEN, replayed, sections
from support.frames import Panel

SHOWN = sections(GOLDEN / "shown.txt")
TIME = re.compile(r"\b[\d.]+ m?s\b")


@pytest.mark.parametrize("name", SHOWN)
async def test_a_recorded_agent_is_shown(name: str, tmp_path: Path) -> None:
    talk = await replayed(name, tmp_path)

    panel = Panel(root=str(tmp_path)).handle(*talk.past, *talk.events)

    lines = "\n".join(panel.drawn.text).replace(str(tmp_path), "~")
    assert TIME.sub("0 ms", lines).splitlines() == SHOWN[name]
