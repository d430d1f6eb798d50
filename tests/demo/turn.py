"""One turn of the demo's chat: what the script can say and do, with the user's permission."""

import asyncio
import contextlib
import os
import shlex
import sys
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from demo.frames import PIECE_SECONDS, Frame, Stream, change, write

MODES = {"manual": "default", "default": "default", "acceptEdits": "acceptEdits", "plan": "plan"}
NO = "The user doesn't want to proceed with this tool use."
BY_INTERRUPT = {"non_execution_kind": "user-rejected"}
BY_USER = {"permission_decision": {"decision": "reject", "source": "user_reject"}}


class Refused(Exception):
    """The user has not allowed a tool; the text is the reason, if there is one."""


class FailedError(Exception):
    """A tool could not do its work; the text is for the user."""


class Permissions:
    """What the user allows in one conversation: the mode, and answers to requests."""

    def __init__(self, mode: str, stream: Stream) -> None:
        self.mode = mode
        self._stream = stream
        self._asked: dict[str, asyncio.Future[Frame]] = {}

    def answered(self, answer: Frame) -> None:
        """Take the user's answer to a request."""
        future = self._asked.pop(str(answer.get("request_id")), None)
        if future is not None and not future.done():
            future.set_result(answer.get("response") or {})

    def allows(self, tool: str) -> bool:
        """Return whether a tool may be used without a request."""
        return tool == "Read" or (tool == "Edit" and self.mode == "acceptEdits")

    def set_mode(self, mode: str) -> None:
        """Change the mode, and tell the user."""
        self.mode = mode
        write(self._stream.mode(mode))

    async def ask(self, id_: str, tool: str, arguments: Frame) -> Frame:
        """Return the arguments that the user allows. Raises `Refused`."""
        if self.allows(tool):
            return arguments
        request = str(uuid.uuid4())
        answer = self._asked[request] = asyncio.get_running_loop().create_future()
        asked: Frame = {"subtype": "can_use_tool", "tool_name": tool, "input": arguments}
        accept = {"type": "setMode", "mode": "acceptEdits", "destination": "session"}
        asked |= {"tool_use_id": id_, "permission_suggestions": [accept] * (tool == "Edit")}
        write({"type": "control_request", "request_id": request, "request": asked})
        try:
            decision = await answer
        except asyncio.CancelledError:
            write({"type": "control_cancel_request", "request_id": request})
            raise
        if decision.get("behavior") != "allow":
            reason = str(decision.get("message") or NO)
            raise Refused("" if reason == NO else reason)
        for update in decision.get("updatedPermissions") or []:
            if update.get("type") == "setMode":
                self.set_mode(MODES.get(update.get("mode"), self.mode))
        return decision.get("updatedInput") or arguments


@dataclass
class Use:
    """The use of a tool: the arguments that the user has allowed, and its result."""

    arguments: Frame
    output: str = ""
    detail: Any = ""


class Turn:
    """What a scene of the script can do."""

    def __init__(self, stream: Stream, permissions: Permissions) -> None:
        self.permissions = permissions
        self.folder = Path.cwd()
        self._stream = stream

    async def think(self, words: str) -> None:
        """Show a thought."""
        await self._send({"type": "thinking", "thinking": words}, PIECE_SECONDS)

    async def say(self, words: str, slowdown: float = 1.0) -> None:
        """Say something in Markdown, piece by piece."""
        await self._send({"type": "text", "text": words}, PIECE_SECONDS * slowdown)

    async def read(self, path: Path) -> str:
        """Read a file. Raises `FailedError`."""
        async with self._use("Read", {"file_path": str(path)}) as use:
            use.output = path.read_text()
        return use.output

    async def edit(self, path: Path, old: str, new: str) -> str:
        """Change a file's text; return what was written. Raises `Refused` and `FailedError`."""
        arguments = {"file_path": str(path), "old_string": old, "new_string": new}
        async with self._use("Edit", arguments) as use:
            before = path.read_text()
            if use.arguments["old_string"] not in before:
                raise FailedError(f"{path.name} has changed in the meantime.")
            after = before.replace(use.arguments["old_string"], use.arguments["new_string"], 1)
            path.write_text(after)
            use.output = f"{path.name} has been written."
            use.detail = change(str(path), before, after)
        return after

    async def run(self, command: str) -> int:
        """Run a command; return its exit status. Raises `Refused` and `FailedError`."""
        arguments = {"command": command, "description": "Run the tests"}
        async with self._use("Bash", arguments) as use:
            use.output, status = await _run(str(use.arguments["command"]), self.folder)
            use.detail = {"stdout": use.output, "stderr": "", "interrupted": False}
        return status

    async def ask(self, questions: list[Frame]) -> dict[str, str]:
        """Return the user's answers to questions. Raises `Refused`."""
        async with self._use("AskUserQuestion", {"questions": questions}) as use:
            answers = dict(use.arguments.get("answers") or {})
            use.output, use.detail = f"The user has answered: {answers}", {}
        return answers

    async def plan(self, plan: str) -> str:
        """Return the plan that the user approves. Raises `Refused`."""
        async with self._use("ExitPlanMode", {"plan": plan}) as use:
            approved = str(use.arguments.get("plan") or plan)
            use.output, use.detail = "The user has approved the plan.", {"plan": approved}
        return approved

    @contextlib.asynccontextmanager
    async def _use(self, name: str, arguments: Frame) -> AsyncIterator[Use]:
        """Yield the use of a tool if the user allows it, and send its result or failure."""
        id_ = f"toolu_{uuid.uuid4().hex}"
        await self._send({"type": "tool_use", "id": id_, "name": name, "input": arguments}, 0)
        failed = self._stream.tool_failure
        try:
            use = Use(await self.permissions.ask(id_, name, arguments))
            yield use
            write(self._stream.tool_result(id_, use.output, use.detail))
        except asyncio.CancelledError:
            write(failed(id_, "[Request interrupted by user for tool use]", BY_INTERRUPT))
            raise
        except Refused as refused:
            write(failed(id_, str(refused) or "The user said no.", BY_USER))
            raise
        except (FailedError, OSError, UnicodeError) as error:
            write(failed(id_, str(error)))
            raise FailedError(str(error)) from None

    async def _send(self, content: Frame, seconds: float) -> None:
        block = self._stream.block(content)
        try:
            for frame in block.pieces():
                write(frame)
                await asyncio.sleep(seconds)
        finally:
            # An interrupted message keeps what was said.
            write(*block.end())


async def _run(command: str, folder: Path) -> tuple[str, int]:
    """Run a command with the demo's own Python in front on PATH."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    process = await asyncio.create_subprocess_exec(
        *shlex.split(command),
        cwd=folder,
        env=os.environ | {"PATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        output, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    return output.decode(errors="replace"), process.returncode or 0
