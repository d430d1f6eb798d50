"""The sessions of one running agent: opened, loaded, listed."""

import contextlib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from claude_ide.agents.acp.connection import AcpConnection
from claude_ide.agents.acp.launch import AgentLaunch
from claude_ide.agents.agent import NewSession, Opening, SessionSummary
from claude_ide.agents.editor_services import EditorServices, McpAddress, McpCommand
from claude_ide.agents.fields import mapping, mappings, read, text
from claude_ide.base.errors import (
    AgentError,
    LoginNeededError,
    UnknownSessionError,
    UnsupportedError,
)

MOST_PAGES = 20
"""The most pages of sessions that are read; an agent decides how long a page is."""


LOAD = "session/load"


class Opened(NamedTuple):
    """The id of a session that is open, and the agent's answer, which has its settings.

    `is_repeated` means that the agent repeats the conversation.
    """

    id: str
    answer: dict[str, Any]
    is_repeated: bool = False


class Sessions:
    """The sessions of a folder."""

    def __init__(
        self, connection: AcpConnection, launch: AgentLaunch, services: EditorServices
    ) -> None:
        self._connection = connection
        self._launch = launch
        self._services = services

    async def open(self, opening: Opening) -> Opened:
        """Open a session; an agent that can only load it repeats its conversation.

        Raises `UnknownSessionError`; `LoginNeededError`; `AgentError`.
        """
        if isinstance(opening, NewSession):
            return await self.opened_by("session/new")
        session = opening.id or next((each.id for each in await self.listed()), "")
        if not session:
            raise UnknownSessionError("there is no earlier session in this folder")
        if opening.fork:
            return await self.opened_by("session/fork", session)
        if self._connection.offer.resumes:
            # Some agents announce the method and do not have it.
            with contextlib.suppress(UnsupportedError):
                return await self.opened_by("session/resume", session)
        return await self.opened_by(LOAD, session)

    async def listed(self) -> list[SessionSummary]:
        """Return the sessions, the latest first. Raises `UnsupportedError`."""
        if not self._connection.offer.lists:
            raise UnsupportedError(f"{self._launch.name} cannot list its sessions")
        found: list[SessionSummary] = []
        params = {"cwd": str(self._launch.folder)}
        for _ in range(MOST_PAGES):
            answer = mapping(await self._connection.request("session/list", params))
            found += summaries(answer)
            if not (cursor := text(answer.get("nextCursor"))):
                break
            params["cursor"] = cursor
        return sorted(found, key=lambda session: session.changed, reverse=True)

    @property
    def can_delete(self) -> bool:
        """Whether the agent deletes sessions."""
        return self._connection.offer.deletes

    async def delete(self, session: str) -> None:
        """Delete a session. Raises `UnsupportedError`."""
        if not self.can_delete:
            raise UnsupportedError(f"{self._launch.name} cannot delete a session")
        await self._connection.request("session/delete", {"sessionId": session})

    async def close(self, session: str) -> None:
        """Have the agent let go of a session, if it can."""
        if session and self._connection.offer.closes and self._connection.alive:
            await self._connection.request("session/close", {"sessionId": session})

    async def opened_by(self, method: str, session: str = "") -> Opened:
        """Open a session by a method of the protocol; with `LOAD` its conversation is repeated."""
        params: dict[str, Any] = {"sessionId": session} if session else {}
        params |= {"cwd": str(self._launch.folder), "mcpServers": await self._servers()}
        if more := await self._further_folders():
            params["additionalDirectories"] = more
        answer = mapping(await self._request(method, params))
        id_ = text(answer.get("sessionId")) or session
        if not id_:
            raise AgentError(f"{self._launch.name} has opened a session without an id")
        return Opened(id_, answer, is_repeated=method == LOAD)

    async def _request(self, method: str, params: dict[str, Any]) -> Any:
        """Call the agent; if it has forgotten the user's login, repeat that first."""
        await self._launch.logins.follow_choice(self._connection.request)
        try:
            return await self._connection.request(method, params)
        except LoginNeededError:
            if not await self._launch.logins.repeat(self._connection.request):
                raise
            return await self._connection.request(method, params)

    async def _further_folders(self) -> list[str]:
        """Return the other folders of the workspace, if the agent takes any."""
        services = self._services
        if services.folders is None or not self._connection.offer.takes_folders:
            return []
        found = [path for path in await services.folders() if Path(path).is_absolute()]
        return list(dict.fromkeys(path for path in found if Path(path) != self._launch.folder))

    async def _servers(self) -> list[dict[str, Any]]:
        """Return the editor's MCP servers and the user's, in the form of the protocol.

        Every agent should be able to start them; some refuse, and connect over HTTP only.
        """
        services, offer = self._services, self._connection.offer
        only_http = self._launch.mcp == "http" and offer.http_servers
        found: list[McpCommand | McpAddress] = []
        if only_http and services.mcp_addresses:
            found += await services.mcp_addresses()
        elif services.mcp_commands:
            found += await services.mcp_commands()
        if services.user_servers:
            possible = {
                "stdio": not only_http,
                "http": offer.http_servers,
                "sse": offer.sse_servers,
            }
            taken = [transport for transport, is_taken in possible.items() if is_taken]
            found += await services.user_servers(taken)
        return list(map(_server, found))


def _server(server: McpCommand | McpAddress) -> dict[str, Any]:
    if isinstance(server, McpAddress):
        headers = _pairs(server.headers)
        address = {"url": server.url, "headers": headers}
        return {"type": server.transport, "name": server.name, **address}
    command, *arguments = server.command
    environment = _pairs(server.environment)
    return {"name": server.name, "command": command, "args": arguments, "env": environment}


def _pairs(values: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in values.items()]


BEGINNING = datetime.fromtimestamp(0, UTC)


def summaries(result: Any) -> list[SessionSummary]:
    """Return the sessions in an answer to `session/list`."""
    return [
        read(SessionSummary, each, {"id": "sessionId"}, changed=_time(each))
        for each in mappings(mapping(result).get("sessions"))
        if each.get("sessionId")
    ]


def _time(session: dict[str, Any]) -> datetime:
    try:
        changed = datetime.fromisoformat(text(session.get("updatedAt")))
    except ValueError:
        return BEGINNING
    return changed if changed.tzinfo else changed.replace(tzinfo=UTC)
