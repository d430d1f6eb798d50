"""`headless/ask.py`: what stands before a question."""

from claude_ide.headless.ask import prompt
from claude_ide.headless.requests import AskRequest, Lines


def test_a_question_alone_stays_as_it_is() -> None:
    assert prompt(AskRequest(1, "/", "/context")) == "/context"


def test_lines_are_told_before_it() -> None:
    about = Lines("/a.py", 2, 3, "two\nthree")

    words = prompt(AskRequest(1, "/", "why?", lines=about, file="/b.py"))

    assert words.startswith("<ide_selection>The user selected the lines 2 to 3 from /a.py:\ntwo\n")
    assert words.endswith("</ide_selection>\n\nwhy?")
    assert "/b.py" not in words


def test_else_the_file_is_named() -> None:
    words = prompt(AskRequest(1, "/", "why?", file="/b.py"))

    assert words.startswith("<ide_opened_file>The user opened the file /b.py")
    assert words.endswith("\n\nwhy?")
