"""Which functions call a function, and which ones it calls."""

from typing import Any

import msgspec

from claude_ide.editor.port.servers import Reply, Server
from claude_ide.editor.protocol import Position, kind_of, listed, path_of, range_of
from claude_ide.editor.servers import Answer
from claude_ide.errors import EditorError

INCOMING, OUTGOING = "callHierarchy/incomingCalls", "callHierarchy/outgoingCalls"

MOST_CALLS = 20
"""Of one function."""

MOST_FUNCTIONS = 10
"""A place may stand for overloads."""

LONGEST_NAME = 200


class Function(msgspec.Struct, frozen=True):
    """A function at the place, and the server that knows it, to which its `data` goes back."""

    server: Server
    item: dict[str, Any]

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.item.get("name"))[:LONGEST_NAME]


class Caller(msgspec.Struct, frozen=True):
    """The other function of some calls, and where these begin, in the file `calls_path`."""

    path: str
    name: str
    kind: str
    start: Position
    encoding: str
    calls: list[Position]
    calls_path: str

    def places(self) -> list[tuple[str, int]]:
        """Return the lines that describe it."""
        rows = [(self.calls_path, start.line) for start in self.calls[:MOST_CALLS]]
        return [(self.path, self.start.line), *rows]


def functions(answers: list[Answer]) -> list[Function]:
    """Return the functions at a place."""
    return [
        Function(answer.server, item)
        for answer in answers
        for item in (listed(answer.result) or [answer.result])[:MOST_FUNCTIONS]
        if isinstance(item, dict) and isinstance(item.get("uri"), str)
    ]


def gathered(asked: list[Function], replies: list[Reply]) -> list[Caller]:
    """Return the functions of all calls, by path and place.

    Raises `EditorError` if all servers have failed.
    """
    failures, found = [], dict[object, Caller]()
    for function, reply in zip(asked, replies, strict=True):
        if reply.failure:
            failures.append(f"{function.server.name}: {reply.failure}")
        for call in listed(reply.result):
            if each := _caller(function, call):
                found.setdefault((each.path, each.start.line, each.name), each)
    if failures and len(failures) == len(replies):
        raise EditorError("; ".join(failures))
    return sorted(found.values(), key=lambda each: (each.path, each.start))


def _caller(function: Function, call: Any) -> Caller | None:
    """Return the other function of a call; None for anything else."""
    if not isinstance(call, dict):
        return None
    is_incoming = "from" in call
    item = call.get("from" if is_incoming else "to")
    place = range_of(item, "selectionRange", "range")
    path = path_of(item.get("uri")) if isinstance(item, dict) else ""
    if not isinstance(item, dict) or place is None or not path:
        return None
    ranges = (range_of({"": each}, "") for each in listed(call.get("fromRanges")))
    # Some servers give each range twice.
    starts = dict.fromkeys(each.start for each in ranges if each)
    return Caller(
        path,
        str(item.get("name"))[:LONGEST_NAME],
        kind_of(item.get("kind")),
        place.start,
        function.server.encoding,
        [*starts],
        path if is_incoming else path_of(function.item["uri"]),
    )
