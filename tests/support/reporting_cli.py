"""The program of `fake_headless.py`: prints the frames that a test sends.

It is given the port of the test, and reports its arguments, environment and prompt there first.
"""

import json
import os
import socket
import sys


def main() -> int:
    report = {
        "pid": os.getpid(),
        "arguments": sys.argv[2:],
        "environment": dict(os.environ),
        "cwd": os.getcwd(),  # noqa: PTH109
        "prompt": sys.stdin.buffer.read().decode(),
    }
    test = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    data = json.dumps(report).encode()
    test.sendall(b"%d\n" % len(data) + data)
    for line in test.makefile("rb"):
        frame = json.loads(line)
        if "complaint" in frame:
            sys.stderr.write(frame["complaint"])
            return 1
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
        if frame.get("type") == "result":
            return int(frame["is_error"])
    return 1


if __name__ == "__main__":
    sys.exit(main())
