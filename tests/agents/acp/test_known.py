"""`agents/acp/launch.py`: the built-in agents, and the user's entries over them."""

import re

from claude_ide.agents.acp.launch import LISTED, AgentEntry, entries, known
from claude_ide.config import AgentConfig


def found(id_: str, **agents: AgentConfig | bool) -> AgentEntry:
    return {entry.id: entry for entry in entries(agents)[0]}[id_]


def test_each_built_in_agent_has_a_command_and_a_line_that_installs_it() -> None:
    for id_, entry in known().items():
        assert re.fullmatch(r"[\w-]+", id_)
        assert (entry.id, bool(entry.name), bool(entry.cmd)) == (id_, True, True)
        assert "\n" not in entry.install
        assert re.match(r"(npm install -g|uv tool install|curl -fsSL|https://) ?\S", entry.install)


def test_the_well_known_agents_are_built_in() -> None:
    wanted = "gemini codex opencode qwen copilot kimi vibe goose auggie cline claude-acp"
    wanted += " cursor kiro droid amp junie"

    assert set(wanted.split()) <= known().keys()


def test_an_entry_overrides_a_built_in_one_field_by_field() -> None:
    gemini = known()["gemini"]

    with_env = found("gemini", gemini=AgentConfig(env={"A": 1}))
    assert (with_env.cmd, with_env.env, with_env.name) == (gemini.cmd, {"A": "1"}, gemini.name)
    assert with_env.install == gemini.install
    renamed = found("gemini", gemini=AgentConfig(name="G"))
    assert (renamed.cmd, renamed.name) == (gemini.cmd, "G")


def test_a_command_of_the_users_own_is_not_installed_in_the_usual_way() -> None:
    entry = found("gemini", gemini=AgentConfig(["npx", "gemini"]))

    assert (entry.cmd, entry.install, entry.is_own) == (["npx", "gemini"], "", True)


def test_the_login_of_an_agent_uses_its_own_program() -> None:
    assert known()["gemini"].login == ("",)
    assert known()["opencode"].login == ("", "auth", "login")
    assert known()["codex"].login == ("codex", "login")
    assert known()["fast-agent"].login == ()


def test_a_new_agent_is_called_by_its_id() -> None:
    assert found("otter", otter=AgentConfig("otter")).name == "otter"
    assert found("otter", otter=AgentConfig("otter", name="Otter")).name == "Otter"


def test_only_copilot_gets_mcp_servers_over_http_unless_the_user_says_so() -> None:
    assert [id_ for id_, entry in known().items() if entry.mcp == "http"] == ["copilot"]
    assert found("copilot", copilot=AgentConfig(name="C")).mcp == "http"
    assert found("copilot", copilot=AgentConfig(mcp="stdio")).mcp == "stdio"
    assert found("otter", otter=AgentConfig("otter")).mcp == "stdio"
    assert found("otter", otter=AgentConfig("otter", mcp="http")).mcp == "http"


def test_false_removes_an_agent() -> None:
    ids = {entry.id for entry in entries({"gemini": False, "otter": False})[0]}

    assert ids == known().keys() - {"gemini"}


def test_an_agent_without_a_command_is_reported() -> None:
    usable, complaints = entries({"otter": AgentConfig(name="Otter"), "claude": AgentConfig()})

    assert "otter" not in {entry.id for entry in usable}
    (complaint,) = complaints
    assert complaint == f"g:claude_ide.agents.otter needs a cmd ({LISTED})"
