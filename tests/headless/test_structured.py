"""`headless/run.py`: answers with a schema."""

import pytest

from claude_ide.headless.run import without_fence


@pytest.mark.parametrize("text", ["```lua\nlocal x\n```", "\n```\nlocal x\n```\n"])
def test_the_fence_around_a_whole_text_is_removed(text: str) -> None:
    assert without_fence(text, "local y") == "local x"


@pytest.mark.parametrize("text", ["local x", "see\n```\nx\n```", "```\nx\n```\nand y"])
def test_a_text_without_such_a_fence_is_unchanged(text: str) -> None:
    assert without_fence(text, "local y") == text


def test_a_fence_that_replaces_a_fence_is_kept() -> None:
    assert without_fence("```lua\nx\n```", "```\ny\n```") == "```lua\nx\n```"
