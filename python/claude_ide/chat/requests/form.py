"""The form for an agent's questions: what the user has picked and typed so far, as a page.

The editor shows the page (`lua/claude_ide/chat/form.lua`) and returns keys.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from claude_ide.agents.events import AnswerKind, Choice, Question, QuestionAsked, Value
from claude_ide.chat.page.plain import harmless
from claude_ide.chat.page.rows import Mark, Row, row, size
from claude_ide.chat.requests import limits
from claude_ide.chat.requests.allowed import capitalized
from claude_ide.editor.port.events import FormPressed

YES, NO = "yes", "no"

QUESTION, CHOICE, PICKED = "ClaudeFormQuestion", "ClaudeFormChoice", "ClaudeFormPicked"
DESCRIPTION, ERROR, KEYS = "ClaudeFormDescription", "ClaudeFormError", "ClaudeFormKeys"

FOOTER = " <Space> pick · i type · <C-s> submit · q later · <C-c> decline · g? keys "
INSTANT_FOOTER = " <CR> or a letter answers · q later · g? keys "
INDENT = " " * 9
PICKS_ONE, PICKS_SEVERAL = ("( )", "(•)"), ("[ ]", "[x]")

Page = dict[str, Any]
"""What `chat/form.lua` shows; its annotations describe the fields."""


@dataclass(slots=True)
class Given:
    """The answer to one question: indices of choices, and what is typed instead of a choice."""

    picked: set[int] = field(default_factory=set)
    own: str = ""
    has_own: bool = False
    """Whether the typed text is picked."""

    @property
    def is_answered(self) -> bool:
        """Whether anything is picked."""
        return self.has_own or bool(self.picked)


class Item(NamedTuple):
    """What a row belongs to; neither a question nor the message is the row that submits."""

    question: int | None = None
    choice: int | None = None
    is_own: bool = False
    """Whether this is the row for the user's own text."""
    is_message: bool = False


