"""The terminals of Neovim in which agents run."""

from typing import Any

from claude_ide.editor.port import Port, without_error


class Terminals:
    """The calls about terminals. A terminal is known by its process, or by the id of its launch."""

    def __init__(self, port: Port) -> None:
        self._port = port

    def clients_run_as(self, pids: list[int]) -> None:
        """Report the process ids of the clients, so that Neovim finds their terminals."""
        self._port.notify("terminal.connected", pids)

    def agent_does(self, launch: str, activity: dict[str, Any]) -> None:
        """Report what the agent of a terminal does (`activity.lua`)."""
        self._port.notify("activity.set", launch, activity)

    def agent_ended(self, launch: str) -> None:
        """Report that the agent of a terminal has ended."""
        self._port.notify("activity.remove", launch)

    async def here(self) -> list[int]:
        """Return the process ids of the clients that belong to this tab page."""
        pids: list[int] = await self._port.call("terminal.here")
        return pids

    async def meant(self) -> list[tuple[str, str, bool]]:
        """Return the launch and name of each terminal, and whether a command here can mean it."""
        return [(*each,) for each in await self._port.call("terminal.meant")]

    async def say(self, words: str, pid: int) -> None:
        """Type words as a prompt into the terminal of a client; 0: into that of `:Claude`.

        Raises `EditorError` if no terminal of this Neovim is found.
        """
        without_error(await self._port.call("terminal.typing.send", pid, words))
