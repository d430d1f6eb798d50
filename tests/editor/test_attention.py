"""`editor/attention.py`: when a request calls the user."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from claude_ide.config import AttentionConfig
from claude_ide.editor.attention import Attention, CallingSession, chat_place, diff_place
from claude_ide.editor.port.events import DiffShown, Looked
from support.neovim import until

CHAT = CallingSession(chat_place(1), "Otter")
OTHER = CallingSession(chat_place(2), "Beaver")


class Editor:
    """An editor that keeps what calls the user."""

    def __init__(self, seconds: float) -> None:
        self.said: list[str] = []
        port: Any = SimpleNamespace(batch=self._batch)
        diffs: Any = SimpleNamespace(subscribe=lambda _: None)
        self.attention = Attention(port, diffs, AttentionConfig(seconds))

    async def _batch(self, steps: Any, _guard: Any) -> None:
        self.said += [step.arguments[0] for step in steps]

    async def calls(self) -> list[str]:
        """Return what has been said, once all has."""
        for _ in range(5):
            await asyncio.sleep(0)
        return self.said


@pytest.fixture
async def editor() -> Editor:
    """An editor that the user looks at; no request calls them only because it waits."""
    return Editor(seconds=1000)


SAID = ["Otter asks: paddle"]


@pytest.mark.parametrize(
    ("looked", "said"),
    [
        (Looked(), SAID),
        (Looked(shown=(CHAT.place,)), []),
        (Looked(shown=(OTHER.place,)), SAID),
        (Looked(here=CHAT.place, shown=(CHAT.place,)), []),
        (Looked(is_focused=False, here=CHAT.place, shown=(CHAT.place,)), SAID),
    ],
)
async def test_a_request_calls_the_user_unless_it_is_on_their_screen(
    editor: Editor, looked: Looked, said: list[str]
) -> None:
    editor.attention.look(looked)

    editor.attention.asked(CHAT, "paddle")

    assert await editor.calls() == said


async def test_a_session_calls_once_until_its_request_is_answered(editor: Editor) -> None:
    first = editor.attention.asked(CHAT, "paddle")
    editor.attention.asked(CHAT, "dive").end(is_answered=False)
    editor.attention.asked(OTHER, "gnaw")
    assert await editor.calls() == [*SAID, "Beaver asks: gnaw"]

    first.end()
    editor.attention.asked(CHAT, "dive")

    assert (await editor.calls())[2:] == ["Otter asks: dive"]


@pytest.mark.parametrize(
    ("shown", "said"), [(DiffShown(7), SAID), (DiffShown(7, is_here=True), []), (DiffShown(8), [])]
)
async def test_a_request_whose_diff_is_held_calls_when_this_is_shown_elsewhere(
    editor: Editor, shown: DiffShown, said: list[str]
) -> None:
    editor.attention.asked(CHAT, "paddle", diff_place(7), is_held=True)
    assert await editor.calls() == []

    editor.attention._diff_shown(shown)

    assert await editor.calls() == said


async def test_a_request_that_the_user_has_seen_calls_no_more() -> None:
    editor = Editor(seconds=0)
    editor.attention.look(Looked(shown=(CHAT.place,)))

    editor.attention.asked(CHAT, "paddle").see()
    editor.attention.asked(OTHER, "gnaw", is_floating=True)

    await until(lambda: editor.said, "a call")
    assert await editor.calls() == ["Beaver asks: gnaw"]
