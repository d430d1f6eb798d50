"""Waits until language servers and linters have checked what a buffer has just got from its file.

The editor only reports facts (`diagnostics/texts`): who checks a buffer, and what they have
published since it got its text. Each wait has a fixed length, because some servers publish only
what differs, and some publish nothing at all.
"""

import asyncio
import math
import time
from collections.abc import Callable

from claude_ide.editor.port import Port
from claude_ide.editor.port.diagnostics import BufferCheck, CheckedText, Checker, Checks, Work

LIMIT_SECONDS = 1.5
"""Who has not answered in a wait of this length is silent, and work that goes on is slow."""

USUAL_SECONDS = 1.0
"""How long after a text a server is waited for that has answered earlier than this before."""

SILENT_SECONDS = 0.5
"""The same for a server that was silent, and has published nothing since."""

LINTER_SECONDS = 0.75
"""The same for a linter, which may not run after a write at all."""

OUTPUT_SECONDS = 0.2
"""How long after the end of a linter's process its output may still be read."""

WORK_BEGINS_SECONDS = 0.3
"""How long after a text a server begins work that has led to diagnostics before."""

WORK_ENDS_SECONDS = 0.06
"""How long after the end of such work a server may still publish what it has found."""

TRIALS = 3
"""After how many texts work is awaited that has led to no diagnostics."""

EARLY_SECONDS = 0.3
"""An earlier answer belongs to the text before, if that was not answered yet."""

IN_FLIGHT_SECONDS = 1.5
"""How long after a text its answer may still come."""

QUIET_SECONDS = 0.03
"""A server that checks several files publishes them one after another, at most this far apart."""

POLL_SECONDS = 0.015


Key = tuple[object, ...]
"""What is pending: its kind, and what it belongs to."""


