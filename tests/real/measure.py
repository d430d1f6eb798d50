"""Measures when diagnostics are reported to the model while Claude edits the files of a scene."""

import asyncio
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from real.reported import Diagnostic, diagnostics
from real.scene import Edit, Finding, Scene, line_of
from real.session import Session, session
from support.fake_api import Turn, text, tool_use
from support.neovim import until

QUICK = 1.5
"""Seconds; faster answers of a server must be in the next request."""

MARGIN = 0.1
"""Seconds before a request; later answers may be missing in it."""


@dataclass
class Outcome:
    """The outcome of one edit."""

    edit: Edit
    texts: Mapping[str, str]
    expected: tuple[Finding, ...]
    written: float = 0.0
    answered: float | None = None
    """The time when Neovim had all new findings, None if never; that of the write without any."""

    stale: list[str] = field(default_factory=list)
    """The wrong diagnostics that Neovim had at the end."""

    states: list[dict[str, Any]] = field(default_factory=list)
    """The diagnostics in Neovim after the write, one entry per change."""

    requests: list[tuple[float, list[Diagnostic]]] = field(default_factory=list)
    """The times of the requests until the next write, with the reported diagnostics."""

    def false(self) -> list[str]:
        """Return the reported diagnostics that are wrong."""
        return [
            f"{self.edit.name}: {item}"
            for _, items in self.requests
            for item in items
            if not any(holds(item, finding, self.texts) for finding in self.edit.found)
        ]

    def reported_in(self) -> int | None:
        """Return the number of the request, from 1, by which all new findings are reported.

        It is 0 if nothing is new, and None if some were never reported.
        """
        remaining = [*self.expected]
        if not remaining:
            return 0
        for number, (_, items) in enumerate(self.requests, 1):
            remaining = [f for f in remaining if not any(holds(i, f, self.texts) for i in items)]
            if not remaining:
                return number
        return None

    def due(self) -> int | None:
        """Return the number of the request that must report all; None if no server answered."""
        if self.answered is None:
            return None
        if self.answered - self.written <= QUICK:
            return 1
        times = [at for at, _ in self.requests]
        return 1 + sum(at < self.answered + MARGIN for at in times)

    def is_right(self) -> bool:
        """Return whether all was reported in time, and nothing wrong."""
        number, due = self.reported_in(), self.due()
        return not self.false() and number is not None and due is not None and number <= due

    def wait(self) -> float | None:
        """Return the seconds from the write to the next request."""
        return self.requests[0][0] - self.written if self.requests else None


def holds(item: Diagnostic, finding: Finding, texts: Mapping[str, str]) -> bool:
    """Return whether a diagnostic is this finding, at its line in the current text."""
    return (
        item.file == Path(finding.file).name
        and item.line == line_of(finding, texts)
        and finding.message in item.message
    )


async def measure(
    scene: Scene, mode: str, focus: str, folder: Path, nvim_lint: Path | None = None
) -> list[Outcome]:
    """Have Claude make the edits, one prompt after another."""
    outcomes = plan(scene)
    async with session(scene, mode, focus, folder, nvim_lint) as running:
        for number, several in enumerate(prompts(outcomes), 1):
            await ask(running, several, number, mode)
            await settle(running, scene, several)
        running.api.script([text("Nothing else.")])
        await running.prompt("Anything else?", "Nothing else.", 0)
        requests(running, outcomes)
    return outcomes


def plan(scene: Scene) -> list[Outcome]:
    """Return the expected outcome of each edit."""
    outcomes = []
    texts, before = dict(scene.texts), frozenset[Finding]()
    for edit in scene.edits:
        texts = edit.apply(texts)
        new = tuple(f for f in edit.found if f.required and f not in before)
        for finding in edit.found:
            assert line_of(finding, texts), f"{scene.name}, {edit.name}: no {finding.at!r}"
        outcomes.append(Outcome(edit, texts, new))
        before = frozenset(edit.found)
    return outcomes


