"""Claude as a kind of agent: the CLI that the user has configured, and its stored sessions."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from claude_ide.agents.agent import Kind, Login, SessionSummary
from claude_ide.agents.stream_json import history, running, stored
from claude_ide.agents.stream_json.client import NAME, StreamJsonAgent
from claude_ide.agents.stream_json.wire.launch import SETTING_SOURCES, Launch, command, names
from claude_ide.agents.workbench import Workbench
from claude_ide.errors import AgentError
from claude_ide.tool_names import known_as


class Claude(Kind):
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
        self.chooses_settings = not isinstance(cmd, str) and names(cmd[1:], SETTING_SOURCES)
        self._environment = environment
        self._model = model
        self._mode = mode
        self._turns = history.Readings(stored.count_turns, 0)
        self._summaries = history.Readings(history.summary, None)

    def missing(self) -> str:
        try:
            command(self._cmd)
        except AgentError as error:
            return str(error)
        return ""

    def open(self, folder: Path, workbench: Workbench) -> StreamJsonAgent:
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
        return await asyncio.to_thread(self._list, folder)

    def _list(self, folder: Path) -> list[SessionSummary]:
        processes = running.processes(self._environment)
        return history.sessions(self._sessions_folder(folder), processes, self._summaries)

    async def count_turns(self, folder: Path, session: str) -> int:
        return await asyncio.to_thread(self._turns.of, self._file(folder, session))

    async def find_passage(self, folder: Path, session: str, words: Sequence[str]) -> str:
        return await asyncio.to_thread(stored.find_passage, self._file(folder, session), words)

    async def rename_session(self, folder: Path, session: str, title: str) -> None:
        path = self._file(folder, session)
        await asyncio.to_thread(stored.rename, self._environment, path, title)

    async def delete_session(self, folder: Path, session: str) -> None:
        await asyncio.to_thread(stored.delete, self._environment, self._file(folder, session))

    async def check_session(self, folder: Path, session: str) -> None:
        await asyncio.to_thread(history.content, self._sessions_folder(folder), session)

    def logins(self) -> list[Login]:
        # The CLI logs in in a terminal only.
        return [Login("login", "Log in", (*command(self._cmd), "/login"), stays=True)]

    def login_to_servers(self) -> list[str]:
        return [*command(self._cmd), "/mcp"]

    def _sessions_folder(self, folder: Path) -> Path:
        return history.folder(self._environment, folder)

    def _file(self, folder: Path, session: str) -> Path:
        return history.file_of(self._sessions_folder(folder), session)
