"""The first milliseconds of a host: bind, announce, tell Neovim; only then import the rest.

The kernel queues whoever connects until the listener runs, so the CLI can be started at once.
Standard library only (`msgpack` apart), because this is what the user waits for.
"""

import json
import os
import socket
import sys
from collections import namedtuple

from claude_ide.mcp import lock_file
from claude_ide.mcp.lock_file import LockFile

LOOPBACK = "127.0.0.1"


_Options = namedtuple(
    "_Options", "entry pid config folders log serve port token state", defaults=(True, 0, "", "")
)


class Options(_Options):
    """What Neovim says of itself when it starts a host.

    `entry` is the path of the remote plugin; `config`, whatever the user made of `g:claude_ide`;
    `serve`, whether to bind at once; `port` and `token` are those of an earlier server of this
    Neovim, to come back at the same address; `state` is our folder for what outlives Neovim.
    """

    __slots__ = ()

    @classmethod
    def decode(cls, text: str) -> "Options":
        """Decode the JSON object that `lua/claude_ide/host.lua` passes as argument."""
        fields = json.loads(text)
        fields["folders"] = tuple(fields["folders"])
        return cls(**fields)

    @property
    def host(self) -> str:
        """The address to listen on; an ill-typed one is reported when the config is decoded."""
        host = self.config.get("host") if isinstance(self.config, dict) else None
        return host if isinstance(host, str) and host else LOOPBACK


class Bound(namedtuple("Bound", "socket port lock")):
    """A server's address, and its `LockFile`, before anything is served there."""

    __slots__ = ()

    def give_up(self) -> None:
        """Withdraw the announcement and free the port."""
        self.lock.remove()
        self.socket.close()


def bind(options: Options, folders: tuple[str, ...] | None = None) -> Bound:
    """Take a port (the earlier one if it is free), and announce it."""
    bound = _listen(options.host, options.port)
    port = bound.getsockname()[1]
    folder = lock_file.folder(os.environ)
    lock_file.sweep(folder)
    workspace = options.folders if folders is None else folders
    lock = LockFile(
        path=os.path.join(folder, f"{port}.lock"),
        workspaceFolders=workspace,
        pid=options.pid,
        ideName=lock_file.ide_name(folder, workspace[0] if workspace else os.getcwd()),
        authToken=options.token or lock_file.new_token(),
        hostPid=os.getpid(),
    )
    try:
        lock.write()
    except BaseException:
        bound.close()
        raise
    return Bound(bound, port, lock)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError:
        if port == 0:
            raise
        return socket.create_server((host, 0), family=family)


def tell_neovim(bound: Bound) -> None:
    """Tell Neovim the address, over the channel that pynvim takes over afterwards."""
    import msgpack

    code = "require('claude_ide.host').bound(...)"
    message = [2, "nvim_exec_lua", [code, [bound.port, bound.lock.authToken]]]
    sys.stdout.buffer.write(msgpack.packb(message))
    sys.stdout.buffer.flush()


options: Options | None = None
"""This process's, set by `host.main` before the plugin class is made (pynvim makes it)."""

bound: Bound | None = None
"""What was bound early, until the app takes it."""


def take_bound() -> Bound | None:
    """Hand over what was bound early, once."""
    global bound
    taken, bound = bound, None
    return taken
