"""How much of what one side asks is under way: how many requests, and how many bytes unsent."""

import asyncio
import contextlib
import math

AT_ONCE = 4
"""Requests that are worked on at the same time; Neovim does one after the other anyway. It is one
while the answers are large."""

PATIENCE = 2.0
"""Seconds after which a request waits for somebody, such as a language server, and delays no other.
"""
LARGE_PATIENCE = 10.0
"""The same while the answers are large, of which Neovim would collect as many as were begun."""
USER_PATIENCE = 0.1
"""The same for a request that waits for the user."""

MOST_STARTED = 250
MOST_STARTED_BYTES = 64 * 2**20
MOST_UNSENT = 2**18
COST = 1_000
"""Bytes that an answer takes in memory besides its text, roughly."""


class Load:
    """The requests of one side that are under way, and the answers that it has not read."""

    def __init__(self) -> None:
        self._started: dict[object, tuple[float, bool, int]] = {}
        """When each began, whether it waits for the user, and its size."""
        self._bytes = 0
        self._unsent = 0
        self._at_once = AT_ONCE
        self._eased = asyncio.Event()

    def begin(self, request: object, size: int, waits: bool) -> None:
        """Count a request that is worked on from now on, and whether it waits for the user."""
        self._started[request] = asyncio.get_running_loop().time(), waits, size
        self._bytes += size

    def end(self, request: object) -> None:
        """Count it no more: its answer is there, or it was given up."""
        *_, size = self._started.pop(request, (0.0, False, 0))
        self._bytes -= size
        self._eased.set()

    def sending(self, size: int) -> None:
        """Count an answer that is to be sent."""
        self._at_once = 1 if size > MOST_UNSENT else AT_ONCE
        self._unsent += size + COST

    def sent(self, size: int) -> None:
        """Count it no more."""
        self._unsent -= size + COST
        self._eased.set()

    def bears(self, size: int) -> bool:
        """Return whether another request of this size may wait as well."""
        if not self._started:
            return True
        return len(self._started) < MOST_STARTED and self._bytes + size <= MOST_STARTED_BYTES

    @property
    def is_light(self) -> bool:
        """Whether another request may be begun now."""
        return len(self._started) < self._at_once and not self._unsent

    async def turn(self) -> None:
        """Wait until another request may be begun."""
        while (seconds := self._full_for()) > 0:
            self._eased.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(None if seconds == math.inf else seconds):
                    await self._eased.wait()

    def _full_for(self) -> float:
        """Return the seconds for which no other may be begun, unless one ends."""
        if self._unsent > MOST_UNSENT:
            return math.inf
        patience = PATIENCE if self._at_once == AT_ONCE else LARGE_PATIENCE
        now = asyncio.get_running_loop().time()
        ends = [
            began + (USER_PATIENCE if waits else patience)
            for began, waits, _ in self._started.values()
        ]
        working = sorted(end for end in ends if end > now)
        return working[-self._at_once] - now if len(working) >= self._at_once else 0.0
