"""A program that speaks the Agent Client Protocol, and misbehaves as a script says.

Its arguments are the script and a log; `script.py` describes both. A method that the script does
not name is answered properly. It uses the standard library only, and imports little.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

Frame = dict[str, Any]
Step = list[Any]

METHOD_NOT_FOUND = -32601
LOGIN = "--log-in"
"""With this argument it is the terminal login of the agent, which makes the file after it."""

CAPABILITIES: Frame = {
    "loadSession": True,
    "promptCapabilities": {"image": True, "embeddedContext": True},
    "sessionCapabilities": {"list": {}, "resume": {}, "close": {}, "fork": {}, "delete": {}},
}
STUBBORN_CHILD = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
while True: time.sleep(60)
"""


class FakeAgent:
    def __init__(self, script: Path, log: Path) -> None:
        self.script: Frame = json.loads(script.read_text("utf-8"))
        self.log = log.open("a", encoding="utf-8")
        self.arrived = threading.Condition()
        self.calls: dict[str, int] = {}
        self.answers: dict[Any, Frame] = {}
        self.notes: dict[str, int] = {}
        self.asked = 0
        self.sessions = 0
        self.session = ""
        self.folder = str(Path.cwd())

    def run(self) -> None:
        self.note({"argv": sys.argv[1:], "env": dict(os.environ), "cwd": self.folder})
        self.note({"pid": os.getpid()})
        if self.script.get("stubborn"):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        Call(self, {}).run(self.script.get("start", []))
        for line in sys.stdin.buffer:
            try:
                frame = json.loads(line)
            except ValueError:
                self.note({"garbage": line.decode("utf-8", "replace")})
                continue
            self.note({"in": frame})
            self.receive(frame)
        self.note({"eof": True})
        while self.script.get("stubborn"):
            signal.pause()
        os._exit(0)  # calls that still wait must not keep it alive

    def receive(self, frame: Frame) -> None:
        if "method" not in frame:
            with self.arrived:
                self.answers[frame.get("id")] = frame
                self.arrived.notify_all()
        elif "id" in frame:
            steps = self.steps_of(frame["method"])
            threading.Thread(target=Call(self, frame).run, args=(steps,), daemon=True).start()
        else:
            with self.arrived:
                self.notes[frame["method"]] = self.notes.get(frame["method"], 0) + 1
                self.arrived.notify_all()

    def steps_of(self, method: str) -> list[Step]:
        """Return the steps for the next call of a method; those of its last call are repeated."""
        number = self.calls.get(method, 0)
        self.calls[method] = number + 1
        turns: list[list[Step]] = self.script.get(method, [[]])
        return turns[min(number, len(turns) - 1)]

    def write(self, line: bytes) -> None:
        with self.arrived:
            rest = memoryview(line + b"\n")
            while rest:
                try:
                    rest = rest[os.write(1, rest) :]
                except OSError:
                    return

    def send(self, frame: Frame) -> None:
        sent = {"jsonrpc": "2.0", **frame}
        if "method" not in frame or "id" in frame:
            self.note({"out": sent})
        self.write(json.dumps(sent).encode())

    def note(self, entry: Frame) -> None:
        with self.arrived:
            self.log.write(json.dumps(entry) + "\n")
            self.log.flush()

    def new_session(self) -> str:
        self.sessions += 1
        return f"s-{self.sessions}"


