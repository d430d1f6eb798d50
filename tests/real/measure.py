"""Claude edits the files of one scene; when the model is told what is wrong in them."""

import asyncio
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from real.scene import Edit, Finding, Scene, line_of
from real.session import Session, session
from real.told import Told, told
from support.fake_api import Turn, text, tool_use
from support.neovim import until

QUICK = 1.5
"""Seconds in which a server has to answer for the next request to tell of it."""

MARGIN = 0.1
"""Seconds before a request in which an answer comes too late for it."""


@dataclass
class Outcome:
    """What became of one edit."""

    edit: Edit
    texts: Mapping[str, str]
    expected: tuple[Finding, ...]
    written: float = 0.0
    answered: float | None = None
    """When Neovim held all that is new, if it ever did; the time of the write, if nothing is."""

    stale: list[str] = field(default_factory=list)
    """What Neovim still said in the end that is not so."""

    states: list[dict[str, Any]] = field(default_factory=list)
    """What Neovim held after the write, as often as it changed."""

    requests: list[tuple[float, list[Told]]] = field(default_factory=list)
    """The requests until the next write, and what they told."""

    def false(self) -> list[str]:
        """What was told and is not so."""
        return [
            f"{self.edit.name}: {item}"
            for _, items in self.requests
            for item in items
            if not any(holds(item, finding, self.texts) for finding in self.edit.found)
        ]

    def told_in(self) -> int | None:
        """The number of the request, from the write on, with which all that is new was told."""
        left = [*self.expected]
        if not left:
            return 0
        for number, (_, items) in enumerate(self.requests, 1):
            left = [f for f in left if not any(holds(i, f, self.texts) for i in items)]
            if not left:
                return number
        return None

    def due(self) -> int | None:
        """The number of the request that had to tell it; None if no server has ever answered."""
        if self.answered is None:
            return None
        if self.answered - self.written <= QUICK:
            return 1
        times = [at for at, _ in self.requests]
        return 1 + sum(at < self.answered + MARGIN for at in times)

    def is_right(self) -> bool:
        """Whether the model was told all in time, and nothing false."""
        number, due = self.told_in(), self.due()
        return not self.false() and number is not None and due is not None and number <= due

    def wait(self) -> float | None:
        """Seconds from the write to the next request."""
        return self.requests[0][0] - self.written if self.requests else None


def holds(item: Told, finding: Finding, texts: Mapping[str, str]) -> bool:
    """Whether what was told is this finding, where it is in the present text."""
    return (
        item.file == Path(finding.file).name
        and item.line == line_of(finding, texts)
        and finding.says in item.says
    )


async def measure(
    scene: Scene, mode: str, focus: str, folder: Path, nvim_lint: Path | None = None
) -> list[Outcome]:
    """Have Claude make the edits, one prompt after the other."""
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
    """What is to be expected of each edit."""
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
    """The edits that belong to one prompt each."""
    several: list[Outcome] = []
    for outcome in outcomes:
        several.append(outcome)
        if not outcome.edit.goes_on:
            yield several
            several = []


async def ask(running: Session, several: list[Outcome], number: int, mode: str) -> None:
    """Have these edits made, and note when each was."""
    running.api.script(*turns(running.project, several, f"Done {number}."))
    watching = asyncio.create_task(note_writes(running.project, several))
    try:
        diffs = len(several) if mode == "default" else 0
        await running.prompt(f"Edit {number}", f"Done {number}.", diffs)
        await asyncio.wait_for(watching, 5)
    finally:
        watching.cancel()


def turns(project: Path, several: list[Outcome], then: str) -> Iterator[Turn]:
    """What the model does: reads the files, edits them one by one, and says so."""
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
    """Wait until each edit is on disk, and note when it was written."""
    for outcome in several:
        path, wanted = project / outcome.edit.file, outcome.texts[outcome.edit.file]
        await until(partial(holds_text, path, wanted), f"{path} is written")
        outcome.written = path.stat().st_mtime


def holds_text(path: Path, wanted: str) -> bool:
    """Whether a file is there and holds this text."""
    return path.exists() and path.read_text() == wanted


async def settle(running: Session, scene: Scene, several: list[Outcome]) -> None:
    """Wait until Neovim says what is so, as long as the servers may take; note when it did."""
    states: list[dict[str, Any]] = []
    last = several[-1]
    deadline = time.time() + scene.seconds
    while True:
        states += await running.drain()
        found = await running.findings()
        wrong = [item for item in found if not is_so(item, last)]
        if (not wrong and all(is_in(found, f, last.texts) for f in last.expected)) or (
            time.time() > deadline
        ):
            break
        await asyncio.sleep(0.05)
    last.stale = [f"{Path(i['file']).name}:{i['line']}: {i['says']}" for i in wrong]
    for outcome in several:
        outcome.states = [state for state in states if state["at"] >= outcome.written - 0.01]
        outcome.answered = first_answer(outcome)


def first_answer(outcome: Outcome) -> float | None:
    """When Neovim held all that is new after an edit."""
    if not outcome.expected:
        return outcome.written
    for state in outcome.states:
        if all(is_in(state["findings"], f, outcome.texts) for f in outcome.expected):
            return float(state["at"])
    return None


def is_in(found: list[dict[str, Any]], finding: Finding, texts: Mapping[str, str]) -> bool:
    """Whether Neovim holds a finding."""
    return any(holds(item_of(item), finding, texts) for item in found)


def is_so(item: dict[str, Any], outcome: Outcome) -> bool:
    """Whether something that Neovim holds is true."""
    return any(holds(item_of(item), finding, outcome.texts) for finding in outcome.edit.found)


def item_of(item: dict[str, Any]) -> Told:
    """A diagnostic of Neovim's, as the model would be told it."""
    return Told(Path(item["file"]).name, item["line"], item["says"])


def requests(running: Session, outcomes: list[Outcome]) -> None:
    """Give each edit the requests that came between its write and the next one."""
    ends = [*(outcome.written for outcome in outcomes[1:]), float("inf")]
    for outcome, end in zip(outcomes, ends, strict=True):
        for at, request in zip(running.api.arrivals, running.api.requests, strict=True):
            if outcome.written <= at < end:
                outcome.requests.append((at, [*told(request.new_text)]))
