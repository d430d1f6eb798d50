"""`chat/consent.py`: the question in one line, and its details."""

from typing import Any

import pytest

from claude_ide.agents.events import Notice
from claude_ide.base.folder_settings import Item
from claude_ide.chat.consent import Consent, TrustAsked, TrustQuestion, details
from claude_ide.chat.life import Life
from claude_ide.ui.page import Part
from support.chat_parts import PocketChat

HOOK = Item("hook", "Stop", "make\nsetup")


def lines(*items: Item) -> list[str]:
    return [row.text for row in TrustQuestion(Part(1, "trust"), TrustAsked("~/p", items)).rows()]


def test_the_question_is_one_line() -> None:
    assert lines(HOOK) == [
        "? Use the settings in ~/p: 1 hook? y trust this folder · n not now · d details"
    ]


def test_text_of_the_folder_is_made_harmless() -> None:
    [line] = lines(Item("mode", "plan\x1b]0;x\x07\nnext"))

    assert "mode plan^[]0;x^G^Jnext?" in line


def test_the_keys_stay_visible_for_any_number_of_items() -> None:
    [line] = lines(*(Item(f"{'long' * 100} {n}", "") for n in range(100)))

    assert len(line) < 500
    assert line.endswith("d details")


def test_each_item_is_one_whole_line() -> None:
    assert details([HOOK, Item("file", "CLAUDE.md")]) == ["hook Stop: make⏎setup", "file CLAUDE.md"]


def test_long_details_end_with_the_size_of_the_rest() -> None:
    [line] = details([Item("hook", "Stop", "x" * 5000)])
    assert line.endswith("… (3011 more letters)")

    assert details([HOOK] * 250)[-1] == "and 50 more"


class Folder:
    """A folder with settings that the user does not trust yet."""

    is_trusted = is_declined = was_followed = False
    items = (HOOK,)


async def test_the_question_is_shown_once_and_stays_below_the_conversation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chat, counts = PocketChat(_no_answer).context, list[int]()
    monkeypatch.setattr(chat, "count", lambda: counts.append(chat.waiting))
    folder: Any = Folder()
    kind: Any = chat.kind
    kind.chooses_settings = False
    consent = Consent(chat, Life(chat), folder)
    await consent.show()
    await consent.show()
    chat.transcript.apply(Notice("hello"))

    lines = [line for line in chat.transcript.lines if line.strip()]
    assert [line.startswith("? Use the settings in /root:") for line in lines] == [False, True]
    assert consent.is_asked
    assert counts == [0, 0]

    folder.is_trusted = True
    await consent.show()

    assert not any("Use the settings" in line for line in chat.transcript.lines)
    assert not consent.is_asked


async def _no_answer(_function: str, *_arguments: Any) -> None:
    """Nothing is asked."""


async def _decided() -> None:
    """Nobody follows the decision."""
