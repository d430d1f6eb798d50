"""The host's side of the process that ends its children when the host has ended (`ending.py`)."""

import atexit
import subprocess
import sys
from pathlib import Path

from claude_ide.transport import ending


class Guardian:
    """Ends children with all their descendants, on request or when this process has ended.

    Only this process holds the pipe to it, so that the pipe closes even after a SIGKILL.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._watched: dict[int, str] = {}

    def start(self) -> None:
        """Start the process unless it is running. Raises `OSError` if it cannot be started."""
        if self._process is None or self._process.poll() is not None:
            self._close()  # the pipe to one that was killed
            # In its own session, so that a signal to ours does not end it.
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
        """Watch a child, which leads a session and has `mark` in its environment."""
        self._watched[pid] = mark
        self._send(f"watch {pid} {mark}")

    def end(self, pid: int, grace: float) -> None:
        """End a child and its descendants, or the remaining descendants of one that has exited.

        They get SIGTERM, and those still running after `grace` seconds SIGKILL.
        """
        if pid in self._watched:
            self._send(f"end {pid} {grace}")
            del self._watched[pid]

    def end_all(self) -> None:
        """End every child; this process may exit immediately afterwards."""
        self._watched.clear()
        self._close()

    def _close(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.stdin is not None:
            process.stdin.close()
            process.returncode = 0  # prevents a wait for it: it may outlive this process

    def _send(self, line: str) -> None:
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
"""The guardian of this process."""

atexit.register(guardian.end_all)
