"""The demo in the chat: a scripted conversation over stream-json.

It reads and edits `shop.py`, runs a command and asks a question, each after the user's permission.
"""

import argparse
import asyncio
import contextlib
import json
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from claude_ide.demo import frames, scratch
from claude_ide.demo.frames import Frame, Stream

PIECE_SECONDS = 0.02
COMMAND = "python3 shop.py"
LONGEST_FRAME = 50_000_000
"""Bytes of one line that the chat sends: prompts may have images."""

HELLO = """\
I am a demo **without a model**: whatever you write, I follow a script. It shows you the chat.

1. I read `shop.py` and propose an edit: change it if you like, `:w` accepts it, `:q` rejects it.
2. Then I ask whether I may run a command. Answer with `y`, `n`, or `N` and a reason.
"""
DONE = """\
What happened in this turn:

| step | key |
| --- | --- |
| the edit | `:w` accepted it, `:q` rejected it |
| the command | `y` `a` `n` `N` |

`gd` reviews the turn: every hunk, and `x` reverts one. `e` on your prompt edits it. `g?` lists all
keys. Send anything to go on.
"""
GOODBYE = "As you wish. `:ClaudeChat` hides the chat, `:qa` ends the demo."
QUESTION = {
    "question": "What should the demo show next?",
    "header": "Next",
    "multiSelect": False,
    "options": [
        {"label": "Another edit", "description": "the next idea for shop.py"},
        {"label": "Nothing", "description": "that was enough"},
    ],
}


class Refused(Exception):
    """The user has not allowed a tool; the text is the reason."""


