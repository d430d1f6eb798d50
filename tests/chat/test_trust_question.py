"""`chat/requests/trust_question.py`: the question in one line, and its details."""

from claude_ide.agents.events import Notice
from claude_ide.chat.page.part import Part
from claude_ide.chat.requests.trust_question import (
    TrustAsked,
    TrustLine,
    TrustQuestion,
    details,
)
from claude_ide.chat.transcript.transcript import Transcript
from claude_ide.trust.folder_settings import Item
from support.frames import Panel

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


def test_the_question_stays_below_the_conversation_and_is_not_a_request() -> None:
    panel = Panel()
    line = TrustLine(panel.transcript.sheet)
    line.show(TrustAsked("~/p", [HOOK]))
    panel.handle(Notice("hello"))

    assert panel.text[-1].startswith("? Use the settings in ~/p:")
    assert panel.waiting == []
    assert line.is_shown


def test_the_question_is_shown_once() -> None:
    transcript = Transcript("Claude")
    line = TrustLine(transcript.sheet)
    line.show(TrustAsked("~/p", [HOOK]))
    line.show(TrustAsked("~/q", [HOOK]))
    assert [line[:19] for line in transcript.lines if line] == ["? Use the settings "]

    line.show(None)

    assert transcript.lines == []
    assert not line.is_shown
