"""Holds a copy of the host's listening socket for the next host of the same Vim.

`python -I -S port_hold.py PATH`, a child of Vim, which cannot hold a socket itself as Neovim does
(`lua/claude_ide/host/port_hold.lua`). Hosts connect to the Unix socket PATH to pass theirs on,
which replaces an earlier one, or to fetch it (`startup.hold` and `fetch`).

On stdout it prints `OPEN` when they can connect, and later the port that it holds. It runs until
Vim closes stdin, or has ended: later jobs of Vim inherit that pipe, and may keep it open.
"""

import contextlib
import os
import select
import socket
import sys
from typing import Any

OPEN = "open"
HOST_SECONDS = 1.0
ORPHAN_SECONDS = 1.0
MOST_DESCRIPTORS = 1024


def main(path: str) -> None:
    """Serve hosts until Vim ends."""
    # Vim's children inherit its pipes to others, which would not notice that it closes them.
    os.closerange(3, MOST_DESCRIPTORS)
    vim = os.getppid()
    seconds: float | None = ORPHAN_SECONDS
    watched: list[Any] = [sys.stdin]
    # Linux tells of the end of Vim, unless a sandbox does not let it.
    with contextlib.suppress(AttributeError, OSError):
        watched.append(os.pidfd_open(vim))
        seconds = None
    held: socket.socket | None = None
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        print(OPEN, flush=True)
        while os.getppid() == vim:
            ready, _, _ = select.select([*watched, listener], [], [], seconds)
            if any(each in ready for each in watched):
                return
            if listener not in ready:
                continue
            with contextlib.suppress(OSError), listener.accept()[0] as host:
                host.settimeout(HOST_SECONDS)
                request, descriptors, *_ = socket.recv_fds(host, 1, 1)
                if descriptors:
                    if held is not None:
                        held.close()
                    held = socket.socket(fileno=descriptors[0])
                    print(held.getsockname()[1], flush=True)
                elif request and held is not None:
                    socket.send_fds(host, [b"\n"], [held.fileno()])


if __name__ == "__main__":
    main(sys.argv[1])
