"""An MCP server on stdio that offers one prompt, `greet`."""

import json
import sys
from typing import Any


def answer(method: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a request."""
    match method:
        case "initialize":
            return {
                "protocolVersion": parameters["protocolVersion"],
                "capabilities": {"prompts": {}},
                "serverInfo": {"name": "greeter", "version": "1"},
            }
        case "prompts/list":
            return {"prompts": [{"name": "greet", "arguments": [{"name": "who"}]}]}
        case "prompts/get":
            words = f"Greet {parameters['arguments']['who']}."
            return {"messages": [{"role": "user", "content": {"type": "text", "text": words}}]}
    return {}


def main() -> None:
    """Answer each request on stdin."""
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" in asked:
            result = answer(asked["method"], asked.get("params", {}))
            print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)


if __name__ == "__main__":
    main()
