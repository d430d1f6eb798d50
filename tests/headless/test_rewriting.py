"""`headless/rewriting.py`: the model's prompt for rewriting lines."""

import pytest

from claude_ide.editor.port.questions import Original, RefineRequest, RewriteRequest
from claude_ide.headless.rewriting import lines_of, prompt

TEXT = "one\n{two}\nthree"


@pytest.mark.parametrize(
    ("first", "last", "text"),
    [
        (1, 2, "one\n<rewrite>\n{two}\n</rewrite>\nthree\n"),
        (0, 3, "<rewrite>\none\n{two}\nthree\n</rewrite>\n"),
        (2, 3, "one\n{two}\n<rewrite>\nthree\n</rewrite>\n"),
    ],
)
def test_the_lines_are_marked_in_the_whole_text(first: int, last: int, text: str) -> None:
    asked = prompt(RewriteRequest(1, "/", "shout {it}", "/a.py", "python", TEXT, first, last))

    assert f"<text>\n{text}</text>" in asked
    assert "lines of /a.py (python) as" in asked
    assert "<instruction>\nshout {it}\n</instruction>" in asked


def test_the_prompt_names_no_language_for_a_text_without_one() -> None:
    asked = prompt(RewriteRequest(1, "/", "x", "[No Name]", "", TEXT, 0, 1))

    assert "lines of [No Name] as" in asked


def test_a_refinement_has_the_original_the_result_and_all_instructions() -> None:
    request = RefineRequest(
        *(1, "/", "shorter", ["shout", "no {braces}"], Original("two"), "/a.py", "python"),
        *("one\nTWO\n{}\nthree", 1, 3),
    )

    words = prompt(request)

    assert "/a.py (python)" in words
    assert "<instruction>\nshorter\n</instruction>" in words
    assert "<earlier>\nshout\n\nno {braces}\n</earlier>" in words
    assert "<original>\ntwo\n</original>" in words
    assert "<text>\none\n<rewrite>\nTWO\n{}\n</rewrite>\nthree\n</text>" in words


@pytest.mark.parametrize(
    ("answer", "marked", "lines"),
    [
        ("A", "a", "A\n"),
        ("A\n", "a", "A\n"),
        ("A\r\nB\r\n", "a", "A\nB\n"),
        ("A\n\n", "a", "A\n\n"),
        ("A\nB\n", "a\nb\n", "A\nB\n\n"),
        ("A\nB\n\n", "a\nb\n", "A\nB\n\n"),
        ("", "a", ""),
        ("\n", "a", "\n"),
    ],
)
def test_the_line_feed_after_the_last_line_of_an_answer_is_optional(
    answer: str, marked: str, lines: str
) -> None:
    assert lines_of(answer, marked) == lines
