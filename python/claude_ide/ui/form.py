"""An agent's questions: their rows in the transcript, and their form with the answers so far.

The editor shows the form's page (`lua/claude_ide/chat/form.lua`) and returns keys.
"""

import math
import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from claude_ide.agents.requests import AnswerKind, Choice, Question, QuestionAsked, Value
from claude_ide.editor.port.events import FormPressed
from claude_ide.ui.page import META, REQUEST, Mark, Row, drawn, key_row, row, size
from claude_ide.ui.permission import capitalized
from claude_ide.ui.text import harmless, lines, one_line, visible

YES, NO = "yes", "no"

QUESTION, CHOICE, PICKED = "ClaudeFormQuestion", "ClaudeFormChoice", "ClaudeFormPicked"
DESCRIPTION, ERROR, KEYS = "ClaudeFormDescription", "ClaudeFormError", "ClaudeFormKeys"

FOOTER = " <Space> pick · i type · <C-s> submit · q later · <C-c> decline · g? keys "
INSTANT_FOOTER = " <CR> or a letter answers · q later · g? keys "
INDENT = " " * 9
PICKS_ONE, PICKS_SEVERAL = ("( )", "(•)"), ("[ ]", "[x]")

NUMBERS = (AnswerKind.NUMBER, AnswerKind.INTEGER)
DATE = r"\d{4}-\d\d-\d\d"
FORMATS = {
    "number": ("a number", r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"),
    "integer": ("a whole number", r"[+-]?\d+"),
    "email": ("an e-mail address", r"[^\s@]+@[^\s@]+"),
    "uri": ("an address such as https://example.com", r"[A-Za-z][\w+.-]*:\S+"),
    "date": ("a date such as 2026-01-31", DATE),
    "date-time": (
        "a time such as 2026-01-31T18:00:00Z",
        # A leap second is the 60th.
        DATE + r"[Tt ](?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)",
    ),
}
"""Formats of a typed answer, by their names in JSON Schema: in words, and as a pattern."""

Page = dict[str, Any]
"""What `chat/form.lua` shows; its annotations describe the fields."""


def _key(name: str, desc: str, *typed: str, key: str = "", shown: str = "") -> Page:
    """Return a key of a form, what it is for the host, and what the help shows of it."""
    key = key or typed[0]
    return {"name": name, "desc": desc, "typed": typed, "key": key, "shown": shown or key}


FORM_KEYS = (
    _key("press", "Pick, type or submit", "<CR>", "<2-LeftMouse>"),
    _key("pick", "Pick or unpick", "<Space>"),
    _key("type", "Type an answer", *"iaIAoO"),
    _key("next", "Next question", "<Tab>"),
    _key("previous", "Previous question", "<S-Tab>"),
    _key("submit", "Submit", "<C-s>"),
    _key("choice-1", "Pick this choice", "1", shown="1 … 9"),
    *(_key(f"choice-{n}", "Pick this choice", str(n), shown=" ") for n in range(2, 10)),
    _key("later", "Answer later", "q", "<Esc>", key="later", shown="q <Esc>"),
    _key("decline", "Decline to answer", "<C-c>", key="decline", shown="<C-c>"),
)


class FormRow(NamedTuple):
    """What a row belongs to; neither a question nor the message is the row that submits."""

    question: int | None = None
    choice: int | None = None
    is_own: bool = False
    """Whether this is the row for the user's own text."""
    is_message: bool = False


class Field:
    """A question, and its answer so far: indices of choices, and what is typed instead of one."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.is_several = question.kind is AnswerKind.CHOICES
        self.choices: Sequence[Choice] = question.choices
        if question.kind is AnswerKind.BOOLEAN:
            self.choices = Choice(YES), Choice(NO)
        self.text, _, _ = question.text.partition("\n")
        self.name = question.header or self.text
        self.picked: set[int] = set()
        self.own = self._own_in_advance = ""
        self.has_own = False
        """Whether the typed text is picked."""
        self._fill_in(question.default)

    def _fill_in(self, default: Value | None) -> None:
        """Pick or type the answer that the agent proposes."""
        if isinstance(default, bool):
            default = YES if default else NO
        elif default is not None and not isinstance(default, tuple) and self.question.is_open:
            self.own = self._own_in_advance = str(default)
            self.has_own = True
            return
        values = default if isinstance(default, tuple) else (str(default),)
        self.picked = {
            index
            for index, each in enumerate(self.choices)
            if default is not None and (each.value or each.label) in values
        }

    @property
    def is_answered(self) -> bool:
        """Whether anything is picked."""
        return self.has_own or bool(self.picked)

    @property
    def is_missing(self) -> bool:
        """Whether it needs an answer and has none."""
        return self.question.required and not self.is_answered

    @property
    def typed(self) -> str:
        """What the user has typed, with the question; empty if that is nothing."""
        return f"{self.text}: {self.own}" if self.own not in ("", self._own_in_advance) else ""

    @property
    def value(self) -> Value | None:
        """The answer; None if there is none."""
        found = [
            each.value or each.label for n, each in enumerate(self.choices) if n in self.picked
        ]
        found += [self.own] if self.has_own else []
        if not found:
            return None
        match self.question.kind:
            case AnswerKind.CHOICES:
                return tuple(found)
            case AnswerKind.BOOLEAN:
                return found[0] == YES
            case AnswerKind.INTEGER:
                return int(found[0])
            case AnswerKind.NUMBER:
                return float(found[0])
            case _:
                return found[0]

    def pick(self, choice: int) -> None:
        """Pick a choice; a picked one is unpicked if the question allows several, or none."""
        if self.is_several:
            self.picked ^= {choice}
        elif not self.question.required and choice in self.picked:
            self.picked = set()
        else:
            self.picked, self.has_own = {choice}, False

    def pick_own(self, has_own: bool) -> None:
        """Pick the typed text, or not."""
        self.has_own = has_own
        if has_own and not self.is_several:
            self.picked = set()

    @property
    def problem(self) -> str:
        """What is expected instead of the answer; empty if it is valid, or if there is none."""
        if self.is_several:
            count = len(self.picked) + self.has_own
            return self._outside(count, "choice") if count else ""
        if not self.has_own:
            return ""
        is_number = self.question.kind in NUMBERS
        if not _conforms(self.own, self._format):
            return FORMATS[self._format][0]
        return self._outside(float(self.own) if is_number else len(self.own), self._unit)

    @property
    def _format(self) -> str:
        is_number = self.question.kind in NUMBERS
        return self.question.kind.value if is_number else self.question.limits.format

    @property
    def _unit(self) -> str:
        """What the limits count; empty if they limit a number."""
        if self.question.kind in NUMBERS:
            return ""
        return "choice" if self.is_several else "character"

    @property
    def hint(self) -> str:
        """The answers that the question accepts; empty if that is obvious."""
        limits = self.question.limits
        least, most = _plain(limits.least), _plain(limits.most)
        bounds = f"{least} to {most}" if least and most else ""
        if not bounds and (least or most):
            bounds = f"at least {least}" if least else f"at most {most}"
        if bounds and self._unit:
            bounds += f" {self._unit}{'' if (most or least) == '1' else 's'}"
        words, _ = FORMATS.get(self._format, ("", ""))
        pattern = f"matching {limits.pattern}" if limits.pattern else ""
        return ", ".join(filter(None, (words, bounds, pattern)))

    def _outside(self, found: float, unit: str) -> str:
        """Return the limit that a size exceeds, with its unit; empty if it exceeds none."""
        least, most = self.question.limits.least, self.question.limits.most
        if least is not None and found < least:
            words, bound = "at least", least
        elif most is not None and found > most:
            words, bound = "at most", most
        else:
            return ""
        return f"{words} {_plain(bound)}" + (f" {unit}{'' if bound == 1 else 's'}" if unit else "")

    # Rows.

    def rows(self, number: int) -> list[tuple[Row, FormRow]]:
        """Return the rows of this question, which has a number."""
        here = FormRow(number)
        found = [(row((f" {line}", QUESTION)), here) for line in self._heading()]
        if hint := self.hint:
            found.append((row((f"   {hint}", DESCRIPTION)), here))
        for index, choice in enumerate(self.choices):
            item = FormRow(number, index)
            found.append((self._choice_row(flat(choice.label), index in self.picked, index), item))
            for line in _lines(choice.description):
                found.append((row((f"{INDENT}{line}", DESCRIPTION)), item))
        if self.question.is_open:
            found.append((self._own_row(), FormRow(number, is_own=True)))
        if problem := self.problem:
            found.append((row((f"     ✗ expected: {problem}", ERROR)), here))
        return [*found, (Row(""), here)]

    def _heading(self) -> list[str]:
        header = flat((_lines(self.question.header) or [""])[0])
        lines = _lines(self.question.text) or [""]
        lines[0] = f"{header}: {lines[0]}" if header else lines[0]
        notes = ["any number"] * self.is_several + ["optional"] * (not self.question.required)
        lines[-1] += f" ({', '.join(notes)})" if notes else ""
        return lines

    def _choice_row(self, label: str, is_picked: bool, index: int | None = None) -> Row:
        before = f"   {(PICKS_SEVERAL if self.is_several else PICKS_ONE)[is_picked]} "
        digit = "  " if index is None or index > 8 else f"{index + 1} "
        shown = row((f"{before}{digit}{label}", PICKED if is_picked else CHOICE))
        if index is None:
            return shown
        return shown._replace(marks=(*shown.marks, Mark(size(before), size(before) + 1, KEYS)))

    def _own_row(self) -> Row:
        """Return the row for the user's own text."""
        own = flat(self.own)
        if self.choices:
            own = f"something else: {own}" if own else "something else…"
            return self._choice_row(own, self.has_own)
        return row((f"   ▸ {own or 'type an answer…'}", PICKED if self.has_own else CHOICE))

    def keys(self, item: FormRow) -> list[str]:
        """Return the keys on which one of its rows asks for a text."""
        if not self.question.is_open:
            return []
        # On a text, `<Space>` unpicks it.
        presses = ["<CR>"] if self.own else ["<CR>", "<Space>"]
        return ["i", *(presses if item.is_own else ())]


class Form:
    """The answers to the questions of the agent with this name; it outlives its window."""

    def __init__(self, asked: QuestionAsked, name: str) -> None:
        self._asked = asked
        self._title = f"{capitalized(asked.asker or name)} asks"
        self._fields = [Field(question) for question in asked.questions]
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
        found = {each.question.key or each.question.text: each.value for each in self._fields}
        return {key: value for key, value in found.items() if value is not None}

    def page(self, number: int = 0) -> Page:
        """Return the page after the key with this number."""
        warning, self._warning = self._warning, ""
        return {
            "number": number,
            "title": self._title,
            "footer": FOOTER,
            "keys": FORM_KEYS,
            **drawn([shown for shown, _ in self._rows]),
            "rows": [self._inputs(item) for _, item in self._rows],
            "inputs": [
                {"label": f"{'Something else' if each.choices else each.name}: ", "text": each.own}
                for each in self._fields
            ],
            "cursor": self.cursor,
            "typed": "\n".join(each.typed for each in self._fields if each.typed),
            "warning": warning,
            "is_over": self.is_submitted,
        }

    def press(self, pressed: FormPressed) -> Page:
        """Handle a key; return the page after it."""
        self.cursor = min(pressed.row, len(self._rows) - 1)
        self._handle(pressed.key, pressed)
        return self.page(pressed.number)

    def _handle(self, key: str, pressed: FormPressed) -> None:
        _, item = self._rows[self.cursor]
        reached, self._reached = self._reached, None
        match key:
            case "typed":
                own = self._fields[pressed.question].own = pressed.text.strip()
                self._pick_own(pressed.question, bool(own))
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
                if int(key) <= len(self._fields[item.question].choices):
                    self._pick(item.question, int(key) - 1)

    def _press(self, item: FormRow, *, is_space: bool) -> None:
        if item.is_message:
            self.cursor = self._first_row(0)
        elif item.question is None:
            self._submit()
        elif item.choice is not None:
            self._pick(item.question, item.choice)
        elif item.is_own and is_space:
            self._pick_own(item.question, not self._fields[item.question].has_own)
        else:
            self.cursor = self._first_row(item.question)

    def _pick(self, number: int, choice: int) -> None:
        self._fields[number].pick(choice)
        self._move_on(number)

    def _pick_own(self, number: int, has_own: bool) -> None:
        self._fields[number].pick_own(has_own)
        if has_own:
            self._move_on(number)
        else:
            self._compose()

    def _move_on(self, number: int) -> None:
        """Move on after a valid answer, if the question takes only one."""
        self._compose()
        answered = self._fields[number]
        if not answered.is_several and answered.is_answered and not answered.problem:
            self.cursor = self._reached = self._first_row(number + 1)

    def _step(self, item: FormRow, direction: int) -> None:
        count = len(self._fields) + 1
        number = count - 1 if item.question is None else item.question
        self.cursor = self._first_row((number + direction) % count)

    def _submit(self) -> None:
        for number, each in enumerate(self._fields):
            if problem := each.problem:
                return self._complain(number, f"{each.name}: expected {problem}")
        missing = [number for number, each in enumerate(self._fields) if each.is_missing]
        if missing:
            names = ", ".join(self._fields[number].name for number in missing)
            return self._complain(missing[0], f"not answered yet: {names}")
        self.is_submitted = True

    def _complain(self, number: int, words: str) -> None:
        self.cursor = self._first_row(number)
        self._warning = words

    def _first_row(self, number: int | None) -> int:
        """Return the row of the first choice of a question, or else the row that submits."""
        for at, (_, item) in enumerate(self._rows):
            if item.question == number and (item.choice is not None or item.is_own):
                return at
        return len(self._rows) - 1

    def _inputs(self, item: FormRow) -> dict[str, Any]:
        """Return on which keys a row asks for a text, and for which question."""
        keys = [] if item.question is None else self._fields[item.question].keys(item)
        return {"keys": keys, "question": item.question} if keys else {"keys": []}

    def _compose(self) -> None:
        """Compose the rows, each with what it belongs to."""
        missing = sum(each.is_missing for each in self._fields)
        wrong = sum(bool(each.problem) for each in self._fields)
        notes = [f"{missing} unanswered"] * bool(missing) + [f"{wrong} not valid"] * bool(wrong)
        remaining = f" ({', '.join(notes)})" if notes else ""
        self._rows: list[tuple[Row, FormRow]] = [
            *((each, FormRow(is_message=True)) for each in _message(self._asked.message)),
            *(found for number, each in enumerate(self._fields) for found in each.rows(number)),
            (row((" ", ""), ("Submit", KEYS), (remaining, "")), FormRow()),
        ]


def of_keys(title: str, message: str, meanings: Mapping[str, str]) -> Page:
    """Return the page of a form in which one key is the answer, with the meaning of each key."""
    above, numbered = _message(message), enumerate(meanings.items(), 1)
    below = [
        row(("   ", ""), (key, KEYS), (f"  {flat(meaning)}", ""))
        for key, meaning in meanings.items()
    ]
    return {
        "number": 0,
        "title": title,
        "footer": INSTANT_FOOTER,
        **drawn([*above, *below]),
        "rows": [*({} for _ in above), *({"answer": key} for key in meanings)],
        "keys": [
            _key("press", "Answer with this line", "<CR>", "<2-LeftMouse>"),
            *(_key(f"choice-{n}", what, key, str(n)) for n, (key, what) in numbered),
            _key(
                "later", "Answer later", "q", "<Esc>", "<C-c>", key="later", shown="q <Esc> <C-c>"
            ),
        ],
        "is_instant": True,
        "cursor": len(above),
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


def _lines(text: str) -> list[str]:
    """Return the lines of a text that are not blank."""
    return [line for line in re.split(r"\s*\n", text.strip()) if line]


def _message(text: str) -> list[Row]:
    """Return the rows of a message, and a blank one below it."""
    rows = [row((f" {line}", CHOICE)) for line in _lines(text)]
    return [*rows, Row("")] if rows else []


def _conforms(text: str, format_: str) -> bool:
    """Return whether a typed answer has a format; any text has an unknown one."""
    _, pattern = FORMATS.get(format_, ("", ".*"))
    if not re.fullmatch(pattern, text, re.ASCII | re.DOTALL):
        return False
    try:
        if format_.startswith("date"):
            date.fromisoformat(text[:10])
        return format_ != "number" or math.isfinite(float(text))
    except ValueError:  # the 30th of February
        return False


def _plain(bound: float | None) -> str:
    return "" if bound is None else str(int(bound) if bound == int(bound) else bound)


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


# In the transcript.

MOST_FIELDS = 40
"""The most rows of a message or of a list of choices; the form has all."""

LONGEST_CHOICES = 60


def questions_label(asked: QuestionAsked) -> str:
    """Return the questions in one line."""
    first = asked.questions[0].text if asked.questions else ""
    return one_line(asked.message or first)


def questions_rows(asked: QuestionAsked, name: str) -> list[Row]:
    """Return the questions of the agent with this name, and one line for each way to answer."""
    if asked.asker:
        return [*_message_rows(asked, asked.asker), *_questions_keys("decline", "cancel")]
    if asked.message:
        return [*_message_rows(asked, name), *_questions_keys("skip", "no, because…")]
    shown = [found for question in asked.questions for found in _question(question)]
    return [*shown, *_questions_keys("skip", "no, because…")]


def _questions_keys(no: str, other_no: str) -> list[Row]:
    return [key_row("<CR>", "answer"), key_row("n", no), key_row("N", other_no)]


def _question(question: Question) -> list[Row]:
    first, *rest = lines(question.text) or [""]
    header = f"{harmless(question.header)}: " if question.header else ""
    found = [row((f"? {header}{first}", REQUEST)), *(row((f"  {line}", REQUEST)) for line in rest)]
    sign = "☐" if question.kind is AnswerKind.CHOICES else "·"
    for choice in question.choices:
        name = (f"  {sign} {one_line(choice.label)}", "")
        description = f" — {one_line(choice.description)}" if choice.description else ""
        found.append(row(name, (description, META)))
    return found


def _message_rows(asked: QuestionAsked, asker: str) -> list[Row]:
    """Return the message and the fields of a form."""
    head = row((f"? {capitalized(visible(asker))} asks:", REQUEST))
    message = [row((f"  {line}", REQUEST)) for line in lines(asked.message)]
    fields = [_field(question) for question in asked.questions]
    return [head, *message[:MOST_FIELDS], *fields[:MOST_FIELDS]]


def _field(question: Question) -> Row:
    title, _, description = question.text.partition("\n")
    note = f" — {one_line(description)}" if description else ""
    choices = " / ".join(one_line(choice.label) for choice in question.choices)
    offered = f": {one_line(choices, LONGEST_CHOICES)}" if choices else ""
    optional = "" if question.required else " (optional)"
    return row((f"  · {one_line(title)}", ""), (f"{offered}{note}{optional}", META))
