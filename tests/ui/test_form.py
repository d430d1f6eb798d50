"""The form for questions: the page, keys, answers, and which answers are valid."""

from functools import partial
from typing import Any

import pytest

from claude_ide.agents.requests import AnswerKind, AnswerLimits, Choice, Question, QuestionAsked
from claude_ide.editor.port.events import FormPressed
from claude_ide.ui import form
from claude_ide.ui.form import Field, Form, Page

SERVER = "the MCP server mine"

Pressed = partial(FormPressed, 1)


class Filling:
    """A form whose keys are pressed where the last one has moved the cursor."""

    def __init__(self, *questions: Question, asker: str = "", message: str = "") -> None:
        self.form = Form(QuestionAsked("r", "t", questions, asker, message), "Claude")
        self.page = self.form.page()

    def press(self, *keys: str) -> "Filling":
        for key in keys:
            self.page = self.form.press(Pressed(self.page["number"] + 1, key, self.page["cursor"]))
        return self

    def type(self, text: str, question: int = 0) -> "Filling":
        number = self.page["number"] + 1
        self.page = self.form.press(Pressed(number, "typed", self.page["cursor"], question, text))
        return self

    @property
    def line(self) -> str:
        return str(self.page["lines"][self.page["cursor"]]).strip()

    @property
    def text(self) -> str:
        return "\n".join(self.page["lines"])


FIELDS = (
    Question("name", kind=AnswerKind.TEXT, key="name", limits=AnswerLimits(2, 20)),
    Question("age", kind=AnswerKind.INTEGER, key="age", default=30, limits=AnswerLimits(0)),
    Question(
        "ratio", kind=AnswerKind.NUMBER, key="ratio", required=False, limits=AnswerLimits(None, 1)
    ),
    Question("agree", kind=AnswerKind.BOOLEAN, key="agree", is_open=False, default=True),
    Question("tags", "", (Choice("A", value="a"), Choice("B", value="b")), AnswerKind.CHOICES),
    Question("mail", kind=AnswerKind.TEXT, key="mail", limits=AnswerLimits(format="email")),
)


def test_a_form_shows_each_question() -> None:
    filling = Filling(*FIELDS, asker=SERVER, message="\nWho?\n\nReally\n")

    assert filling.page["title"] == "The MCP server mine asks"
    assert filling.page["lines"] == [
        *(" Who?", " Really", ""),
        *(" name", "   2 to 20 characters", "   ▸ type an answer…", ""),
        *(" age", "   a whole number, at least 0", "   ▸ 30", ""),
        *(" ratio (optional)", "   a number, at most 1", "   ▸ type an answer…", ""),
        *(" agree", "   (•) 1 yes", "   ( ) 2 no", ""),
        *(" tags (any number)", "   [ ] 1 A", "   [ ] 2 B", "   [ ]   something else…", ""),
        *(" mail", "   an e-mail address", "   ▸ type an answer…", ""),
        " Submit (3 unanswered)",
    ]
    assert filling.line == "▸ type an answer…"
    assert filling.page["inputs"][1] == {"label": "age: ", "text": "30"}
    assert filling.page["inputs"][4] == {"label": "Something else: ", "text": ""}


def test_the_rows_of_texts_ask_for_them_on_several_keys() -> None:
    page = Filling(Question("a", "", (Choice("A"),)), Question("b", is_open=False)).page

    keys = [row["keys"] for row in page["rows"]]
    assert keys == [["i"], ["i"], ["i", "<CR>", "<Space>"], ["i"], [], [], []]
    assert {row.get("question") for row in page["rows"][:4]} == {0}


def test_a_picked_choice_and_its_digit_are_highlighted() -> None:
    page = Filling(Question("ä", "", (Choice("A"),))).press("1").page

    assert [mark for mark in page["marks"] if mark[0] == 1] == [
        (1, 0, 12, "ClaudeFormPicked"),
        (1, 9, 10, "ClaudeFormKeys"),
    ]


def test_the_first_nine_choices_have_a_digit() -> None:
    names = [*"ABCDEFGHIJK"]
    page = Filling(Question("which?", choices=tuple(map(Choice, names)), is_open=False)).page

    digits = [*map(str, range(1, 10)), " ", " "]
    rows = [f"   ( ) {digit} {name}" for digit, name in zip(digits, names, strict=True)]
    assert page["lines"][1:12] == rows


