"""Records what the server writes for an agent: by its own method, or a tool of the model."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from claude_ide.editor.editor import Editor

if TYPE_CHECKING:
    from claude_ide.review.recorder import Recorder
    from claude_ide.review.service import ReviewService


class AgentWrites:
    """The writes for the agents of one editor."""

    def __init__(self, editor: Editor, review: "Callable[[], ReviewService]") -> None:
        self._editor = editor
        self._review = review
        self._own: dict[str, Recorder] = {}
        """Of agents whose sessions are not followed, by their names."""

    @asynccontextmanager
    async def record(self, agent: str, path: str, *, is_seen: bool) -> AsyncIterator[None]:
        """Record what is written to a file meanwhile; `is_seen`: the user has accepted it."""
        recorder = await self._recorder(agent)
        await recorder.before_write(path)
        try:
            yield
        finally:
            if is_seen:
                recorder.asked(path)
            await recorder.wrote(path)

    async def _recorder(self, agent: str) -> "Recorder":
        """Return what records the session whose tool is running, or that of a lone client."""
        from claude_ide.review.recorder import Recorder

        review = self._review()
        found = [each for each in review.recorders if isinstance(each, Recorder)]
        running = [each for each in found if each.is_running]
        same = [each for each in running if each.agent == agent]
        if running:
            return (same or running)[0]
        if agent not in self._own:
            folder = await self._editor.port.buffers.folder()
            self._own[agent] = Recorder(review, self._editor, agent, folder, agent=agent)
        return self._own[agent]
