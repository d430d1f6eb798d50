"""Tells the editor why Claude makes the edits that are under way, and when each is over.

The CLI proposes a diff without saying why; only its terminal and the path connect it with the
words. Words that outlived their edit would be shown for the next one.
"""

from collections.abc import Callable, Coroutine
from typing import Any

from claude_ide.hooks import spoken
from claude_ide.last_words import sentence


class Reasons:
    """The edits of one session. `explain` is called with a path, and words or an empty string.

    `start` runs a task.
    """

    def __init__(
        self,
        explain: Callable[[str, str], object],
        start: Callable[[Coroutine[Any, Any, None]], object],
    ) -> None:
        self._explain = explain
        self._start = start
        self._paths: dict[str, str] = {}
        """The files of the edits that are under way, by the tool use."""

    def begin(self, use: str, path: str, transcript: str) -> None:
        """Tell what was said before an edit as soon as the transcript (a path) has the edit."""
        self._paths[use] = path
        if transcript:
            self._start(self._tell(use, transcript))

    def end(self, use: str) -> None:
        """Forget what was said before an edit; uses of other tools are ignored."""
        if path := self._paths.pop(use, ""):
            self._explain(path, "")

    def end_all(self) -> None:
        """Forget what was said: no edit is under way."""
        for use in list(self._paths):
            self.end(use)

    async def _tell(self, use: str, transcript: str) -> None:
        words = sentence(await spoken.before(transcript, use))
        # The edit may be over by now.
        if words and use in self._paths:
            self._explain(self._paths[use], words)
