"""Our side of the process that ends our children when we have ended (`ending.py`)."""

import atexit
import subprocess
import sys
from pathlib import Path

from claude_ide.transport import ending


class Guardian:
    """Ends children with all that they have started, now or as soon as this process has ended.

    Only we hold the pipe to it, so that even SIGKILL, after which we can do nothing, lets it know.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._watched: dict[int, str] = {}

    def start(self) -> None:
        """Have it run; raises `OSError` if it cannot."""
        if self._process is None or self._process.poll() is not None:
            self._close()  # the pipe to one that was killed
            # In a session of its own: what ends ours is not meant to end it.
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", ending.__file__],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=Path(sys.executable).anchor,
                start_new_session=True,
            )
            for pid, mark in self._watched.items():
                self._write(f"watch {pid} {mark}")

    def watch(self, pid: int, mark: str) -> None:
        """Take charge of a child, which leads a session and has `mark` in its environment."""
        self._watched[pid] = mark
        self._say(f"watch {pid} {mark}")

    def end(self, pid: int, grace: float) -> None:
        """End a child, or what one that has ended left behind.

        It gets SIGTERM; what is left after `grace` seconds, SIGKILL.
        """
        if pid in self._watched:
            self._say(f"end {pid} {grace}")
            del self._watched[pid]

    def end_all(self) -> None:
        """End every child; nothing more is needed of this process, which may end at once."""
        self._watched.clear()
        self._close()

    def _close(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.stdin is not None:
            process.stdin.close()
            process.returncode = 0  # it is not waited for: it may outlive us

    def _say(self, line: str) -> None:
        self.start()
        try:
            self._write(line)
        except BrokenPipeError:  # it was killed just now
            self.start()
            self._write(line)

    def _write(self, line: str) -> None:
        assert self._process is not None and self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())


guardian = Guardian()
"""This process's."""

atexit.register(guardian.end_all)
