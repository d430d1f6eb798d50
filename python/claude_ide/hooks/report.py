"""Reports to the editor that serves a CLI: `python -I -S report.py LINK KIND`, with JSON on stdin.

The CLI runs this for each of its hooks (`registration.py`), and for its status line. It prints the
editor's answer. Without an editor it prints nothing, and it never fails: the CLI would say so. Each
run imports as little as possible: `socket` and `json` would double its time.
"""

import _socket
import os
import sys
import time

STATUS = "status"
"""A report for the status line, whose answer does not matter."""
ROW = "row"
"""The same from a CLI that shows the answer."""
BEGIN = "begin"
"""A hook that ends nothing."""
ASK = "ask"
"""A hook that waits for the user, also for an editor that starts later."""
END = "end"
"""A hook after which the session waits for no permission."""

ANSWERED = b"ok\n"
"""Before an answer; an editor that dies sends less."""

LIMIT_SECONDS = 1.5
"""How long to wait for an editor that is busy, or whose host is being restarted."""
RETRY_SECONDS = 0.05
LATER_SECONDS = 1.0
"""How often a hook that waits for the user looks for an editor."""

RECEIVED_AT_ONCE = 2**16


def main(link: str, kind: str) -> None:
    """Print the answer to what is on stdin."""
    body = sys.stdin.buffer.read()
    folder, launch = os.path.split(link)
    # The path of a socket has at most about 100 bytes.
    os.chdir(folder)
    if kind == ASK:
        answer = asked(launch, body)
    else:
        if kind == END:
            withdraw(launch)
        answer = reported(launch, kind, body)
        if kind == ROW:
            answer = answer or model(body)
    sys.stdout.buffer.write(answer)


def reported(launch: str, kind: str, body: bytes) -> bytes:
    """Return the answer to a report; empty without an editor."""
    deadline = time.monotonic() + LIMIT_SECONDS
    while (left := deadline - time.monotonic()) > 0:
        answer = exchange(launch, kind, body, left)
        if answer is not None:
            return answer
        if kind == STATUS or not is_served(launch):
            break
        time.sleep(RETRY_SECONDS)  # noqa: TID251  nothing reports that an editor listens
    return b""


def model(body: bytes) -> bytes:
    """Return what a status line shows without an editor: it has no empty row."""
    # It is imported only here because that takes long.
    import json

    return str(json.loads(body)["model"]["display_name"]).encode()


def asked(launch: str, body: bytes) -> bytes:
    """Return the user's decision; empty if the session goes on without one."""
    # `withdraw` removes it: a yes in the CLI's own dialog does not end this process.
    mark, cli = f"{launch}.{os.getpid()}", os.getppid()
    os.close(os.open(mark, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        while os.path.exists(mark) and os.getppid() == cli:
            answer = exchange(launch, ASK, body, LATER_SECONDS, cli)
            if answer is not None:
                return answer
            time.sleep(RETRY_SECONDS if is_served(launch) else LATER_SECONDS)  # noqa: TID251
    finally:
        remove(mark)
    return b""


def withdraw(launch: str) -> None:
    """End the permissions for which the session waits without an editor."""
    for name in os.listdir():
        if name.startswith(f"{launch}."):
            remove(name)


def exchange(launch: str, kind: str, body: bytes, seconds: float, cli: int = 0) -> "bytes | None":
    """Return the editor's answer; None if there is none, or it has ended while it was asked.

    It has to come within some seconds, or while the process `cli` is our parent.
    """
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.settimeout(seconds)
    received = b""
    try:
        connection.connect(launch)
        connection.sendall(f"{launch} {kind} {len(body)}\n".encode() + body)
        while part := receive(connection, cli):
            received += part
    except OSError:
        pass
    finally:
        connection.close()
    return received[len(ANSWERED) :] if received.startswith(ANSWERED) else None


def receive(connection: _socket.socket, cli: int) -> bytes:
    """Return what comes next; empty at the end. Raises `OSError`."""
    while True:
        try:
            return connection.recv(RECEIVED_AT_ONCE)
        except TimeoutError:
            if os.getppid() != cli:
                raise


def is_served(launch: str) -> bool:
    """Return whether an editor that is alive intends to answer, even if it does not yet."""
    try:
        socket = os.readlink(launch)
        os.kill(int(socket.rpartition(".")[2]), 0)
        return os.path.exists(socket)
    except (OSError, ValueError):
        return False


def remove(name: str) -> None:
    """Remove a file that another process may remove at the same time."""
    try:  # noqa: SIM105  `contextlib` is one more import
        os.unlink(name)
    except OSError:
        pass


if __name__ == "__main__":
    try:  # noqa: SIM105
        main(*sys.argv[1:])
    except Exception:  # such as that of a folder that is gone
        pass