@pytest.mark.parametrize(
    ("question", "wrong", "problem", "right"),
    [
        (Question("size", kind=AnswerKind.INTEGER), "7.5", "a whole number", "-7"),
        (Question("size", kind=AnswerKind.NUMBER), "0x10", "a number", "1.5e3"),
        (Question("size", kind=AnswerKind.NUMBER), "nan", "a number", ".5"),
        (Question("size", kind=AnswerKind.NUMBER), "1e999", "a number", "1."),
        (Question("size", kind=AnswerKind.NUMBER), "٣", "a number", "3"),
        (Question("size", kind=AnswerKind.NUMBER, limits=AnswerLimits(0)), "-1", "at least 0", "0"),
        (
            Question("size", kind=AnswerKind.INTEGER, limits=AnswerLimits(None, 150)),
            *("151", "at most 150", "150"),
        ),
        (
            Question("size", kind=AnswerKind.NUMBER, limits=AnswerLimits(None, 0.5)),
            *("1", "at most 0.5", "0.5"),
        ),
        (Question("size", limits=AnswerLimits(2)), "ö", "at least 2 characters", "öö"),
        (Question("size", limits=AnswerLimits(None, 1)), "abc", "at most 1 character", "a"),
        (
            Question("size", limits=AnswerLimits(format="email")),
            *("ann", "an e-mail address", "ann@x.y"),
        ),
        (
            Question("size", limits=AnswerLimits(format="uri")),
            *("x y", "an address such as https://example.com", "https://x.y"),
        ),
        (
            Question("size", limits=AnswerLimits(format="date")),
            *("2026-02-29", "a date such as 2026-01-31", "2024-02-29"),
        ),
        (
            Question("size", limits=AnswerLimits(format="date")),
            *("2026-13-01", "a date such as 2026-01-31", "2026-12-01"),
        ),
        (
            Question("size", limits=AnswerLimits(format="date-time")),
            *("2026-01-31", "a time such as 2026-01-31T18:00:00Z", "2026-01-31T18:00:00.5+01:00"),
        ),
        (
            Question("size", limits=AnswerLimits(format="date-time")),
            *("2026-01-31T24:00:00Z", "a time such as 2026-01-31T18:00:00Z"),
            "2026-01-31 23:59:60z",
        ),
        (Question("size", limits=AnswerLimits(format="unknown")), "", "", "anything"),
    ],
)
def test_a_wrong_answer_is_named_and_kept_until_it_is_right(
    question: Question, wrong: str, problem: str, right: str
) -> None:
    filling = Filling(question)

    if wrong:
        filling.type(wrong)
        assert f"     ✗ expected: {problem}" in filling.page["lines"]
        assert f"▸ {wrong}" in filling.text
        assert filling.page["lines"][-1] == " Submit (1 not valid)"
        assert filling.press("<C-s>").page["warning"] == f"size: expected {problem}"
        assert not filling.page["is_over"]
        assert filling.press("j").page["warning"] == ""
    assert "✗" not in filling.type(f" {right} ").text
    assert filling.press("<C-s>").page["is_over"]
    [value] = filling.form.values.values()
    assert value == (float(right) if isinstance(value, float | int) else right)


def test_the_number_of_choices_is_limited() -> None:
    tags = Question(
        *("tags", "", (Choice("A"), Choice("B")), AnswerKind.CHOICES), limits=AnswerLimits(2, 2)
    )
    filling = Filling(tags)

    assert Field(tags).hint == "2 to 2 choices"
    assert "✗ expected: at least 2 choices" in filling.press("1").text
    assert "✗ expected: at most 2 choices" in filling.press("2").type("c").text
    filling.press("1", "<C-s>")

    assert filling.form.values == {"tags": ("B", "c")}


def test_an_optional_question_may_remain_unanswered() -> None:
    color = Question("color", "", (Choice("Red", value="r"),), required=False, is_open=False)
    filling = Filling(Question("name", required=False), color).press("<Tab>", "1", "<S-Tab>")

    assert "(•) 1 Red" in filling.text
    assert "( ) 1 Red" in filling.press("1").text
    assert filling.press("<C-s>").page["is_over"]
    assert filling.form.values == {}


