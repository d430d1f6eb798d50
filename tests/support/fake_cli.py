"""A program that replays a recorded conversation of the CLI over stdin and stdout.

It writes the frames of the recorded CLI in order. At each frame of the recorded host it waits for a
frame of the same kind, and replaces the recorded ids by the actual ones. It refuses control
requests of a kind that is not in the recording, like a CLI that does not know them. `FAKE_CLI_LOG`
names a file for the frames that it receives, `FAKE_CLI_PIECE` the size of the pieces that it
writes.
"""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

Frame = dict[str, Any]


class FakeCli:
    def __init__(self, recording: Path) -> None:
        self.entries = [json.loads(line) for line in recording.read_text("utf-8").splitlines()]
        self.known = {kind(e["m"]) for e in self.entries if e["dir"] == "in"}
        self.unmatched: list[Frame] = []
        self.ids: dict[str, str] = {}
        self.piece = int(os.environ.get("FAKE_CLI_PIECE", "0"))
        log = os.environ.get("FAKE_CLI_LOG")
        self.log = Path(log) if log else None

    def run(self) -> int:
        """Replay to the end; return the exit code."""
        self.note({"argv": sys.argv[2:], "env": dict(os.environ), "cwd": str(Path.cwd())})
        code = next((e["m"]["exit"] for e in self.entries if "exit" in e["m"]), 0)
        dies = code < 0 or any(entry["dir"] == "stderr" for entry in self.entries)
        for entry in self.entries:
            match entry["dir"], entry["m"]:
                case "out", frame:
                    self.write(frame)
                case "in" | "in-raw", frame:
                    self.expect(frame)
                case "stderr", words:
                    print(words, file=sys.stderr, flush=True)
                case "note", {"stdout": "EOF"} if dies:
                    break
        if code < 0:
            os.kill(os.getpid(), -code)
            signal.pause()
        while not dies and self.read() is not None:
            pass
        return int(code)

    def write(self, frame: Frame) -> None:
        line = json.dumps(frame)
        for recorded, actual in self.ids.items():
            line = line.replace(f'"{recorded}"', f'"{actual}"')
        data = line.encode() + b"\n"
        size = self.piece or len(data)
        for start in range(0, len(data), size):
            sys.stdout.buffer.write(data[start : start + size])
            sys.stdout.buffer.flush()

    def expect(self, recorded: Any) -> None:
        if not isinstance(recorded, dict):
            return
        for frame in self.unmatched:
            if kind(frame) == kind(recorded):
                self.unmatched.remove(frame)
                self.learn(recorded, frame)
                return
        while (received := self.read()) is not None:
            if kind(received) == kind(recorded):
                self.learn(recorded, received)
                return
            if received["type"] == "control_request" and kind(received) not in self.known:
                self.refuse(received)
            else:
                self.unmatched.append(received)
        sys.exit(f"no frame received like {kind(recorded)}")

    def refuse(self, asked: Frame) -> None:
        reason = f"Unsupported control request subtype: {asked['request']['subtype']}"
        refusal = {"subtype": "error", "request_id": asked["request_id"], "error": reason}
        self.write({"type": "control_response", "response": refusal})

    def learn(self, recorded: Frame, frame: Frame) -> None:
        for key in ("uuid", "request_id"):
            if key in recorded:
                self.ids[recorded[key]] = frame[key]

    def read(self) -> Frame | None:
        line = sys.stdin.buffer.readline()
        if not line:
            return None
        frame: Frame = json.loads(line)
        self.note(frame)
        return frame

    def note(self, frame: Frame) -> None:
        if self.log:
            with self.log.open("a", encoding="utf-8") as log:
                log.write(json.dumps(frame) + "\n")


def kind(frame: Frame) -> tuple[str, ...]:
    """Return the kind of a frame; for an answer it includes the id of the request."""
    match frame:
        case {"type": "control_response", "response": {"request_id": id_}}:
            return "control_response", id_
        case {"type": type_, "request": {"subtype": subtype}}:
            return type_, subtype
        case _:
            return (frame["type"],)


if __name__ == "__main__":
    sys.exit(FakeCli(Path(sys.argv[1])).run())
