"""The `Read(…)` rules in the settings of the CLI, and the links on the way to a file."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from claude_ide.editor.private_files import PrivateFiles
from claude_ide.privacy.rules import BY_NAME
from support.pocket import pocket_port
from support.private_names import BROKEN, COSTLY, COSTLY_PATHS, TOO_MANY

SHOWN = "~/claude/settings.json"


class Deaf:
    """An editor that hears the rules."""

    def __init__(self) -> None:
        self.pushed: list[Any] = []
        self.port = pocket_port(self.answer, self.notice)

    async def answer(self, function: str, *arguments: Any) -> Any:
        raise AssertionError(function)

    def notice(self, function: str, *arguments: Any) -> None:
        assert function == "privacy.apply"
        self.pushed += arguments


class Files:
    """The files of a project with these options, judged anew each time."""

    def __init__(self, project: Path, options: Any = None) -> None:
        self.editor = Deaf()
        self.private = PrivateFiles(self.editor.port, [str(project)], options)

    def reason(self, path: Path | str) -> str | None:
        self.private.refresh()
        self.private.judge_again([str(path)])
        return self.private.verdict(str(path))


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's settings."""
    folder = tmp_path / "home" / "claude"
    folder.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder.parent))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(folder))
    return folder / "settings.json"


@pytest.fixture
def files(own: Path, project: Path) -> Files:
    return Files(project)


def deny(path: Path, *rules: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"permissions": {"deny": rules}}))


def test_rules_of_the_user_hold_in_every_folder(
    files: Files, project: Path, tmp_path: Path, own: Path
) -> None:
    deny(own, "Read(*.secret)", "Read(**/vault/**)", "Edit(*.py)", "Bash(rm *)", "Read(a/b.txt)")

    assert files.reason(tmp_path / "other/x.secret") == f"{SHOWN} denies Read(*.secret)"
    assert files.reason(tmp_path / "vault/x")
    assert files.reason(project / "a/b.txt")
    assert files.reason(tmp_path / "a/b.txt") is None
    assert files.reason(project / "a.py") is None


def test_the_paths_of_the_users_rules(
    files: Files, project: Path, tmp_path: Path, own: Path
) -> None:
    deny(own, f"Read(/{tmp_path}/abs/**)", "Read(~/home.txt)", "Read(/own.txt)", "Read(./x/*.md)")

    assert files.reason(tmp_path / "abs/deep/x")
    assert files.reason(own.parent.parent / "home.txt")
    assert files.reason(own.parent / "own.txt")
    assert files.reason(project / "x/a.md")
    assert files.reason(project / "x/y/a.md") is None


@pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
@pytest.mark.parametrize("here", [".", "inner"])
def test_rules_of_a_project_hold_only_in_it(
    own: Path, project: Path, tmp_path: Path, name: str, here: str
) -> None:
    (project / ".git").mkdir()
    (project / "inner").mkdir()
    deny(project / ".claude" / name, "Read(*.secret)", "Read(/top/**)", "Read(./inner/x)")
    files = Files(project / here)

    assert files.reason(project / "deep/x.secret")
    assert files.reason(project / "top/x")
    assert files.reason(project / "inner/x")
    assert files.reason(project / "deep/top/x") is None
    assert files.reason(tmp_path / "x.secret") is None


@pytest.mark.parametrize("rule", ["Read", "Read(*)", "Read(**)"])
def test_a_rule_may_deny_every_file(
    files: Files, project: Path, tmp_path: Path, own: Path, rule: str
) -> None:
    deny(own, rule)

    assert files.reason(tmp_path / "a.py")
    assert files.reason(project / "a.py")


def test_the_option_does_not_allow_what_the_settings_deny(project: Path, own: Path) -> None:
    deny(own, "Read(.env)")

    assert Files(project, {"allow": [".env"]}).reason(project / ".env")


@pytest.mark.parametrize("text", BROKEN)
def test_broken_settings_of_the_user_deny_everything(
    files: Files, project: Path, own: Path, text: str
) -> None:
    own.write_text(text)

    words = "so nothing leaves Neovim (:checkhealth claude_ide)"
    assert files.reason(project / "a.py") == f"{SHOWN} {BROKEN[text]}, {words}"
    assert files.private.refresh().problems == [f"{SHOWN} {BROKEN[text]}"]


def test_broken_settings_of_a_project_deny_its_files(
    files: Files, project: Path, tmp_path: Path
) -> None:
    path = project / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text("{")

    assert files.reason(project / "deep/a.py")
    assert files.reason(tmp_path / "a.py") is None


