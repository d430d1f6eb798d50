"""OpenCode in a terminal: it has the token, but neither a subprotocol nor any answer to a ping."""

import json
from pathlib import Path

from websockets.asyncio.client import connect

from claude_ide.transport.admission import AUTHORIZATION
from support.claude_code import the_lock
from support.either_editor import BOTH, Editor

pytestmark = BOTH


async def test_it_follows_the_selection(serving: Editor, config_folder: Path, path: Path) -> None:
    port, lock = await the_lock(config_folder)
    headers = {AUTHORIZATION: lock["authToken"]}
    async with connect(f"ws://127.0.0.1:{port}", additional_headers=headers) as client:
        asked = {"protocolVersion": "2025-11-25", "capabilities": {}}
        asked["clientInfo"] = {"name": "opencode", "version": "0.0.0"}
        for message in (
            {"id": 1, "method": "initialize", "params": asked},
            {"method": "notifications/initialized"},
        ):
            await client.send(json.dumps({"jsonrpc": "2.0", **message}))
        await serving.keys("ggjV")

        async for frame in client:
            answer = json.loads(frame)
            if answer.get("method") == "selection_changed" and answer["params"]["text"]:
                break

        assert answer["params"]["text"].rstrip("\n") == "two"
        assert answer["params"]["filePath"] == str(path)
