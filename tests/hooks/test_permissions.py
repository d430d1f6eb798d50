"""`hooks/permissions.py`: what is kept of the tools that run."""

import asyncio
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from claude_ide.hooks import permissions
from claude_ide.hooks.permissions import Permissions
from claude_ide.hooks.registration import Hook


@pytest.fixture
async def followed() -> Permissions:
    """The permissions of an editor that shows nothing."""
    editor: Any = SimpleNamespace(diffs=SimpleNamespace(subscribe=lambda _: None))
    return Permissions(editor, asyncio.ensure_future)


def begin(followed: Permissions, use: str, session: str = "s", command: str = "make") -> None:
    given = {"command": command}
    hook = Hook("PreToolUse", session, tool_name="Bash", tool_use_id=use, tool_input=given)
    followed.follow("t", hook)


def kept(found: object) -> int:
    """Return the bytes of an object and all that it refers to."""
    parts = [*found.items()] if isinstance(found, dict) else found
    inside = parts if isinstance(parts, (tuple, list)) else []
    return sys.getsizeof(found) + sum(kept(part) for part in inside)


async def test_tools_that_never_end_take_little_memory(followed: Permissions) -> None:
    for number in range(150):
        begin(followed, f"t{number}", command="x" * 1_000_000)

    assert kept(followed._begun) < 100_000


async def test_the_tools_and_sessions_are_limited(
    followed: Permissions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(permissions, "MOST_BEGUN", 3)
    monkeypatch.setattr(permissions, "MOST_SESSIONS", 2)
    for session in ("a", "b", "c"):
        for number in range(5):
            begin(followed, f"t{number}", session)

    assert {session: [*uses] for (_, session), uses in followed._begun.items()} == {
        "b": ["t2", "t3", "t4"],
        "c": ["t2", "t3", "t4"],
    }


@pytest.mark.parametrize("event", ["Stop", "StopFailure", "UserPromptSubmit", "SessionEnd"])
async def test_the_end_of_a_turn_forgets_them(followed: Permissions, event: str) -> None:
    begin(followed, "t1")

    followed.follow("t", Hook(event, "s"))

    assert followed._begun == {}


class Diffs(list[Any]):
    """The open diffs."""

    def subscribe(self, _: object) -> None:
        """Nothing is opened later."""


@pytest.mark.parametrize("how", ["answered", "ended"])
async def test_an_edit_that_is_answered_before_its_diff_could_open_waits_no_longer(
    how: str,
) -> None:
    """The CLI shows its own dialog at once, and the hook itself may go on waiting."""
    editor: Any = SimpleNamespace(diffs=Diffs())
    waiting = Permissions(editor, asyncio.ensure_future)
    given = {"file_path": "/a", "old_string": "1", "new_string": "2"}
    fields: dict[str, Any] = {"tool_name": "Edit", "tool_use_id": "t1", "tool_input": given}
    waiting.follow("t", Hook("PreToolUse", "s", **fields))
    asking = asyncio.ensure_future(
        waiting.ask("t", Hook("PermissionRequest", "s", tool_name="Edit", tool_input=given))
    )
    await asyncio.sleep(0)

    if how == "answered":
        waiting.follow("t", Hook("PostToolUse", "s", **fields))
    else:
        waiting.terminal_ended("t")
    async with asyncio.timeout(permissions.REVIEW_SECONDS / 2):
        assert await asking is None