class PendingAnswers:
    """Which answers are pending, and what is remembered for that from one wait to the next."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._usual: set[str] = set()
        """Servers whose last answer came within `USUAL_SECONDS`."""
        self._silent: dict[str, int] = {}
        """Those that have not answered in time, and how often they had published by then."""
        self._slow: set[Key] = set()
        """What has not ended in time: starts, work of servers, linters that run for a buffer."""
        self._useful: set[Key] = set()
        """Work that has led to diagnostics."""
        self._vain: dict[Key, set[int]] = {}
        """Other work, and the numbers of the texts after which it was done."""
        self._ran: dict[Key, float] = {}
        """When linters were last seen running for a buffer."""

    def pending(self, check: BufferCheck) -> list[Key]:
        """Return what is still to come for a buffer."""
        self._learn(check)
        found: list[Key] = [("start", each) for each in check.starting]
        for checker in check.checkers:
            found += (self._of_linter if checker.kind == "linter" else self._of_server)(
                check, checker
            )
        return [each for each in found if each not in self._slow]

    def give_up(self, check: BufferCheck) -> None:
        """Remember what has not come in time: the next wait for it is shorter, or there is none."""
        published = {each.name: each.published for each in check.checkers}
        for key in self.pending(check):
            if key[0] == "answer":
                name = str(key[1])
                self._silent[name] = published[name]
            else:
                self._slow.add(key)

    def _learn(self, check: BufferCheck) -> None:
        for checker in check.checkers:
            if self._silent.get(checker.name, checker.published) != checker.published:
                del self._silent[checker.name]
        for text in reversed(check.texts):
            for name, answer in text.answers.items():
                in_time = answer.first_ms <= USUAL_SECONDS * 1000
                (self._usual.add if in_time else self._usual.discard)(name)
            for work in text.works:
                self._learn_work(text, work, is_newest=text is check.texts[0])

    def _learn_work(self, text: CheckedText, work: Work, *, is_newest: bool) -> None:
        key, ended = _key(work), work.ended_ms
        answer = text.answers.get(work.name)
        if answer and work.began_ms <= answer.last_ms <= _published_by(work):
            self._useful.add(key)
        elif not is_newest:
            self._vain.setdefault(key, set()).add(text.number)
        if ended is not None and ended <= LIMIT_SECONDS * 1000:
            self._slow.discard(key)
        elif ended is not None or not is_newest:
            self._slow.add(key)

    def _of_server(self, check: BufferCheck, checker: Checker) -> list[Key]:
        name, age = checker.name, check.texts[0].age_ms / 1000
        is_awaited = age < self._limit(checker) and not _has_answered(check, name)
        if checker.kind == "pulled":
            # Few pulled servers publish, too.
            is_awaited = is_awaited and name in self._usual
            limit = SILENT_SECONDS if name in self._silent else math.inf
            is_awaited = is_awaited or (checker.is_busy and age < limit)
        return [*self._work(check, name), *([("answer", name)] if is_awaited else [])]

    def _limit(self, checker: Checker) -> float:
        if checker.name in self._usual:
            return USUAL_SECONDS
        if checker.name in self._silent:
            return SILENT_SECONDS if checker.reads_code else 0
        return math.inf

    def _work(self, check: BufferCheck, name: str) -> list[Key]:
        """Return work that may lead to diagnostics: in progress, just ended, or about to begin.

        Some servers check a saved file in two steps: they publish quick results first, and others
        by the end of some work.
        """
        text = check.texts[0]
        begun = {_key(work): work for work in text.works if work.name == name}
        found = [
            key
            for key, work in begun.items()
            if text.age_ms < _published_by(work)
            and (key in self._useful or len(self._vain.get(key, ())) < TRIALS)
        ]
        if text.age_ms < WORK_BEGINS_SECONDS * 1000:
            found += [key for key in self._useful if key[1] == name and key not in begun]
        return found

    def _of_linter(self, check: BufferCheck, checker: Checker) -> list[Key]:
        now, name, text = self._clock(), checker.name, check.texts[0]
        run = ("run", check.bufnr, name)
        if checker.is_busy:
            self._ran[run] = now
            return [run]
        self._slow.discard(run)
        ago = now - self._ran.get(run, -math.inf)
        if _has_answered(check, name) or name in self._silent:
            return []
        if ago < text.age_ms / 1000:
            return [run] if ago < OUTPUT_SECONDS else []
        if text.age_ms < LINTER_SECONDS * 1000:
            return [("answer", name)]
        self._silent[name] = checker.published
        return []


def _key(work: Work) -> Key:
    return ("work", work.name, work.title)


def _published_by(work: Work) -> float:
    """Return by when a server has published what its work has found, in milliseconds."""
    return math.inf if work.ended_ms is None else work.ended_ms + WORK_ENDS_SECONDS * 1000


def _has_answered(check: BufferCheck, name: str) -> bool:
    """Return whether one has published for the newest text, and not only for the text before."""
    text, *before = check.texts
    answer = text.answers.get(name)
    if answer is None:
        return False
    is_in_flight = any(
        name not in each.answers and each.age_ms - text.age_ms < IN_FLIGHT_SECONDS * 1000
        for each in before
    )
    return not is_in_flight or answer.count > 1 or answer.last_ms >= EARLY_SECONDS * 1000


class CheckWaiter:
    """Waits for the checks of buffers in an editor."""

    def __init__(self, port: Port) -> None:
        self._port = port
        self._waiting = PendingAnswers()

    def unsettled(self, checks: Checks) -> list[int]:
        """Return the buffers for which answers are pending."""
        return [each.bufnr for each in checks.buffers if self._waiting.pending(each)]

    async def wait(self, buffers: list[int], seconds: float) -> bool:
        """Wait until no answers for these buffers are pending; return False after `seconds`.

        The check of a buffer that has got no text from its file begins now.
        """
        checks = Checks()
        try:
            async with asyncio.timeout(seconds):
                while True:
                    checks = await self._port.diagnostics.follow_checks(buffers)
                    is_quiet = checks.quiet_ms >= QUIET_SECONDS * 1000
                    if is_quiet and not self.unsettled(checks):
                        return True
                    await asyncio.sleep(POLL_SECONDS)
        except TimeoutError:
            if seconds >= LIMIT_SECONDS:
                for each in checks.buffers:
                    self._waiting.give_up(each)
            return False
