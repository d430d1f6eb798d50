"""`hooks/registration.py`: which CLIs are told to report what they do."""

import json
from pathlib import Path

import pytest

from claude_ide.hooks import registration


def program(path: Path) -> Path:
    """Create a program."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o755)
    return path


def packaged(folder: Path, version: str, name: str = "@anthropic-ai/claude-code") -> Path:
    """Create a program in a package of npm."""
    path = program(folder / "package" / "cli.js")
    description = {"name": name, "version": version}
    (folder / "package" / "package.json").write_text(json.dumps(description))
    return path


@pytest.mark.parametrize(
    "words", [["--settings", "a.json"], ["--settings={}"], ["-c", "--settings", "{}", "hello"]]
)
def test_a_command_line_with_settings_gets_no_others(words: list[str]) -> None:
    assert "--settings" in registration.obstacle(["/bin/claude", *words], "")


@pytest.mark.parametrize("words", [[], ["--setting-sources", "user"], ["tell me about settings"]])
def test_any_other_command_line_does(words: list[str]) -> None:
    assert registration.obstacle(["/bin/claude", *words], "") == ""


@pytest.mark.parametrize(("version", "is_known"), [("2.1.196", True), ("2.1.197", False)])
def test_a_version_that_is_too_old_is_recognized(
    tmp_path: Path, version: str, is_known: bool
) -> None:
    installed = program(tmp_path / "share" / "versions" / version)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "claude").symlink_to(installed)
    npm = packaged(tmp_path, version)

    for words in (["claude"], [str(npm)]):
        found = registration.obstacle(words, str(tmp_path / "bin"))
        assert found == (f"Claude Code {version} is too old" if is_known else "")


@pytest.mark.parametrize("description", ["{", "[]", '{"name": 1}', "\0"])
def test_a_program_of_an_unknown_version_is_regarded_as_new(
    tmp_path: Path, description: str
) -> None:
    path = packaged(tmp_path, "1.0.0", "other")
    assert registration.obstacle([str(path)], "") == ""

    path.with_name("package.json").write_text(description)
    assert registration.obstacle([str(path)], "") == ""
    assert registration.obstacle(["missing"], "") == ""


@pytest.fixture
def link(tmp_path: Path) -> Path:
    folder = tmp_path / "it's hooks"
    folder.mkdir(mode=0o700)
    return folder / "0123abcd"


def settings_of(link: Path) -> str:
    (option,) = registration.options(link, {})
    return option.partition("=")[2]


def test_the_link_of_a_session_is_found_in_its_settings(link: Path) -> None:
    assert registration.link_in(settings_of(link)) == link


def test_a_link_that_others_can_change_is_none(link: Path) -> None:
    link.parent.chmod(0o770)

    assert registration.link_in(settings_of(link)) is None


@pytest.mark.parametrize(
    "settings",
    [
        *("", "{", "[]", "{}", '{"hooks": 1}', '{"hooks": {"Stop": []}}', "/home/me/settings.json"),
        '{"hooks": {"Stop": [{"hooks": [{"command": "rm -rf /tmp/0123abcd x y"}]}]}}',
        '{"hooks": {"Stop": [{"hooks": [{"command": "\'"}]}]}}',
    ],
)
def test_other_settings_have_no_link(settings: str) -> None:
    assert registration.link_in(settings) is None


def test_a_link_has_the_name_of_a_launch(link: Path) -> None:
    assert registration.link_in(settings_of(link.with_name("config"))) is None


def test_a_session_gets_the_name_of_its_terminal_unless_it_has_one(tmp_path: Path) -> None:
    def named(name: str, *words: str) -> list[str]:
        return registration.naming(name, words, "/nowhere")

    assert named("unit tests", "claude") == ["--name=unit tests"]
    assert named("-x", "claude", "--verbose") == ["--name=-x"]
    assert named("", "claude") == []
    for words in (["--name", "pond"], ["--name=pond"], ["-n", "pond"]):
        assert named("unit", "claude", *words) == []

    old = tmp_path / "versions" / "2.0.1"
    old.parent.mkdir()
    old.write_text("")
    old.chmod(0o755)
    assert named("unit", str(old)) == []
