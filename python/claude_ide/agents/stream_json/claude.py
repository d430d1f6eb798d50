"""Claude as a kind of agent: the CLI that the user has configured, and its stored sessions."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from claude_ide.agents.agent import Login, SessionSummary
from claude_ide.agents.stream_json import history, stored
from claude_ide.agents.stream_json.client import NAME, StreamJsonAgent
from claude_ide.agents.stream_json.wire.launch import SETTING_SOURCES, Launch, command, names
from claude_ide.agents.workbench import Workbench
from claude_ide.errors import AgentError
from claude_ide.tool_names import known_as


class Claude:
    """Implements `Kind`. `cmd` is the user's command line; the CLI chooses empty values itself."""

    id = "claude"
    name = NAME
    keeps_sessions = True
    deletes_sessions = True
    needs_trust = False

    def __init__(
        self,
        cmd: str | Sequence[str],
        environment: Mapping[str, str],
        *,
        model: str = "",
        mode: str = "",
    ) -> None:
        self._cmd = cmd
        self._environment = environment
        self._model = model
        self._mode = mode
        self._turns = stored.Turns()
        self._summaries = history.Summaries()

    @property
    def chooses_settings(self) -> bool:
        """Whether the command line has an option for the sources of settings."""
        return not isinstance(self._cmd, str) and names(self._cmd[1:], SETTING_SOURCES)

    def missing(self) -> str:
        """Return why the CLI cannot be started; "" if it can."""
        try:
            command(self._cmd)
        except AgentError as error:
            return str(error)
        return ""

    def open(self, folder: Path, workbench: Workbench) -> StreamJsonAgent:
        """Return an agent for a folder."""
        launch = Launch(
            command(self._cmd),
            folder,
            self._environment,
            model=self._model,
            mode=self._mode,
            allowed_tools=tuple(known_as(tool, server) for server, tool in workbench.reading),
        )
        return StreamJsonAgent(
            launch, servers=workbench.servers, edits=workbench.edits, trusts=workbench.trusts
        )

    async def sessions(self, folder: Path) -> list[SessionSummary]:
        """List the sessions of a folder, the latest first."""
        return await asyncio.to_thread(self._list, folder)

    def _list(self, folder: Path) -> list[SessionSummary]:
        processes = stored.processes(self._environment)
        return history.sessions(self._sessions_folder(folder), processes, self._summaries)

    async def count_turns(self, folder: Path, session: str) -> int:
        """Return the number of prompts in a session."""
        path = history.file_of(self._sessions_folder(folder), session)
        return await asyncio.to_thread(self._turns.count, path)

    async def find_passage(self, folder: Path, session: str, words: Sequence[str]) -> str:
        """Return the line of a session's first text with all these words."""
        path = history.file_of(self._sessions_folder(folder), session)
        return await asyncio.to_thread(stored.find_passage, path, words)

    async def rename_session(self, folder: Path, session: str, title: str) -> None:
        """Give a session a title, as the CLI itself does."""
        path = history.file_of(self._sessions_folder(folder), session)
        await asyncio.to_thread(stored.rename, self._environment, path, title)

    async def delete_session(self, folder: Path, session: str) -> None:
        """Delete a session's file, and the folder that belongs to it."""
        path = history.file_of(self._sessions_folder(folder), session)
        await asyncio.to_thread(stored.delete, self._environment, path)

    async def check_session(self, folder: Path, session: str) -> None:
        """Raise `UnknownSessionError` if the folder does not have this session."""
        await asyncio.to_thread(history.content, self._sessions_folder(folder), session)

    def logins(self) -> list[Login]:
        """Return the command that logs the user in."""
        return [Login("login", "Log in", (*command(self._cmd), "/login"), stays=True)]

    def choose_login(self, login: str) -> None:
        """Do nothing: the CLI logs in in a terminal only."""

    def login_to_servers(self) -> list[str]:
        """Return the command that logs the user in to MCP servers."""
        return [*command(self._cmd), "/mcp"]

    def _sessions_folder(self, folder: Path) -> Path:
        return history.folder(self._environment, folder)
