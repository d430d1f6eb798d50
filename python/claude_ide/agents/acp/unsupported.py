"""The verbs of the port that the protocol does not have."""

from abc import ABC, abstractmethod

from claude_ide.agents.agent import Earlier, Rewind, TaskOutput, ToolServer
from claude_ide.errors import UnsupportedError


class Unsupported(ABC):
    """Refuses what no ACP agent can do; `name` is the agent's."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The agent's name in messages to the user."""

    def _refused(self, what: str) -> UnsupportedError:
        return UnsupportedError(f"{self.name} cannot {what}")

    async def set_thinking_tokens(self, most: int | None) -> None:
        """Refuse to limit the thinking."""
        raise self._refused("limit its thinking")

    async def rename(self, title: str) -> None:
        """Refuse to rename the session."""
        raise self._refused("rename a session")

    async def rewind(self, prompt: str, *, dry_run: bool) -> Rewind:
        """Refuse to restore files."""
        raise self._refused("undo its changes to files")

    async def earlier(self, prompt: str) -> Earlier:
        """Refuse to continue from an earlier prompt."""
        raise self._refused("continue from an earlier prompt")

    async def ask_aside(self, question: str) -> str:
        """Refuse to answer beside the conversation."""
        raise self._refused("answer an aside")

    async def stop_task(self, task: str) -> None:
        """Refuse to stop a task."""
        raise self._refused("stop a task")

    async def task_output(self, task: str) -> TaskOutput:
        """Refuse to show the output of a task."""
        raise self._refused("list its tasks")

    async def background(self, tool: str) -> bool:
        """Refuse to move a command to the background."""
        raise self._refused("move a command to the background")

    async def tool_servers(self) -> list[ToolServer]:
        """Refuse to list the MCP servers."""
        raise self._refused("list its MCP servers")

    async def reconnect_server(self, name: str) -> None:
        """Refuse to connect to an MCP server again."""
        raise self._refused("list its MCP servers")

    async def turn_server(self, name: str, *, on: bool) -> None:
        """Refuse to turn an MCP server on or off."""
        raise self._refused("list its MCP servers")
