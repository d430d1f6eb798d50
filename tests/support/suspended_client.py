"""A client in a process of its own that is suspended, as CTRL-Z suspends a CLI."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from support.claude_code import AUTHORIZATION, the_lock
from support.neovim import WAIT_SECONDS

CLIENT = """
import json, sys
from websockets.sync.client import connect
port, name, token = sys.argv[1:]
headers = {name: token}
with connect(f"ws://127.0.0.1:{port}/", additional_headers=headers, subprotocols=["mcp"]) as client:
    info = {"name": "claude-code", "version": "2.1.330"}
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
    request = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    client.send(json.dumps(request))
    client.recv()
    print("connected", flush=True)
    for _ in client:
        pass
"""


@asynccontextmanager
async def suspended_client(folder: Path) -> AsyncIterator[None]:
    """Connect a client to the server with its lock file in a config folder, and suspend it."""
    port, lock = await the_lock(folder)
    process = await asyncio.create_subprocess_exec(
        *[sys.executable, "-c", CLIENT, str(port), AUTHORIZATION, lock["authToken"]],
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout
        assert await asyncio.wait_for(process.stdout.readline(), WAIT_SECONDS) == b"connected\n"
        process.send_signal(signal.SIGSTOP)
        yield
    finally:
        process.kill()
        await process.wait()
