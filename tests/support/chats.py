"""The Lua part of the chat under test, without a host: tests send frames and read events."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from itertools import groupby
from typing import Any

from claude_ide.chat.prompt_buffers import PromptBuffers
from claude_ide.editor.editor import Editor
from claude_ide.editor.events import decoded
from support.chats_here import EVENT, Notifications, TestedNeovim
from support.chunks import chunk
from support.neovim import Neovim, until

TOGGLE = chunk("panel/toggle")
PANEL = "require('claude_ide.chat.panel')"

WINDOWS = chunk("chats/windows")

BUFFER = chunk("chats/buffer")


class Chats:
    """The chats of one Neovim."""

    def __init__(self, nvim: Neovim) -> None:
        self.nvim = nvim
        self._prompts = PromptBuffers(Editor(TestedNeovim(nvim)))
        self._answers: set[asyncio.Future[None]] = set()
        nvim.notifications = Notifications(self._receive)

    @classmethod
    async def start(cls, nvim: Neovim) -> "Chats":
        """Have Neovim send its events to this test, which completes prompts instead of a host."""
        await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())
        return cls(nvim)

    def _receive(self, name: str, arguments: list[Any]) -> None:
        handlers: dict[str, Callable[[Any], Coroutine[Any, Any, None]]] = {
            "prompt_files": self._prompts.complete,
            "prompt_mentions": self._prompts.check,
            "prompt_image": self._prompts.paste,
            "prompt_dropped": self._prompts.drop,
        }
        if name == EVENT and (handler := handlers.get(arguments[0])):
            answer = asyncio.ensure_future(handler(decoded(*arguments)))
            self._answers.add(answer)
            answer.add_done_callback(self._answers.discard)

    async def open(self, id_: int = 1, side: str = "right", size: float = 0.4) -> None:
        """Show a chat, and wait until the user is in its prompt."""
        root = await self.nvim.eval("getcwd()")
        await self.nvim.lua(f"{PANEL}.open(...)", id_, options(side, size, root))
        await until(self.is_typing, "the user is in the prompt")

    async def toggle(self, id_: int = 1, side: str = "right", size: float = 0.4) -> Any:
        """Show or hide a chat; return which of it."""
        root = await self.nvim.eval("getcwd()")
        return await self.nvim.lua(TOGGLE, id_, options(side, size, root))

    def shown(self) -> list[bool]:
        """Whether the chat was on the screen, each time that this has changed."""
        return [shown for shown, _ in groupby(each["shown"] for each in self.events("placed"))]

    async def is_typing(self) -> bool:
        """Whether the user is in a prompt, in Insert mode."""
        in_prompt = await self.nvim.eval("&filetype == 'claude-prompt'")
        return bool(in_prompt) and (await self.nvim.mode())["mode"] == "i"

    async def draw(
        self, *edits: dict[str, Any], id_: int = 1, code: Sequence[Any] = (), holds: bool = False
    ) -> None:
        """Draw a frame."""
        frame = {"edits": list(edits), "code": list(code), "holds": holds}
        await self.nvim.lua("require('claude_ide.chat.transcript').draw(...)", id_, frame)

    async def show_bars(
        self, bars: dict[str, Any], status: str = "success", text: str = "", id_: int = 1
    ) -> None:
        """Set the texts of the bars and the status of the agent's work."""
        work = {"text": text or status, "status": status}
        await self.update({"bars": bars, "work": work}, id_)

    async def update(self, facts: dict[str, Any], id_: int = 1) -> None:
        """Set what a host knows about a chat."""
        await self.nvim.lua("require('claude_ide.chat.state').set(...)", id_, facts)

    async def windows(self) -> dict[str, Any]:
        """The chat windows on screen, by kind: `transcript` and `prompt`."""
        kinds = {"chat": "transcript", "prompt": "prompt"}
        return {kinds[found["kind"]]: found for found in await self.nvim.lua(WINDOWS)}

    async def hidden(self) -> None:
        """Wait until no chat is on screen."""
        await until(lambda: self._is_hidden(), "the panel is hidden")

    async def _is_hidden(self) -> bool:
        return not await self.windows()

    async def lines(self, kind: str = "chat") -> list[str]:
        """Return the lines of the transcript (`chat`) or of the `prompt`."""
        bufnr = await self.nvim.lua(BUFFER, kind)
        lines: list[str] = await self.nvim.request("nvim_buf_get_lines", bufnr, 0, -1, False)
        return lines

    async def enter_transcript(self, line: int) -> None:
        """Move the cursor to a line of the transcript, in Normal mode."""
        win = (await self.windows())["transcript"]["win"]
        await self.nvim.command("stopinsert")
        await until(lambda: self.nvim.eval("mode() == 'n'"))
        await self.nvim.request("nvim_set_current_win", win)
        await self.nvim.request("nvim_win_set_cursor", win, [line, 0])

    def events(self, name: str) -> list[dict[str, Any]]:
        """Return the fields of all events of this name so far."""
        return [
            {field: value for field, value in payload.items() if field != "event"}
            for payload in self.nvim.events("chat")
            if payload["event"] == name
        ]

    async def wait_for_event(self, name: str) -> dict[str, Any]:
        """Wait for an event of this name; return the fields of the latest."""
        payloads: list[dict[str, Any]] = await until(lambda: self.events(name), f"event {name}")
        return payloads[-1]


def options(side: str, size: float, root: str = "") -> dict[str, Any]:
    """Return the panel's options, as the host sends them."""
    return {"side": side, "size": size, "title": "Claude", "root": root}


def edit(
    first: int,
    last: int,
    lines: Sequence[str],
    marks: Sequence[Any] = (),
    parts: Sequence[Any] = (),
    looks: Sequence[Any] = (),
) -> dict[str, Any]:
    """One edit of a frame."""
    return {
        "first": first,
        "last": last,
        "lines": list(lines),
        "marks": list(marks),
        "looks": list(looks),
        "parts": list(parts),
    }


def numbered(count: int, word: str = "line") -> list[str]:
    return [f"{word} {number}" for number in range(1, count + 1)]
