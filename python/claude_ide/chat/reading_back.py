"""Shows the conversation above a transcript, and exports it, from the agent's stored history."""

import asyncio

from claude_ide.agents.agent import Agent
from claude_ide.chat import abilities
from claude_ide.chat.page.painter import Painter
from claude_ide.chat.transcript.earlier import Earlier
from claude_ide.chat.transcript.export import markdown
from claude_ide.chat.transcript.transcript import Transcript
from claude_ide.errors import UserError

MOST_LINES = 120_000
"""A longer transcript is not extended."""

EXPORT = ":ClaudeChat export writes all of it"


class ReadingBack:
    """Reads the history of one chat's session, in a thread."""

    def __init__(self, agent: Agent, transcript: Transcript, painter: Painter) -> None:
        self._agent = agent
        self._transcript = transcript
        self._painter = painter
        self._busy = asyncio.Lock()

    async def show_earlier(self) -> None:
        """Show the previous portion of the conversation above the transcript."""
        if self._busy.locked():
            return
        async with self._busy:
            if len(self._transcript.lines) > MOST_LINES:
                raise UserError(f"the transcript cannot grow further; {EXPORT}")
            earlier = await self._earlier()
            if not earlier.is_known:
                raise UserError("the conversation above this line belongs to another session")
            earlier.show(await asyncio.to_thread(earlier.portion))
            self._painter.now()

    async def markdown(self, title: str) -> str:
        """Return the whole conversation as Markdown."""
        if self._transcript.sheet.page.earlier is None:
            return markdown(self._transcript, title)
        earlier = await self._earlier()
        return await asyncio.to_thread(earlier.document, title)

    async def _earlier(self) -> Earlier:
        abilities.require_capability(self._agent, "stored_history")
        history = await self._agent.history(self._agent.session)
        return Earlier(self._transcript, history)
