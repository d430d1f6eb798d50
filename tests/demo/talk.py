"""The demo in the chat: reads prompts and control requests, and takes turns by the script."""

import argparse
import asyncio
import contextlib
import json
import os
import sys
import uuid
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from demo import frames, permissions, script
from demo.frames import Frame, Stream
from demo.permissions import Permissions
from demo.record import Record
from demo.script import Script
from demo.turn import Turn

LONGEST_FRAME = 50_000_000
"""Bytes of one line that the chat sends: prompts may have images."""

UNSUPPORTED = "unsupported_request"
MODEL = {"value": "demo", "resolvedModel": "demo", "displayName": "Demo"}
CHARACTERS = 4
"""About as many are a token."""
CONTEXT = 200_000
"""Tokens; a usual size."""


class Talk:
    """One conversation, in the current folder."""

    def __init__(self, stream: Stream, record: Record, mode: str) -> None:
        self._stream = stream
        self._record = record
        self._permissions = Permissions(mode, frames.write)
        self._mode = self._permissions.mode
        self._said = {"user": 0, "assistant": 0}
        self._script = Script()
        self._prompts: list[Frame] = []
        self._arrived = asyncio.Event()
        self._turn: asyncio.Task[None] | None = None
        self._is_redirected = False

    async def run(self, incoming: AsyncIterator[Frame]) -> None:
        """Answer until the input ends."""
        answering = asyncio.create_task(self._answer_prompts())
        async for frame in incoming:
            match frame.get("type"):
                case "user":
                    self._queue(frame)
                case "control_request":
                    request = str(frame.get("request_id"))
                    frames.write(self._answer(request, frame.get("request") or {}))
                case "control_response":
                    self._permissions.answered(frame.get("response") or {})
        running = [task for task in (answering, self._turn) if task is not None]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _queue(self, prompt: Frame) -> None:
        frames.write(self._stream.stage(str(prompt.get("uuid")), "queued"))
        if prompt.get("priority") == "now":
            self._prompts.insert(0, prompt)
            self._is_redirected = self._stop()
        else:
            self._prompts.append(prompt)
        self._arrived.set()

    def _stop(self) -> bool:
        """Stop the turn; return whether there is one."""
        return self._turn is not None and self._turn.cancel()

    # Control requests.

    def _answer(self, request: str, asked: Frame) -> Frame:
        match asked.get("subtype"):
            case "initialize":
                return frames.success(request, self._offer())
            case "set_permission_mode":
                return self._set_mode(request, str(asked.get("mode")))
            case "get_context_usage":
                return frames.success(request, self._usage())
            case "cancel_async_message":
                is_found = self._withdraw(str(asked.get("message_uuid")))
                return frames.success(request, {"cancelled": is_found})
            case "interrupt":
                self._stop()
                return frames.success(request, {"still_queued": []})
            case "mcp_status":
                return frames.success(request, {"mcpServers": []})
            case other:
                return frames.failure(request, f"the demo does not know {other}", UNSUPPORTED)

    def _offer(self) -> Frame:
        commands = [
            {"name": scene.command, "description": scene.summary, "argumentHint": ""}
            for scene in script.SCENES
        ]
        session = {"session_state": "idle", "current_permission_mode": self._permissions.mode}
        return {"commands": commands, "models": [MODEL], **session}

    def _set_mode(self, request: str, mode: str) -> Frame:
        if mode not in permissions.NAMES:
            return frames.failure(request, f"the demo has no mode {mode}", "invalid_mode")
        self._mode = self._permissions.mode = permissions.NAMES[mode]
        return frames.success(request, {"mode": self._mode})

    def _usage(self) -> Frame:
        names = {"user": "Prompts and results", "assistant": "The demo's answers"}
        used = {names[role]: size // CHARACTERS for role, size in self._said.items()}
        categories = [{"name": name, "tokens": tokens} for name, tokens in used.items()]
        total = sum(used.values())
        return {"categories": categories, "totalTokens": total, "maxTokens": CONTEXT}

    def _withdraw(self, id_: str) -> bool:
        found = [prompt for prompt in self._prompts if prompt.get("uuid") == id_]
        for prompt in found:
            self._prompts.remove(prompt)
            frames.write(self._stream.stage(id_, "cancelled"))
        return bool(found)

    # Turns.

    async def _answer_prompts(self) -> None:
        while True:
            await self._arrived.wait()
            self._arrived.clear()
            while self._prompts:
                await self._take_turn(self._prompts.pop(0))

    async def _take_turn(self, prompt: Frame) -> None:
        id_ = str(prompt.get("uuid"))
        begin = self._stream.init("demo", self._permissions.mode)
        frames.write(self._stream.stage(id_, "started"), begin)
        self._add({"type": "user", "uuid": id_, "message": prompt["message"]})
        turn = Turn(self._stream, self._permissions, self._write)
        words = [str(block["text"]) for block in _blocks(prompt) if block.get("text")]
        self._turn = asyncio.create_task(self._script.answer(turn, words))
        await asyncio.wait([self._turn])
        frames.write(self._result(self._turn), self._stream.stage(id_, "completed"))
        self._turn = None
        self._is_redirected = False

    def _result(self, turn: asyncio.Task[None]) -> Frame:
        """Return the end of a turn."""
        if turn.cancelled():
            is_error = not self._is_redirected
            return self._stream.result(reason="aborted_streaming", is_error=is_error)
        if error := turn.exception():
            text = f"The demo has failed: {error!r}"
            return self._stream.result(text, is_error=True, reason="api_error")
        return self._stream.result()

    def _write(self, frame: Frame) -> None:
        frames.write(frame)
        if frame["type"] in ("user", "assistant"):
            self._add(frame)
        if self._permissions.mode != self._mode:
            self._mode = self._permissions.mode
            frames.write(self._stream.mode(self._mode))

    def _add(self, message: Frame) -> None:
        self._said[message["type"]] += len(json.dumps(message["message"]["content"]))
        self._record.add(message)


def _blocks(prompt: Frame) -> list[Frame]:
    content = (prompt.get("message") or {}).get("content")
    return content if isinstance(content, list) else [{"type": "text", "text": str(content)}]


async def _lines() -> AsyncIterator[Frame]:
    reader = asyncio.StreamReader(limit=LONGEST_FRAME)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        with contextlib.suppress(ValueError):
            frame: Any = json.loads(line)
            if isinstance(frame, dict):
                yield frame


def _open(options: argparse.Namespace, environment: Mapping[str, str]) -> tuple[Stream, Record]:
    """Return the session that the command line asks for."""
    cwd = Path.cwd()
    resumed = options.resume
    if options.resume is None and vars(options)["continue"]:
        resumed = Record("", cwd, environment).latest()
    is_new = resumed is None or options.fork_session
    session = (options.session_id or str(uuid.uuid4())) if is_new else resumed
    record = Record(session, cwd, environment)
    if resumed is not None and not record.resume(resumed, options.resume_session_at):
        sys.exit(f"No conversation found with session ID: {resumed}")
    return Stream(session), record


async def main(arguments: list[str]) -> None:
    """Hold the conversation that the command line asks for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--session-id", default="")
    parser.add_argument("--resume")
    parser.add_argument("--continue", action="store_true")
    parser.add_argument("--fork-session", action="store_true")
    parser.add_argument("--resume-session-at", default="")
    parser.add_argument("--permission-mode", default="default")
    options = parser.parse_known_args(arguments)[0]
    stream, record = _open(options, os.environ)
    await Talk(stream, record, options.permission_mode).run(_lines())
