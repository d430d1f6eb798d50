"""Draws several pages as one SVG document that shows them in turn.

A row that stays the same is drawn once. CSS shows each row at its times; where nothing may move, or
CSS is not animated, one page stays.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, groupby

from support.picture import Page, Row, background, document, drawn


@dataclass(frozen=True, slots=True)
class Frame:
    """A page, and for how many seconds it is shown."""

    page: Page
    seconds: float


def moving_svg(frames: list[Frame], still: int) -> str:
    """Return the frames as an SVG document; without animation it shows the frame `still`."""
    common = background(frames[still].page)
    starts = [0.0, *accumulate(frame.seconds for frame in frames)]
    rules: dict[frozenset[int], str] = {}
    parts = []
    for number in range(len(frames[0].page)):
        for row, times in _times(frames, number).items():
            content = drawn(row, number, common)
            if content and len(times) < len(frames):
                name = rules.setdefault(times, f"r{len(rules)}")
                hidden = "" if still in times else " h"
                content = f'<g class="{name}{hidden}">\n{content}\n</g>'
            parts.append(content)
    style = "".join(_rules(rules, starts))
    return document(frames[still].page, common, parts, style)


def _times(frames: list[Frame], number: int) -> dict[Row, frozenset[int]]:
    """Return the looks of a row, each with the frames that show it."""
    times = defaultdict(set)
    for index, frame in enumerate(frames):
        times[frame.page[number]].add(index)
    return {row: frozenset(indexes) for row, indexes in times.items()}


def _rules(rules: dict[frozenset[int], str], starts: list[float]) -> Iterator[str]:
    yield ".h{visibility:hidden}"
    yield "@media (prefers-reduced-motion:no-preference){"
    for name in rules.values():
        yield f".{name}{{animation:{name} {starts[-1]:.2f}s step-end infinite}}"
    yield "}"
    for times, name in rules.items():
        yield f"@keyframes {name}{{{''.join(_keys(times, starts))}}}"


def _keys(times: frozenset[int], starts: list[float]) -> Iterator[str]:
    """Yield the moments at which a row appears or disappears."""
    for shown, run in groupby(range(len(starts) - 1), times.__contains__):
        percent = starts[next(run)] / starts[-1] * 100
        yield f"{percent:.2f}%{{visibility:{'visible' if shown else 'hidden'}}}"
