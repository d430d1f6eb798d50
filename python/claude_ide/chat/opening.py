"""Opens the agents of the chats: each gets the editor's tools and the trust in its folder."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

from claude_ide.agents.agent import Agent, Kind
from claude_ide.agents.workbench import McpServer, Workbench
from claude_ide.chat.agent_files import AgentFiles
from claude_ide.chat.diagnosis import Diagnosis
from claude_ide.chat.panel import Panels
from claude_ide.chat.trusting import Trusting
from claude_ide.chat.witness import Witness
from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.trust.trust import Trust

SERVER = "neovim"
"""The name of the editor's tools; the model sees them as `mcp__neovim__getDiagnostics`."""


class OpenedAgent(NamedTuple):
    """An agent that was not started yet, the trust in its folder, and the witness of its edits."""

    folder: Path
    agent: Agent
    trusting: Trusting
    witness: Witness


class Agents:
    """Agents of one kind.

    `serve` creates the MCP server for one agent (`InProcessServer`). Its tools in `reading` run
    without a permission request. `trust_changed` is called when the user decides about a folder.
    """

    def __init__(
        self,
        kind: Kind,
        editor: Editor,
        config: Config,
        panels: Panels,
        trust: Trust,
        serve: Callable[[], McpServer],
        reading: tuple[str, ...],
        trust_changed: Callable[[], Awaitable[None]],
    ) -> None:
        self._kind = kind
        self._editor = editor
        self._config = config
        self._panels = panels
        self._trust = trust
        self._serve = serve
        self._reading = tuple((SERVER, tool) for tool in reading)
        self._trust_changed = trust_changed

    def open(self, folder: Path) -> OpenedAgent:
        """Return an agent for a folder, without starting it.

        Raises `AgentError` if it is not installed.
        """
        trusting = Trusting(
            *(str(folder), self._trust, self._editor, self._panels, self._trust_changed),
            name=self._kind.name,
            settled=self._kind.chooses_settings,
        )
        witness = Witness(self._editor, Diagnosis(self._editor))
        files = AgentFiles(
            *(self._kind.name, self._editor, self._config, witness.journal.before_write)
        )
        workbench = Workbench(
            *({SERVER: self._serve()}, self._reading),
            edits=witness,
            files=files,
            trusts=trusting.follows,
        )
        return OpenedAgent(folder, self._kind.open(folder, workbench), trusting, witness)
