"""Sends the CLI's report for its status line to us: `python -I -S send_status.py PORT LAUNCH`.

The CLI runs this after every message. `_socket` is imported because `socket` and `http.client`
double and quadruple the time of the start.
"""

import _socket
import os
import sys

SECONDS = 1.0
"""How long to wait for a host that is busy or dead."""
TOKEN = "CLAUDE_IDE_HOOKS_TOKEN"
"""The variable of `registration.py`, which takes too long to import."""


def main(port: str, launch: str) -> None:
    """Send stdin; a failure is nobody's concern here."""
    body = sys.stdin.buffer.read()
    head = (
        f"POST /status HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        f"Authorization: Bearer {os.environ.get(TOKEN, '')}\r\n"
        f"X-Claude-Ide-Launch: {launch}\r\nContent-Length: {len(body)}\r\n"
        "Content-Type: application/json\r\nConnection: close\r\n\r\n"
    )
    connection = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    connection.settimeout(SECONDS)
    try:
        connection.connect(("127.0.0.1", int(port)))
        connection.sendall(head.encode() + body)
        connection.recv(1)
    except OSError:
        pass


main(*sys.argv[1:])