class Form:
    """The answers to the questions of the agent with this name; it outlives its window."""

    def __init__(self, asked: QuestionAsked, name: str) -> None:
        self._asked = asked
        self._title = f"{capitalized(asked.asker or name)} asks"
        self._given = [_in_advance(question) for question in asked.questions]
        self._rows: list[Row] = []
        self._items: list[Item] = []
        self._wrong = 0
        """How many answers are not valid."""
        self._warning = ""
        self._reached: int | None = None
        """The row to which the last pick has moved the cursor."""
        self.is_submitted = False
        self._compose()
        self.cursor = self._first_row(0 if asked.questions else None)
        """The row of the cursor, from 0."""

    @property
    def values(self) -> dict[str, Value]:
        """The answers that are picked, by the keys of the questions."""
        return {
            question.key or question.text: _value(question.kind, chosen)
            for question, given in zip(self._asked.questions, self._given, strict=True)
            if (chosen := _chosen(question, given))
        }

    def page(self, number: int = 0) -> Page:
        """Return the page after the key with this number."""
        warning, self._warning = self._warning, ""
        return {
            "number": number,
            "title": self._title,
            "footer": FOOTER,
            **_drawn(self._rows),
            "rows": [self._inputs(item) for item in self._items],
            "inputs": [
                {"label": _label(question), "text": given.own}
                for question, given in zip(self._asked.questions, self._given, strict=True)
            ],
            "cursor": self.cursor,
            "typed": self._typed(),
            "warning": warning,
            "is_over": self.is_submitted,
        }

    def press(self, pressed: FormPressed) -> Page:
        """Handle a key; return the page after it."""
        self.cursor = min(pressed.row, len(self._items) - 1)
        self._handle(pressed.key, pressed)
        return self.page(pressed.number)

    def _handle(self, key: str, pressed: FormPressed) -> None:
        item = self._items[self.cursor]
        reached, self._reached = self._reached, None
        match key:
            case "typed":
                self._type(pressed.question, pressed.text.strip())
            case "<C-s>":
                self._submit()
            case "<S-Tab>":
                self._step(item, -1)
            case "<Tab>" if reached != self.cursor:
                # Otherwise the pick has moved on already.
                self._step(item, 1)
            case "<CR>" | "<Space>":
                self._press(item, is_space=key == "<Space>")
            case _ if key.isdecimal() and item.question is not None:
                if int(key) <= len(_choices(self._asked.questions[item.question])):
                    self._pick(item.question, int(key) - 1)

    def _press(self, item: Item, *, is_space: bool) -> None:
        if item.is_message:
            self.cursor = self._first_row(0)
        elif item.question is None:
            self._submit()
        elif item.choice is not None:
            self._pick(item.question, item.choice)
        elif item.is_own and is_space:
            self._pick_own(item.question, not self._given[item.question].has_own)
        else:
            self.cursor = self._first_row(item.question)

    def _pick(self, number: int, choice: int) -> None:
        """Pick a choice; a picked one is unpicked if the question allows several, or none."""
        question, given = self._asked.questions[number], self._given[number]
        if question.kind is AnswerKind.CHOICES:
            given.picked ^= {choice}
        elif not question.required and choice in given.picked:
            given.picked = set()
        else:
            given.picked, given.has_own = {choice}, False
        self._picked(number)

    def _type(self, number: int, text: str) -> None:
        self._given[number].own = text
        self._pick_own(number, bool(text))

    def _pick_own(self, number: int, has_own: bool) -> None:
        given = self._given[number]
        given.has_own = has_own
        if not has_own:
            return self._compose()
        if self._asked.questions[number].kind is not AnswerKind.CHOICES:
            given.picked = set()
        self._picked(number)

    def _picked(self, number: int) -> None:
        """Move on after a valid answer, if the question takes only one."""
        self._compose()
        question, given = self._asked.questions[number], self._given[number]
        is_several = question.kind is AnswerKind.CHOICES
        if not is_several and given.is_answered and not _problem(question, given):
            self.cursor = self._reached = self._first_row(number + 1)

    def _step(self, item: Item, direction: int) -> None:
        count = len(self._given) + 1
        number = count - 1 if item.question is None else item.question
        self.cursor = self._first_row((number + direction) % count)

    def _submit(self) -> None:
        for number, (question, given) in enumerate(
            zip(self._asked.questions, self._given, strict=True)
        ):
            if problem := _problem(question, given):
                return self._complain(number, f"{_name(question)}: expected {problem}")
        missing = self._missing()
        if missing:
            names = ", ".join(_name(self._asked.questions[number]) for number in missing)
            return self._complain(missing[0], f"not answered yet: {names}")
        self.is_submitted = True

    def _complain(self, number: int, words: str) -> None:
        self.cursor = self._first_row(number)
        self._warning = words

    def _missing(self) -> list[int]:
        """Return the numbers of the questions that need an answer and have none."""
        return [
            number
            for number, given in enumerate(self._given)
            if self._asked.questions[number].required and not given.is_answered
        ]

    def _typed(self) -> str:
        """Return the texts that the user has typed, with the questions."""
        return "\n".join(
            f"{_first_line(question)}: {given.own}"
            for question, given in zip(self._asked.questions, self._given, strict=True)
            if given.own and given.own != _in_advance(question).own
        )

    def _first_row(self, number: int | None) -> int:
        """Return the row of the first choice of a question, or else the row that submits."""
        for at, item in enumerate(self._items):
            if item.question == number and (item.choice is not None or item.is_own):
                return at
        return len(self._items) - 1

    def _inputs(self, item: Item) -> dict[str, Any]:
        """Return on which keys a row asks for a text, and for which question."""
        if item.question is None or not self._asked.questions[item.question].is_open:
            return {"keys": []}
        # On a text, `<Space>` unpicks it.
        presses = ["<CR>"] if self._given[item.question].own else ["<CR>", "<Space>"]
        return {"keys": ["i", *(presses if item.is_own else ())], "question": item.question}

    def _compose(self) -> None:
        self._rows, self._items, self._wrong = [], [], 0
        for each in _message(self._asked.message):
            self._add(each, Item(is_message=True))
        for number, question in enumerate(self._asked.questions):
            self._add_question(number, question)
        self._add(row((" ", ""), ("Submit", KEYS), (self._remaining(), "")), Item())

    def _add(self, added: Row, item: Item) -> None:
        self._rows.append(added)
        self._items.append(item)

    def _add_question(self, number: int, question: Question) -> None:
        given = self._given[number]
        for line in _heading(question):
            self._add(row((f" {line}", QUESTION)), Item(number))
        if hint := limits.hint(question):
            self._add(row((f"   {hint}", DESCRIPTION)), Item(number))
        self._add_choices(number, question, given)
        if question.is_open:
            self._add(_own_row(question, given), Item(number, is_own=True))
        if problem := _problem(question, given):
            self._wrong += 1
            self._add(row((f"     ✗ expected: {problem}", ERROR)), Item(number))
        self._add(Row(""), Item(number))

    def _add_choices(self, number: int, question: Question, given: Given) -> None:
        for index, choice in enumerate(_choices(question)):
            item = Item(number, index)
            self._add(_choice_row(question, flat(choice.label), index in given.picked, index), item)
            for line in _lines(choice.description):
                self._add(row((f"{INDENT}{line}", DESCRIPTION)), item)

    def _remaining(self) -> str:
        missing = len(self._missing())
        notes = [f"{missing} unanswered"] * bool(missing)
        notes += [f"{self._wrong} not valid"] * bool(self._wrong)
        return f" ({', '.join(notes)})" if notes else ""


def of_keys(title: str, message: str, meanings: Mapping[str, str]) -> Page:
    """Return the page of a form in which one key is the answer, with the meaning of each key."""
    rows = _message(message)
    answers: list[dict[str, str]] = [{} for _ in rows]
    for key, meaning in meanings.items():
        rows.append(row(("   ", ""), (key, KEYS), (f"  {flat(meaning)}", "")))
        answers.append({"answer": key})
    return {
        "number": 0,
        "title": title,
        "footer": INSTANT_FOOTER,
        **_drawn(rows),
        "rows": answers,
        "answers": [{"key": key, "desc": meaning} for key, meaning in meanings.items()],
        "cursor": len(rows) - len(meanings),
        "typed": "",
    }


