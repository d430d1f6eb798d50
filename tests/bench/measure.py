"""Shared by all benchmarks: the clock, medians, CPU and memory of a process, and tables."""

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

Samples = Sequence[float]


def now() -> float:
    """Return the time in milliseconds, on the clock of `vim.uv.hrtime()`."""
    return time.monotonic_ns() / 1e6


def median(samples: Samples) -> float:
    return statistics.median(samples)


def percentile(samples: Samples, percent: float) -> float:
    """Return the smallest sample that `percent` of all samples do not exceed."""
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


def resident(pid: int) -> float:
    """Return the resident memory of a process in MB (0 except on Linux)."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return 0.0
    fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return int(fields["VmRSS"].split()[0]) / 1024


@dataclass(frozen=True, slots=True)
class Effort:
    """The number of repetitions, as a fraction of that for the figures in README.md."""

    part: float = 1.0

    def runs(self, full: int) -> int:
        return max(2, round(full * self.part))


@dataclass(slots=True)
class Table:
    """The results of one benchmark, to be printed as Markdown."""

    title: str
    header: Sequence[str]
    rows: list[Sequence[str]] = field(default_factory=list)

    def add(self, *cells: str) -> None:
        self.rows.append(cells)

    def markdown(self) -> str:
        alignment = ["---", *["---:"] * (len(self.header) - 1)]
        lines = [f"| {' | '.join(row)} |" for row in [self.header, alignment, *self.rows]]
        return "\n".join([f"### {self.title}", "", *lines, ""])


def figure(value: float, digits: int = 1) -> str:
    return f"{value:,.{digits}f}"


def ratio(value: float, floor: float) -> str:
    return f"{value / floor:.2f}" if floor > 0 else ""


def goal(value: float, limit: float, unit: str = "") -> str:
    """Return the goal and whether it is met, as text only."""
    return f"≤ {limit:g}{unit}: {'met' if value <= limit else 'missed'}"
