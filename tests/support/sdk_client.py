"""A client of the official MCP SDK, run by a Python that has it: `sdk_client.py COMMAND…`.

It reads calls as `[[tool, arguments], …]` from stdin, and prints what the SDK makes of the answers.
"""

import asyncio
import importlib
import json
import os
import sys
from typing import Any


async def main() -> None:
    # By name: only the Python that runs this has it.
    sdk: Any = importlib.import_module("mcp")
    stdio: Any = importlib.import_module("mcp.client.stdio")
    calls = json.load(sys.stdin)
    command, *arguments = sys.argv[1:]
    server = sdk.StdioServerParameters(command=command, args=arguments, env=dict(os.environ))
    async with (
        stdio.stdio_client(server) as (read, write),
        sdk.ClientSession(read, write) as session,
    ):
        told: dict[str, Any] = {"initialize": dumped(await session.initialize())}
        told["tools"] = dumped(await session.list_tools())["tools"]
        told["results"] = [dumped(await session.call_tool(*call)) for call in calls]
        print(json.dumps(told))


def dumped(model: Any) -> dict[str, Any]:
    fields: dict[str, Any] = model.model_dump(by_alias=True, mode="json")
    return fields


if __name__ == "__main__":
    asyncio.run(main())
