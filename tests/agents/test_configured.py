"""`agents/configured.py`: the options become agents."""

import subprocess
from pathlib import Path

import pytest

from claude_ide.agents.configured import configured
from claude_ide.base.errors import AgentError
from claude_ide.config import AgentConfig, ChatConfig, Config

TRUST = "GEMINI_CLI_TRUST_WORKSPACE"


def test_claude_is_the_first_and_all_built_in_agents_follow() -> None:
    kinds, complaints = configured(Config(), {})

    first, *others = [kind.id for kind in kinds]
    assert (first, complaints) == ("claude", [])
    assert "gemini" in others
    assert all(kind.needs_trust is (kind.id != "claude") for kind in kinds)


def test_claude_can_be_removed() -> None:
    kinds, _ = configured(Config(agents={"claude": False}), {})

    assert "claude" not in [kind.id for kind in kinds]


def test_an_entry_changes_the_command_of_claude_in_the_chat() -> None:
    own = AgentConfig("no-such-claude", {"A": 1})
    kinds, _ = configured(Config(cmd="sh", agents={"claude": own}), {})

    assert "no-such-claude is not on PATH" in kinds.find("claude").missing()


def test_the_option_chooses_the_default() -> None:
    kinds, _ = configured(Config(chat=ChatConfig(agent="goose")), {})

    assert kinds.default.id == "goose"


def test_an_unknown_choice_is_reported() -> None:
    _, complaints = configured(Config(chat=ChatConfig(agent="crab")), {})

    (complaint,) = complaints
    assert complaint.startswith('g:claude_ide.chat.agent: there is no agent "crab" (:help ')


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        (AgentConfig(), "gemini is not on PATH (npm install -g @google/gemini-cli)"),
        (AgentConfig(["npx", "x"]), "npx is not on PATH (g:claude_ide.agents.gemini.cmd)"),
        (AgentConfig("/no/npx"), "/no/npx is no program (g:claude_ide.agents.gemini.cmd)"),
    ],
)
def test_a_missing_agent_names_its_program_and_what_installs_it(
    agent: AgentConfig, reason: str
) -> None:
    kinds, _ = configured(Config(agents={"gemini": agent}), {"PATH": "/nowhere"})

    assert kinds.find("gemini").missing() == f"Gemini is not installed: {reason}"
    with pytest.raises(AgentError, match="is not installed"):
        kinds.find("gemini").logins()


def test_the_path_of_an_entry_is_searched(tmp_path: Path) -> None:
    program = tmp_path / "gemini"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    gemini = AgentConfig(env={"PATH": "$POND:/usr/bin"})

    kinds, _ = configured(
        Config(agents={"gemini": gemini}), {"PATH": "/nowhere", "POND": str(tmp_path)}
    )

    assert kinds.find("gemini").missing() == ""


@pytest.mark.parametrize(
    ("inherited", "own", "value"),
    [({}, {}, "true"), ({TRUST: "false"}, {}, "false"), ({TRUST: "false"}, {TRUST: ""}, "")],
)
def test_gemini_does_not_ask_again_whether_the_folder_is_trusted(
    tmp_path: Path, inherited: dict[str, str], own: dict[str, str | int | float], value: str
) -> None:
    program = tmp_path / "gemini"
    program.write_text(f'#!/bin/sh\nprintf %s "${{{TRUST}-unset}}" >seen\n')
    program.chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", **inherited}
    kinds, _ = configured(Config(agents={"gemini": AgentConfig(env=own)}), environment)

    (login, *_) = kinds.find("gemini").logins()
    subprocess.run(login.command, cwd=tmp_path, env=login.environment, check=True)

    assert (tmp_path / "seen").read_text() == value
