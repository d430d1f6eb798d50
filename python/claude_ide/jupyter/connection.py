"""Connections to kernels: the library, which is optional, connection files, conversations.

A kernel that we start is reached over sockets that only its user can open. On loopback every user
of the machine can read what a kernel publishes: the code and its output. The key in a connection
file signs messages, but encrypts none.
"""

import asyncio
import contextlib
import errno
import json
import logging
import os
import secrets
import shutil
import stat
import tempfile
import uuid
from collections.abc import Awaitable, Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from claude_ide.base import files
from claude_ide.base.errors import ToolError
from claude_ide.base.folders import make_private
from claude_ide.jupyter.outputs import KernelRun

logger = logging.getLogger(__name__)

LARGEST_FILE_BYTES = 10_000
REPEAT_SECONDS = 1.0
PORTS = {"shell_port", "iopub_port", "control_port", "hb_port"}
NO_FILE = "this is no connection file of a kernel"

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


HAS_IPC = os.name == "posix"
SHARED = ", not private (TCP)"
"""Is appended to the name of a kernel that is reached over loopback."""

PREFIX = "claude-ide-kernel-"
LONGEST_BASE = 64
"""Bytes of the path of the folder above the one with the sockets: the path of a socket has at most
103 on macOS, and 107 on Linux."""


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


class ConnectionFile(NamedTuple):
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


def create(*, is_ipc: bool) -> ConnectionFile:
    """Write the connection file of a new kernel, where Jupyter finds it. Raises `OSError`."""
    runtime = Path(load("jupyter_core.paths").jupyter_runtime_dir())
    folder = _private_folder()
    made = ConnectionFile(runtime / f"kernel-{uuid.uuid4()}.json", folder)
    way = {"transport": "ipc", "ip": str(folder / "s")} if is_ipc else {"ip": "127.0.0.1"}
    try:
        make_private(runtime)
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


class KernelSession:
    """A conversation with one running kernel, by its connection file. Close it at the end.

    Messages are read all the time, and passed to the run that they belong to: other programs may
    use the kernel, too. With `beats` its heart is watched, as its process is unknown.
    """

    def __init__(self, connection_file: Path, *, beats: bool) -> None:
        self._client = _connected(connection_file, beats=beats)
        self._runs: dict[str, KernelRun] = {}
        self._language = ""
        self._heard = asyncio.Event()
        self._answered = asyncio.Event()
        channels = self._client.get_iopub_msg, self._client.get_shell_msg
        self._readers = [asyncio.create_task(self._read(receive)) for receive in channels]

    async def ready(self) -> str:
        """Return its language, once the kernel answers and its output is heard."""
        while not (self._heard.is_set() and self._answered.is_set()):
            self._client.kernel_info()
            both = asyncio.gather(self._heard.wait(), self._answered.wait())
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(both, REPEAT_SECONDS)
        return self._language

    def execute(self, code: str) -> KernelRun:
        """Start to run code."""
        id_ = self._client.execute(code, allow_stdin=False, stop_on_error=False)
        run = self._runs[id_] = KernelRun()
        return run

    def execute_silently(self, code: str) -> None:
        """Run code that leaves no trace, and whose outcome nobody waits for."""
        self._client.execute(code, silent=True, allow_stdin=False)

    def forget(self, run: KernelRun) -> None:
        """Ignore what comes of a run from now on."""
        self._runs = {id_: each for id_, each in self._runs.items() if each is not run}

    def send_interrupt(self) -> None:
        """Have the kernel interrupt what it runs."""
        message = self._client.session.msg("interrupt_request", {})
        self._client.control_channel.send(message)

    def send_shutdown(self) -> None:
        """Have the kernel end."""
        self._client.shutdown()

    @property
    def is_beating(self) -> bool:
        """Whether a kernel whose heart is watched is alive."""
        return bool(self._client.hb_channel.is_beating())

    def close(self) -> None:
        """Close the channels; the kernel keeps running."""
        for reader in self._readers:
            reader.cancel()
        self._client.stop_channels()

    async def _read(self, receive: Callable[..., Awaitable[dict[str, Any]]]) -> None:
        while True:
            try:
                message = await receive(timeout=None)
                parent = str(message["parent_header"].get("msg_id", ""))
                self._apply(str(message["msg_type"]), parent, message["content"])
            except asyncio.CancelledError:
                raise
            except Exception:
                # It may be any program's, and one bad message is not the end.
                logger.exception("a message of the kernel could not be read")
                await asyncio.sleep(0)

    def _apply(self, kind: str, parent: str, content: dict[str, Any]) -> None:
        if not kind.endswith("_reply"):
            # It is published; over the other channel come only replies.
            self._heard.set()
        elif kind == "kernel_info_reply":
            self._language = str((content.get("language_info") or {}).get("name", ""))
            self._answered.set()
        if run := self._runs.get(parent):
            run.apply(kind, content)


def _connected(connection_file: Path, *, beats: bool) -> Any:
    """Return a client with its channels. Raises `ToolError` if the file describes no kernel."""
    information = _read(connection_file)
    client = load("jupyter_client.asynchronous.client").AsyncKernelClient()
    try:
        client.load_connection_info(information)
        client.start_channels(shell=True, iopub=True, stdin=False, hb=beats, control=True)
    except Exception as error:
        # The file may have any values, and the libraries below refuse them in many ways.
        logger.info("%s: %r", connection_file, error)
        raise ToolError(f"{NO_FILE}: {connection_file}") from None
    return client


def _read(connection_file: Path) -> dict[str, Any]:
    try:
        found = json.loads(files.read(connection_file, LARGEST_FILE_BYTES))
    except (OSError, ValueError) as error:
        raise ToolError(f"the kernel's connection file cannot be read: {error}") from None
    if not isinstance(found, dict) or not PORTS.issubset(found):
        raise ToolError(f"{NO_FILE}: {connection_file}")
    return found
