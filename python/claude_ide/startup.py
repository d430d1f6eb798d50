"""The first milliseconds of a host: bind a port and announce it, before the rest is imported.

The kernel queues connections until the listener runs, so the CLI can start immediately. Only the
standard library is imported, because the user waits for this.
"""

import contextlib
import json
import os
import socket
from collections import namedtuple
from collections.abc import Callable

from claude_ide.mcp import lock_file
from claude_ide.mcp.lock_file import LockFile

LOOPBACK = "127.0.0.1"
HOLD_SECONDS = 1.0

VARIABLE = "CLAUDE_IDE_HOST"
"""Holds the options: other users can read a process's arguments, but not its environment."""


class CannotServe(Exception):
    """The server cannot be started; the text is one line with the reason."""


_Options = namedtuple(
    "_Options",
    "entry pid config folders log serve port token hold state hooks",
    defaults=(True, 0, "", "", "", ""),
)


class Options(_Options):
    """The options that the editor passes to a host.

    - `entry`: the path of the remote plugin
    - `pid`: the editor's process id
    - `config`: the value of `g:claude_ide`, unchecked
    - `folders`: the working folders
    - `log`: the path of the log file
    - `serve`: whether to bind immediately
    - `port`: the port of an earlier server of this editor, to be used again; 0 if none
    - `token`: the token of that server, which its clients still use
    - `hold`: the path of a socket where the editor keeps a copy of ours for the next host
    - `state`: our folder for files that outlive the editor
    - `hooks`: the path of the Unix socket to which CLIs in terminals report; empty if there is none
    """

    __slots__ = ()

    @classmethod
    def inherited(cls) -> "Options":
        """Remove the options from the environment, so that no child inherits them."""
        return cls.decode(os.environ.pop(VARIABLE))

    @classmethod
    def decode(cls, text: str) -> "Options":
        """Decode the JSON object from `lua/claude_ide/host/process.lua`."""
        fields = json.loads(text)
        fields["folders"] = tuple(fields["folders"])
        return cls(**fields)

    @property
    def host(self) -> str:
        """The address to listen on; decoding the config reports one of the wrong type."""
        host = self.config.get("host") if isinstance(self.config, dict) else None
        return host if isinstance(host, str) and host else LOOPBACK


class Bound(namedtuple("Bound", "socket port lock is_held", defaults=(False,))):
    """A bound socket with its port and its `LockFile`, before the server accepts clients.

    `is_held` is whether the editor has a copy of the socket.
    """

    __slots__ = ()

    @property
    def announced(self) -> tuple[str, str]:
        """The token, and the path of the lock."""
        return self.lock.authToken, self.lock.path

    def hold(self, path: str) -> None:
        """Send the editor a copy of the socket; without it the next host needs a new token."""
        if not self.is_held:
            hold(path, self.socket)

    def give_up(self) -> None:
        """Withdraw the announcement and free the port."""
        self.lock.remove()
        self.socket.close()


def bind(
    options: Options,
    folders: tuple[str, ...] | None = None,
    report: Callable[[int, str, str], None] | None = None,
) -> Bound:
    """Bind a port (the earlier one if it is free), `report` it, and write the lock file.

    The editor knows of the file before it exists: it removes what a host leaves that is killed.
    Raises `CannotServe` if no port is free or the lock file cannot be written.
    """
    held = fetch(options.hold) if options.token else None
    try:
        bound = held or _listen(options.host, options.port)
    except OSError as error:
        # `socket.create_server` names the address once more.
        problem = (error.strerror or str(error)).partition(" (while ")[0]
        raise CannotServe(f"cannot listen on {options.host}: {problem}") from None
    port = bound.getsockname()[1]
    try:
        # Another process may have used the port since, and received the earlier token.
        lock = _lock(options, port, options.token if held else lock_file.new_token(), folders)
        if report is not None:
            report(port, lock.authToken, lock.path)
        _write(lock)
    except BaseException:
        bound.close()
        raise
    return Bound(bound, port, lock, held is not None)


def hold(path: str, bound: socket.socket) -> None:
    """Send the editor a copy of a socket for the next host."""
    if path:
        with contextlib.suppress(OSError), _connected(path) as editor:
            socket.send_fds(editor, [b"\n"], [bound.fileno()])


def fetch(path: str) -> socket.socket | None:
    """Return the socket of the previous host, if the editor still has it."""
    try:
        with _connected(path) as editor:
            editor.sendall(b"\n")
            descriptors = socket.recv_fds(editor, 1, 1)[1]
        return socket.socket(fileno=descriptors[0])
    except (OSError, IndexError):
        return None


def _connected(path: str) -> socket.socket:
    editor = socket.socket(socket.AF_UNIX)
    editor.settimeout(HOLD_SECONDS)
    try:
        editor.connect(path)
    except OSError:
        editor.close()
        raise
    return editor


def _lock(options: Options, port: int, token: str, folders: tuple[str, ...] | None) -> LockFile:
    folder = lock_file.folder(os.environ)
    lock_file.sweep(folder)
    workspace = options.folders if folders is None else folders
    return LockFile(
        path=os.path.join(folder, f"{port}.lock"),
        workspaceFolders=workspace,
        pid=options.pid,
        ideName=lock_file.ide_name(folder, workspace[0] if workspace else os.getcwd()),
        authToken=token,
        hostPid=os.getpid(),
    )


def _write(lock: LockFile) -> None:
    try:
        lock.write()
    except OSError as error:
        raise CannotServe(unwritten(lock, error)) from None


def unwritten(lock: LockFile, error: OSError) -> str:
    """Return why a lock file was not written; the reason comes first, as a path may be long."""
    folder = os.path.dirname(lock.path)
    in_the_way = isinstance(error, FileExistsError) and error.filename == folder
    reason = "its folder is a file" if in_the_way else error.strerror or error
    return f"cannot write the lock file ({reason}): {lock.path}"


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError:
        if port == 0:
            raise
        return socket.create_server((host, 0), family=family)


options: Options | None = None
"""The options of this process; `host.main` sets them before pynvim creates the plugin class."""

bound: Bound | None = None
"""The address that was bound early, until the app claims it."""


def claim_bound() -> Bound | None:
    """Return the address that was bound early; None after the first call."""
    global bound
    claimed, bound = bound, None
    return claimed
