"""`editor/typing.py`: what of a text is typed, and where the prompt box is on a screen."""

import pytest

from claude_ide.editor.typing import box_of, harmless, has_taken
from support.claude_cli import CARET

RULE = "─" * 20
BOX = [RULE, f"{CARET} my words", RULE]


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("one\r\ntwo\rthree\n\n", "one\ntwo\nthree"),
        ("One\x1b[201~\r\x03two\x9b\x7f\x00", "One[201~\ntwo"),
        ("a\tb", "a\tb"),
        ("!touch made", " !touch made"),
        ("a !b", "a !b"),
        ("look at @a.py", "look at @a.py "),
        ('look at @"a b.py"', 'look at @"a b.py" '),
        ('look at @"a b', 'look at @"a b '),
        ("look at @a.py please", "look at @a.py please"),
        ("Grüße ✓", "Grüße ✓"),
    ],
)
def test_only_the_text_is_typed(text: str, typed: str) -> None:
    assert harmless(text) == typed


@pytest.mark.parametrize(
    ("rows", "content"),
    [
        (BOX, "mywords"),
        ([*BOX, "  ? for shortcuts"], "mywords"),
        (["● Heard.", RULE, "old", RULE, *BOX[1:]], "mywords"),
        ([RULE, f"{CARET} my", "  words\xa0", RULE], "mywords"),
        ([RULE, f"{CARET} [⧉ In a.py] my words", RULE], "mywords"),
        ([RULE, CARET, RULE], ""),
        (["──x─────", *BOX[1:]], "mywords"),
        (["─── ↑ 39 more ─────", "  my", "  words", RULE], "…mywords"),
        ([RULE, "words", RULE], None),
        (["no box"], None),
        (BOX[:2], None),
        ([], None),
        ([*BOX, f"{CARET} 1. Yes", "  2. No"], None),
        ([*BOX, f"   {CARET} 1. Yes"], None),
        (["  Waiting for permission…", *BOX], None),
    ],
)
def test_the_prompt_box_is_between_the_last_two_rules(rows: list[str], content: str | None) -> None:
    assert box_of(rows) == content


@pytest.mark.parametrize(
    ("content", "before", "is_taken"),
    [
        ("onetwo", "", True),
        ("minetwo", "mine", False),
        ("[Pastedtext#1+2lines]", "", True),
        ("…two", "", True),
        ("…two", 'Try"editit"', True),
        ("…two", "mine", False),
        ("…three", "", False),
        ("…", "", False),
    ],
)
def test_a_text_is_taken_once_the_box_shows_it(content: str, before: str, is_taken: bool) -> None:
    assert has_taken(content, "one\ntwo", before) == is_taken
