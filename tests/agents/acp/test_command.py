"""`agents/acp/launch.py`: a command line as a user writes it."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from claude_ide.agents.acp import launch

ENVIRONMENT = {"HOME": "/home/otter", "POND": "/pond", "PATH": "/usr/bin"}


@pytest.mark.parametrize(
    ("cmd", "words"),
    [
        (["otter", "--acp"], ("otter", "--acp")),
        ("otter --acp", ("otter", "--acp")),
        ("otter --name 'two words'", ("otter", "--name", "two words")),
        ("otter 'open", ("otter", "'open")),
        (["two words", "x"], ("two words", "x")),
        (["~/bin/otter", "~/fish"], ("/home/otter/bin/otter", "/home/otter/fish")),
        ("~/bin/otter acp", ("/home/otter/bin/otter", "acp")),
        (["$POND/otter", "${POND}x", "$NONE", "a~"], ("/pond/otter", "/pondx", "$NONE", "a~")),
    ],
)
def test_a_command_line_is_split_and_expanded(
    cmd: str | Sequence[str], words: tuple[str, ...]
) -> None:
    assert launch.words(cmd, ENVIRONMENT) == words


def test_the_path_of_a_program_may_have_a_space(tmp_path: Path) -> None:
    program = tmp_path / "my otter"
    program.write_text("")

    assert launch.words(str(program), ENVIRONMENT) == (str(program),)


def test_a_relative_path_begins_in_the_hosts_folder() -> None:
    assert launch.words("./otter", {}) == (str(Path.cwd() / "otter"),)


def test_the_users_variables_are_added_and_expanded() -> None:
    inherited = {"HOME": "/home/otter", "CLAUDECODE": "1"}

    assert launch.full_environment(inherited, {"A": "$HOME/a", "B": "~/b", "C": 1}) == {
        "HOME": "/home/otter",
        "A": "/home/otter/a",
        "B": "/home/otter/b",
        "C": "1",
    }


def test_only_a_program_is_found(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("")
    program = tmp_path / "program"
    program.write_text("")
    program.chmod(0o755)
    environment = {"PATH": f"relative:{tmp_path}"}

    assert launch.find([str(program)], environment) == str(program)
    assert launch.find(["program"], environment) == str(program)
    for wrong in ("text", str(text), str(tmp_path), str(tmp_path / "none"), "none", "sh"):
        with pytest.raises(OSError, match="No such file"):
            launch.find([wrong], environment)
