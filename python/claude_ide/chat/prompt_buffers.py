"""What the editor asks while the user writes a prompt: files, commands, mentions, images."""

import asyncio
import base64
import mimetypes
import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from claude_ide import files
from claude_ide.chat import context
from claude_ide.chat.cli_commands import commands
from claude_ide.chat.prompt_files import PromptFiles
from claude_ide.editor.editor import Editor
from claude_ide.editor.port.events import (
    CommandsAsked,
    FilesAsked,
    FilesDropped,
    ImageAsked,
    MentionsAsked,
)
from claude_ide.paths import exists, within
from claude_ide.program import locate, output

LARGEST_BYTES = 5 * 1024 * 1024
SECONDS = 10.0
TYPES = ("image/png", "image/jpeg", "image/webp", "image/gif")

FILE = "file://"

WAYLAND = "WAYLAND_DISPLAY"
NO_TOOL = "no tool to read images from the clipboard (wl-paste, xclip or pngpaste)"
NO_IMAGE = "no image on the clipboard"
TOO_LARGE = "the image is larger than 5 MB"


class Tool(NamedTuple):
    """A program that prints the clipboard; `{}` stands for the type of the image."""

    program: str
    lists: tuple[str, ...]
    """The arguments that list the types; without any, there are only PNG images."""
    reads: tuple[str, ...]


TOOLS = (
    Tool("wl-paste", ("--list-types",), ("--no-newline", "--type", "{}")),
    Tool(
        "xclip",
        ("-selection", "clipboard", "-t", "TARGETS", "-o"),
        ("-selection", "clipboard", "-t", "{}", "-o"),
    ),
    Tool("pngpaste", (), ("-",)),
)


class PromptBuffers:
    """The answers, for the prompts of chats and of `:ClaudePrompt`."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._panels = editor.port.panels
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
        image = await _clipboard_image(os.environ)
        await self._panels.paste_image(asked.bufnr, asked.mark, image)

    async def drop(self, dropped: FilesDropped) -> None:
        """Answer with the mentions of the files that were dropped, and with the images."""
        paths = await asyncio.to_thread(dropped_files, dropped.paths)
        private = await self._editor.private(paths)
        words, images = list[str](), list[dict[str, str]]()
        for path in paths:
            takes = dropped.takes_images and path not in private
            image = await asyncio.to_thread(_image_file, path) if takes else {}
            words.append("" if image else _mention(path, dropped.root))
            images += [image] if image else []
        await self._panels.put_dropped(dropped.bufnr, dropped.mark, words, images)


def dropped_files(text: str) -> list[str]:
    """Return the files that a terminal has pasted: paths as a shell reads them, or addresses.

    The list is empty if the text is anything else.
    """
    try:
        words = shlex.split(text)
    except ValueError:
        return []
    paths = [unquote(word.removeprefix(FILE)) if word.startswith(FILE) else word for word in words]
    # A path with blanks may be pasted as it is.
    whole = text.strip()
    paths = [whole] if exists(whole) else paths
    return paths if all(path.startswith("/") and exists(path) for path in paths) else []


def _mention(path: str, root: str) -> str:
    spelled = within(path, root)
    return f'@"{spelled}"' if re.search(r"\s", spelled) else f"@{spelled}"


def _image_file(path: str) -> dict[str, str]:
    """Return an image as `_clipboard_image` does; nothing if it is none, or too large."""
    type_ = mimetypes.guess_type(path)[0]
    if type_ not in TYPES:
        return {}
    data = files.read_if_sound(Path(path), LARGEST_BYTES)
    return {"data": base64.b64encode(data).decode(), "media_type": type_} if data else {}


async def _clipboard_image(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the image (`data` in base64, `media_type`), or why there is none (`problem`)."""
    tools = [each for each in TOOLS if _path(each, environment)]
    # Without Wayland it might answer for another session.
    tools.sort(key=lambda each: each.program == "wl-paste" and not environment.get(WAYLAND))
    for tool in tools:
        listed = await _output(tool, tool.lists, environment) if tool.lists else TYPES[0].encode()
        found = next((each for each in TYPES if each.encode() in (listed or b"")), None)
        arguments = tuple(word.format(found) for word in tool.reads)
        data = await _output(tool, arguments, environment) if found else None
        if data and len(data) > LARGEST_BYTES:
            return {"problem": TOO_LARGE}
        if data and found:
            return {"data": base64.b64encode(data).decode(), "media_type": found}
    return {"problem": NO_IMAGE if tools else NO_TOOL}


def _path(tool: Tool, environment: Mapping[str, str]) -> str:
    try:
        return locate(tool.program, environment.get("PATH", os.defpath))
    except OSError:
        return ""


async def _output(
    tool: Tool, arguments: tuple[str, ...], environment: Mapping[str, str]
) -> bytes | None:
    """Return what a tool prints, cut off after the largest image; None if it fails."""
    words = (_path(tool, environment), *arguments)
    try:
        async with asyncio.timeout(SECONDS):
            return await output(words, LARGEST_BYTES + 1, environment)
    except TimeoutError:
        return None
