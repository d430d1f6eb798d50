"""An agent that speaks ACP and writes an answer of any length at any rate, as `talker.py` does.

The prompt `say COUNT RATE` requests COUNT pieces, RATE per second (0: all at once). A cancellation
ends the answer before the next piece.
"""

import json
import queue
import sys
import threading
import time
from typing import Any

# Like the text of models: headings, lists and code, in pieces of twelve bytes.
PARAGRAPH = """## A heading of some length

Some words with `code` in them, and **bold** ones, as an answer of a model has them, line by line.

- one item of a list
- another, with [a link](https://example.org) in it

```python
def function(argument):
    return argument + 1
```

"""
PIECES = [PARAGRAPH[start : start + 12] for start in range(0, len(PARAGRAPH), 12)]

Frame = dict[str, Any]


def write(frame: Frame) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **frame}) + "\n")
    sys.stdout.flush()


def update(kind: str, **fields: object) -> Frame:
    params = {"sessionId": "1", "update": {"sessionUpdate": kind, **fields}}
    return {"method": "session/update", "params": params}


def piece(number: int) -> Frame:
    content = {"type": "text", "text": PIECES[number % len(PIECES)]}
    return update("agent_message_chunk", content=content)


def usage(turn: int) -> Frame:
    """Tell a cost, which grows with each turn: the panel shows it at the turn's end."""
    cost = {"amount": turn / 100, "currency": "USD"}
    return update("usage_update", used=1000, size=200_000, cost=cost)


def answer(count: int, rate: float, received: "queue.Queue[Frame]") -> str:
    """Write an answer; return why it has ended."""
    began = time.monotonic()
    for number in range(count):
        if rate:
            # Keep the requested rate.
            time.sleep(max(0.0, began + number / rate - time.monotonic()))  # noqa: TID251
        if not received.empty():
            received.get()
            return "cancelled"
        write(piece(number))
    return "end_turn"


def listen(received: "queue.Queue[Frame]") -> None:
    for line in sys.stdin:
        received.put(json.loads(line))
    received.put({})


def main() -> None:
    received = queue.Queue[Frame]()
    threading.Thread(target=listen, args=[received], daemon=True).start()
    turn = 0
    while frame := received.get():
        result: Frame = {}
        match frame.get("method"):
            case "initialize":
                result = {"protocolVersion": 1, "agentCapabilities": {}}
            case "session/new":
                result = {"sessionId": "1"}
            case "session/prompt":
                _, count, rate = frame["params"]["prompt"][-1]["text"].split()
                result = {"stopReason": answer(int(count), float(rate), received)}
                turn += 1
                write(usage(turn))
        if "id" in frame:
            write({"id": frame["id"], "result": result})


if __name__ == "__main__":
    main()
