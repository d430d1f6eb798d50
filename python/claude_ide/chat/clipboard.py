"""Images from the user's clipboard, read by a program that is installed."""

import asyncio
import base64
import os
from collections.abc import Mapping
from typing import NamedTuple

from claude_ide.program import locate, output

LARGEST_BYTES = 5 * 1024 * 1024
SECONDS = 10.0
TYPES = ("image/png", "image/jpeg", "image/webp", "image/gif")

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


async def read(environment: Mapping[str, str]) -> dict[str, str]:
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
