"""How much of what one side asks is under way: how many requests, and how many bytes unsent."""

import asyncio
import contextlib
from itertools import islice

AT_ONCE = 4
"""Requests that are worked on at the same time; Neovim does one after the other anyway. It is one
while the answers are large."""

PATIENCE = 0.25
"""Seconds after which a request waits for somebody, such as the user, and delays no other."""

MOST_STARTED = 250
MOST_STARTED_BYTES = 64 * 2**20
MOST_UNSENT = 2**18
COST = 1_000
"""Bytes that an answer takes in memory besides its text, roughly."""


class Load:
    """The requests of one side that are under way, and the answers that it has not read."""

    def __init__(self) -> None:
        self._started: dict[object, tuple[float, int]] = {}
        """When each began, in this order, and its size."""
        self._bytes = 0
        self._unsent = 0
        self._at_once = AT_ONCE
        self._eased = asyncio.Event()

    def begin(self, request: object, size: int) -> None:
        """Count a request that is worked on from now on."""
        self._started[request] = asyncio.get_running_loop().time(), size
        self._bytes += size

    def end(self, request: object) -> None:
        """Count it no more: its answer is there, or it was given up."""
        _, size = self._started.pop(request, (0.0, 0))
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
        while self._unsent > MOST_UNSENT or self._until_patience_ends() > 0:
            self._eased.clear()
            seconds = None if self._unsent > MOST_UNSENT else self._until_patience_ends()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._eased.wait()

    def _until_patience_ends(self) -> float:
        """Return the seconds for which as many are worked on as may be."""
        # Those that began before these have had their time already.
        began, _ = next(
            islice(reversed(self._started.values()), self._at_once - 1, None), (None, 0)
        )
        if began is None:
            return 0.0
        return began + PATIENCE - asyncio.get_running_loop().time()
