"""A client that speaks MCP over HTTP, each message on a connection of its own."""

import itertools
import json
from typing import Any
from urllib.parse import urlsplit

from support.raw_http import Answer, answered, request

ACCEPT = "application/json, text/event-stream"
INFORMATION = {"name": "tester", "version": "1"}
OPENING = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": INFORMATION}


class McpHttp:
    """A client of the server at an address; `headers` are added to each request."""

    def __init__(self, url: str, headers: Any) -> None:
        address = urlsplit(url)
        assert address.port
        self.port, self.path = address.port, address.path
        self.headers: dict[str, str | None] = {"Accept": ACCEPT, **headers}
        self._ids = itertools.count(1)

    def raw(self, body: bytes, *, method: str = "POST", **headers: str | None) -> bytes:
        """Return a request of HTTP; `headers` have underscores in their names."""
        added = {name.replace("_", "-"): value for name, value in headers.items()}
        fields = self.headers | added
        return request(self.port, "", fields, method=method, path=self.path, body=body)

    async def post(self, body: Any, **headers: str | None) -> Answer:
        """Post some JSON."""
        return await answered(
            self.port, self.raw(json.dumps(body).encode(), method="POST", **headers)
        )

    async def end(self) -> Answer:
        """End the session."""
        return await answered(self.port, self.raw(b"", method="DELETE"))

    def message(self, method: str, params: Any = None) -> dict[str, Any]:
        """Return a request of JSON-RPC."""
        return {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params or {}}

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return a request that calls a tool."""
        return self.message("tools/call", {"name": tool, "arguments": arguments})

    async def initialize(self) -> Any:
        """Begin a session, as every client does; return the server's answer."""
        got = await self.post(self.message("initialize", OPENING))
        assert got.status == 200
        self.headers["Mcp-Session-Id"] = got.headers["mcp-session-id"]
        self.headers["MCP-Protocol-Version"] = "2025-06-18"
        noted = await self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert (noted.status, noted.body) == (202, b"")
        return json.loads(got.body)["result"]

    async def request(self, message: Any) -> Any:
        """Post a request of JSON-RPC, and return the message that answers it."""
        got = await self.post(message)
        assert (got.status, got.headers["content-type"]) == (200, "application/json")
        answer = json.loads(got.body)
        assert answer["id"] == message["id"]
        return answer
