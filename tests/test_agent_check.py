"""`check.py`: which agents are installed, and which of them speak the protocol."""

import sys
from pathlib import Path

import pytest

from claude_ide import check
from claude_ide.agents.acp.agent import Acp
from claude_ide.agents.acp.launch import AgentEntry
from claude_ide.check import Finding
from support.another_agent import AnotherKind
from support.processes import alive

SILENT = (
    "import os, pathlib, sys; pathlib.Path('pid').write_text(str(os.getpid())); sys.stdin.read()"
)
ANSWER = """
import json, os, sys
asked = json.loads(sys.stdin.readline())
info = {"name": "otter", "title": "Otter", "version": "1.2"}
result = {"protocolVersion": 1, "agentInfo": info if not os.listdir() else {}}
print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
sys.stdin.read()
"""


def agent(code: str, id_: str = "otter") -> Acp:
    return Acp(AgentEntry("Otter", [sys.executable, "-Ic", code], id_), {"PATH": "/usr/bin"})


async def test_an_agent_answers_in_an_empty_folder() -> None:
    [found] = await check.agents([agent(ANSWER)], [])

    assert found.level == "ok"
    assert found.text.startswith(f"otter: {sys.executable}: Otter 1.2 answers within ")


async def test_an_agent_that_ends_is_an_error_with_its_last_words() -> None:
    [found] = await check.agents([agent("raise SystemExit('no fish')")], ["otter"])

    assert (found.level, found.text.endswith("Otter has ended: no fish")) == ("error", True)


async def test_a_program_that_only_has_the_name_of_an_agent_is_no_error() -> None:
    [found] = await check.agents([agent("raise SystemExit('no fish')")], [])

    assert found.level == "warn"


async def test_an_agent_that_does_not_answer_is_an_error_and_is_ended(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(check, "AGENT_SECONDS", 1.0)
    code = SILENT.replace("'pid'", repr(str(tmp_path / "pid")))

    [found] = await check.agents([agent(code)], ["otter"])

    assert (found.level, "has not answered within 1 s" in found.text) == ("error", True)
    assert not alive(int((tmp_path / "pid").read_text()))


async def test_missing_agents_are_one_line_unless_the_user_wants_them() -> None:
    def missing(id_: str) -> Acp:
        return Acp(
            AgentEntry(id_.title(), "no-such-agent", id_, install=f"npm install -g {id_}"), {}
        )

    wanted, *others = await check.agents(
        [missing(each) for each in ("otter", "crab", "eel")], ["otter"]
    )

    how = "no-such-agent is not on PATH (npm install -g otter)"
    assert wanted == Finding("warn", f"Otter is not installed: {how}")
    hint = "see :help claude-ide-agents-list"
    assert others == [Finding("info", f"Not installed: crab, eel; {hint}")]


async def test_claude_is_checked_elsewhere() -> None:
    assert await check.agents([AnotherKind()], []) == []
