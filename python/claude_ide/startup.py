"""The first milliseconds of a host: bind and announce; only then is the rest imported.

The kernel queues whoever connects until the listener runs, so the CLI can be started at once.
Standard library only, because this is what the user waits for.
"""

import contextlib
import json
import os
import socket
from collections import namedtuple

from claude_ide.mcp import lock_file
from claude_ide.mcp.lock_file import LockFile

LOOPBACK = "127.0.0.1"
HOLD_SECONDS = 1.0

VARIABLE = "CLAUDE_IDE_HOST"
"""Holds the options: unlike arguments, the environment of a process is its owner's to read."""


class Unserved(Exception):
    """No server can be started; the text is one line and names the reason."""


_Options = namedtuple(
    "_Options",
    "entry pid config folders log serve port token hold state",
    defaults=(True, 0, "", "", ""),
)


class Options(_Options):
    """What Neovim says of itself when it starts a host.

    `entry` is the path of the remote plugin; `config`, whatever the user made of `g:claude_ide`;
    `serve`, whether to bind at once; `port` is that of an earlier server of this Neovim, to come
    back there. `hold` is a socket at which Neovim keeps a copy of ours, and gives it to the next
    host; `token` goes with it, for the clients of a server that has only just died know no other.
    `state` is our folder for what outlives Neovim.
    """

    __slots__ = ()

    @classmethod
    def inherited(cls) -> "Options":
        """Take the options out of the environment, so that no child of ours inherits them."""
        return cls.decode(os.environ.pop(VARIABLE))

    @classmethod
    def decode(cls, text: str) -> "Options":
        """Decode the JSON object that `lua/claude_ide/host/process.lua` encodes."""
        fields = json.loads(text)
        fields["folders"] = tuple(fields["folders"])
        return cls(**fields)

    @property
    def host(self) -> str:
        """The address to listen on; an ill-typed one is reported when the config is decoded."""
        host = self.config.get("host") if isinstance(self.config, dict) else None
        return host if isinstance(host, str) and host else LOOPBACK


class Bound(namedtuple("Bound", "socket port lock is_held", defaults=(False,))):
    """A server's address, and its `LockFile`, before anything is served there.

    `is_held` says whether Neovim has a copy of the socket.
    """

    __slots__ = ()

    def hold(self, path: str) -> None:
        """Give Neovim a copy of the socket; without one the next host gets another token."""
        if self.is_held or not path:
            return
        with contextlib.suppress(OSError), _neovim(path) as neovim:
            socket.send_fds(neovim, [b"\n"], [self.socket.fileno()])

    def give_up(self) -> None:
        """Withdraw the announcement and free the port."""
        self.lock.remove()
        self.socket.close()


def bind(options: Options, folders: tuple[str, ...] | None = None) -> Bound:
    """Take a port (the earlier one if it is free), and announce it.

    Raises `Unserved` if there is none, or its lock file cannot be written.
    """
    held = _held(options)
    try:
        bound = held or _listen(options.host, options.port)
    except OSError as error:
        raise Unserved(f"cannot listen on {options.host}: {error.strerror or error}") from None
    port = bound.getsockname()[1]
    try:
        # A process that has had the port since may have been sent the earlier token.
        lock = _lock(options, port, options.token if held else lock_file.new_token(), folders)
        _write(lock)
    except BaseException:
        bound.close()
        raise
    return Bound(bound, port, lock, held is not None)


def _held(options: Options) -> socket.socket | None:
    """Return the socket of the host that was here before, if Neovim still has it."""
    if not options.token:
        return None
    try:
        with _neovim(options.hold) as neovim:
            descriptors = socket.recv_fds(neovim, 1, 1)[1]
        return socket.socket(fileno=descriptors[0])
    except (OSError, IndexError):
        return None


def _neovim(path: str) -> socket.socket:
    neovim = socket.socket(socket.AF_UNIX)
    neovim.settimeout(HOLD_SECONDS)
    try:
        neovim.connect(path)
    except OSError:
        neovim.close()
        raise
    return neovim


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
        raise Unserved(unwritten(lock, error)) from None


def unwritten(lock: LockFile, error: OSError) -> str:
    """Say why a lock file is not written; the reason first, for a path may be long."""
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
"""This process's, set by `host.main` before the plugin class is made (pynvim makes it)."""

bound: Bound | None = None
"""What was bound early, until the app takes it."""


def take_bound() -> Bound | None:
    """Hand over what was bound early, once."""
    global bound
    taken, bound = bound, None
    return taken
