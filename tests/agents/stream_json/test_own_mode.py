"""`agents/stream_json/protocol.py`: in which mode `:Claude` starts the CLI."""

import json
from pathlib import Path
from typing import get_args

import pytest

from claude_ide.agents.stream_json.protocol import (
    DEFAULT,
    MODES,
    given_words,
    own_mode,
    terminal_options,
)
from claude_ide.config import Mode


def settings(path: Path, mode: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"permissions": {"defaultMode": mode}}))


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"CLAUDE_CONFIG_DIR": str(tmp_path / "claude")}


@pytest.fixture
def managed(tmp_path: Path) -> Path:
    return tmp_path / "managed"


def test_an_administrator_comes_before_the_user(
    environment: dict[str, str], managed: Path, tmp_path: Path
) -> None:
    assert own_mode(environment, managed) == ""
    settings(tmp_path / "claude" / "settings.json", "acceptEdits")
    assert own_mode(environment, managed) == "acceptEdits"
    settings(managed / "managed-settings.json", "plan")
    assert own_mode(environment, managed) == "plan"
    settings(managed / "managed-settings.d" / "10.json", "default")
    settings(managed / "managed-settings.d" / "20.json", "auto")
    assert own_mode(environment, managed) == "auto"


def test_the_settings_of_a_folder_do_not_count(
    environment: dict[str, str], managed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings(tmp_path / "project" / ".claude" / "settings.json", "bypassPermissions")
    monkeypatch.chdir(tmp_path / "project")

    assert own_mode(environment, managed) == ""


@pytest.mark.parametrize(
    ("mode", "options"),
    [
        ("manual", ["--permission-mode", "default"]),
        ("default", ["--permission-mode", "default"]),
        ("acceptEdits", ["--permission-mode", "acceptEdits"]),
        ("", []),
    ],
)
def test_the_cli_starts_in_the_mode_of_the_option(
    environment: dict[str, str], managed: Path, mode: str, options: list[str]
) -> None:
    assert terminal_options(environment, ["--resume"], mode, managed) == options


@pytest.mark.parametrize(
    "words",
    [
        ("--permission-mode", "plan"),
        ("--permission-mode=plan",),
        ("--dangerously-skip-permissions",),
        ("--resume", "--allow-dangerously-skip-permissions"),
    ],
)
def test_a_mode_in_the_command_line_wins(
    environment: dict[str, str], managed: Path, words: tuple[str, ...]
) -> None:
    assert terminal_options(environment, words, "manual", managed) == []


def test_a_mode_in_the_users_settings_wins(
    environment: dict[str, str], managed: Path, tmp_path: Path
) -> None:
    settings(tmp_path / "claude" / "settings.json", "acceptEdits")

    assert terminal_options(environment, [], "manual", managed) == []


@pytest.mark.parametrize(
    ("words", "passed"),
    [
        (["--permission-mode", "manual"], ["--permission-mode", "default"]),
        (["--permission-mode=manual", "go"], ["--permission-mode=default", "go"]),
        (["--permission-mode", "plan"], ["--permission-mode", "plan"]),
        (["manual", "--permission-mode"], ["manual", "--permission-mode"]),
    ],
)
def test_manual_in_the_command_line_gets_the_name_that_every_version_accepts(
    words: list[str], passed: list[str]
) -> None:
    assert list(given_words(words)) == passed


def test_the_option_offers_every_mode() -> None:
    assert {*get_args(Mode)} == {*MODES, DEFAULT, ""}
