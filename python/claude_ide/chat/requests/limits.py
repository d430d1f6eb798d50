"""Which answers a question accepts: the format and the limits of what is typed or chosen."""

import contextlib
import math
import re
from collections.abc import Callable
from datetime import date

from claude_ide.agents.events import AnswerKind, Limits, Question

NUMBERS = {AnswerKind.NUMBER: "a number", AnswerKind.INTEGER: "a whole number"}
FORMATS = {
    "email": "an e-mail address",
    "uri": "an address such as https://example.com",
    "date": "a date such as 2026-01-31",
    "date-time": "a time such as 2026-01-31T18:00:00Z",
}

_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_TIME = re.compile(
    r"([\d-]+)[Tt ](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)",
    re.ASCII,
)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


def hint(question: Question) -> str:
    """Return the answers that a question accepts; empty if that is obvious."""
    words = [_format(question), _bounds(question)]
    if question.limits.pattern:
        words.append(f"matching {question.limits.pattern}")
    return ", ".join(filter(None, words))


def problem(question: Question, text: str) -> str:
    """Return what is expected instead of a typed answer; empty if it is valid."""
    is_valid = _CHECKS.get(
        question.kind.value if question.kind in NUMBERS else question.limits.format
    )
    if is_valid is not None and not is_valid(text):
        return _format(question)
    if question.kind in NUMBERS:
        return _outside(question.limits, float(text), "")
    return _outside(question.limits, len(text), "character")


def count_problem(question: Question, count: int) -> str:
    """Return which number of choices is expected instead; empty if it is valid."""
    return _outside(question.limits, count, "choice")


def _format(question: Question) -> str:
    """Return the name of the format of a typed answer; empty if it has none."""
    return NUMBERS.get(question.kind) or FORMATS.get(question.limits.format, "")


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


def _outside(limits: Limits, size: float, unit: str) -> str:
    """Return the limit that a size exceeds, with its unit; empty if it exceeds none."""
    if limits.least is not None and size < limits.least:
        words, bound = "at least", limits.least
    elif limits.most is not None and size > limits.most:
        words, bound = "at most", limits.most
    else:
        return ""
    noun = f" {unit}{'' if bound == 1 else 's'}" if unit else ""
    return f"{words} {_plain(bound)}{noun}"


def _plain(bound: float) -> str:
    return str(int(bound) if bound == int(bound) else bound)


def _matches(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern, re.ASCII)
    return lambda text: compiled.fullmatch(text) is not None


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None and math.isfinite(float(text))


def _is_date(text: str) -> bool:
    with contextlib.suppress(ValueError):
        return _DATE.fullmatch(text) is not None and bool(date.fromisoformat(text))
    return False


def _is_time(text: str) -> bool:
    found = _TIME.fullmatch(text)
    if found is None:
        return False
    day, hour, minute, second = found.groups()
    # A leap second is the 60th.
    return _is_date(day) and hour < "24" and minute < "60" and second <= "60"


_CHECKS: dict[str, Callable[[str], bool]] = {
    "number": _is_number,
    "integer": _matches(r"[+-]?\d+"),
    "email": _matches(r"[^\s@]+@[^\s@]+"),
    "uri": _matches(r"[A-Za-z][\w+.-]*:\S+"),
    "date": _is_date,
    "date-time": _is_time,
}
"""Whether a text has a format, by its name in JSON Schema."""
