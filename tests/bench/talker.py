"""A program that replaces the CLI and writes an answer of any length at any rate.

The prompt `say COUNT RATE` requests COUNT deltas, RATE per second (0: all at once). An interrupt
ends the answer before the next delta. `todos COUNT` and `tasks COUNT` request that many of them.
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
STREAM = {"session_id": "1", "parent_tool_use_id": None}


def write(*frames: dict[str, object]) -> None:
    sys.stdout.write("".join(f"{json.dumps(frame)}\n" for frame in frames))
    sys.stdout.flush()


def event(**fields: object) -> dict[str, object]:
    return {"type": "stream_event", "event": fields, **STREAM}


def delta(number: int) -> dict[str, object]:
    piece = {"type": "text_delta", "text": PIECES[number % len(PIECES)]}
    return event(type="content_block_delta", index=0, delta=piece)


def answer(turn: int, count: int, rate: float, received: "queue.Queue[dict[str, Any]]") -> None:
    message = {"id": f"msg_{turn}", "role": "assistant", "model": "m", "content": []}
    block = {"type": "text", "text": ""}
    write(
        {"type": "system", "subtype": "init", "session_id": "1", "model": "m", "tools": []},
        event(type="message_start", message=message),
        event(type="content_block_start", index=0, content_block=block),
    )
    began = time.monotonic()
    for number in range(count):
        if rate:
            # Keep the requested rate.
            time.sleep(max(0.0, began + number / rate - time.monotonic()))  # noqa: TID251
        if not received.empty():
            control(received.get())
            return write(result("error_during_execution", "aborted_streaming"))
        write(delta(number))
    text = "".join(PIECES[number % len(PIECES)] for number in range(count))
    write(
        {"type": "assistant", "message": message | {"content": [block | {"text": text}]}, **STREAM},
        event(type="content_block_stop", index=0),
        event(type="message_stop"),
        result("success", "completed"),
    )


def todos(count: int) -> None:
    listed = [
        {"content": f"Do thing {number}", "status": "pending", "activeForm": f"Doing {number}"}
        for number in range(1, count + 1)
    ]
    use = {"type": "tool_use", "id": "toolu_t", "name": "TodoWrite", "input": {"todos": listed}}
    message = {"id": "msg_t", "role": "assistant", "model": "m", "content": [use]}
    done = {"type": "tool_result", "tool_use_id": "toolu_t", "content": "done"}
    answered = {"type": "user", "message": {"role": "user", "content": [done]}}
    write(
        {"type": "assistant", "message": message, **STREAM},
        answered | {"tool_use_result": {"oldTodos": [], "newTodos": listed}, **STREAM},
        result("success", "completed"),
    )


def tasks(count: int) -> None:
    common: dict[str, object] = {"type": "system", "task_type": "local_bash", "session_id": "1"}
    for number in range(1, count + 1):
        id_ = {"task_id": f"b{number}", "tool_use_id": f"toolu_{number}"}
        started = {"subtype": "task_started", "description": f"Build {number}"}
        moved: dict[str, object] = {"subtype": "task_updated", "patch": {"is_backgrounded": True}}
        write({**common, **id_, **started}, {**common, **id_, **moved})
    write(result("success", "completed"))


def result(subtype: str, reason: str) -> dict[str, object]:
    frame = {"type": "result", "subtype": subtype, "terminal_reason": reason, "session_id": "1"}
    return frame | {"is_error": subtype != "success", "duration_ms": 1, "total_cost_usd": 0.0}


def control(frame: dict[str, Any]) -> None:
    response = {"subtype": "success", "request_id": frame["request_id"]}
    response["response"] = {"current_permission_mode": "default"}
    write({"type": "control_response", "response": response})


def listen(received: "queue.Queue[dict[str, Any]]") -> None:
    for line in sys.stdin:
        received.put(json.loads(line))
    received.put({"type": "end"})


def main() -> None:
    received = queue.Queue[dict[str, Any]]()
    threading.Thread(target=listen, args=[received], daemon=True).start()
    turn = 0
    while (frame := received.get())["type"] != "end":
        if frame["type"] == "control_request":
            control(frame)
        elif frame["type"] == "user":
            turn += 1
            words = frame["message"]["content"][-1]["text"].split()
            if words[0] == "say":
                answer(turn, int(words[1]), float(words[2]), received)
            else:
                {"todos": todos, "tasks": tasks}[words[0]](int(words[1]))


if __name__ == "__main__":
    main()
