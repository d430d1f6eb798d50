"""A real terminal for a program under test: a pty with keys to type and a screen to read."""

import asyncio
import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

import pyte

from support.neovim import until

STILL = 0.3
"""Seconds after which a screen that has not changed counts as finished."""

PORTION = 1024
"""How many bytes are typed at once: the system keeps at most 4095 that nobody has read."""

KEYS = {"Enter": "\r", "Escape": "\x1b", "Up": "\x1b[A", "Down": "\x1b[B"}

# pyte draws the payload of unknown sequences: device control strings, private CSI sequences and
# colon-separated attributes. Vim's question for `modifyOtherKeys` makes it fail.
_FOREIGN = re.compile(
    rb"\x1b(?:[PX^_].*?\x1b\\|\[[<=>][0-?]*[ -/]*[@-~]|\[\?[0-9;]*m|\[[0-9;]*:[0-9:;]*[@-~])",
    re.DOTALL,
)
_UNFINISHED = re.compile(rb"\x1b(?:[PX^_](?:[^\x1b]|\x1b(?!\\))*|\[[0-?]*[ -/]*)?\Z")


def _set_size(terminal: int, columns: int, rows: int) -> None:
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


class _Screen(pyte.Screen):  # type: ignore[misc]
    """pyte's screen; it also answers the program's queries."""

    def __init__(self, columns: int, rows: int, answer: Callable[[str], None]) -> None:
        self._answer = answer
        super().__init__(columns, rows)

    def write_process_input(self, data: str) -> None:
        self._answer(data)


class Terminal:
    """One program in its own terminal, which is the controlling terminal of its session."""

    def __init__(
        self, process: asyncio.subprocess.Process, master: int, name: str, columns: int, rows: int
    ) -> None:
        self.process = process
        self.name = name
        self.screen = _Screen(columns, rows, self.type)
        self._stream = pyte.ByteStream(self.screen)
        self._master = master
        self._unfinished = b""
        self.received = bytearray()
        """All that the program has written."""
        asyncio.get_running_loop().add_reader(master, self._read)

    @classmethod
    async def start(
        cls,
        *command: str | Path,
        cwd: Path,
        env: Mapping[str, str],
        columns: int = 100,
        rows: int = 40,
    ) -> Self:
        """Start `command` with exactly the environment `env`."""
        master, slave = pty.openpty()
        name = os.ttyname(slave)
        _set_size(slave, columns, rows)
        try:
            # A session leader that opens a terminal gets it as its controlling terminal. A shell
            # does that, because running Python between fork and exec is not safe.
            process = await asyncio.create_subprocess_exec(
                *["/bin/sh", "-c", 'exec "$@" <>"$0" >&0 2>&0', name, *command],
                cwd=cwd,
                env=dict(env),
                start_new_session=True,
                pass_fds=[slave],
            )
        finally:
            os.close(slave)
        return cls(process, master, name, columns, rows)

    async def stop(self) -> None:
        """Kill the program and its process group, and reap it."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        await self.process.wait()
        self.hang_up()

    def hang_up(self) -> None:
        """Close the terminal as a user closes a window: the program gets SIGHUP."""
        if self._master >= 0:
            asyncio.get_running_loop().remove_reader(self._master)
            os.close(self._master)
            self._master = -1

    def type(self, text: str) -> None:
        """Type `text` unchanged."""
        os.write(self._master, text.encode())

    async def type_and_wait(self, keys: bytes, seconds: float = 1.0) -> None:
        """Type `keys` unchanged; wait until the program has read them, or for `seconds` if not."""
        for start in range(0, len(keys), PORTION):
            os.write(self._master, keys[start : start + PORTION])
            with contextlib.suppress(AssertionError):
                await until(lambda: not self._has_unread(), "read", seconds)

    def _has_unread(self) -> bool:
        """Whether the program has typed keys to read; polling its end also delivers them."""
        end = os.open(self.name, os.O_RDWR | os.O_NOCTTY)
        try:
            return bool(select.select([end], [], [], 0)[0])
        finally:
            os.close(end)

    def resize(self, columns: int, rows: int) -> None:
        """Change the terminal's size, which the program is told by SIGWINCH."""
        self.screen.resize(rows, columns)
        _set_size(self._master, columns, rows)

    def press(self, key: str) -> None:
        """Press one of `KEYS`."""
        self.type(KEYS[key])

    def lines(self) -> list[str]:
        """The rows as text, right-trimmed."""
        return [line.rstrip() for line in self.screen.display]

    def text(self) -> str:
        """The whole screen, rows joined by newlines."""
        return "\n".join(self.lines())

    async def until(self, condition: Callable[[], Any], what: str = "") -> Any:
        """Wait for `condition`; a failure includes the screen."""
        try:
            return await until(condition, what)
        except AssertionError as error:
            error.add_note(f"screen:\n{self.text()}")
            raise

    async def shows(self, text: str) -> None:
        """Wait until `text` is on the screen."""
        await self.until(lambda: text in self.text(), f"the screen shows {text!r}")

    async def hides(self, text: str) -> None:
        """Wait until `text` is no longer on the screen."""
        await self.until(lambda: text not in self.text(), f"the screen no longer shows {text!r}")

    async def still(self) -> None:
        """Wait until the screen has stayed the same for `STILL` seconds."""
        now = asyncio.get_running_loop().time
        seen, since = self.text(), now()

        def unchanged() -> bool:
            nonlocal seen, since
            if (drawn := self.text()) != seen:
                seen, since = drawn, now()
            return now() - since >= STILL

        await self.until(unchanged, "the screen stays the same")

    def _read(self) -> None:
        try:
            chunk = os.read(self._master, 65536)
        except OSError:  # on Linux: the program has ended
            chunk = b""
        if not chunk:
            asyncio.get_running_loop().remove_reader(self._master)
            return
        self.received += chunk
        drawn = self._unfinished + chunk
        cut = _UNFINISHED.search(drawn)
        end = cut.start() if cut else len(drawn)
        self._unfinished = drawn[end:]
        self._stream.feed(_FOREIGN.sub(b"", drawn[:end]))
