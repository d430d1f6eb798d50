"""The load that one peer causes: requests under way, and bytes of answers that it has not read."""

import asyncio
import contextlib
import math

AT_ONCE = 4
"""Requests that run at the same time; one while the answers are large. More would not help, as
Neovim handles one after the other."""

PATIENCE = 2.0
"""Seconds after which a request no longer delays others: it then waits for a language server or
something similar."""
LARGE_PATIENCE = 10.0
"""The same while the answers are large: Neovim would build all of them in memory together."""
USER_PATIENCE = 0.1
"""The same for a request that waits for the user."""

MOST_STARTED = 250
MOST_STARTED_BYTES = 64 * 2**20
MOST_UNSENT = 2**18
COST = 1_000
"""Approximate bytes of memory for an answer in addition to its text."""


class Load:
    """Counts the requests of one peer that are under way, and its unsent answers."""

    def __init__(self) -> None:
        self._started: dict[object, tuple[float, bool, int]] = {}
        """By request: its start time, whether it waits for the user, and its size in bytes."""
        self._bytes = 0
        self._unsent = 0
        self._at_once = AT_ONCE
        self._eased = asyncio.Event()

    def begin(self, request: object, size: int, waits: bool) -> None:
        """Count a request that starts now; `waits` is whether the user answers it."""
        self._started[request] = asyncio.get_running_loop().time(), waits, size
        self._bytes += size

    def end(self, request: object) -> None:
        """Stop counting a request: it is answered or cancelled."""
        *_, size = self._started.pop(request, (0.0, False, 0))
        self._bytes -= size
        self._eased.set()

    def sending(self, size: int) -> None:
        """Count an answer that is being sent."""
        self._at_once = 1 if size > MOST_UNSENT else AT_ONCE
        self._unsent += size + COST

    def sent(self, size: int) -> None:
        """Stop counting an answer."""
        self._unsent -= size + COST
        self._eased.set()

    def admits(self, size: int) -> bool:
        """Return whether another request of this size may be started at all."""
        if not self._started:
            return True
        return len(self._started) < MOST_STARTED and self._bytes + size <= MOST_STARTED_BYTES

    @property
    def is_light(self) -> bool:
        """Whether another request can start now."""
        return len(self._started) < self._at_once and not self._unsent

    async def turn(self) -> None:
        """Wait until another request can start."""
        while (seconds := self._full_for()) > 0:
            self._eased.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(None if seconds == math.inf else seconds):
                    await self._eased.wait()

    def _full_for(self) -> float:
        """Return the seconds until another request can start, if none ends before."""
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
