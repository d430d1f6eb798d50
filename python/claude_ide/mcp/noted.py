"""A client's connection whose outgoing frames the user can watch."""

from claude_ide.jsonrpc.peer import Transport
from claude_ide.wire import TO, Party


class Noted:
    """Sends the frames of a peer, and notes them on the wire (implements `Transport`)."""

    def __init__(self, transport: Transport, party: Party) -> None:
        self._transport = transport
        self._party = party

    async def send(self, frame: bytes) -> None:
        """Send one message. Raises `TransportClosed` if the other side is gone."""
        self._party.note(TO, frame)
        await self._transport.send(frame)
