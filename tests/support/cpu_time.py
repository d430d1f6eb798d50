"""CPU time that grows with the size of an input."""

import time
from collections.abc import Callable

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