class Talk:
    """One conversation, in the current folder."""

    def __init__(self, session: str, mode: str) -> None:
        self._stream = Stream(session)
        self._mode = mode
        self._file = Path.cwd() / "shop.py"
        self._turns = 0
        self._asked: dict[str, asyncio.Future[Frame]] = {}
        self._prompts: asyncio.Queue[Frame] = asyncio.Queue()
        self._turn: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Answer until the input ends."""
        answering = asyncio.create_task(self._answer_prompts())
        async for frame in _lines():
            match frame.get("type"):
                case "user":
                    frames.write(self._stream.stage(str(frame.get("uuid")), "queued"))
                    self._prompts.put_nowait(frame)
                case "control_request":
                    self._control(str(frame["request_id"]), frame["request"])
                case "control_response":
                    answer = frame["response"]
                    if future := self._asked.pop(answer["request_id"], None):
                        future.set_result(answer.get("response") or {})
        answering.cancel()

    def _control(self, request: str, asked: Frame) -> None:
        match asked.get("subtype"):
            case "initialize":
                offer = {"value": "demo", "displayName": "Demo", "description": "no model"}
                answer = {"commands": [], "models": [offer], "current_permission_mode": self._mode}
                frames.write(frames.success(request, answer | {"session_state": "idle"}))
            case "set_permission_mode":
                self._mode = str(asked.get("mode"))
                frames.write(frames.success(request, {"mode": self._mode}))
            case "interrupt":
                if self._turn is not None:
                    self._turn.cancel()
                frames.write(frames.success(request))
            case other:
                error = f"Unsupported control request subtype: {other}"
                answer = {"subtype": "error", "request_id": request, "error": error}
                frames.write({"type": "control_response", "response": answer})

    async def _answer_prompts(self) -> None:
        while True:
            prompt = str((await self._prompts.get()).get("uuid"))
            frames.write(self._stream.stage(prompt, "started"), self._stream.init(self._mode))
            self._turn = asyncio.create_task(self._take_turn())
            await asyncio.wait([self._turn])
            interrupted = self._turn.cancelled()
            self._asked.clear()
            frames.write(self._stream.result(interrupted=interrupted))
            frames.write(self._stream.stage(prompt, "completed"))

    async def _take_turn(self) -> None:
        self._turns += 1
        if self._turns > 1 and not await self._ask_what_next():
            return await self._say(GOODBYE)
        if self._turns == 1:
            await self._think("The user may see me for the first time.")
            await self._say(HELLO)
        await self._read()
        await self._edit()
        await self._run_command()
        await self._say(DONE)

    async def _think(self, words: str) -> None:
        await self._write_block({"type": "thinking", "thinking": words})

    async def _say(self, words: str) -> None:
        await self._write_block({"type": "text", "text": words})

    async def _write_block(self, block: Frame) -> None:
        for frame in self._stream.block(block):
            frames.write(frame)
            await asyncio.sleep(PIECE_SECONDS)

    async def _read(self) -> None:
        tool = await self._use("Read", {"file_path": str(self._file)})
        text = self._file.read_text(encoding="utf-8")
        frames.write(self._stream.tool_result(tool, text))

    async def _edit(self) -> None:
        old = self._file.read_text(encoding="utf-8")
        idea = scratch.next_idea(old)
        await self._say(idea.reason)
        given = {"file_path": str(self._file), "content": idea.change(old)}

        def write(arguments: Frame) -> tuple[str, Frame]:
            new = str(arguments["content"])
            self._file.write_text(new, encoding="utf-8")
            return "The file has been written.", frames.edit_detail(str(self._file), old, new)

        await self._with_permission("Write", given, write)

    async def _run_command(self) -> None:
        def run(_arguments: Frame) -> tuple[str, Frame]:
            done = subprocess.run(
                [sys.executable, self._file.name], capture_output=True, text=True, check=False
            )
            return done.stdout + done.stderr, {}

        await self._with_permission("Bash", {"command": COMMAND, "description": "Run it"}, run)

    async def _ask_what_next(self) -> bool:
        chosen: list[str] = []

        def read(arguments: Frame) -> tuple[str, Frame]:
            chosen.extend(map(str, arguments.get("answers", {}).values()))
            return f"The user has answered: {', '.join(chosen)}", {}

        await self._with_permission("AskUserQuestion", {"questions": [QUESTION]}, read)
        return chosen == ["Another edit"]

    async def _with_permission(
        self, name: str, arguments: Frame, use: Callable[[Frame], tuple[str, Frame]]
    ) -> None:
        """Use a tool if the user allows it; write its result."""
        tool = await self._use(name, arguments)
        try:
            allowed = await self._permission(tool, name, arguments)
        except Refused as refused:
            return frames.write(self._stream.tool_result(tool, str(refused), failed=True))
        output, detail = await asyncio.to_thread(use, allowed)
        frames.write(self._stream.tool_result(tool, output, detail=detail))

    async def _use(self, name: str, arguments: Frame) -> str:
        tool = f"toolu_{uuid.uuid4().hex}"
        await self._write_block({"type": "tool_use", "id": tool, "name": name, "input": arguments})
        return tool

    async def _permission(self, tool: str, name: str, arguments: Frame) -> Frame:
        if name == "Write" and self._mode == "acceptEdits":
            return arguments
        request, frame = frames.permission(tool, name, arguments)
        answer = self._asked[request] = asyncio.get_running_loop().create_future()
        frames.write(frame)
        try:
            decision = await answer
        except asyncio.CancelledError:
            frames.write({"type": "control_cancel_request", "request_id": request})
            raise
        if decision.get("behavior") != "allow":
            raise Refused(decision.get("message") or "The user does not want this.")
        return dict(decision.get("updatedInput") or arguments)


async def _lines() -> AsyncIterator[Frame]:
    reader = asyncio.StreamReader(limit=LONGEST_FRAME)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        with contextlib.suppress(ValueError):
            frame: Any = json.loads(line)
            if isinstance(frame, dict):
                yield frame


async def main(arguments: list[str]) -> None:
    """Hold the conversation that the command line asks for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--session-id", default="")
    parser.add_argument("--resume", default="")
    parser.add_argument("--permission-mode", default="default")
    options = parser.parse_known_args(arguments)[0]
    session = options.resume or options.session_id or str(uuid.uuid4())
    await Talk(session, options.permission_mode).run()
