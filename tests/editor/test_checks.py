"""`editor/checks.py`: which answers are waited for after a text, and how long."""

from typing import Any

import msgspec
import pytest

from claude_ide.editor.checks import CheckWaiter, PendingAnswers
from claude_ide.editor.port.diagnostics import (
    BufferCheck,
    CheckedText,
    Checker,
    Checks,
    Publication,
    Work,
)
from support.pocket import pocket_port

SERVER = Checker("server", published=1)
PULLED = Checker("server", "pulled", is_busy=True)
ASSISTANT = Checker("server")
READER = Checker("server", reads_code=True)
LINTER = Checker("linter", "linter")
RUNNING = Checker("linter", "linter", is_busy=True)


def answered(first: float, last: float = 0, count: int = 1, name: str = "server") -> Any:
    return {name: Publication(first, last or first, count)}


def check(
    age: float,
    *checkers: Checker,
    answers: Any = None,
    works: Any = (),
    before: Any = (),
    **more: Any,
) -> BufferCheck:
    """Return the check of a text that came `age` milliseconds ago; `before` are earlier texts."""
    number = more.pop("number", 2)
    text = CheckedText(number, age, answers or {}, [*works])
    return BufferCheck(1, [text, *before], [*checkers], **more)


def pending(waiting: PendingAnswers, *arguments: Any, **more: Any) -> bool:
    return bool(waiting.pending(check(*arguments, **more)))


def is_awaited_after(waiting: PendingAnswers, checker: Checker, *ages: float) -> list[bool]:
    """Return whether a checker that is silent is awaited at these times."""
    return [pending(waiting, age, checker) for age in ages]


# Servers that publish.


@pytest.mark.parametrize("age", [0, 5_000])
def test_a_server_is_awaited_until_it_has_published(age: float) -> None:
    waiting = PendingAnswers()

    assert pending(waiting, age, SERVER)
    assert not pending(waiting, age + 10, SERVER, answers=answered(age + 5))


def test_nothing_is_awaited_without_a_checker() -> None:
    assert not pending(PendingAnswers(), 0)


def test_a_server_that_has_answered_in_time_gets_its_usual_time() -> None:
    waiting = PendingAnswers()
    waiting.pending(check(50, SERVER, answers=answered(40)))

    assert is_awaited_after(waiting, SERVER, 900, 1_100) == [True, False]


def test_a_server_whose_last_answer_was_late_gets_all_the_time() -> None:
    waiting = PendingAnswers()
    waiting.pending(check(50, SERVER, answers=answered(40)))
    late = CheckedText(1, 9_000, answered(1_200))

    assert pending(waiting, 1_400, SERVER, before=[late])


@pytest.mark.parametrize(
    ("checker", "awaited"),
    [(ASSISTANT, [False, False]), (READER, [True, False]), (PULLED, [True, False])],
)
def test_a_server_that_has_been_silent_gets_less_time(
    checker: Checker, awaited: list[bool]
) -> None:
    waiting = PendingAnswers()
    waiting.give_up(check(1_500, checker))

    assert is_awaited_after(waiting, checker, 400, 600) == awaited


def test_a_server_that_has_published_since_is_awaited_again() -> None:
    waiting = PendingAnswers()
    waiting.give_up(check(1_500, ASSISTANT))

    assert pending(waiting, 1_000, Checker("server", published=1))


# Answers to the text before.

BEFORE = CheckedText(1, 1_100)
"""A text that came 1.1 s ago, and has not been answered."""


@pytest.mark.parametrize(
    ("answer", "is_awaited"),
    [(answered(100), True), (answered(100, 200, 2), False), (answered(350), False)],
    ids=["early", "both", "late"],
)
def test_an_early_answer_belongs_to_a_text_that_is_not_answered_yet(
    answer: Any, is_awaited: bool
) -> None:
    waiting = PendingAnswers()

    assert pending(waiting, 800, SERVER, answers=answer, before=[BEFORE]) is is_awaited


@pytest.mark.parametrize(
    "before",
    [CheckedText(1, 700, answered(20)), CheckedText(1, 9_000)],
    ids=["answered", "long ago"],
)
def test_otherwise_an_early_answer_is_one_to_the_new_text(before: CheckedText) -> None:
    assert not pending(PendingAnswers(), 400, SERVER, answers=answered(10), before=[before])


# Servers that are pulled, and those that start.


def test_a_pulled_server_is_awaited_until_it_has_answered_even_if_nothing_has_changed() -> None:
    waiting = PendingAnswers()

    assert pending(waiting, 5_000, PULLED)
    assert not pending(waiting, 5_000, Checker("server", "pulled"))


def test_a_pulled_server_that_also_publishes_is_awaited_for_both() -> None:
    waiting = PendingAnswers()
    idle = Checker("server", "pulled")
    waiting.pending(check(50, idle, answers=answered(40)))

    assert is_awaited_after(waiting, idle, 900, 1_100) == [True, False]


def test_a_server_that_does_not_start_in_time_is_awaited_once() -> None:
    waiting = PendingAnswers()
    assert pending(waiting, 0, starting=[3])

    waiting.give_up(check(1_500, starting=[3]))

    assert not pending(waiting, 0, starting=[3])
    assert pending(waiting, 0, starting=[4])


