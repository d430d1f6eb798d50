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
    "words",
    [["--settings", "a.json"], ["--settings={}"], ["-c", "--settings", "{}", "hello"]],
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