@pytest.mark.parametrize("text", ["", "  \n", "{}", '{"permissions": {}}', '\ufeff{"a": null}'])
def test_settings_without_rules_deny_nothing(
    files: Files, project: Path, own: Path, text: str
) -> None:
    own.write_text(text)

    assert files.reason(project / "a.py") is None


def test_settings_that_cannot_be_read_deny_everything(
    files: Files, project: Path, own: Path
) -> None:
    own.mkdir()
    assert "is not a file" in (files.reason(project / "a.py") or "")

    own.rmdir()
    own.write_text("{" + " " * 1_000_000 + "}")
    assert "is too large" in (files.reason(project / "a.py") or "")


def test_a_change_of_the_settings_holds_at_once(files: Files, project: Path, own: Path) -> None:
    assert files.reason(project / "a.py") is None

    deny(own, "Read(*.py)")
    assert files.reason(project / "a.py")

    deny(own, "Read(*.px)")  # as long, in the same second
    assert files.reason(project / "a.py") is None
    assert files.reason(project / "a.px")

    own.unlink()
    assert files.reason(project / "a.px") is None
    assert len(files.editor.pushed) == 4


@pytest.mark.parametrize("kind", TOO_MANY)
def test_a_project_with_too_many_rules_denies_its_files_and_costs_nothing(
    files: Files, project: Path, tmp_path: Path, kind: str
) -> None:
    deny(project / ".claude/settings.json", *TOO_MANY[kind])
    begin = time.process_time()

    found = [files.reason(project / f"{number}.py") for number in range(20)]

    assert all(
        "has more Read rules than can be checked, so nothing" in (each or "") for each in found
    )
    assert files.reason(tmp_path / "a.py") is None
    assert time.process_time() - begin < 3


def test_rules_within_the_limit_cost_little(files: Files, project: Path) -> None:
    deny(project / ".claude/settings.json", *COSTLY)
    assert "denies" in str(files.reason(project / ("z" * 40 + "1!")))
    begin = time.process_time()

    found = [files.reason(project / path) for path in COSTLY_PATHS]

    assert found == [None] * len(COSTLY_PATHS)
    assert time.process_time() - begin < 5


def test_the_users_own_rules_have_no_limit(files: Files, project: Path, own: Path) -> None:
    deny(own, *(f"Read(folder/number/{number}.txt)" for number in range(2_000)))

    assert files.reason(project / "a.py") is None
    assert files.reason(project / "folder/number/1999.txt")


# Links.


def test_a_link_to_a_private_file_is_private(files: Files, project: Path) -> None:
    (project / ".env").write_text("KEY=1\n")
    (project / "first").symlink_to(".env")
    (project / "second").symlink_to(project / "first")

    assert files.reason(project / "second") == BY_NAME


def test_a_private_link_to_another_file_is_private(files: Files, project: Path) -> None:
    (project / "plain.txt").write_text("x\n")
    (project / "server.pem").symlink_to("plain.txt")
    (project / "through").symlink_to("server.pem")

    assert files.reason(project / "server.pem") == BY_NAME
    assert files.reason(project / "through") == BY_NAME


def test_a_link_that_leads_elsewhere_is_judged_again(files: Files, project: Path) -> None:
    (project / "a.py").symlink_to("b.py")
    assert files.reason(project / "a.py") is None

    (project / "a.py").unlink()
    (project / "a.py").symlink_to(".env")

    assert files.reason(project / "a.py") == BY_NAME


def test_a_file_in_a_linked_folder_is_private(own: Path, project: Path) -> None:
    (project / "secrets").mkdir()
    (project / "public").symlink_to("secrets")
    files = Files(project, {"deny": ["secrets/"]})

    assert files.reason(project / "public" / "not" / "yet.txt")


@pytest.mark.parametrize(
    ("link", "target", "path"),
    [
        ("public", "secrets", "public/not/yet.txt"),
        ("public.txt", "secrets/not/yet.txt", "public.txt"),
        ("public.txt", "elsewhere/../secrets/a.txt", "public.txt"),
    ],
)
def test_a_link_to_a_private_file_that_does_not_exist_is_private(
    own: Path, project: Path, tmp_path: Path, link: str, target: str, path: str
) -> None:
    (tmp_path / "other" / "folder").mkdir(parents=True)
    (project / "elsewhere").symlink_to(tmp_path / "other" / "folder")
    (project / link).symlink_to(target)
    secret = tmp_path / "other" if "elsewhere" in target else project
    files = Files(project, {"deny": [f"{secret}/secrets/"]})

    assert files.reason(project / path)


def test_a_link_to_itself_ends(files: Files, project: Path) -> None:
    (project / "loop").symlink_to("loop")

    assert files.reason(project / "loop") is None