def summary(asked: QuestionAsked, answers: Mapping[str, Value]) -> str:
    """Return the answers in one line."""
    shown = (
        _shown(question, answers[key])
        for question in asked.questions
        if (key := question.key or question.text) in answers
    )
    return "; ".join(shown) or "no answers"


def flat(text: str) -> str:
    """Return a text as one harmless line; each run of white space becomes a blank."""
    return harmless(re.sub(r"\s+", " ", text))


def _drawn(rows: Sequence[Row]) -> dict[str, Any]:
    marks = [(number, *mark) for number, each in enumerate(rows) for mark in each.marks]
    return {"lines": [each.text for each in rows], "marks": marks}


def _lines(text: str) -> list[str]:
    """Return the lines of a text that are not blank."""
    return [line for line in re.split(r"\s*\n", text.strip()) if line]


def _message(text: str) -> list[Row]:
    """Return the rows of a message, and a blank one below it."""
    rows = [row((f" {line}", CHOICE)) for line in _lines(text)]
    return [*rows, Row("")] if rows else []


def _heading(question: Question) -> list[str]:
    header = flat((_lines(question.header) or [""])[0])
    lines = _lines(question.text) or [""]
    lines[0] = f"{header}: {lines[0]}" if header else lines[0]
    notes = ["any number"] * (question.kind is AnswerKind.CHOICES)
    notes += ["optional"] * (not question.required)
    lines[-1] += f" ({', '.join(notes)})" if notes else ""
    return lines


def _choice_row(question: Question, label: str, is_picked: bool, index: int | None) -> Row:
    signs = PICKS_SEVERAL if question.kind is AnswerKind.CHOICES else PICKS_ONE
    before = f"   {signs[is_picked]} "
    digit = "  " if index is None or index > 8 else f"{index + 1} "
    shown = row((f"{before}{digit}{label}", PICKED if is_picked else CHOICE))
    if index is None:
        return shown
    return shown._replace(marks=(*shown.marks, Mark(size(before), size(before) + 1, KEYS)))


def _own_row(question: Question, given: Given) -> Row:
    """Return the row for the user's own text."""
    own = flat(given.own)
    if _choices(question):
        own = f"something else: {own}" if own else "something else…"
        return _choice_row(question, own, given.has_own, None)
    return row((f"   ▸ {own or 'type an answer…'}", PICKED if given.has_own else CHOICE))


def _choices(question: Question) -> Sequence[Choice]:
    if question.kind is AnswerKind.BOOLEAN:
        return (Choice(YES), Choice(NO))
    return question.choices


def _in_advance(question: Question) -> Given:
    """Return what is picked and typed before the user has changed anything."""
    match question.default:
        case None:
            picked: Sequence[str] = ()
        case bool() as answer:
            picked = (YES if answer else NO,)
        case tuple() as several:
            picked = several
        case one if question.is_open:
            return Given(own=str(one), has_own=True)
        case one:
            picked = (str(one),)
    choices = enumerate(_choices(question))
    return Given({index for index, each in choices if (each.value or each.label) in picked})


def _problem(question: Question, given: Given) -> str:
    """Return what is expected instead of an answer; empty if it is valid, or if there is none."""
    if question.kind is AnswerKind.CHOICES:
        count = len(given.picked) + given.has_own
        return limits.count_problem(question, count) if count else ""
    return limits.problem(question, given.own) if given.has_own else ""


def _chosen(question: Question, given: Given) -> list[str]:
    """Return the values of what is picked, and the text that is typed."""
    choices = enumerate(_choices(question))
    values = [each.value or each.label for index, each in choices if index in given.picked]
    return [*values, *([given.own] if given.has_own else ())]


def _name(question: Question) -> str:
    return question.header or _first_line(question)


def _first_line(question: Question) -> str:
    return question.text.partition("\n")[0]


def _label(question: Question) -> str:
    """Return the words before the text that the user types."""
    return f"{'Something else' if _choices(question) else _name(question)}: "


def _value(kind: AnswerKind, chosen: Sequence[str]) -> Value:
    match kind:
        case AnswerKind.CHOICES:
            return tuple(chosen)
        case AnswerKind.BOOLEAN:
            return chosen[0] == YES
        case AnswerKind.INTEGER:
            return int(chosen[0])
        case AnswerKind.NUMBER:
            return float(chosen[0])
        case _:
            return chosen[0]


def _shown(question: Question, value: Value) -> str:
    labels = {choice.value: choice.label for choice in question.choices if choice.value}
    match value:
        case bool():
            return YES if value else NO
        case tuple():
            return ", ".join(labels.get(each, each) for each in value)
        case str():
            return labels.get(value, value)
        case _:
            return str(value)
