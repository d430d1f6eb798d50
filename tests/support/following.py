"""Uses of tools that name a file, and the window next to the panel."""

from pathlib import Path
from typing import Any

from claude_ide.agents.events import (
    Change,
    DiffHunk,
    Event,
    ToolEnded,
    ToolInput,
    ToolStarted,
    ToolStatus,
)
from support.chunks import chunk
from support.neovim import until
from support.river import River

LOOK = chunk("following/look")
COMPLETED = ToolStatus.COMPLETED


def read(path: Path, line: int | None = None, *, tool: str = "t1", parent: str = "") -> list[Event]:
    """Return the events of a tool that reads a file."""
    return [
        ToolStarted(tool, "Look", "read", parent=parent),
        ToolInput(tool, 5, {"file": str(path)}, path.name, str(path), line, parent),
        ToolEnded(tool, COMPLETED, parent=parent),
    ]


def edit(path: Path, line: int, old: str, new: str) -> list[Event]:
    """Write a changed line, and return the events of the tool that has done so."""
    path.write_text(path.read_text().replace(f"{old}\n", f"{new}\n"))
    hunk = DiffHunk(line, 1, line, 1, (f"-{old}", f"+{new}"))
    return [
        ToolStarted("e1", "Gnaw", "edit"),
        ToolInput("e1", 5, {"file": str(path)}, path=str(path)),
        ToolEnded("e1", COMPLETED, changes=(Change(str(path), 1, 1, (hunk,)),)),
    ]


class Window:
    """The window next to the panel."""

    def __init__(self, river: River) -> None:
        self.river = river

    async def look(self) -> dict[str, Any]:
        """Return its `name`, `line`, `modified`; the user's `mode` and `filetype`."""
        return dict(await self.river.nvim.lua(LOOK))

    async def shows(self, name: str, line: int = 1) -> dict[str, Any]:
        """Wait until it shows this line of a file."""

        async def shown() -> bool:
            seen = await self.look()
            return (seen["name"], seen["line"]) == (name, line)

        try:
            await until(shown, f"{name}:{line} is shown")
        except AssertionError as error:
            raise AssertionError(f"{error}; shown is {await self.look()}") from None
        return await self.look()

    async def keeps(self, name: str) -> None:
        """Wait longer than following takes; the window still shows this file."""
        await self.river.nvim.idle(600)
        assert (await self.look())["name"] == name
