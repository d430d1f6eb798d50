"""Claude as a kind of agent, without starting one."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from claude_ide.agents.agent import Agent, AgentKind
from claude_ide.agents.editor_services import EditorServices
from claude_ide.agents.stream_json.claude import Claude
from claude_ide.base.errors import AgentError, UnknownSessionError


@pytest.mark.parametrize(
    ("cmd", "expected"),
    [
        ("claude", False),
        (["claude", "--verbose"], False),
        (["claude", "--setting-sources", "user"], True),
        (["claude", "--setting-sources=user"], True),
    ],
)
def test_the_users_command_line_can_choose_the_settings(
    cmd: str | Sequence[str], expected: bool
) -> None:
    assert Claude(cmd, {}).chooses_settings is expected


def test_the_login_uses_the_configured_command() -> None:
    kind = Claude([sys.executable, "-x"], {})

    [login] = kind.logins()

    assert login.command == (sys.executable, "-x", "/login")
    assert kind.login_to_servers() == [sys.executable, "-x", "/mcp"]


def test_a_missing_program_is_named_in_the_error(tmp_path: Path) -> None:
    kind: AgentKind = Claude("no-such-claude", {})

    with pytest.raises(AgentError, match="no-such-claude is not on PATH"):
        kind.open(tmp_path, EditorServices())
    with pytest.raises(AgentError, match="no-such-claude is not on PATH"):
        kind.logins()
    assert "no-such-claude is not on PATH" in kind.missing()


def test_an_opened_agent_is_not_started(tmp_path: Path) -> None:
    agent: Agent = Claude([sys.executable], {}).open(tmp_path, EditorServices())

    assert (agent.name, agent.session, agent.state.busy) == ("Claude", "", False)


async def test_a_session_that_is_not_stored_is_unknown(tmp_path: Path) -> None:
    kind = Claude("claude", {"CLAUDE_CONFIG_DIR": str(tmp_path)})
    kept = tmp_path / "projects" / "-p"
    kept.mkdir(parents=True)
    (kept / "s-1.jsonl").write_text("")

    await kind.check_session(Path("/p"), "s-1")
    for session in ("s-2", "", "../s-1"):
        with pytest.raises(UnknownSessionError):
            await kind.check_session(Path("/p"), session)
