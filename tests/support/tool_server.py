"""An MCP server over stdio with one tool; it ends at once while the given file exists."""

import json
import sys
from pathlib import Path
from typing import Any

TOOL = {"name": "greet", "description": "Greet", "inputSchema": {"type": "object"}}


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    match method:
        case "initialize":
            version = params.get("protocolVersion", "2025-06-18")
            info = {"name": "river", "version": "1"}
            return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        case "tools/list":
            return {"tools": [TOOL]}
    return {}


def main() -> None:
    if Path(sys.argv[1]).exists():
        sys.exit("the river is dry")
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            result = answer(message["method"], message.get("params") or {})
            reply = {"jsonrpc": "2.0", "id": message["id"], "result": result}
            print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
