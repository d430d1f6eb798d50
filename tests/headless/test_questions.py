"""`headless/questions.py`: the context that precedes a question."""

from claude_ide.agents.stream_json import protocol
from claude_ide.editor.port.prompts import AskedLines, AskRequest
from claude_ide.headless import questions


def prompt(request: AskRequest) -> str:
    """Return the prompt as the CLI gets it."""
    return protocol.words(questions.prompt(request))


def test_a_question_without_context_is_unchanged() -> None:
    assert prompt(AskRequest(1, "/", "/context")) == "/context"


def test_selected_lines_precede_the_question() -> None:
    about = AskedLines("/a.py", 2, 3, "two\nthree")

    words = prompt(AskRequest(1, "/", "why?", lines=about, file="/b.py"))

    assert words.startswith("<ide_selection>The user selected the lines 2 to 3 from /a.py:\ntwo\n")
    assert words.endswith("</ide_selection>\n\nwhy?")
    assert "/b.py" not in words


def test_without_lines_the_open_file_precedes_the_question() -> None:
    words = prompt(AskRequest(1, "/", "why?", file="/b.py"))

    assert words.startswith("<ide_opened_file>The user opened the file /b.py")
    assert words.endswith("\n\nwhy?")
