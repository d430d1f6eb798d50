"""The demo in the chat: reads prompts and control requests, and takes turns by the script."""

import asyncio
import contextlib
import json
import sys
import uuid
from collections.abc import AsyncIterator

from demo import script
from demo.frames import Frame, Stream, failure, success, write
from demo.turn import MODES, Permissions, Turn

LONGEST_FRAME = 50_000_000
"""Bytes of one line that the chat sends: prompts may have images."""

MODEL = {"value": "demo", "resolvedModel": "demo", "displayName": "Demo"}


class Conversation:
    """One conversation, in the current folder."""

    def __init__(self, stream: Stream, mode: str) -> None:
        self._stream = stream
        self._permissions = Permissions(MODES.get(mode, "default"), stream)
        self._script = script.Script()
        self._prompts = asyncio.Queue[Frame]()
        self._turn: asyncio.Task[None] | None = None

    async def run(self, incoming: AsyncIterator[Frame]) -> None:
        """Answer until the input ends."""
        answering = asyncio.create_task(self._answer_prompts())
        async for frame in incoming:
            match frame:
                case {"type": "user"}:
                    write(self._stream.stage(str(frame.get("uuid")), "queued"))
                    self._prompts.put_nowait(frame)
                case {"type": "control_request", "request_id": id_, "request": asked}:
                    write(self._answer(id_, asked))
                case {"type": "control_response", "response": answer}:
                    self._permissions.answered(answer)
        answering.cancel()
        if self._turn is not None:
            self._turn.cancel()

    def _answer(self, id_: str, asked: Frame) -> Frame:
        match asked:
            case {"subtype": "initialize"}:
                commands = [
                    {"name": scene.command, "description": scene.summary, "argumentHint": ""}
                    for scene in script.SCENES
                ]
                mode = {"current_permission_mode": self._permissions.mode}
                return success(id_, {"commands": commands, "models": [MODEL], **mode})
            case {"subtype": "set_permission_mode", "mode": mode} if mode in MODES:
                self._permissions.mode = MODES[mode]
                return success(id_, {"mode": MODES[mode]})
            case {"subtype": "interrupt"}:
                if self._turn is not None:
                    self._turn.cancel()
                return success(id_, {"still_queued": []})
            case {"subtype": "mcp_status"}:
                return success(id_, {"mcpServers": []})
        return failure(id_, f"the demo cannot do this: {asked.get('subtype')}")

    async def _answer_prompts(self) -> None:
        while True:
            prompt = await self._prompts.get()
            id_ = str(prompt.get("uuid"))
            write(self._stream.stage(id_, "started"), self._stream.init(self._permissions.mode))
            content = prompt["message"]["content"]
            blocks = content if isinstance(content, list) else [{"text": content}]
            texts = [str(block["text"]) for block in blocks if block.get("text")]
            turn = Turn(self._stream, self._permissions)
            self._turn = asyncio.create_task(self._script.answer(turn, texts))
            await asyncio.wait([self._turn])
            write(self._result(self._turn), self._stream.stage(id_, "completed"))
            self._turn = None

    def _result(self, turn: "asyncio.Task[None]") -> Frame:
        """Return the end of a turn."""
        if turn.cancelled():
            return self._stream.result(reason="aborted_streaming", is_error=True)
        if error := turn.exception():
            text = f"The demo has failed: {error!r}"
            return self._stream.result(text, is_error=True, reason="api_error")
        return self._stream.result()


async def _lines() -> AsyncIterator[Frame]:
    reader = asyncio.StreamReader(limit=LONGEST_FRAME)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        with contextlib.suppress(ValueError):
            yield json.loads(line)


async def hold(session: str, mode: str) -> None:
    """Hold a conversation until stdin ends."""
    await Conversation(Stream(session or str(uuid.uuid4())), mode).run(_lines())
