"""A client of the official MCP SDK over HTTP, run by a Python that has it: `… ADDRESS HEADERS`.

It prints the names of the tools, as a line of JSON, first and after each change of the list.
"""

import asyncio
import importlib
import json
import sys
from typing import Any


async def main() -> None:
    # By name: only the Python that runs this has it.
    sdk: Any = importlib.import_module("mcp")
    http: Any = importlib.import_module("mcp.client.streamable_http")
    address, headers = sys.argv[1], json.loads(sys.argv[2])
    changes: asyncio.Queue[str] = asyncio.Queue()

    async def handle(message: Any) -> None:
        kind = type(getattr(message, "root", message)).__name__
        if kind == "ToolListChangedNotification":
            changes.put_nowait(kind)

    async with (
        http.create_mcp_http_client(headers=headers) as client,
        http.streamable_http_client(address, http_client=client) as streams,
        sdk.ClientSession(*streams[:2], message_handler=handle) as session,
    ):
        await session.initialize()
        while True:
            listed = (await session.list_tools()).tools
            print(json.dumps([tool.name for tool in listed]), flush=True)
            await changes.get()


if __name__ == "__main__":
    asyncio.run(main())
