"""Passes on what the editor asks while the user writes a prompt."""

from collections.abc import Awaitable
from functools import cached_property
from typing import TYPE_CHECKING

from claude_ide.editor.editor import Editor
from claude_ide.editor.port import events
from claude_ide.editor.port.binding import handles

if TYPE_CHECKING:
    from claude_ide.chat.prompt_buffers import PromptBuffers


class PromptEvents:
    """Passes on the events about prompts; the first one imports what they need."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor

    @cached_property
    def _prompts(self) -> "PromptBuffers":
        from claude_ide.chat.prompt_buffers import PromptBuffers

        return PromptBuffers(self._editor)

    @handles(events.FilesAsked)
    def files_asked(self, asked: events.FilesAsked) -> Awaitable[None]:
        """Complete files."""
        return self._prompts.complete(asked)

    @handles(events.MentionsAsked)
    def mentions_asked(self, asked: events.MentionsAsked) -> Awaitable[None]:
        """Find the mentions of files that do not exist."""
        return self._prompts.check(asked)

    @handles(events.CommandsAsked)
    def commands_asked(self, asked: events.CommandsAsked) -> Awaitable[None]:
        """List the commands of a CLI."""
        return self._prompts.list_commands(asked)

    @handles(events.ImageAsked)
    def image_asked(self, asked: events.ImageAsked) -> Awaitable[None]:
        """Read the image on the clipboard."""
        return self._prompts.paste(asked)

    @handles(events.FilesDropped)
    def files_dropped(self, dropped: events.FilesDropped) -> Awaitable[None]:
        """Mention files, and read images."""
        return self._prompts.drop(dropped)

    @handles(events.QuotationAsked)
    def quotation_asked(self, asked: events.QuotationAsked) -> Awaitable[None]:
        """Quote lines."""
        from claude_ide.contexts import quote

        return quote(self._editor, asked)