def prompts(outcomes: list[Outcome]) -> Iterator[list[Outcome]]:
    """Yield the edits of each prompt."""
    several: list[Outcome] = []
    for outcome in outcomes:
        several.append(outcome)
        if not outcome.edit.continues:
            yield several
            several = []


async def ask(running: Session, several: list[Outcome], number: int, mode: str) -> None:
    """Have these edits made, and record the time of each."""
    running.api.script(*turns(running.project, several, f"Done {number}."))
    watching = asyncio.create_task(note_writes(running.project, several))
    try:
        diffs = len(several) if mode == "default" else 0
        await running.prompt(f"Edit {number}", f"Done {number}.", diffs)
        await asyncio.wait_for(watching, 5)
    finally:
        watching.cancel()


def turns(project: Path, several: list[Outcome], then: str) -> Iterator[Turn]:
    """Yield the turns of the model: it reads the files, edits them one by one, and says `then`."""
    files = {outcome.edit.file for outcome in several}
    read = [
        tool_use("Read", file_path=str(project / file))
        for file in sorted(files)
        if (project / file).exists()
    ]
    if read:
        yield read
    for outcome in several:
        path, edit = str(project / outcome.edit.file), outcome.edit
        if edit.old:
            yield [tool_use("Edit", file_path=path, old_string=edit.old, new_string=edit.new)]
        else:
            yield [tool_use("Write", file_path=path, content=edit.new)]
    yield [text(then)]


async def note_writes(project: Path, several: list[Outcome]) -> None:
    """Wait until each edit is on disk, and record the time of the write."""
    for outcome in several:
        path, wanted = project / outcome.edit.file, outcome.texts[outcome.edit.file]
        await until(partial(holds_text, path, wanted), f"{path} is written")
        outcome.written = path.stat().st_mtime


def holds_text(path: Path, wanted: str) -> bool:
    """Return whether a file exists and has this text."""
    return path.exists() and path.read_text() == wanted


async def settle(running: Session, scene: Scene, several: list[Outcome]) -> None:
    """Wait until Neovim's diagnostics are correct, at most `scene.seconds`; record the time."""
    states: list[dict[str, Any]] = []
    last = several[-1]
    deadline = time.time() + scene.seconds
    while True:
        states += await running.drain()
        found = await running.findings()
        wrong = [item for item in found if not is_correct(item, last)]
        if (not wrong and all(is_in(found, f, last.texts) for f in last.expected)) or (
            time.time() > deadline
        ):
            break
        await asyncio.sleep(0.05)
    last.stale = [f"{Path(i['file']).name}:{i['line']}: {i['message']}" for i in wrong]
    for outcome in several:
        outcome.states = [state for state in states if state["at"] >= outcome.written - 0.01]
        outcome.answered = first_answer(outcome)


def first_answer(outcome: Outcome) -> float | None:
    """Return the time when Neovim had all new findings of an edit, or None."""
    if not outcome.expected:
        return outcome.written
    for state in outcome.states:
        if all(is_in(state["findings"], f, outcome.texts) for f in outcome.expected):
            return float(state["at"])
    return None


def is_in(found: list[dict[str, Any]], finding: Finding, texts: Mapping[str, str]) -> bool:
    """Return whether Neovim has a finding."""
    return any(holds(item_of(item), finding, texts) for item in found)


def is_correct(item: dict[str, Any], outcome: Outcome) -> bool:
    """Return whether a diagnostic in Neovim is correct."""
    return any(holds(item_of(item), finding, outcome.texts) for finding in outcome.edit.found)


def item_of(item: dict[str, Any]) -> Diagnostic:
    """Return a diagnostic in Neovim as it would be in a request."""
    return Diagnostic(Path(item["file"]).name, item["line"], item["message"])


def requests(running: Session, outcomes: list[Outcome]) -> None:
    """Assign to each edit the requests between its write and the next one."""
    ends = [*(outcome.written for outcome in outcomes[1:]), float("inf")]
    for outcome, end in zip(outcomes, ends, strict=True):
        for at, request in zip(running.api.arrivals, running.api.requests, strict=True):
            if outcome.written <= at < end:
                outcome.requests.append((at, [*diagnostics(request.new_text)]))
