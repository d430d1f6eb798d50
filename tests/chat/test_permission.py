"""`permission.py`: the question of a request."""

from typing import Any

import pytest

from claude_ide.agents.requests import PermissionAsked
from claude_ide.chat.requests.permission import Permission


@pytest.mark.parametrize(
    ("name", "arguments", "question"),
    [
        ("Run", {}, "? Run this command?  ls"),
        ("Run", {"cmd": "ls"}, "? Use Run ls?"),
        ("paddle", {}, "? Use paddle ls?"),
    ],
)
def test_a_command_whose_tool_is_not_named_is_a_command(
    name: str, arguments: dict[str, Any], question: str
) -> None:
    asked = PermissionAsked("r", "t", name, arguments, (), kind="execute", title="ls")

    assert Permission(asked, "/p", "Otter").head(80).text == question
