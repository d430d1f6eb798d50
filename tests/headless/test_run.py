"""`headless/run.py`: the CLI of a question, its tools and settings, and what it answers."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from claude_ide.agents.stream_json.protocol import CliLaunch
from claude_ide.base.errors import AgentError, UserError
from claude_ide.base.trust import Trust
from claude_ide.config import AskConfig, Config
from claude_ide.headless.run import following, launch, settings, without_fence


def test_the_cli_may_use_only_the_given_tools(tmp_path: Path) -> None:
    launched = launch(Config(cmd=sys.executable), str(tmp_path), ("Read", "Grep"))

    assert launched.command == (sys.executable,)
    assert launched.cwd == tmp_path
    assert launched.environment == os.environ
    assert launched.arguments[-2:] == ("--tools", "Read,Grep")
    assert "--strict-mcp-config" in launched.arguments
    assert "--no-session-persistence" in launched.arguments


def test_a_request_can_override_the_configured_model(tmp_path: Path) -> None:
    config = Config(cmd=[sys.executable, "-I"], ask=AskConfig(model="opus"))

    assert launch(config, str(tmp_path), ()).model == "opus"
    assert launch(config, str(tmp_path), (), "haiku").model == "haiku"
    assert launch(config, str(tmp_path), ()).command == (sys.executable, "-I")


def test_the_error_for_a_missing_cli_explains_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("HOME", str(tmp_path))  # installers put the CLI into the home folder, too

    with pytest.raises(AgentError, match=r"claude is not on PATH \(:checkhealth claude_ide says"):
        launch(Config(), str(tmp_path), ())
    with pytest.raises(AgentError, match=r"^mine is not on PATH \(g:claude_ide\.cmd\)$"):
        launch(Config(cmd="mine"), str(tmp_path), ())


def test_a_missing_folder_is_named_in_the_error() -> None:
    with pytest.raises(UserError, match=r"^no such folder: /no/such$"):
        launch(Config(cmd=sys.executable), "/no/such", ())


ALONE = ("--tools", "Read")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project" / ".claude").mkdir(parents=True)
    return tmp_path / "project"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def trust(tmp_path: Path, state: Path) -> Trust:
    return Trust(state / "trust.json", {"HOME": str(tmp_path / "home")}, print)


def write(project: Path, given: Any, name: str = "settings.json") -> None:
    (project / ".claude" / name).write_text(json.dumps(given))


def launched_in(project: Path, *words: str) -> CliLaunch:
    return CliLaunch(("claude", *words), project, {"A": "b"}, arguments=ALONE)


def test_the_settings_of_an_untrusted_folder_are_ignored(
    project: Path, trust: Trust, state: Path
) -> None:
    write(project, {"env": {"A": "b"}})

    with following(launched_in(project), trust, state) as followed:
        assert followed == launched_in(project)
        assert "--setting-sources" in followed.options()


def test_helpers_and_environment_are_passed_in_a_private_temporary_file(
    project: Path, trust: Trust, state: Path
) -> None:
    trust.grant(project)
    write(project, {"env": {"TOKEN": "secret"}, "apiKeyHelper": "x", "hooks": {"Stop": []}})

    with following(launched_in(project), trust, state) as followed:
        *first, path = followed.arguments[:4]
        assert first == ["--add-dir", str(project), "--settings"]
        assert followed.arguments[4:] == ALONE
        assert "secret" not in str(followed.arguments)
        assert json.loads(Path(path).read_text()) == {
            "apiKeyHelper": "x",
            "env": {"TOKEN": "secret"},
        }
        assert Path(path).stat().st_mode & 0o777 == 0o600
        assert Path(path).parent.stat().st_mode & 0o777 == 0o700
        assert not followed.trusted

    assert not Path(path).exists()


def test_the_settings_file_is_removed_when_the_request_fails(
    project: Path, trust: Trust, state: Path
) -> None:
    trust.grant(project)
    write(project, {"env": {"TOKEN": "secret"}})

    with pytest.raises(ValueError), following(launched_in(project), trust, state):
        raise ValueError

    assert list((state / "settings").iterdir()) == []


def test_the_settings_files_of_a_killed_host_are_removed(
    project: Path, trust: Trust, state: Path
) -> None:
    trust.grant(project)
    write(project, {"env": {"TOKEN": "secret"}})
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    (state / "settings").mkdir()
    kept = {f"{os.getpid()}-a.json", "notes.txt"}
    for name in (*kept, f"{gone.pid}-b.json", f"{'9' * 30}-c.json"):
        (state / "settings" / name).write_text("{}")

    with following(launched_in(project), trust, state):
        pass

    assert {path.name for path in (state / "settings").iterdir()} == kept


def test_a_folder_without_settings_needs_no_settings_file(
    project: Path, trust: Trust, state: Path
) -> None:
    trust.grant(project)

    with following(launched_in(project), trust, state) as followed:
        assert followed.arguments == ("--add-dir", str(project), *ALONE)
        assert followed.environment["CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD"] == "1"


def test_the_users_own_settings_option_has_priority(
    project: Path, trust: Trust, state: Path
) -> None:
    trust.grant(project)
    write(project, {"env": {"A": "b"}})

    with following(launched_in(project, "--settings", "mine.json"), trust, state) as followed:
        assert "--settings" not in followed.arguments


def test_local_settings_override_shared_settings(project: Path) -> None:
    denied = {"permissions": {"deny": ["Read(./.env)"], "allow": ["Bash"], "defaultMode": "plan"}}
    write(project, {"env": {"A": "shared", "B": "shared"}, "model": "x"} | denied)
    write(project, {"env": {"A": "local"}, "model": "y"}, "settings.local.json")

    assert settings(project) == {
        "model": "y",
        "env": {"A": "local", "B": "shared"},
        "permissions": {"deny": ["Read(./.env)"]},
    }


@pytest.mark.parametrize(
    "given",
    [
        {"hooks": {"Stop": []}},
        {"enabledPlugins": {"a@b": True}},
        {"statusLine": {"command": "x"}},
        {"enableAllProjectMcpServers": True},
        {"permissions": {"allow": ["Bash"], "additionalDirectories": ["/"]}},
        {"somethingNew": 1},
        {"env": 7},
        {"permissions": []},
        [],
    ],
)
def test_all_other_settings_are_ignored(project: Path, given: Any) -> None:
    write(project, given)

    assert settings(project) == {}


@pytest.mark.parametrize("text", ["```lua\nlocal x\n```", "\n```\nlocal x\n```\n"])
def test_the_fence_around_a_whole_text_is_removed(text: str) -> None:
    assert without_fence(text, "local y") == "local x"


@pytest.mark.parametrize("text", ["local x", "see\n```\nx\n```", "```\nx\n```\nand y"])
def test_a_text_without_such_a_fence_is_unchanged(text: str) -> None:
    assert without_fence(text, "local y") == text


def test_a_fence_that_replaces_a_fence_is_kept() -> None:
    assert without_fence("```lua\nx\n```", "```\ny\n```") == "```lua\nx\n```"