# Work.


def work(began: float, ended: float | None = None, title: str = "check") -> list[Work]:
    return [Work("server", title, began, ended)]


def with_work(waiting: PendingAnswers, age: float, works: list[Work], **more: Any) -> bool:
    """Return whether work is awaited of a server that has published immediately."""
    return pending(
        waiting, age, SERVER, answers=more.pop("answers", answered(5)), works=works, **more
    )


def test_work_is_awaited_until_its_results_are_published() -> None:
    waiting = PendingAnswers()

    assert with_work(waiting, 400, work(50))
    assert with_work(waiting, 440, work(50, 400))
    assert not with_work(waiting, 470, work(50, 400))


def test_work_that_has_led_to_diagnostics_is_awaited_before_it_begins() -> None:
    waiting = PendingAnswers()
    waiting.pending(check(500, SERVER, answers=answered(5, 410, 2), works=work(50, 400)))

    assert with_work(waiting, 200, [])
    assert not with_work(waiting, 310, [])


def test_work_that_never_leads_to_diagnostics_is_soon_no_longer_awaited() -> None:
    waiting, texts = PendingAnswers(), list[CheckedText]()
    awaited = list[bool]()
    for number in range(5):
        awaited.append(with_work(waiting, 100, work(50), number=number, before=texts))
        texts = [CheckedText(number, 9_000, answered(5), work(50, 400))]

    assert awaited == [True, True, True, False, False]


def test_work_that_does_not_end_in_time_is_awaited_only_once() -> None:
    waiting = PendingAnswers()
    waiting.give_up(check(1_500, SERVER, answers=answered(5), works=work(50)))

    assert not with_work(waiting, 100, work(50))


@pytest.mark.parametrize(("ended", "is_awaited"), [(1_200, True), (1_700, False), (None, False)])
def test_work_is_awaited_again_once_it_has_ended_in_time(
    ended: float | None, is_awaited: bool
) -> None:
    waiting = PendingAnswers()
    waiting.give_up(check(1_500, SERVER, answers=answered(5), works=work(50)))
    before = CheckedText(1, 9_000, answered(5), work(50, ended))

    assert with_work(waiting, 100, work(50), before=[before]) is is_awaited


# Linters.


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_linter_is_awaited_while_it_runs_and_until_its_output_is_read() -> None:
    clock = Clock()
    waiting = PendingAnswers(clock)
    assert pending(waiting, 5_000, RUNNING)

    clock.now += 0.1
    assert pending(waiting, 5_100, LINTER)
    assert not pending(waiting, 5_100, LINTER, answers=answered(5_050, name="linter"))

    clock.now += 0.2
    assert not pending(waiting, 5_300, LINTER)


def test_a_linter_that_does_not_end_in_time_is_awaited_once_for_each_buffer() -> None:
    waiting = PendingAnswers()
    waiting.give_up(check(1_500, RUNNING))
    assert not pending(waiting, 0, RUNNING)

    other = BufferCheck(2, [CheckedText(3, 0)], [RUNNING])
    assert waiting.pending(other)
    waiting.pending(check(0, LINTER))
    assert pending(waiting, 0, RUNNING)


def test_a_linter_that_has_published_before_is_awaited_for_a_while() -> None:
    assert is_awaited_after(PendingAnswers(), LINTER, 700, 800) == [True, False]


def test_a_linter_that_does_not_run_is_awaited_once() -> None:
    waiting = PendingAnswers()
    is_awaited_after(waiting, LINTER, 800)

    assert not pending(waiting, 0, LINTER)
    assert pending(waiting, 0, Checker("linter", "linter", published=1))


# The wait.


class Editor:
    """An editor whose checks the test sets."""

    def __init__(self, *checks: Checks) -> None:
        self._checks = [*checks]
        self.port = pocket_port(self.call)

    async def call(self, function: str, buffers: list[int]) -> Any:
        assert (function, buffers) == ("diagnostics.texts.follow", [1])
        first, *rest = self._checks
        self._checks = rest or [first]
        return msgspec.to_builtins(first)


def checks(*found: BufferCheck, quiet: float = 1_000) -> Checks:
    return Checks([*found], quiet)


async def test_a_wait_ends_when_nothing_is_pending_and_nothing_is_published_any_more() -> None:
    answers = answered(5)
    editor = Editor(
        checks(check(0, SERVER)),
        checks(check(10, SERVER, answers=answers), quiet=10),
        checks(check(40, SERVER, answers=answers), quiet=40),
    )

    assert await CheckWaiter(editor.port).wait([1], 60)


async def test_only_a_long_wait_makes_the_next_one_shorter() -> None:
    published = CheckWaiter(Editor(checks(check(0, ASSISTANT))).port)

    assert not await published.wait([1], 0.05)
    assert published.unsettled(checks(check(0, ASSISTANT))) == [1]

    assert not await published.wait([1], 1.5)
    assert published.unsettled(checks(check(0, ASSISTANT))) == []
