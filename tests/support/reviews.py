"""Reviews of changes in the quickfix list of a Neovim under test."""

from pathlib import Path
from typing import Any

from support.chunks import chunk
from support.neovim import Neovim, until

PREVIEW = chunk("review/preview")
SHOW = "require('claude_ide.review').show(...)"


def change(path: Path, before: str | None, after: str | None, obstacle: str = "") -> dict[str, Any]:
    """Return a changed file as the host describes it."""
    return {
        "path": str(path),
        "name": path.name,
        "before": before,
        "after": after,
        "had_file": before is not None or bool(obstacle),
        "has_file": after is not None or bool(obstacle),
        "obstacle": obstacle,
    }


class Review:
    """The review that was shown last."""

    def __init__(self, nvim: Neovim) -> None:
        self.nvim = nvim

    async def show(self, *files: dict[str, Any], turn: str = "1", title: str = "changes") -> None:
        """Show changes, and wait until the user is in the quickfix window."""
        request = {"source": "test", "turn": turn, "title": title, "files": list(files)}
        await self.nvim.lua(SHOW, request)
        await until(self._is_entered, "the quickfix window is current")

    async def write(self, path: Path, before: str, after: str) -> None:
        """Write a file with the text after a change, and show the change."""
        path.write_bytes(after.encode())
        await self.show(change(path, before, after))

    async def texts(self) -> list[str]:
        """Return the entries' texts."""
        return [item["text"] for item in await self.nvim.eval("getqflist()")]

    async def lines(self) -> list[int]:
        """Return the entries' line numbers."""
        return [item["lnum"] for item in await self.nvim.eval("getqflist()")]

    async def has(self, *texts: str) -> None:
        """Wait until the entries have these texts."""

        async def same() -> bool:
            return await self.texts() == list(texts)

        try:
            await until(same)
        except AssertionError:
            assert await self.texts() == list(texts)

    async def preview(self) -> list[str]:
        """Return the lines of the preview; empty if it is closed."""
        return list(await self.nvim.lua(PREVIEW))

    async def messages(self) -> str:
        """Return the messages so far."""
        return str(await self.nvim.eval("execute('messages')"))

    async def _is_entered(self) -> bool:
        return bool(await self.nvim.eval("&buftype") == "quickfix")
