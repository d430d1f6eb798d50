"""What a message is about, in a few words: its method, its id, the request that it answers."""

from collections import OrderedDict
from typing import Any

from claude_ide.wire import FROM, STDERR, TO, Message, Party

MOST_ASKED = 1_000
"""The number of unanswered requests that are remembered."""
LONGEST = 120
"""Characters of a text in a line."""

OPPOSITE = {TO: FROM, FROM: TO}


class Summaries:
    """Summarizes messages in their order."""

    def __init__(self) -> None:
        self._asked: OrderedDict[tuple[Party, str, str], str] = OrderedDict()
        """The requests by client, direction and id."""

    def of(self, message: Message, body: Any) -> str:
        """Return the summary of a message with this decoded body."""
        if isinstance(body, list):
            return f"batch of {len(body)}"
        if not isinstance(body, dict) or message.way == STDERR:
            return _short(str(body))
        if "method" in body or "id" in body:
            return self._of_rpc(message, body)
        return _of_frame(body)

    def _of_rpc(self, message: Message, body: dict[str, Any]) -> str:
        number = f" #{body['id']}" if body.get("id") is not None else ""
        key = message.party, message.way, str(body.get("id"))
        if "method" in body:
            method = _short(str(body["method"]) + _about(body.get("params")))
            if number:
                self._asked[key] = method
                while len(self._asked) > MOST_ASKED:
                    self._asked.popitem(last=False)
            return method + number
        asked = self._asked.pop((message.party, OPPOSITE[message.way], key[2]), "a request")
        error = body.get("error")
        if isinstance(error, dict):
            return f"error to {asked}{number}: {_short(str(error.get('message', '')))}"
        return f"answer to {asked}{number}"


def _about(params: Any) -> str:
    """Return the name of the tool that is called, or what an update of a session is about."""
    if not isinstance(params, dict):
        return ""
    update = params.get("update")
    told = update.get("sessionUpdate") if isinstance(update, dict) else params.get("name")
    return f" {told}" if isinstance(told, str) else ""


def _of_frame(frame: dict[str, Any]) -> str:
    """Summarize a frame of the CLI, or a hook, which have no method."""
    words = [frame.get("type") or frame.get("hook_event_name"), frame.get("subtype")]
    for name in ("request", "response", "event"):
        if isinstance(inner := frame.get(name), dict):
            words += [inner.get("subtype") or inner.get("type"), inner.get("tool_name")]
    words.append(frame.get("tool_name"))
    message = frame.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict):
            words += [block.get("type"), block.get("name")]
    said = " ".join(word for word in words if isinstance(word, str))
    return _short(said or ", ".join(map(str, frame)))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
