"""`editor/typing.py`: what of a text is typed, and where the prompt box is on a screen."""

import re
from typing import Any

import pytest

from claude_ide.editor import typing
from claude_ide.editor.typing import box_of, harmless, has_taken
from support.claude_cli import CARET
from support.neovim import until
from support.pocket import pocket_port

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


class Terminal:
    """A terminal of the editor, whose box holds what the user has begun and what is pasted."""

    def __init__(self, begun: str) -> None:
        self.box = begun
        self.keys: list[str] = []
        self.messages: list[str] = []
        self.finished: list[int] = []

    async def answer(self, function: str, *arguments: Any) -> Any:
        match re.split("[.#]", function)[-1].lower(), arguments:
            case "begin", _:
                return {"number": 3, "bufnr": 7}
            case "read", _:
                return [RULE, f"{CARET} {self.box}", RULE]
            case "press", (_, key, _):
                self.keys.append(key)
                self.box += key.removeprefix(typing.PASTE).removesuffix(typing.END_OF_PASTE)
                return True
        raise AssertionError(function)

    def notice(self, function: str, *arguments: Any) -> None:
        if function.lower().endswith("finish"):
            self.finished += arguments
        else:
            self.messages.append(arguments[0])


@pytest.mark.parametrize("begun", ["mine", "hello", "[Pasted text #1 +2 lines]"])
@pytest.mark.parametrize("submits", [True, False])
async def test_a_prompt_that_the_user_has_begun_is_left_to_them(
    monkeypatch: pytest.MonkeyPatch, begun: str, submits: bool
) -> None:
    monkeypatch.setattr(typing, "TAKEN_SECONDS", 0)
    terminal = Terminal(begun)
    typed = typing.Typing(pocket_port(terminal.answer, terminal.notice))

    await typed.say("hello", 0, submits=submits)
    await until(lambda: terminal.finished, "the words are in the box")
    await until(lambda: not typed._queues, "nothing is typed any more")

    gap = "" if submits else " "
    assert terminal.keys == [f"{typing.PASTE}{gap}hello{typing.END_OF_PASTE}"]
    assert terminal.messages == ([typing.IN_BOX] if submits else [])
    assert terminal.finished == [3]
