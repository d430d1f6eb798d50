"""The lists of the chat panel, such as that of the sessions, used through their keys."""

from typing import Any

from support.chunks import chunk
from support.neovim import Neovim, until

LOOK = chunk("lists/look")
GO_TO = chunk("lists/go_to")


class ListWindow:
    """The list in the current window."""

    def __init__(self, nvim: Neovim) -> None:
        self.nvim = nvim

    async def look(self) -> dict[str, Any]:
        """Return the list's `lines` and `title`; empty if no list is shown."""
        return dict(await self.nvim.lua(LOOK) or {})

    async def shows(self, *words: str) -> list[str]:
        """Wait until each of these texts is in a line; return the lines."""

        async def there() -> list[str]:
            lines: list[str] = (await self.look()).get("lines", [])
            return lines if all(any(word in line for line in lines) for word in words) else []

        try:
            found: list[str] = await until(there, f"{words} in the list")
        except AssertionError as error:
            raise AssertionError(f"{error}; shown is {await self.look()}") from None
        return found

    async def shows_no_more(self, words: str) -> None:
        """Wait until no line contains `words`."""

        async def gone() -> bool:
            return all(words not in line for line in (await self.look()).get("lines", []))

        await until(gone, f"{words!r} is gone")

    async def closed(self) -> None:
        """Wait until no list is shown."""

        async def gone() -> bool:
            return not await self.look()

        await until(gone, "the list is closed")

    async def press(self, key: str, words: str) -> None:
        """Press a key on the line that contains `words`."""
        await self.shows(words)
        await until(lambda: self.nvim.lua(GO_TO, words), f"the cursor is on {words!r}")
        await self.nvim.keys(key)
