"""`chat/conversation.py`: the part of a conversation that a transcript no longer shows."""

from claude_ide.agents.events import Cleared, Event, SessionChanged, Text, UserMessage
from claude_ide.chat.conversation import FIRST_LINES, MISSING, Above, load
from claude_ide.chat.transcript.transcript import Transcript
from claude_ide.ui.page import EARLIER
from claude_ide.ui.sheet import ShowEarlier
from support.frames import Drawn
from support.pages import draw


def turns(first: int, last: int) -> list[Event]:
    return [
        event
        for number in range(first, last + 1)
        for event in (
            UserMessage(f"question {number}", f"q{number}"),
            Text(f"b{number}", f"answer {number}\nmore"),
        )
    ]


HISTORY: list[Event] = [SessionChanged("s"), *turns(1, 20)]


def showing(*happened: Event) -> Transcript:
    """Return a transcript that shows only these, below the line for what is above."""
    transcript = Transcript("Otter")
    transcript.load_history(happened)
    transcript.sheet.page.mark_earlier()
    transcript.sheet.draw()
    return transcript


def questions(transcript: Transcript) -> list[str]:
    return [line for line in transcript.lines if line.startswith("» ")]


def test_only_the_end_of_a_long_conversation_is_drawn() -> None:
    transcript, history = Transcript("Otter"), [SessionChanged("s"), *turns(1, FIRST_LINES)]

    load(transcript, history)
    transcript.sheet.draw()

    first = FIRST_LINES - len(questions(transcript)) + 1
    assert questions(transcript) == [f"» question {n}" for n in range(first, FIRST_LINES + 1)]
    assert FIRST_LINES <= len(transcript.lines) < 3 * FIRST_LINES
    assert len([*transcript.sheet.views()]) < FIRST_LINES
    assert transcript.lines[0] == EARLIER
    assert Above(transcript, history).is_known


def test_a_short_conversation_is_drawn_whole() -> None:
    transcript = Transcript("Otter")

    load(transcript, HISTORY)
    transcript.sheet.draw()

    assert len(questions(transcript)) == 20
    assert EARLIER not in transcript.lines


def test_a_portion_is_shown_above_and_the_rest_remains_above_it() -> None:
    transcript = showing(*turns(15, 20))
    drawn = draw(transcript.sheet.page, Drawn())
    earlier = Above(transcript, HISTORY)

    earlier.show(earlier.portion(lines=12))

    assert questions(transcript) == [f"» question {n}" for n in range(11, 21)]
    assert transcript.lines[:4] == [EARLIER, "", "» question 11", ""]
    assert transcript.lines.count(EARLIER) == 1
    assert draw(transcript.sheet.page, drawn).text == transcript.lines


def test_all_portions_together_are_the_whole_conversation() -> None:
    transcript = showing(*turns(20, 20))
    while transcript.sheet.page.earlier is not None:
        earlier = Above(transcript, HISTORY)
        assert earlier.is_known
        earlier.show(earlier.portion(lines=20))

    whole = Transcript("Otter")
    whole.load_history(HISTORY)
    assert transcript.lines == whole.lines
    assert [view.markdown() for view in transcript.sheet.views()] == whole.story()


def test_the_rest_of_a_turn_is_replaced_by_the_whole_turn() -> None:
    transcript = showing(Text("b19", "more"), *turns(20, 20))
    earlier = Above(transcript, HISTORY)

    earlier.show(earlier.portion(lines=1))

    assert questions(transcript) == ["» question 19", "» question 20"]
    assert transcript.lines.count("more") == 2


def test_what_was_shown_from_above_is_not_trimmed_away() -> None:
    transcript = showing(*turns(20, 20))
    earlier = Above(transcript, HISTORY)
    earlier.show(earlier.portion(lines=30))
    lines = len(transcript.lines)

    transcript.sheet.page.trim(most=10, kept=5)

    assert len(transcript.lines) == lines


def test_another_session_above_is_not_replaced() -> None:
    transcript = showing(*turns(1, 2), Cleared(), *turns(20, 20))

    earlier = Above(transcript, HISTORY)

    assert not earlier.is_known
    document = earlier.document("")
    assert MISSING in document
    assert "question 1" in document


def test_a_document_has_what_is_above_and_what_is_shown() -> None:
    transcript = showing(*turns(18, 20))

    document = Above(transcript, HISTORY).document("Fish")

    assert document.startswith("# Fish\n\n## question 1\n")
    headings = [line for line in document.splitlines() if line.startswith("## ")]
    assert headings == [f"## question {n}" for n in range(1, 21)]


def test_a_press_on_the_first_line_asks_for_more() -> None:
    transcript = showing(*turns(20, 20))
    first = transcript.sheet.page.earlier

    assert first is not None
    assert transcript.press(first.id, 0) == ShowEarlier()
    assert transcript.press(12345, 0) is None
