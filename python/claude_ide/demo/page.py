"""The demo's side of the terminal: lines as they come above a prompt, and the keys typed there."""

import asyncio
import contextlib
import os
import shutil
import sys
import textwrap
from collections.abc import AsyncIterator

PROMPT = "> "
PLAIN, BOLD, DIM, RED, GREEN, YELLOW, CYAN = "", "1", "2", "31", "32", "33", "36"
TO_LINE_START = "\r\x1b[K"
TO_LINE_ABOVE = "\x1b[A"


class Page:
    """Prints to stdout; the prompt stays the last line."""

    def __init__(self) -> None:
        self._fleeting = False

    @property
    def width(self) -> int:
        """Columns; the last one stays free, so that no terminal wraps by itself."""
        return shutil.get_terminal_size().columns - 1

    def title(self, text: str) -> None:
        """Print a heading, which becomes the terminal's title too."""
        sys.stdout.write(f"\x1b]2;{text}\x07")
        self.say(text, BOLD)

    def say(self, text: str, style: str = PLAIN, hang: int = 0) -> None:
        """Print a paragraph; what does not fit a line goes on `hang` columns in."""
        wrapped = textwrap.wrap(text, self.width, subsequent_indent=" " * hang) or [""]
        self._put([_styled(line, style) for line in wrapped], fleeting=False)

    def show(self, text: str, style: str = DIM) -> None:
        """Print one line that the next such line replaces, if nothing came between."""
        line = text if len(text) <= self.width else text[: self.width - 1] + "…"
        self._put([_styled(line, style)], fleeting=True)

    def entered(self) -> None:
        """Note that the user has pressed Enter: the prompt is on a new line."""
        self._fleeting = False
        self._put([], fleeting=False)

    def _put(self, lines: list[str], fleeting: bool) -> None:
        above = TO_LINE_ABOVE + TO_LINE_START if fleeting and self._fleeting else ""
        text = "".join(f"{line}\n" for line in lines)
        sys.stdout.write(TO_LINE_START + above + text + PROMPT)
        sys.stdout.flush()
        self._fleeting = fleeting


def _styled(text: str, style: str) -> str:
    return f"\x1b[{style}m{text}\x1b[m" if style else text


async def typed_lines() -> AsyncIterator[str]:
    """Give each line that is typed, stripped, until stdin ends.

    The terminal is read as it is: a non-blocking one would be so for our output too.
    """
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[str | None] = asyncio.Queue()
    stdin = sys.stdin.fileno()
    rest = b""

    def read() -> None:
        nonlocal rest
        chunk = b""
        with contextlib.suppress(OSError):  # the terminal has been closed
            chunk = os.read(stdin, 4096)
        if not chunk:
            loop.remove_reader(stdin)
            lines.put_nowait(None)
            return
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            lines.put_nowait(line.decode(errors="replace").strip())

    loop.add_reader(stdin, read)
    try:
        while (line := await lines.get()) is not None:
            yield line
    finally:
        loop.remove_reader(stdin)
