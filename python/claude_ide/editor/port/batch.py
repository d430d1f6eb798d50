"""Several calls of the port in one instant of the editor, if what they rely on still holds.

The host looks, decides, and then changes something; in between the user may type. A batch makes the
change only if the facts of its guard hold at that instant; else nothing is done, and the host
decides again (`retry`):

    async def attempt() -> Closed:
        found = await port.buffers.find(path)
        ...
        guard = Guard(Gate.HARMLESS, (tick(found.bufnr, found.tick), stamp(path, found.stamp)))
        first, second = await port.batch((step(Noun.prepare, path), step(Noun.change, path)), guard)

    await retry(attempt)

The gate comes first: while it is shut the batch waits in the editor. Then all facts are checked,
and the steps run in their order. A step that fails ends the batch, and nothing is undone: those
that may fail come first.
"""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from enum import StrEnum
from typing import Any, Concatenate, Generic, Literal, ParamSpec, Protocol, TypeVar

import msgspec

from claude_ide.base.errors import EditorError
from claude_ide.editor.port.binding import ATTRIBUTE, Binding, CallKind, Payload, operation

MOST_TRIES = 20
"""A user who types changes a text often, but not each time within a round trip."""

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Second = TypeVar("Second")
Result_co = TypeVar("Result_co", covariant=True)


class Gate(StrEnum):
    """When a batch may run: `timing/moment` says what each one waits for."""

    CHANGEABLE = "changeable"
    """Replaces texts of the buffers that the facts name: the user is not typing in one of them."""
    HARMLESS = "harmless"
    """Changes windows that the user is not in."""
    NOTIFIABLE = "notifiable"
    """Shows a message."""
    POSSIBLE = "possible"
    """Was requested by the user."""


class Fact(Payload, frozen=True, array_like=True):
    """What has to hold: the value of something in the editor, or on disk."""

    kind: Literal["changedtick", "modified", "name", "stamp", "target"]
    subject: int | str
    """A buffer's number, or an absolute path."""
    expected: Any


def tick(bufnr: int, changedtick: int) -> Fact:
    """Expect that the text of a loaded buffer is the same."""
    return Fact("changedtick", bufnr, changedtick)


def modified(bufnr: int, expected: bool) -> Fact:
    """Expect that a buffer has unsaved changes, or has none."""
    return Fact("modified", bufnr, expected)


def named(bufnr: int, name: str) -> Fact:
    """Expect that a buffer has this name, as an absolute path."""
    return Fact("name", bufnr, name)


MISSING = "missing"
"""The stamp of a file that does not exist."""


def stamp(path: str, expected: str) -> Fact:
    """Expect that a file is in the state for which the editor has returned this stamp."""
    return Fact("stamp", path, expected)


def leads_to(path: str, target: str) -> Fact:
    """Expect that a path, without its links, is `target`, which has none."""
    return Fact("target", path, target)


class Guard(Payload, frozen=True):
    """A gate to wait for, and the facts that have to hold when it is open."""

    gate: Gate
    facts: tuple[Fact, ...] = ()


class Step(msgspec.Struct, Generic[Result_co], frozen=True):
    """A call of a method of the port."""

    method: Callable[..., Any]
    arguments: tuple[Any, ...]
    named: Mapping[str, Any]


def step(
    method: Callable[Concatenate[Any, Parameters], Coroutine[Any, Any, Result]],
    *arguments: Parameters.args,
    **keywords: Parameters.kwargs,
) -> Step[Result]:
    """Return a call of a method of a noun, such as `step(Buffers.save, path)`.

    Raises `TypeError` for one whose result comes later.
    """
    binding: Binding = getattr(method, ATTRIBUTE)
    if binding.kind not in (CallKind.REQUEST, CallKind.LARGE_REQUEST):
        raise TypeError(f"{binding.function} does not end in the instant in which it is called")
    return Step(method, arguments, keywords)


class BatchOutcome(Payload, frozen=True):
    """What has become of a batch: the results of its steps.

    `failed` has the indices of facts that do not hold, with the present values, None for a buffer
    that is not loaded; then nothing was done. With `failure` the step after the last result has
    failed.
    """

    results: list[Any] = msgspec.field(default_factory=list)
    failed: list[tuple[int, Any]] = msgspec.field(default_factory=list)
    failure: str | None = None


class BatchesPort(Protocol):
    """Runs batches, for `Port.batch`."""

    @operation("batch.run", "batch.withdraw")
    async def run(
        self, gate: str, facts: Sequence[Fact], steps: Sequence[tuple[str, Sequence[Any]]]
    ) -> BatchOutcome:
        """Run functions with arguments, as soon as a gate is open. Cancelling withdraws them."""


class ChangedError(EditorError):
    """Facts did not hold, so that nothing was done: `failed` has them with their present values."""

    def __init__(self, failed: Sequence[tuple[Fact, Any]]) -> None:
        self.failed = failed
        names = ", ".join(f"{fact.kind} of {fact.subject}" for fact, _ in failed)
        super().__init__(f"changed meanwhile: {names}")


class StepError(EditorError):
    """A step has failed: `index` counts from 0, `results` are those of the steps before it."""

    def __init__(self, reason: str, results: Sequence[Any]) -> None:
        self.index = len(results)
        self.results = results
        super().__init__(reason)


async def retry(attempt: Callable[[], Awaitable[Result]]) -> Result:
    """Await what looks, decides and runs a batch; again if that was sent back.

    Raises the `ChangedError` of the last try.
    """
    for _ in range(MOST_TRIES - 1):
        try:
            return await attempt()
        except ChangedError:
            continue
    return await attempt()
