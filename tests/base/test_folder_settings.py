"""The settings that a folder brings for the CLI, in words for users."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from claude_ide.base.folder_settings import Item, items, summary
from support.hostile_folder import EVENTS, HELPERS, Hostile


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project" / ".git").mkdir(parents=True)
    return tmp_path / "project"


def brought(project: Path) -> list[Item]:
    return items(project, project.parent / "config")


def write(project: Path, settings: Any, name: str = "settings.json") -> None:
    (project / ".claude").mkdir(exist_ok=True)
    (project / ".claude" / name).write_text(json.dumps(settings))


def test_an_empty_folder_brings_nothing(project: Path) -> None:
    assert brought(project) == []


@pytest.mark.parametrize("settings", [{}, {"hooks": {}}, {"$schema": "x"}, {"permissions": {}}])
def test_empty_settings_bring_nothing(project: Path, settings: Any) -> None:
    write(project, settings)

    assert brought(project) == []


def test_everything_that_a_folder_brings_is_listed(project: Path, tmp_path: Path) -> None:
    Hostile(project, tmp_path / "ran", "http://elsewhere")

    found = brought(project)

    assert {item.name for item in found if item.kind == "hook"} == set(EVENTS)
    assert {item.name for item in found if item.kind == "helper"} == set(HELPERS)
    assert Item("env", "ANTHROPIC_BASE_URL", "http://elsewhere") in found
    assert Item("mode", "bypassPermissions") in found
    assert Item("permission", "allow", "Bash") in found
    assert Item("permission", "additionalDirectories", "/etc") in found
    assert Item("file", "CLAUDE.md") in found
    assert ("MCP server", "hostile") in {(item.kind, item.name) for item in found}
    assert summary(found) == (
        f"{len(EVENTS)} hooks, 5 helpers, 2 commands, 1 setting, 3 permissions, 1 MCP server, "
        "env (ANTHROPIC_BASE_URL, BASH_ENV), mode bypassPermissions, CLAUDE.md"
    )


def test_a_hook_is_listed_with_its_command(project: Path) -> None:
    hooks = [
        {"type": "command", "command": "make\nsetup"},
        {"type": "http", "url": "http://x"},
        {"type": "prompt", "prompt": "Is it well?"},
        "odd",
    ]
    write(project, {"hooks": {"Stop": [{"hooks": hooks}]}})

    texts = [item.text for item in brought(project)]

    assert texts == ["make\nsetup", "http://x", "Is it well?", "odd"]


def test_local_settings_plugins_and_unknown_settings_are_listed(project: Path) -> None:
    write(project, {"enabledPlugins": {"a@b": True, "c@d": False}}, "settings.local.json")
    write(project, {"somethingNew": {"command": "x"}})

    assert brought(project) == [
        Item("setting", "somethingNew", '{"command": "x"}'),
        Item("plugin", "a@b"),
    ]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("CLAUDE.md", "CLAUDE.md"),
        ("CLAUDE.local.md", "CLAUDE.local.md"),
        (".claude/CLAUDE.md", ".claude/CLAUDE.md"),
        (".claude/rules/a.md", ".claude/rules"),
        (".claude/commands/a.md", ".claude/commands"),
        (".claude/agents/a.md", ".claude/agents"),
        (".claude/skills/a/SKILL.md", ".claude/skills"),
    ],
)
def test_instruction_files_for_the_model_are_listed(project: Path, name: str, shown: str) -> None:
    (project / name).parent.mkdir(parents=True, exist_ok=True)
    (project / name).write_text("x")

    assert brought(project) == [Item("file", shown)]


def test_parent_folders_count_up_to_the_root_of_the_repository(project: Path) -> None:
    (project / "CLAUDE.md").write_text("x")
    (project.parent / "CLAUDE.md").write_text("x")
    below = project / "sub"
    below.mkdir()

    assert brought(below) == [Item("file", str(project / "CLAUDE.md"))]


BROKEN = ["{", "[]", "[" * 100_000, "x" * 1_100_000]


@pytest.mark.parametrize("text", BROKEN, ids=["cut", "list", "deep", "large"])
def test_unreadable_settings_are_listed(project: Path, text: str) -> None:
    write(project, {})
    (project / ".claude" / "settings.json").write_text(text)
    (project / ".mcp.json").write_text(text)

    assert brought(project) == [
        Item("unreadable file", ".claude/settings.json"),
        Item("unreadable file", ".mcp.json"),
    ]


def test_a_fifo_in_place_of_the_settings_blocks_nothing(project: Path) -> None:
    (project / ".claude").mkdir()
    os.mkfifo(project / ".claude" / "settings.json")

    assert brought(project) == [Item("unreadable file", ".claude/settings.json")]


@pytest.mark.parametrize("odd", [None, 7, "x", [], [7], {"a": 7}, {"a": [{"hooks": [None]}]}])
@pytest.mark.parametrize("key", ["hooks", "env", "permissions", "statusLine", "enabledPlugins"])
def test_settings_of_unexpected_types_raise_no_error(project: Path, key: str, odd: Any) -> None:
    write(project, {key: odd})
    (project / ".mcp.json").write_text(json.dumps({"mcpServers": odd}))

    assert isinstance(summary(brought(project)), str)


def test_the_users_own_settings_are_not_listed_for_the_home_directory(tmp_path: Path) -> None:
    write(tmp_path, {"hooks": {"Stop": [{"hooks": [{"command": "x"}]}]}})
    (tmp_path / ".claude" / "CLAUDE.md").write_text("x")

    assert items(tmp_path, tmp_path / ".claude") == []
