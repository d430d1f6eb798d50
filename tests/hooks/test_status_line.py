"""`hooks/registration.py`: which command a CLI gets for its status line."""

import json
import shlex
from pathlib import Path

import pytest

from claude_ide.base.trust import Trust
from claude_ide.hooks import registration


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project without settings."""
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


@pytest.fixture
def trust(tmp_path: Path) -> Trust:
    """The trust of a user whose settings are in `config`."""
    environment = {"CLAUDE_CONFIG_DIR": str(tmp_path / "config"), "HOME": str(tmp_path)}
    return Trust(tmp_path / "trust.json", environment, print)


def give(path: Path, line: object) -> None:
    """Write settings with a status line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"statusLine": line}))


def command(words: str) -> dict[str, str]:
    return {"type": "command", "command": words}


def test_the_users_command_is_found(tmp_path: Path, folder: Path, trust: Trust) -> None:
    assert registration.own_status_line([], str(folder), trust) == ""

    give(tmp_path / "config/settings.json", command("mine"))

    assert registration.own_status_line(["claude", "--continue"], str(folder), trust) == "mine"


def test_that_of_the_folder_counts_first_if_it_is_trusted(
    tmp_path: Path, folder: Path, trust: Trust
) -> None:
    give(tmp_path / "config/settings.json", command("mine"))
    give(folder / ".claude/settings.json", command("shared"))
    # The CLI asks about the folder itself.
    assert registration.own_status_line([], str(folder), trust) is None

    trust.grant(folder)
    assert registration.own_status_line([], str(folder), trust) == "shared"
    give(folder / ".claude/settings.local.json", command("local"))
    assert registration.own_status_line([], str(folder), trust) == "local"


@pytest.mark.parametrize("words", [["--setting-sources", "user"], ["--setting-sources=local"]])
def test_a_command_line_that_chooses_the_settings_keeps_its_choice(
    folder: Path, trust: Trust, words: list[str]
) -> None:
    assert registration.own_status_line(words, str(folder), trust) is None


@pytest.mark.parametrize("line", [None, [], "x", {}, {"command": 1}, {"command": "a\0b"}])
def test_an_odd_setting_is_none(tmp_path: Path, folder: Path, trust: Trust, line: object) -> None:
    give(tmp_path / "config/settings.json", line)

    assert registration.own_status_line([], str(folder), trust) == ""


@pytest.mark.parametrize(
    ("own", "has_row", "is_given"),
    [
        ("mine", True, True),
        ("mine", False, True),
        ("", True, True),
        # The CLI would show an empty row.
        ("", False, False),
        (None, True, False),
    ],
)
def test_nothing_is_given_if_there_is_nothing_to_show(
    own: str | None, has_row: bool, is_given: bool
) -> None:
    given = registration.status_line(Path("/hooks/t1"), own, has_row=has_row)

    assert bool(given) == is_given


def test_other_users_cannot_read_the_users_command() -> None:
    own = "curl -H 'secret'"

    given = registration.status_line(Path("/hooks/t1"), own, has_row=True)

    assert "secret" not in json.dumps(given)
    assert registration.status_line_environment(own) == {registration.OWN_STATUS_LINE: own}
    assert {"/hooks/t1", "status"} <= {*shlex.split(given["statusLine"]["command"])}
