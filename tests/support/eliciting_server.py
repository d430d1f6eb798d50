"""An MCP server over stdio whose tool `ask` elicits an answer from the user.

The tool's arguments are the parameters of `elicitation/create`; its result is the client's answer
as JSON. With `withdraw` the server withdraws its request as soon as that named pipe is written to.
"""

import json
import sys
import threading
from pathlib import Path
from typing import Any

PROTOCOL = "2025-11-25"
TOOL = {
    "name": "ask",
    "description": "Ask the user",
    "inputSchema": {"type": "object"},
    "_meta": {"anthropic/alwaysLoad": True},
}
ELICITATION = "elicitation-1"

lock = threading.Lock()


def send(**message: Any) -> None:
    with lock:
        print(json.dumps({"jsonrpc": "2.0"} | message), flush=True)


def withdraw_after(pipe: Path, call: Any) -> None:
    pipe.read_bytes()
    send(method="notifications/cancelled", params={"requestId": ELICITATION, "reason": "late"})
    send(id=call, result={"content": [{"type": "text", "text": "withdrawn"}]})


def elicit(arguments: dict[str, Any], call: Any) -> None:
    withdraw = arguments.pop("withdraw", "")
    send(id=ELICITATION, method="elicitation/create", params=arguments)
    if withdraw:
        threading.Thread(target=withdraw_after, args=[Path(withdraw), call], daemon=True).start()


def answer(message: dict[str, Any], call: Any) -> Any:
    """Answer a message; return the id of the tool call that waits for the user, if any."""
    match message:
        case {"method": "initialize", "id": id_}:
            info = {"name": "eliciting", "version": "1"}
            result = {"protocolVersion": PROTOCOL, "capabilities": {"tools": {}}}
            send(id=id_, result=result | {"serverInfo": info})
        case {"method": "tools/list", "id": id_}:
            send(id=id_, result={"tools": [TOOL]})
        case {"method": "tools/call", "id": id_, "params": {"arguments": arguments}}:
            elicit(arguments, id_)
            return id_
        case {"id": id_, "method": _}:
            send(id=id_, error={"code": -32601, "message": "not supported"})
        case {"id": id_} if id_ == ELICITATION and call is not None:
            given = json.dumps(message.get("result") or message.get("error"), ensure_ascii=False)
            send(id=call, result={"content": [{"type": "text", "text": f"answered {given}"}]})
            return None
    return call


def main() -> None:
    call: Any = None
    for line in sys.stdin:
        call = answer(json.loads(line), call)


if __name__ == "__main__":
    main()
