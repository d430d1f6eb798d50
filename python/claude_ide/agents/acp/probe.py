"""Asks an agent who it is, without opening a session."""

from claude_ide.agents.acp.connection import Connection
from claude_ide.agents.acp.decoding.capabilities import Offer
from claude_ide.agents.acp.incoming import Incoming
from claude_ide.agents.acp.introduction import introduction
from claude_ide.agents.acp.launch import Launch
from claude_ide.agents.event_queue import EventQueue
from claude_ide.agents.traffic import Traffic

GRACE_SECONDS = 1.0


async def probe(launch: Launch) -> Offer:
    """Start an agent, return its answer to `initialize`, and end it.

    Raises `AgentError` if it cannot be started, or has ended.
    """
    child = await Connection.spawn(launch.command, launch.folder, launch.environment)
    silent = Incoming({}, {})
    ended, room = (lambda _code, _stderr: None), EventQueue().room
    connection = Connection(child, launch.name, silent, Traffic(), ended, room)
    try:
        await connection.initialize(introduction({}))
        return connection.offer
    finally:
        await connection.stop(GRACE_SECONDS)
