"""Runs the user's own 'makeprg', in which there is no word of the model's."""

import asyncio
import re
from pathlib import Path

import msgspec

from claude_ide.editor.port.formatting import ShellFacts
from claude_ide.errors import ToolError
from claude_ide.transport.process import Process

LIMIT_SECONDS = 600.0
MOST_BYTES, MOST_LINES = 10_000_000, 100_000
"""Of the output. The editor would not react while it parses more lines."""

COLOUR = re.compile(r"\x1b\[[\d;:?]*[A-Za-z]|\x1b\][^\x07\x1b]*\x07")


class Made(msgspec.Struct):
    """How it has ended: the exit code, whether it took too long, and the lines it has shown."""

    code: int
    is_stopped: bool
    lines: list[str]


async def make(command: str, by: ShellFacts) -> Made:
    """Run a command. Cancelling this ends it. Raises `ToolError` if it cannot be started."""
    output = bytearray()

    def add(piece: bytes) -> None:
        if len(output) < MOST_BYTES:
            output.extend(piece)

    arguments = (*by.shell, command)
    try:
        process = await Process.start(arguments, Path(by.folder), by.environment, add)
    except OSError as error:
        why = error.strerror or str(error)
        raise ToolError(f"{command} could not be started: {why}") from None
    is_stopped = False
    try:
        async with asyncio.timeout(LIMIT_SECONDS):
            code = await process.wait()
    except TimeoutError:
        is_stopped, code = True, 0
    # A shell says so, too, of a command that a signal has ended.
    return Made(128 - code if code < 0 else code, is_stopped, _shown(bytes(output)))


def _shown(output: bytes) -> list[str]:
    """Return what a terminal would show of the lines: no colours, and the end of a progress bar.

    'errorformat' would not recognize anything else.
    """
    lines = output.decode(errors="replace").split("\n", MOST_LINES)[:MOST_LINES]
    shown = [COLOUR.sub("", line).rstrip("\r").rpartition("\r")[2] for line in lines]
    while shown and not shown[-1]:
        shown.pop()
    return shown
