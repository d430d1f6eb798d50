"""`sessions/background.py`: what `:ClaudeBackground` is given, and the names of worktrees."""

import pytest

from claude_ide.base.errors import UserError
from claude_ide.sessions.background import Beginning
from claude_ide.sessions.worktree import unfit


def parsed(*words: str, bang: bool = False) -> Beginning:
    return Beginning.parsed(words, has_worktree=bang)


def test_all_words_are_the_prompt() -> None:
    assert parsed("fix", "it  now") == Beginning("fix it  now")
    assert parsed("two\nlines") == Beginning("two\nlines")
    assert parsed("-dash --name=x") == Beginning("-dash --name=x")


def test_a_name_comes_first() -> None:
    assert parsed("--name='a b' fix it") == Beginning("fix it", "a b")
    assert parsed("--name=a.b fix it", bang=True) == Beginning("fix it", "a.b", has_worktree=True)


@pytest.mark.parametrize("words", ["", "  ", "--name=x", "--name= fix", "--name="])
def test_without_a_prompt_or_a_name_the_usage_is_shown(words: str) -> None:
    with pytest.raises(UserError, match="usage: :ClaudeBackground"):
        parsed(words)


@pytest.mark.parametrize("name", ["a", "a.b", "A_1-x", "feature/x"])
def test_a_worktree_can_have_a_name(name: str) -> None:
    assert unfit(name) == ""


@pytest.mark.parametrize(
    "name",
    [
        *(
            "a b",
            "../x",
            "/x",
            "x/",
            "a//b",
            "é",
            "a..b",
            "x.lock",
            "x.",
            ".x",
            "a:b",
            "~",
            "x" * 65,
        )
    ],
)
def test_a_name_that_is_refused_is_refused_first(name: str) -> None:
    assert unfit(name)
    with pytest.raises(UserError, match="name"):
        parsed(f'--name="{name}" fix it', bang=True)


def test_without_a_worktree_a_session_may_have_any_name() -> None:
    assert parsed("--name=../x fix it").name == "../x"
