"""Which paths are private by the options and by their names."""

from typing import Any

import pytest

from claude_ide.privacy.globs import Places, patterns
from claude_ide.privacy.rules import BY_NAME, Rules
from support.private_names import GLOBS, PLAIN, SECRETS

HERE = "/project"


def rules(*folders: str, **privacy: Any) -> Rules:
    return Rules(privacy, [*folders] or [HERE], [])


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_private_by_its_name(name: str) -> None:
    assert rules().reason(f"{HERE}/{name}") == BY_NAME


@pytest.mark.parametrize("name", PLAIN)
def test_other_names_are_not_private(name: str) -> None:
    assert rules().reason(f"{HERE}/{name}") is None


def test_a_secret_may_be_allowed() -> None:
    allowing = rules(allow=["test.pem", "fixtures/**"])

    assert allowing.reason(f"{HERE}/deep/test.pem") is None
    assert allowing.reason(f"{HERE}/fixtures/deep/.env") is None
    assert allowing.reason(f"{HERE}/other.pem") == BY_NAME


def test_denying_is_stronger_than_allowing() -> None:
    both = rules(allow=[".env"], deny=[".env"])

    assert both.reason(f"{HERE}/.env") == 'privacy.deny has ".env"'


@pytest.mark.parametrize("glob", GLOBS)
def test_globs_are_those_of_gitignore(glob: str) -> None:
    denying = rules(deny=[glob])
    matching, others = GLOBS[glob]

    for name in matching:
        assert denying.reason(f"{HERE}/{name}") == f'privacy.deny has "{glob}"', name
    for name in others:
        assert denying.reason(f"{HERE}/{name}") is None, name


def test_a_glob_may_name_an_absolute_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    denying = rules(deny=["/project/a.txt", "//other/b", "~/c.txt"])

    assert denying.reason("/project/a.txt")
    assert denying.reason("/other/b/x")
    assert denying.reason("/home/me/c.txt")
    assert denying.reason("/project/c.txt") is None


def test_a_relative_glob_follows_the_working_folders() -> None:
    assert rules(deny=["a/b.txt"]).reason("/project/inner/a/b.txt") is None
    assert rules(HERE, "/project/inner", deny=["a/b.txt"]).reason("/project/inner/a/b.txt")


def test_a_glob_may_lead_out_of_its_folder() -> None:
    assert rules("/project/inner", deny=["../a.txt"]).reason("/project/a.txt")


@pytest.mark.parametrize("privacy", [{"deny": "x"}, {"deny": [1]}, {"allow": [""]}, "deny", 1])
def test_with_wrong_options_everything_is_private(privacy: object) -> None:
    found = Rules(privacy, [HERE], [])

    assert "is not a list of globs, so nothing leaves Neovim" in (found.reason("/a.py") or "")
    assert found.count == 0


@pytest.mark.parametrize("privacy", [None, {}, [], {"deny": {}, "allow": []}])
def test_without_options_nothing_else_is_private(privacy: object) -> None:
    found = Rules(privacy, [HERE], [])

    assert found.reason("/a.py") is None
    assert found.problems == []


def test_what_is_no_glob_denies_everything() -> None:
    found = rules(deny=["x[z-a]", "b"])

    assert found.reason("/a.py") == 'privacy.deny has "x[z-a]"'
    assert found.problems == ['privacy.deny has "x[z-a]": not a glob']
    assert found.count == 1


def test_an_exception_that_is_no_glob_is_none() -> None:
    found = rules(allow=["[z-a].pem", "a.pem"])

    assert found.reason("/b.pem") == BY_NAME
    assert found.reason("/a.pem") is None
    assert found.problems == ["g:claude_ide.privacy.allow has an item that is not a glob"]


def test_a_letter_without_a_lower_case_of_one_letter_matches_itself() -> None:
    assert rules(deny=["İ.txt"]).reason("/İ.txt")
    assert rules(deny=["Ä.txt"]).reason("/ä.TXT")


def test_a_deep_pattern_of_a_project_holds_in_its_folders_only() -> None:
    inside = patterns("*.secret", Places([HERE], [HERE], False))

    assert len(inside) == 1
    assert inside[0][: len(HERE)] == (*HERE,)
