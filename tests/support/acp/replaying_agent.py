"""A program that replays a recorded agent of the Agent Client Protocol over stdin and stdout.

Its arguments are the recording and a log, as those of `fake_agent.py`. It writes what the recorded
agent said, in order. Where the recorded client said something it waits for a frame of the same
method, or for the answer to the same request; its answers then have the actual ids, and its paths
are in the actual folder. A request that is not in the recording is refused.
"""

import json
import sys
from pathlib import Path
from typing import Any

Frame = dict[str, Any]

METHOD_NOT_FOUND = -32601
FOLDER = "/home/dev/project"
OPTIONAL = {"authenticate", "session/list"}
"""Methods that a client need not call."""

SAME = {"session/set_mode", "session/set_config_option"}
"""Two ways to set the mode, of which a client can choose one."""


class ReplayingAgent:
    def __init__(self, recording: Path, log: Path) -> None:
        lines = recording.read_text("utf-8").splitlines()
        self.entries = [json.loads(line) for line in lines]
        self.methods = {e["m"].get("method") for e in self.entries if e["dir"] == "in"}
        if self.methods & SAME:
            self.methods |= SAME
        self.log = log.open("a", encoding="utf-8")
        self.unmatched: list[Frame] = []
        self.ids: dict[Any, Any] = {}
        self.unasked: set[Any] = set()
        """The recorded ids of requests that the client has left out."""
        self.folder = FOLDER

    def run(self) -> None:
        for entry in self.entries:
            match entry:
                case {"dir": "out", "m": frame}:
                    self.write(frame)
                case {"dir": "in", "m": frame}:
                    self.expect(frame)
        self.methods.clear()
        while (frame := self.read()) is not None:
            self.keep(frame)

    def write(self, frame: Frame) -> None:
        if "method" not in frame:
            if frame["id"] in self.unasked:
                return
            frame = {**frame, "id": self.ids.get(frame["id"], frame["id"])}
        self.send(frame)

    def send(self, frame: Frame) -> None:
        line = json.dumps(frame).replace(FOLDER, self.folder)
        if "method" not in frame or "id" in frame:
            self.note({"out": json.loads(line)})
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    def expect(self, recorded: Frame) -> None:
        """Wait for a frame like the recorded one."""
        for frame in self.unmatched:
            if alike(frame, recorded):
                self.unmatched.remove(frame)
                return self.learn(recorded, frame)
        self.note({"expects": recorded.get("method", "")})
        while (received := self.read()) is not None:
            if alike(received, recorded):
                return self.learn(recorded, received)
            self.keep(received)
            if recorded.get("method") in OPTIONAL:
                self.unasked.add(recorded["id"])
                return None
        sys.exit(0)

    def keep(self, frame: Frame) -> None:
        """Keep a frame for later, or refuse a request that the recording does not have."""
        if "id" in frame and "method" in frame and frame["method"] not in self.methods:
            error = {"code": METHOD_NOT_FOUND, "message": f"Method not found: {frame['method']}"}
            self.send({"jsonrpc": "2.0", "id": frame["id"], "error": error})
        else:
            self.unmatched.append(frame)

    def learn(self, recorded: Frame, frame: Frame) -> None:
        if "method" in recorded and "id" in recorded:
            self.ids[recorded["id"]] = frame["id"]
            self.folder = (frame.get("params") or {}).get("cwd", self.folder)

    def read(self) -> Frame | None:
        line = sys.stdin.buffer.readline()
        if not line:
            return None
        frame: Frame = json.loads(line)
        self.note({"in": frame})
        return frame

    def note(self, entry: Frame) -> None:
        self.log.write(json.dumps(entry) + "\n")
        self.log.flush()


def alike(frame: Frame, recorded: Frame) -> bool:
    """Whether a frame is a call of the same method, or the answer to the same request."""
    if "method" in recorded:
        methods = {frame.get("method"), recorded["method"]}
        return len(methods) == 1 or methods == SAME
    return "method" not in frame and frame.get("id") == recorded["id"]


if __name__ == "__main__":
    ReplayingAgent(Path(sys.argv[1]), Path(sys.argv[2])).run()
