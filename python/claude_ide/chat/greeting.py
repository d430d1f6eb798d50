"""Offers the latest sessions in a chat that has just been opened."""

from pathlib import Path

from claude_ide.chat import abilities
from claude_ide.chat.chat import Chat
from claude_ide.chat.sessions.stored import StoredSessions
from claude_ide.errors import UserError


async def greet(chat: Chat, stored: StoredSessions) -> None:
    """Offer the latest sessions in an empty chat."""
    if chat.kind.needs_trust:
        # Only an agent that has started knows whether it can resume a session.
        try:
            await chat.running.offer()
        except UserError:
            return
    if abilities.has(chat.agent, "resume"):
        found = await stored.of(chat.kind, Path(chat.root))
        # Some agents list a session before its first prompt.
        chat.welcome.offer([each for each in found if each.id != chat.agent.session])
        chat.refresh()
