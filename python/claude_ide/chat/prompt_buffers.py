"""What the editor asks while the user writes a prompt: files, commands, mentions, images."""

import asyncio
import os
from pathlib import Path

from claude_ide.chat import clipboard, context
from claude_ide.chat.cli_commands import commands
from claude_ide.chat.prompt_files import PromptFiles
from claude_ide.editor.port.events import CommandsAsked, FilesAsked, ImageAsked, MentionsAsked
from claude_ide.editor.port.panel import Panels


class PromptBuffers:
    """The answers, for the prompts of chats and of `:ClaudePrompt`."""

    def __init__(self, panels: Panels) -> None:
        self._panels = panels
        self._files = PromptFiles()
        self._latest = 0

    async def complete(self, asked: FilesAsked) -> None:
        """Answer with the files that may match, unless the user has typed on since."""
        self._latest = asked.number
        paths = await self._files.of(asked.root)
        found = await paths.match(asked.pattern, lambda: self._latest == asked.number)
        if self._latest == asked.number:
            await self._panels.show_completion(asked.number, "\0".join(found))

    async def check(self, asked: MentionsAsked) -> None:
        """Answer with the mentions of files that do not exist."""
        found = await asyncio.to_thread(context.unknown, asked.lines, asked.root)
        await self._panels.mark_mentions(asked.bufnr, asked.tick, found)

    async def list_commands(self, asked: CommandsAsked) -> None:
        """Answer with the commands of the CLI in a terminal that is in a folder."""
        found = await asyncio.to_thread(commands, Path(asked.root), os.environ)
        await self._panels.offer_commands(asked.bufnr, found)

    async def paste(self, asked: ImageAsked) -> None:
        """Answer with the image on the clipboard, for the place that the editor has marked."""
        image = await clipboard.read(os.environ)
        await self._panels.paste_image(asked.bufnr, asked.mark, image)