class Call:
    """One request that the agent has received, and the steps with which it responds."""

    def __init__(self, agent: FakeAgent, frame: Frame) -> None:
        self.agent = agent
        self.id = frame.get("id")
        self.method = frame.get("method", "")
        self.params: Frame = frame.get("params") or {}
        self.notes = dict(agent.notes)
        self.answer: Frame | None = None
        self.is_silent = not frame
        if self.method == "session/new":
            agent.session = agent.new_session()
        elif "sessionId" in self.params:
            agent.session = self.params["sessionId"]
        agent.folder = self.params.get("cwd", agent.folder)

    def run(self, steps: list[Step]) -> None:
        for name, *arguments in steps:
            getattr(self, name)(*map(self.filled, arguments))
        if self.answer is None and not self.is_silent:
            self.result(self.proper())

    def filled(self, value: Any) -> Any:
        """Replace the names of the session and of its folder."""
        text = json.dumps(value)
        text = text.replace("$SESSION", self.agent.session).replace("$FOLDER", self.agent.folder)
        text = text.replace('"$ID"', json.dumps(self.id))
        return json.loads(text)

    def proper(self) -> Any:
        """Return the answer of a well-behaved agent."""
        match self.method:
            case "initialize":
                info = {"name": "fake", "title": "Fake", "version": "1"}
                return {"protocolVersion": 1, "agentCapabilities": CAPABILITIES, "agentInfo": info}
            case "session/new":
                return {"sessionId": self.agent.session}
            case "session/fork":
                return {"sessionId": self.agent.new_session()}
            case "session/list":
                return {"sessions": []}
            case "session/prompt":
                return {"stopReason": "cancelled" if self.is_cancelled() else "end_turn"}
            case "session/set_config_option":
                return {"configOptions": []}
            case _:
                return {}

    def is_cancelled(self) -> bool:
        return self.agent.notes.get("session/cancel", 0) > self.notes.get("session/cancel", 0)

    # The steps: `script.py` has a function for each.

    def result(self, result: Any) -> None:
        self.answer = {"id": self.id, "result": result}
        self.agent.send(self.answer)

    def error(self, code: int, message: str, data: Any = None) -> None:
        described = {"code": code, "message": message} | ({} if data is None else {"data": data})
        self.answer = {"id": self.id, "error": described}
        self.agent.send(self.answer)

    def frame(self, frame: Frame) -> None:
        self.agent.send(frame)

    def bare(self, frame: Frame) -> None:
        self.agent.write(json.dumps(frame).encode())

    def need_login(self, path: str) -> None:
        """Refuse until the terminal login has made a file."""
        if not Path(path).exists():
            self.error(-32000, "Authentication required")

    def again(self) -> None:
        self.agent.send(self.answer or {"id": self.id, "result": self.proper()})

    def silence(self) -> None:
        self.is_silent = True

    def update(self, update: Frame, session: str = "") -> None:
        params = {"sessionId": session or self.agent.session, "update": update}
        self.agent.send({"method": "session/update", "params": params})

    def flood(self, count: int, update: Frame) -> None:
        params = {"sessionId": self.agent.session, "update": update}
        line = {"jsonrpc": "2.0", "method": "session/update", "params": params}
        self.agent.write(b"\n".join([json.dumps(line).encode()] * count))

    def line(self, text: str) -> None:
        self.agent.write(text.encode("utf-8", "surrogateescape"))

    def ask(self, method: str, params: Frame) -> None:
        """Send a request and wait for its answer; `note` the answer."""
        id_ = self.start(method, params)
        with self.agent.arrived:
            self.agent.arrived.wait_for(lambda: id_ in self.agent.answers)

    def start(self, method: str, params: Frame) -> int:
        with self.agent.arrived:
            id_ = self.agent.asked
            self.agent.asked += 1
        self.agent.send({"id": id_, "method": method, "params": params})
        return id_

    def notify(self, method: str, params: Frame) -> None:
        self.agent.send({"method": method, "params": params})

    def wait_for(self, method: str) -> None:
        """Wait for a notification that has arrived since this call began."""
        before = self.notes.get(method, 0)
        with self.agent.arrived:
            self.agent.arrived.wait_for(lambda: self.agent.notes.get(method, 0) > before)

    def wait_until(self, path: str) -> None:
        while not Path(path).exists():
            time.sleep(0.005)  # noqa: TID251 -- another process makes the file

    def complain(self, text: str) -> None:
        os.write(2, text.encode() + b"\n")

    def write_file(self, path: str, text: str) -> None:
        Path(path).write_text(text, "utf-8")

    def delete_file(self, path: str) -> None:
        Path(path).unlink()

    def breed(self) -> None:
        """Start a child that ignores SIGTERM and keeps the pipes open."""
        child = subprocess.Popen([sys.executable, "-I", "-S", "-c", STUBBORN_CHILD])
        self.agent.note({"child": child.pid})

    def close_output(self) -> None:
        os.close(1)

    def exit(self, code: int) -> None:
        os._exit(code)

    def kill(self, number: int) -> None:
        os.kill(os.getpid(), number)


def log_in(log: Path, path: Path) -> None:
    """Log in as in a terminal: make a file if the user answers `carp`."""
    environment = {name: os.environ.get(name) for name in ("POND", "FAKE")}
    entry = {"tty": os.isatty(0) and os.isatty(1), "env": environment, "argv": sys.argv[1:]}
    with log.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"login": entry}) + "\n")
    if input("Pike or carp? ") != "carp":
        sys.exit("that is no login")
    path.touch()


if __name__ == "__main__" and LOGIN in sys.argv:
    log_in(Path(sys.argv[2]), Path(sys.argv[-1]))
elif __name__ == "__main__":
    FakeAgent(Path(sys.argv[1]), Path(sys.argv[2])).run()
