"""The keys of a user in a chat, and the conditions that the user waits for."""

from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

from support.chunks import chunk
from support.neovim import Neovim, until
from support.panel import Panel
from support.random_turns.model import RandomModel
from support.random_turns.record import Record

LOOK = chunk("random_turns/look")


class Hands:
    """Types, and waits for what the screen shows."""

    def __init__(self, seed: int, nvim: Neovim, panel: Panel, model: RandomModel) -> None:
        self.random = Random(seed)
        self.nvim, self.panel, self.model = nvim, panel, model
        self.record = Record()

    async def look(self) -> dict[str, Any]:
        """Return the state of the chat."""
        seen = await self.nvim.lua(LOOK)
        return dict(seen) if seen else {}

    async def idle(self) -> None:
        """Wait until nothing is pending."""

        async def is_idle() -> bool:
            seen = await self.look()
            return bool(seen) and bool(seen["is_idle"]) and not self.model.speaking

        try:
            await until(is_idle, "nothing is pending")
            # The bar is drawn after the transcript, and the next queued prompt may be starting.
            await self.nvim.idle(100)
            await until(is_idle, "nothing is pending")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{await self.look()}") from None

    async def _insert(self, words: str) -> None:
        await self.panel.write()
        await self.nvim.request("nvim_paste", words, False, -1)

    async def _type(self, name: str, *, instead: bool = False) -> None:
        if instead:
            await self.panel.write()
            await self.nvim.keys("<Esc>ggVGc")
        await self._insert(self.record.texts[name])
        wanted = self.record.texts[name]
        await until(lambda: self._holds(wanted), f"{name} is in the prompt")

    async def _send(self, name: str) -> None:
        await self._type(name)
        await self.nvim.keys("<C-s>")

    async def _holds(self, words: str) -> bool:
        return bool((await self.look())["prompt"] == words)

    async def _contains(self, words: str) -> None:
        await self.panel.shows(words)

    async def _shown(self, prompt: str) -> None:
        await self._contains(f"» {prompt}:")

    async def _ended(self, said: str) -> None:
        await self._contains(f"end of {said}")

    async def _returned(self, name: str) -> None:
        """Wait until a prompt is back, and delete it."""
        wanted = self.record.texts[name]
        try:
            await until(lambda: self._holds(wanted), f"{name} is in the prompt again")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{await self.look()}") from None
        await self.panel.write()
        await self.nvim.keys("<Esc>ggVGd")
        await until(lambda: self._holds(""), "an empty prompt")

    async def _requested(self) -> None:
        await self._contains("? Run this command")

    async def _answer(self, key: str) -> None:
        """Press a key on the request, which ignores keys until the user could have read it."""

        async def answered() -> bool:
            if await self.panel.go_to("? Run this command"):
                await self.nvim.keys(key)
            return "? Run this command" not in await self.panel.text()

        await until(answered, "the request is answered")

    async def _moment(self, prompt: str, said: str) -> None:
        count = len(self.model.talk)
        moments: list[Callable[[], Awaitable[Any]]] = [
            lambda: self._shown(prompt),
            lambda: until(lambda: len(self.model.talk) > count, "a request"),
            lambda: self.nvim.idle(self.random.randint(1, 300)),
        ]
        await self.random.choice(moments)()

    async def _settled(self, prompt: str) -> None:
        """Wait for the end of a turn, or until its prompt is back."""

        async def settled() -> bool:
            seen = await self.look()
            has_begun = any(line.startswith(f"» {prompt}:") for line in seen["lines"])
            is_back = seen["prompt"] == self.record.texts[prompt]
            return bool(seen["is_idle"]) and (has_begun or is_back)

        try:
            await until(settled, "the turn has ended")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{await self.look()}") from None
        if (await self.look())["prompt"]:
            await self._returned(prompt)
        self.model.turns.clear()
