"""`headless/rewriting.py`: the prompts, and the place of the new lines in the text of now."""

import pytest

from claude_ide.base.errors import EditorError
from claude_ide.editor.port.prompts import RewriteRequest
from claude_ide.headless.rewriting import (
    Rewrite,
    Target,
    answered,
    prompt,
    refinement_prompt,
    rows_in,
    without_words,
)
from support.pocket import pocket_port

LINES = ["one", "{two}", "three"]


def request(rows: tuple[int, int], name: str = "/a.py", filetype: str = "python") -> RewriteRequest:
    return RewriteRequest(1, "/", "shout {it}", name, filetype, 1, "one\n{two}\nthree\n", rows)


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ((1, 2), "one\n<rewrite>\n{two}\n</rewrite>\nthree\n"),
        ((0, 3), "<rewrite>\none\n{two}\nthree\n</rewrite>\n"),
        ((2, 3), "one\n{two}\n<rewrite>\nthree\n</rewrite>\n"),
    ],
)
def test_the_lines_are_marked_in_the_whole_text(rows: tuple[int, int], text: str) -> None:
    asked = prompt(request(rows), Target(1, LINES, rows))

    assert f"<text>\n{text}</text>" in asked
    assert "lines of /a.py (python) as" in asked
    assert "<instruction>\nshout {it}\n</instruction>" in asked


def test_the_prompt_names_no_language_for_a_text_without_one() -> None:
    asked = prompt(request((0, 1), "[No Name]", ""), Target(1, LINES, (0, 1)))

    assert "lines of [No Name] as" in asked


def test_a_refinement_has_the_original_the_result_and_all_instructions() -> None:
    opened = Rewrite(request((1, 2)))
    refining = RewriteRequest(
        *(1, "/", "shorter", "/a.py", "python", 2, "one\nTWO\n{}\nthree\n", (0, 0), 1, 1)
    )

    earlier = ["shout", "no {braces}"]
    target = opened.refined(refining)
    words = refinement_prompt(refining, target, opened.target.marked, earlier)

    assert "/a.py (python)" in words
    assert "<instruction>\nshorter\n</instruction>" in words
    assert "<earlier>\nshout\n\nno {braces}\n</earlier>" in words
    assert "<original>\n{two}\n</original>" in words
    assert "<text>\none\n<rewrite>\nTWO\n{}\n</rewrite>\nthree\n</text>" in words


@pytest.mark.parametrize(
    ("current", "marked"),
    [
        ("one a b four", "a b"),
        ("one four", ""),
        ("zero one two three four", "two three"),
        ("one two and three four", "two and three"),
        ("one above two three four", "above two three"),
        ("one two three below four", "two three below"),
        ("one two three four last", "two three"),
        ("other TWO THREE four", "other TWO THREE"),
        ("two three", "two three"),
        ("first other TWO THREE four", "first other TWO THREE"),
        ("one TWO THREE other last", "TWO THREE other last"),
        ("zero one 2 three 4 five", "2 three"),
    ],
)
def test_lines_are_found_in_a_later_text(current: str, marked: str) -> None:
    lines = current.split()

    first, last = rows_in(["one", "two", "three", "four"], lines, 1, 3)

    assert lines[first:last] == marked.split()


@pytest.mark.parametrize(
    ("current", "put"),
    [
        ("same x same y", "same x Z y"),
        ("new same x same y", "new same x Z y"),
        ("same x same y below", "same x Z y below"),
        ("x same x same y", "x same x Z y"),
        ("same x other y", None),
        ("same x y", None),
    ],
)
async def test_lines_replace_those_that_were_marked_rather_than_equal_ones(
    current: str, put: str | None
) -> None:
    async def answer(function: str, *_arguments: object) -> dict[str, object]:
        assert function == "headless.rewrite.look"
        return {"tick": 7, "text": "".join(f"{line}\n" for line in current.split())}

    target, port = Target(1, ["same", "x", "same", "y"], (2, 3)), pocket_port(answer)

    if put is None:
        with pytest.raises(EditorError, match="the lines have changed"):
            await target.put(port, ["Z"])
    else:
        assert await target.put(port, ["Z"]) == (put.split(), 7)
        assert target.marked == ["same"]


@pytest.mark.parametrize(
    ("answer", "marked", "lines"),
    [
        ("A", "a", ["A"]),
        ("A\n", "a", ["A"]),
        ("A\r\nB\r\n", "a", ["A", "B"]),
        ("A\n\n", "a", ["A", ""]),
        ("A\nB\n", "a\nb\n", ["A", "B", ""]),
        ("A\nB\n\n", "a\nb\n", ["A", "B", ""]),
        ("", "a", []),
        ("\n", "a", [""]),
    ],
)
def test_the_line_feed_after_the_last_line_of_an_answer_is_optional(
    answer: str, marked: str, lines: list[str]
) -> None:
    assert answered(answer, marked) == lines


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("Here you are:\n\n```python\n1\n```\n\nDone.", "```python\n1\n```"),
        ("1\n2", "1\n2"),
        ("This cannot be done.", "This cannot be done."),
        ("```\n1\n```\nor\n```\n2\n```", "```\n1\n```\nor\n```\n2\n```"),
        ("so\n```\n1", "so\n```\n1"),
    ],
)
def test_the_only_code_block_of_an_answer_is_the_answer(answer: str, code: str) -> None:
    assert without_words(answer) == code
