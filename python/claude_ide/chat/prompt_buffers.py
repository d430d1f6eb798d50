"""What the editor asks while the user writes a prompt: files, mentions without one, images."""

import asyncio
import os
from collections.abc import Mapping
from typing import Any

import msgspec

from claude_ide.chat import clipboard, context
from claude_ide.chat.prompt_files import PromptFiles
from claude_ide.editor.port.panel import Panels


class FilesAsked(msgspec.Struct, frozen=True):
    """The user has typed `@` and a pattern in a prompt about a folder."""

    number: int
    root: str
    pattern: str


class MentionsAsked(msgspec.Struct, frozen=True):
    """The lines of a prompt have changed; `tick` says when."""

    bufnr: int
    tick: int
    root: str
    lines: list[str]


class PromptBuffers:
    """The answers, for the prompts of chats and of `:ClaudePrompt`."""

    def __init__(self, panels: Panels) -> None:
        self._panels = panels
        self._files = PromptFiles()
        self._latest = 0

    async def complete(self, event: Mapping[str, Any]) -> None:
        """Answer with the files that may match, unless the user has typed on since."""
        asked = msgspec.convert(event, FilesAsked)
        self._latest = asked.number
        paths = await self._files.of(asked.root)
        found = await paths.match(asked.pattern, lambda: self._latest == asked.number)
        if self._latest == asked.number:
            await self._panels.show_completion(asked.number, "\0".join(found))

    async def check(self, event: Mapping[str, Any]) -> None:
        """Answer with the mentions of files that do not exist."""
        asked = msgspec.convert(event, MentionsAsked)
        found = await asyncio.to_thread(context.unknown, asked.lines, asked.root)
        await self._panels.mark_mentions(asked.bufnr, asked.tick, found)

    async def paste(self, event: Mapping[str, Any]) -> None:
        """Answer with the image on the clipboard, for the place that the editor has marked."""
        image = await clipboard.read(os.environ)
        await self._panels.paste_image(event["bufnr"], event["mark"], image)
