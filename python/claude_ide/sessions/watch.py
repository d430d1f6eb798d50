"""Watches the records of the CLIs that run (`agents/stream_json/running.py`).

Neither Python nor Vim can be told of changed files, so a thread looks at them: with one `stat` for
each of the two folders, and two for each session that runs. Measured, such a look takes 5 µs with
none and 0.4 ms with 20, of one core.
"""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable, Mapping

from claude_ide.agents.stream_json.running import Records, Running

logger = logging.getLogger(__name__)

IDLE_SECONDS = 2.0
"""The pause between two looks while no CLI runs, and the list is closed."""

LIVE_SECONDS = 0.25


class Watch:
    """Calls `report` in the loop with what runs, when that has changed."""

    def __init__(
        self, environment: Mapping[str, str], report: Callable[[list[Running]], object]
    ) -> None:
        self._records = Records(environment)
        self._report = report
        self.is_followed = False
        """Whether the user looks at the list."""
        self._wanted = threading.Event()
        self._is_ended = False

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Watch until `stop`."""
        # A daemon does not keep the process if a network drive hangs.
        threading.Thread(target=self._watch, args=[loop], daemon=True).start()

    def stop(self) -> None:
        """Stop watching, without waiting for a look."""
        self._is_ended = True
        self._wanted.set()

    def look(self) -> None:
        """Look now."""
        self._wanted.set()

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        reported: list[Running] = []
        is_new = True
        while not (self._is_ended or loop.is_closed()):
            self._wanted.clear()
            try:
                # What changes while it is read may have the time of what was read before.
                is_new, was_new = self._records.has_changed(), is_new
                found = self._records.read() if is_new or was_new else reported
            except Exception:
                logger.exception("the records of sessions could not be read")
                found = reported
            if found != reported:
                reported = [*found]
                with contextlib.suppress(RuntimeError):  # the loop has just been closed
                    loop.call_soon_threadsafe(self._report, reported)
            is_live = self.is_followed or any(each.pid for each in reported)
            self._wanted.wait(LIVE_SECONDS if is_live else IDLE_SECONDS)
