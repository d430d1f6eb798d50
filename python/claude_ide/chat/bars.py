"""The bars of both windows and the progress message, as a source of frames."""

import asyncio
from collections.abc import Callable, Sized
from typing import Any

from claude_ide.agents.session_state import SessionState
from claude_ide.chat.attachment import Attachment
from claude_ide.chat.bar import Bar, prompt

LEAVES = (("gx", "leaves it"), ("<C-s>", "sends"))
KEYS = (("<C-s>", "sends"), ("<C-c>", "stops"), ("g?", "keys"))
ANSWERING = (("<C-s>", "answers"), *KEYS[1:])
"""The keys while a request waits."""


class Bars:
    """The bars of one chat.

    `state` returns the agent's state; `wake` is called when the bars change without an event, but
    not while they are hidden; `tasks` returns the number of tasks that run in the background,
    `edited` the earlier prompt that the user is editing, or "".
    """

    def __init__(
        self,
        bar: Bar,
        requests: Sized,
        attachment: Attachment,
        state: Callable[[], SessionState],
        wake: Callable[[], None],
        is_shown: Callable[[], bool],
        tasks: Callable[[], int],
        edited: Callable[[], str],
    ) -> None:
        self._bar = bar
        self._requests = requests
        self._attachment = attachment
        self._state = state
        self._wake = wake
        self._tasks = tasks
        self._edited = edited
        self._is_shown = is_shown
        self._sent: dict[str, Any] | None = None
        self._ticking: asyncio.TimerHandle | None = None

    def frame(self) -> dict[str, Any] | None:
        """Return the bars if they have changed since the last frame, otherwise None."""
        look = self._look()
        if look == self._sent:
            return None
        self._sent = look
        return look

    def redraw(self) -> None:
        """Send the bars again with the next frame."""
        self._sent = None

    def close(self) -> None:
        """Stop the timer that calls `wake`."""
        if self._ticking is not None:
            self._ticking.cancel()
            self._ticking = None

    def _look(self) -> dict[str, Any]:
        state, waiting = self._state(), len(self._requests)
        self._wake_later(state)
        edited = self._edited()
        chips = self._attachment.chips(self._attachment.now)
        bars = {
            "transcript": self._bar.transcript(state, waiting, self._tasks()),
            "prompt": prompt(chips, LEAVES if edited else ANSWERING if waiting else KEYS, edited),
        }
        return {"bars": bars, "work": self._bar.work(state, waiting)}

    def _wake_later(self, state: SessionState) -> None:
        self.close()
        if not self._is_shown():
            return
        seconds = self._bar.seconds_to_change(state, len(self._requests))
        if seconds is not None:
            self._ticking = asyncio.get_running_loop().call_later(seconds, self._wake)