def test_the_last_pick_of_a_single_choice_counts() -> None:
    filling = Filling(Question("a", "", (Choice("A"), Choice("B"))), Question("b"))

    assert filling.press("1").line == "▸ type an answer…"
    filling.press("<S-Tab>", "2", "<S-Tab>", "9")
    assert "( ) 1 A" in filling.text
    filling.type("c")
    assert "( ) 2 B" in filling.text
    assert "(•)   something else: c" in filling.text
    assert "( )   something else: c" in filling.press("<S-Tab>", "1").text
    filling.type("d").type("")
    assert "( )   something else…" in filling.text


def test_a_typed_text_is_picked_and_unpicked_with_space() -> None:
    filling = Filling(Question("a", "", (Choice("A"),), AnswerKind.CHOICES)).type("x\n y")
    row = filling.page["lines"].index("   [x]   something else: x y")

    filling.page = filling.form.press(Pressed(2, "<Space>", row))
    assert filling.page["lines"][row] == "   [ ]   something else: x y"
    filling.page = filling.form.press(Pressed(3, "<Space>", row))

    filling.press("<C-s>")
    assert filling.form.values == {"a": ("x\n y",)}


def test_a_key_on_a_heading_goes_to_the_choices_and_on_the_message_to_the_first_ones() -> None:
    filling = Filling(Question("a"), Question("b", "B", (Choice("C"),)), message="m")

    assert filling.form.press(Pressed(1, "<CR>", 5))["cursor"] == 6
    assert filling.form.press(Pressed(2, "<CR>", 0))["cursor"] == 3
    assert filling.form.press(Pressed(3, "<CR>", 99))["warning"] == "not answered yet: a, B"


def test_the_tab_key_cycles_and_skips_no_question_after_a_pick() -> None:
    filling = Filling(
        Question("a", "", (Choice("A"),), is_open=False),
        Question("b", "", (Choice("B"),), is_open=False),
    )

    assert filling.press("1").line == "( ) 1 B"
    assert filling.press("<Tab>").line == "( ) 1 B"
    assert filling.press("<Tab>").line == "Submit (1 unanswered)"
    assert filling.press("<Tab>").line == "(•) 1 A"
    assert filling.press("<S-Tab>").line == "Submit (1 unanswered)"


def test_submitting_goes_to_the_first_missing_answer() -> None:
    filling = Filling(Question("a\nmore"), Question("b", "B", (Choice("C"),)))

    filling.press("<Tab>", "<Tab>", "<CR>")

    assert filling.page["warning"] == "not answered yet: a, B"
    assert filling.line == "▸ type an answer…"
    assert not filling.page["is_over"]


def test_what_is_typed_is_named_for_the_case_that_the_form_is_withdrawn() -> None:
    filling = Filling(Question("Name\nof you"), Question("Age", default=30)).type("Ann")

    assert filling.page["typed"] == "Name: Ann"
    assert filling.type("31", 1).page["typed"] == "Name: Ann\nAge: 31"


def test_odd_texts_are_shown_on_one_line_and_returned_unchanged() -> None:
    odd = Question(
        "two\n\n lines \x1b%d", "\nhe ad\n", (Choice("a\n b", "c \n\nd"), Choice("漢 🎉"))
    )
    filling = Filling(odd).press("1")

    assert filling.page["lines"][:5] == [
        *(" he ad: two", "  lines ^[%d", "   (•) 1 a b", "         c", "         d")
    ]
    filling.press("<C-s>")
    assert filling.form.values == {odd.text: "a\n b"}


def test_the_answers_have_the_types_of_their_questions() -> None:
    filling = Filling(*FIELDS).type("Ann").type("+7", 1).type("1e-1", 2)
    filling.press("<Tab>", "2", "1", "2")
    found = filling.form.values

    assert found == {**{"name": "Ann", "age": 7, "ratio": 0.1, "agree": False}, "tags": ("a", "b")}
    asked = QuestionAsked("r", "", FIELDS, SERVER, "Who?")
    assert form.summary(asked, found) == "Ann; 7; 0.1; no; A, B"
    assert form.summary(asked, {}) == "no answers"


def test_a_list_of_answers_is_a_form_of_keys() -> None:
    shown: Page = form.of_keys("Answer Claude", "Bash ls", {"y": "Yes", "n": "No"})

    assert shown["lines"] == [" Bash ls", "", "   y  Yes", "   n  No"]
    answers: list[dict[str, Any]] = [{}, {}, {"answer": "y"}, {"answer": "n"}]
    assert shown["rows"] == answers
    assert shown["cursor"] == 2
