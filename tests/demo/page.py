"""The demo's terminal: prints lines above a prompt, and reads the lines that are typed."""

import asyncio
import contextlib
import os
import shutil
import sys
import termios
import textwrap
from collections.abc import AsyncIterator, Iterator

PROMPT = "> "
PLAIN, BOLD, DIM, RED, GREEN, YELLOW, CYAN = "", "1", "2", "31", "32", "33", "36"
TO_LINE_START = "\r\x1b[K"
TO_LINE_ABOVE = "\x1b[A"


class Page:
    """Prints to stdout; the prompt stays the last line."""

    def __init__(self) -> None:
        self._ends_in_status = False

    @property
    def width(self) -> int:
        """The number of columns without the last; some terminals wrap a line that fills it."""
        return shutil.get_terminal_size().columns - 1

    def title(self, text: str) -> None:
        """Print a heading, and set the terminal's title."""
        sys.stdout.write(f"\x1b]2;{text}\x07")
        self.print(text, BOLD)

    def print(self, text: str, style: str = PLAIN, hang: int = 0) -> None:
        """Print a paragraph; wrapped lines are indented by `hang` columns."""
        wrapped = textwrap.wrap(text, self.width, subsequent_indent=" " * hang) or [""]
        self._put([_styled(line, style) for line in wrapped], is_status=False)

    def print_status(self, text: str, style: str = DIM) -> None:
        """Print one line; it replaces the previous line if that was a status, too."""
        line = text if len(text) <= self.width else text[: self.width - 1] + "…"
        self._put([_styled(line, style)], is_status=True)

    def entered(self) -> None:
        """Print the prompt again: the user has pressed Enter."""
        self._ends_in_status = False
        self._put([], is_status=False)

    def _put(self, lines: list[str], is_status: bool) -> None:
        above = TO_LINE_ABOVE + TO_LINE_START if is_status and self._ends_in_status else ""
        text = "".join(f"{line}\n" for line in lines)
        sys.stdout.write(TO_LINE_START + above + text + PROMPT)
        sys.stdout.flush()
        self._ends_in_status = is_status


def _styled(text: str, style: str) -> str:
    return f"\x1b[{style}m{text}\x1b[m" if style else text


@contextlib.contextmanager
def without_flow_control() -> Iterator[None]:
    """Have the terminal ignore CTRL-S, which would stop all output until CTRL-Q."""
    stdin = sys.stdin.fileno()
    before = termios.tcgetattr(stdin)
    changed = [before[0] & ~termios.IXON, *before[1:]]
    termios.tcsetattr(stdin, termios.TCSANOW, changed)
    try:
        yield
    finally:
        with contextlib.suppress(termios.error):  # the terminal has been closed
            termios.tcsetattr(stdin, termios.TCSANOW, before)


async def typed_lines() -> AsyncIterator[str]:
    """Yield each typed line, stripped, until stdin ends.

    The terminal stays in blocking mode, because another mode would apply to the output, too.
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
