"""CPU time that grows with the size of an input."""

import os
import time
from collections.abc import Callable
from pathlib import Path

RUNS = 3
PARTS = 8
LIMIT = 3 * PARTS
"""Quadratic time would be `PARTS ** 2`."""
SHORTEST = 0.001
"""Seconds; a shorter time is too inexact."""


def is_linear(run: Callable[[int], object], size: int) -> bool:
    """Return whether the CPU time of `run` grows at most linearly up to an input of `size`."""
    return _fastest(run, size) < LIMIT * max(_fastest(run, size // PARTS), SHORTEST)


def _fastest(run: Callable[[int], object], size: int) -> float:
    """Return the seconds of the fastest run: a garbage collection may take longer than a run."""
    times = []
    for _ in range(RUNS):
        began = time.process_time()
        run(size)
        times.append(time.process_time() - began)
    return min(times)


def seconds_of(pid: int) -> float:
    """Return the CPU time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
