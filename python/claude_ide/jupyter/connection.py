"""The library that talks to kernels, which is optional, and the connection file of a kernel.

A kernel that we start is reached over sockets that only its user can open. On loopback every user
of the machine can read what a kernel publishes: the code and its output. The key in a connection
file signs messages, but encrypts none.
"""

import asyncio
import contextlib
import errno
import json
import os
import secrets
import shutil
import stat
import tempfile
import uuid
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from claude_ide.base.errors import ToolError

MISSING = (
    "Code cannot be run: jupyter_client is not installed. The user can install it with "
    ":ClaudeInstall jupyter, and then restart the server with :ClaudeStop and :ClaudeStart"
)

MODULES = (
    "jupyter_client.asynchronous.client",
    "jupyter_client.connect",
    "jupyter_client.kernelspec",
    "jupyter_core.paths",
)
"""Those that are used; importing the first takes a third of a second."""


async def prepare() -> None:
    """Import the library in a thread. Raises `ToolError`, which says how to install it."""
    for module in MODULES:
        await asyncio.to_thread(load, module)


def load(module: str) -> Any:
    """Return a module of the library. Raises `ToolError`, which says how to install it."""
    try:
        return import_module(module)
    except ImportError:
        raise ToolError(MISSING) from None


def decoded(content: bytes | None) -> Any:
    """Return the value in a file of JSON; None if it has none."""
    try:
        return json.loads(content or b"null")
    except (ValueError, RecursionError):
        return None


HAS_IPC = os.name == "posix"
SHARED = ", not private (TCP)"
"""Is appended to the name of a kernel that is reached over loopback."""

PREFIX = "claude-ide-kernel-"
LONGEST_BASE = 64
"""Bytes of the path of the folder above the one with the sockets: the path of a socket has at most
103 on macOS, and 107 on Linux."""


class Connection(NamedTuple):
    """The connection file of a kernel.

    `folder` is a folder of our own that only the user can enter; it has the sockets, if there are
    any. It is None if another program has started the kernel.
    """

    file: Path
    folder: Path | None = None

    def remove(self) -> None:
        """Remove the file and the folder, if they are ours."""
        if self.folder is not None:
            self.file.unlink(missing_ok=True)
            shutil.rmtree(self.folder, ignore_errors=True)


def create(*, is_ipc: bool) -> Connection:
    """Write the connection file of a new kernel, where Jupyter finds it. Raises `OSError`."""
    runtime = Path(load("jupyter_core.paths").jupyter_runtime_dir())
    folder = _private_folder()
    made = Connection(runtime / f"kernel-{uuid.uuid4()}.json", folder)
    way = {"transport": "ipc", "ip": str(folder / "s")} if is_ipc else {"ip": "127.0.0.1"}
    try:
        runtime.mkdir(mode=0o700, parents=True, exist_ok=True)
        key = secrets.token_hex(16).encode()
        load("jupyter_client.connect").write_connection_file(str(made.file), key=key, **way)
    except BaseException:
        made.remove()
        raise
    return made


def _private_folder() -> Path:
    """Create an empty folder that only the user can enter. Raises `OSError`."""
    bases = (os.environ.get("XDG_RUNTIME_DIR", ""), tempfile.gettempdir(), "/tmp")
    for base in filter(_is_fit, bases if HAS_IPC else ()):
        with contextlib.suppress(OSError):
            return Path(tempfile.mkdtemp(prefix=PREFIX, dir=base))
    if HAS_IPC:
        raise OSError(errno.EACCES, f"its sockets need a folder of yours; $TMPDIR is {bases[1]}")
    return Path(tempfile.mkdtemp(prefix=PREFIX))


def _is_fit(base: str) -> bool:
    """Return whether a folder has a short path, and no other user can replace what is in it."""
    if not Path(base).is_absolute() or len(os.fsencode(base)) > LONGEST_BASE:
        return False
    try:
        status = Path(base).stat()
    except OSError:
        return False
    is_own = status.st_uid == os.geteuid() and not status.st_mode & 0o022
    return is_own or bool(status.st_mode & stat.S_ISVTX)
