"""Scripts for the fake agent: what it does when a method is called.

A script maps a method to its calls, each a list of steps; the last list is repeated. `start` has
steps that run before anything is read. With `stubborn` the agent ignores the end of its stdin and
SIGTERM. After its steps a call that was not answered is answered properly. In all strings
`$SESSION` stands for the session's id and `$FOLDER` for its folder; `"$ID"` is the id of the call.

    Script(prompt=[say("Hello"), cancelled()], new=[silent()])

The log has an object per line: `in`, a frame that the agent has received; `out`, its requests and
answers; `garbage`, a line that is no JSON; `child`, the process id of a child; `eof`.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support import frame_log

FAKE_AGENT = Path(__file__).with_name("fake_agent.py")

Step = list[Any]
Frame = dict[str, Any]

METHODS = {
    "initialize": "initialize",
    "authenticate": "authenticate",
    "logout": "logout",
    "new": "session/new",
    "load": "session/load",
    "resume": "session/resume",
    "list": "session/list",
    "fork": "session/fork",
    "delete": "session/delete",
    "close": "session/close",
    "prompt": "session/prompt",
    "set_mode": "session/set_mode",
    "set_model": "session/set_model",
    "set_config_option": "session/set_config_option",
}


@dataclass(frozen=True)
class Fake:
    """A fake agent: its command, and the log of what it has received and answered."""

    command: tuple[str, ...]
    log: Path

    def entries(self, kind: str) -> list[Any]:
        """Return the entries of one kind, such as `in`."""
        return [entry[kind] for entry in frame_log.read(self.log) if kind in entry]

    def received(self, method: str) -> list[Frame]:
        """Return the params of each call of a method, and of each notification."""
        return [
            frame.get("params") or {}
            for frame in self.entries("in")
            if frame.get("method") == method
        ]

    def answers(self, method: str) -> list[Frame]:
        """Return the client's answers to the agent's requests of one method, whole frames."""
        asked = {
            frame["id"]
            for frame in self.entries("out")
            if frame.get("method") == method and "id" in frame
        }
        return [
            frame
            for frame in self.entries("in")
            if "method" not in frame and frame.get("id") in asked
        ]


class Script:
    """A script; each argument has the steps of every call of a method, or a list of them a call."""

    def __init__(self, *, stubborn: bool = False, **steps: list[Any]) -> None:
        self._plain: dict[str, Any] = {"stubborn": stubborn, "start": steps.pop("start", [])}
        self._plain |= {METHODS[name]: _calls(given) for name, given in steps.items()}

    def write(self, folder: Path, name: str = "agent") -> Fake:
        """Write the script into a folder; return the agent that plays it."""
        script, log = folder / f"{name}.script.json", folder / f"{name}.log.jsonl"
        script.write_text(json.dumps(self._plain), encoding="utf-8")
        return Fake((sys.executable, "-I", "-S", str(FAKE_AGENT), str(script), str(log)), log)


Make = Callable[..., Fake]


def _calls(given: list[Any]) -> list[list[Step]]:
    is_one_call = not given or isinstance(given[0][0], str)
    return [given] if is_one_call else given


def result(value: Any) -> Step:
    """Answer with a result, which may be None; the steps after it still run."""
    return ["result", value]


def error(code: int, message: str, data: Any = None) -> Step:
    """Answer with an error."""
    return ["error", code, message, data]


def need_login(path: Path) -> Step:
    """Answer that a login is needed, until that in a terminal has made a file."""
    return ["need_login", str(path)]


def terminal_login(path: Path) -> Step:
    """Answer `initialize` with a way to log in in a terminal, which makes a file."""
    method: Frame = {"id": "t", "name": "Feed", "type": "terminal", "args": ["--log-in", str(path)]}
    method["env"] = {"POND": "deep"}
    capabilities: Frame = {"sessionCapabilities": {"resume": {}}}
    answer: Frame = {
        "protocolVersion": 1,
        "agentCapabilities": capabilities,
        "authMethods": [method],
    }
    return result(answer)


def again() -> Step:
    """Answer a second time."""
    return ["again"]


def silent() -> Step:
    """Leave the call without an answer."""
    return ["silence"]


def frame(**fields: Any) -> Step:
    """Send any frame."""
    return ["frame", fields]


def bare(**fields: Any) -> Step:
    """Send a frame without the version of JSON-RPC."""
    return ["bare", fields]


def line(text: str) -> Step:
    """Send a line that may be anything."""
    return ["line", text]


def update(update: str, /, session: str = "", **fields: Any) -> Step:
    """Send an update of the session, or of another one."""
    return ["update", {"sessionUpdate": update, **fields}, session]


def say(text: str, **fields: Any) -> Step:
    """Send a piece of the answer."""
    return update("agent_message_chunk", content=words(text), **fields)


def think(text: str) -> Step:
    """Send a piece of thinking."""
    return update("agent_thought_chunk", content=words(text))


def flood(count: int, text: str) -> Step:
    """Send many pieces of the answer at once."""
    return ["flood", count, {"sessionUpdate": "agent_message_chunk", "content": words(text)}]


def tool(id_: str, title: str = "Work", /, **fields: Any) -> Step:
    """Report a tool call."""
    return update("tool_call", toolCallId=id_, title=title, **fields)


def tool_update(id_: str, **fields: Any) -> Step:
    """Report progress of a tool call."""
    return update("tool_call_update", toolCallId=id_, **fields)


def ask(method: str, **params: Any) -> Step:
    """Send a request about the session, and wait for the answer."""
    return ["ask", method, {"sessionId": "$SESSION", **params}]


def start(method: str, **params: Any) -> Step:
    """Send a request without waiting for the answer."""
    return ["start", method, {"sessionId": "$SESSION", **params}]


def permission(id_: str, *options: Frame, **call: Any) -> Step:
    """Ask for permission for a tool call."""
    return ask(
        "session/request_permission",
        toolCall={"toolCallId": id_, **call},
        options=list(options or ALLOW_OR_REJECT),
    )


def option(id_: str, kind: str, name: str = "") -> Frame:
    """Return an option of a permission."""
    return {"optionId": id_, "name": name or id_.capitalize(), "kind": kind}


ALLOW_OR_REJECT = (option("allow", "allow_once"), option("reject", "reject_once"))


def notify(method: str, **params: Any) -> Step:
    """Send a notification."""
    return ["notify", method, params]


def cancelled() -> Step:
    """Wait for `session/cancel`."""
    return ["wait_for", "session/cancel"]


def until(path: Path) -> Step:
    """Wait until a file exists."""
    return ["wait_until", str(path)]


def complain(text: str) -> Step:
    """Write a line to stderr."""
    return ["complain", text]


def write_file(path: str, text: str) -> Step:
    """Write a file, as an agent does that does not leave it to the editor."""
    return ["write_file", path, text]


def delete_file(path: str) -> Step:
    """Delete a file by itself."""
    return ["delete_file", path]


def breed() -> Step:
    """Start a child that ignores SIGTERM."""
    return ["breed"]


def close_output() -> Step:
    """Close stdout without ending."""
    return ["close_output"]


def exit_(code: int = 1) -> Step:
    """End at once."""
    return ["exit", code]


def kill(signal: int) -> Step:
    """Send itself a signal."""
    return ["kill", signal]


def words(text: str) -> Frame:
    """Return a block of text."""
    return {"type": "text", "text": text}


def diff(path: str, old: str | None, new: str) -> Frame:
    """Return the content of a tool call that changes a file."""
    return {"type": "diff", "path": path, "oldText": old, "newText": new}


def initialized(version: int = 1, **capabilities: Any) -> Step:
    """Answer `initialize` with these capabilities."""
    return result({"protocolVersion": version, "agentCapabilities": capabilities})
