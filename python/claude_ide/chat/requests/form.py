"""The form for questions, in the format of `chat/form`, and the answers in it."""

from collections.abc import Mapping, Sequence
from typing import Any

from claude_ide.agents.events import AnswerKind, Limits, Question, QuestionAsked, Value
from claude_ide.chat.requests.allowed import capitalized

YES, NO = "yes", "no"
NUMBERS = {AnswerKind.NUMBER: "a number", AnswerKind.INTEGER: "a whole number"}
FORMATS = {
    "email": "an e-mail address",
    "uri": "an address such as https://example.com",
    "date": "a date such as 2026-01-31",
    "date-time": "a time such as 2026-01-31T18:00:00Z",
}


def of(asked: QuestionAsked, name: str) -> dict[str, Any]:
    """Return the form for the questions of the agent with this name."""
    title = f"{capitalized(asked.asker or name)} asks"
    questions = [_question(question) for question in asked.questions]
    return {"title": title, "message": asked.message, "questions": questions}


def of_keys(title: str, message: str, meanings: Mapping[str, str]) -> dict[str, Any]:
    """Return the form in which one key is the answer; `meanings` are the keys' meanings."""
    choices = [{"key": key, "value": key, "label": meaning} for key, meaning in meanings.items()]
    question = {"text": message, "choices": choices, "is_open": False}
    return {"title": title, "message": message, "questions": [question], "is_instant": True}


def chosen(given: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return all that the user has chosen in a form."""
    return [value for answer in given for value in answer["chosen"]]


def values(asked: QuestionAsked, given: Sequence[Mapping[str, Any]]) -> dict[str, Value]:
    """Return the answers in a form that was submitted, by the keys of the questions."""
    found = {answer["question"]: answer["chosen"] for answer in given}
    return {
        key: _value(question.kind, found[key])
        for question in asked.questions
        if found.get(key := _key(question))
    }


def summary(asked: QuestionAsked, answers: Mapping[str, Value]) -> str:
    """Return the answers in one line."""
    shown = (
        _shown(question, answers[key])
        for question in asked.questions
        if (key := _key(question)) in answers
    )
    return "; ".join(shown) or "no answers"


def hint(question: Question) -> str:
    """Return the answers that a question accepts; empty if that is obvious."""
    words = [_format(question), _bounds(question)]
    if question.limits.pattern:
        words.append(f"matching {question.limits.pattern}")
    return ", ".join(filter(None, words))


def _format(question: Question) -> str:
    """Return the name of the format of a typed answer; empty if it has none."""
    return NUMBERS.get(question.kind) or FORMATS.get(question.limits.format, "")


def _key(question: Question) -> str:
    return question.key or question.text


def _question(question: Question) -> dict[str, Any]:
    limits = question.limits
    bounds = {"least": limits.least, "most": limits.most}
    return {
        "key": _key(question),
        "text": question.text,
        "header": question.header,
        "choices": _choices(question),
        "multiple": question.kind is AnswerKind.CHOICES,
        "is_open": question.is_open,
        "required": question.required,
        "hint": hint(question),
        "expects": _format(question),
        "input": question.kind.value if question.kind in NUMBERS else limits.format or "text",
        **{name: bound for name, bound in bounds.items() if bound is not None},
        **_default(question),
    }


def _choices(question: Question) -> list[dict[str, str]]:
    if question.kind is AnswerKind.BOOLEAN:
        return [{"label": answer, "value": answer} for answer in (YES, NO)]
    return [
        {"label": each.label, "description": each.description, "value": each.value or each.label}
        for each in question.choices
    ]


def _default(question: Question) -> dict[str, Any]:
    """Return the choices that are picked in advance, and the text that is typed in advance."""
    match question.default:
        case None:
            return {}
        case bool() as answer:
            return {"picked": [YES if answer else NO]}
        case tuple() as several:
            return {"picked": list(several)}
        case str() | int() | float() as one:
            return {"own": str(one)} if question.is_open else {"picked": [str(one)]}


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


def _bounds(question: Question) -> str:
    limits = question.limits
    range_ = _range(limits)
    if not range_ or question.kind in NUMBERS:
        return range_
    unit = "choice" if question.kind is AnswerKind.CHOICES else "character"
    last = limits.least if limits.most is None else limits.most
    return f"{range_} {unit}{'' if last == 1 else 's'}"


def _range(limits: Limits) -> str:
    least, most = (
        None if bound is None else _plain(bound) for bound in (limits.least, limits.most)
    )
    if least and most:
        return f"{least} to {most}"
    return f"at least {least}" if least else f"at most {most}" if most else ""


def _plain(bound: float) -> str:
    return str(int(bound) if bound == int(bound) else bound)
