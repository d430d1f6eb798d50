"""One turn of the demo's chat: what the script can say and do, with the user's permission."""

import asyncio
import os
import shlex
import sys
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from demo.frames import Frame, Stream, change
from demo.permissions import Permissions, Refused

PIECE_SECONDS = 0.02

INTERRUPTED = "[Request interrupted by user for tool use]"
BY_INTERRUPT = {"non_execution_kind": "user-rejected"}
BY_USER = {"permission_decision": {"decision": "reject", "source": "user_reject"}}


class FailedError(Exception):
    """A tool could not do its work; the text is for the user."""


@dataclass(frozen=True, slots=True)
class Output:
    """The output of a command, and its exit status."""

    text: str
    status: int


class Turn:
    """What a scene of the script can do.

    `write` sends frames and records messages.
    """

    def __init__(
        self,
        stream: Stream,
        permissions: Permissions,
        write: Callable[[Frame], None],
    ) -> None:
        self.permissions = permissions
        self.folder = Path.cwd()
        self._stream = stream
        self._write = write

    async def think(self, words: str) -> None:
        """Show a thought."""
        await self._send({"type": "thinking", "thinking": words}, PIECE_SECONDS)

    async def say(self, words: str, slowdown: float = 1.0) -> None:
        """Say something in Markdown, piece by piece."""
        await self._send({"type": "text", "text": words}, PIECE_SECONDS * slowdown)

    async def read(self, path: Path) -> str:
        """Read a file. Raises `FailedError`."""
        found: list[str] = []

        async def read(_arguments: Frame) -> tuple[str, Any]:
            found.append(await asyncio.to_thread(_text, path))
            return found[0], ""

        await self._use("Read", {"file_path": str(path)}, read, asks=False)
        return found[0]

    async def edit(self, path: Path, old: str, new: str) -> str:
        """Change a file's text; return what was written. Raises `Refused` and `FailedError`."""
        arguments = {"file_path": str(path), "old_string": old, "new_string": new}
        written: list[str] = []

        async def edit(given: Frame) -> tuple[str, Any]:
            before = await asyncio.to_thread(_text, path)
            if given["old_string"] not in before:
                raise FailedError(f"{path.name} has changed in the meantime.")
            after = before.replace(given["old_string"], given["new_string"], 1)
            await asyncio.to_thread(_store, path, after)
            written.append(after)
            return f"{path.name} has been written.", change(str(path), before, after)

        await self._use("Edit", arguments, edit)
        return written[0]

    async def run(self, command: str) -> Output:
        """Run a command; return its output. Raises `Refused` and `FailedError`."""
        outputs: list[Output] = []

        async def run(given: Frame) -> tuple[str, Any]:
            output = await _run(str(given["command"]), self.folder)
            outputs.append(output)
            return output.text, {"stdout": output.text, "stderr": "", "interrupted": False}

        await self._use("Bash", {"command": command, "description": "Run the tests"}, run)
        return outputs[0]

    async def ask(self, questions: list[Frame]) -> dict[str, str]:
        """Return the user's answers to questions. Raises `Refused`."""

        async def read(given: Frame) -> tuple[str, Any]:
            return f"The user has answered: {given.get('answers')}", {}

        allowed = await self._use("AskUserQuestion", {"questions": questions}, read)
        return dict(allowed.get("answers") or {})

    async def plan(self, plan: str) -> str:
        """Return the plan that the user approves. Raises `Refused`."""

        async def approve(given: Frame) -> tuple[str, Any]:
            return "The user has approved the plan.", {"plan": given.get("plan")}

        allowed = await self._use("ExitPlanMode", {"plan": plan}, approve)
        return str(allowed.get("plan") or plan)

    async def _use(
        self,
        name: str,
        arguments: Frame,
        use: Callable[[Frame], Awaitable[tuple[str, Any]]],
        *,
        asks: bool = True,
    ) -> Frame:
        """Use a tool, send its result, and return the arguments that the user has allowed."""
        tool = f"toolu_{uuid.uuid4().hex}"
        await self._send({"type": "tool_use", "id": tool, "name": name, "input": arguments}, 0)
        try:
            allowed = await self.permissions.ask(tool, name, arguments) if asks else arguments
            output, detail = await use(allowed)
        except asyncio.CancelledError:
            self._fail(tool, INTERRUPTED, BY_INTERRUPT)
            raise
        except Refused as refused:
            self._fail(tool, str(refused) or "The user said no.", BY_USER)
            raise
        except FailedError as error:
            self._fail(tool, str(error))
            raise
        except (OSError, UnicodeError) as error:
            self._fail(tool, str(error))
            raise FailedError(str(error)) from None
        self._write(self._stream.tool_result(tool, output, detail))
        return allowed

    def _fail(self, tool: str, why: str, decided: Frame | None = None) -> None:
        self._write(self._stream.failure(tool, why, decided or {}))

    async def _send(self, content: Frame, seconds: float) -> None:
        block = self._stream.block(content)
        for frame in block.begin():
            self._write(frame)
        try:
            for frame in block.pieces():
                self._write(frame)
                await asyncio.sleep(seconds)
        finally:
            # An interrupted message keeps what was said.
            self._write(block.whole())
            for frame in block.end():
                self._write(frame)


def _text(path: Path) -> str:
    return path.read_bytes().decode()


def _store(path: Path, text: str) -> None:
    path.write_bytes(text.encode())


async def _run(command: str, folder: Path) -> Output:
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
    return Output(output.decode(errors="replace"), process.returncode or 0)
