"""The `User` events about what an agent does, and a CLI that sends hooks."""

import asyncio
import contextlib
import json
import os
import shlex
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from claude_ide.hooks.registration import OWN_STATUS_LINE
from support.chunks import chunk
from support.either_editor import Editor
from support.neovim import until
from support.vim import Vim

Happening = tuple[str, dict[str, Any]]


FOLLOWED = "ClaudePrompt,ClaudeTool*,ClaudeTurnEnd,ClaudeSessionStart,ClaudeSessionEnd"
TELL = "call ch_sendexpr(g:test_door, ['happened', [expand('<amatch>'), g:claude_ide_event]])"


BESIDE = "ClaudeNotification,ClaudePermissionDenied,ClaudeSubagent*,ClaudePreCompact"
"""The events about what is no part of a turn."""


TASK_ENDED = "<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n…"
"""What the CLI tells its model, and its hooks as a prompt, at the end of a task."""


async def follow(nvim: Editor, events: str = FOLLOWED) -> None:
    """Collect the events from now on."""
    if isinstance(nvim, Vim):
        await nvim.command(f"autocmd User {events} {TELL}")
    else:
        await nvim.lua(chunk("happenings/follow"), await nvim.channel(), events.split(","))


def happened(nvim: Editor) -> list[Happening]:
    """Return the events so far, and their data."""
    return [(name, data) for name, data in nvim.events("happened")]


def names(nvim: Editor) -> list[str]:
    """Return the names of the events so far."""
    return [name for name, _ in happened(nvim)]


async def the(nvim: Editor, name: str, count: int = 1) -> dict[str, Any]:
    """Wait for an event of this name, the `count`-th one; return its data."""

    def found() -> list[dict[str, Any]]:
        return [data for each, data in happened(nvim) if each == name]

    await until(lambda: len(found()) >= count, f"{name} {count}")
    return found()[count - 1]


def recorder(folder: Path) -> tuple[Path, Path]:
    """Create a program that records its arguments, and runs until it reads a line.

    Returns its path and that of the record.
    """
    script, record = folder / "recorder", folder / "given.json"
    script.write_text(
        "#!/usr/bin/env python3\n"
        "import json, os, sys\n"
        f"with open({str(record)!r} + '.new', 'w') as file:\n"
        "    json.dump(sys.argv[1:], file)\n"
        f"os.rename({str(record)!r} + '.new', {str(record)!r})\n"
        "input()\n"
    )
    script.chmod(0o755)
    return script, record


async def run_command(command: str, given: bytes, more: Mapping[str, str] | None = None) -> bytes:
    """Run a command as the CLI does, with this on stdin; return its output.

    It must not complain. If this is cancelled, it is killed, with all that it runs.
    """
    process = await asyncio.create_subprocess_exec(
        *("/bin/sh", "-c", command),
        env={"PATH": "/usr/bin:/bin", **(more or {})},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        out, complaints = await process.communicate(given)
    except asyncio.CancelledError:
        os.killpg(process.pid, signal.SIGTERM)
        # The end of a test cancels once more what it has cancelled.
        while process.returncode is None:
            with contextlib.suppress(asyncio.CancelledError):
                await process.wait()
        raise
    assert complaints == b""
    return out


class HookedCli:
    """A CLI that sends the hooks that it was told to send."""

    def __init__(self, arguments: list[str], session: str = "s-1") -> None:
        self.arguments = arguments
        self.session = session
        given = next(word for word in arguments if word.startswith("--settings="))
        settings = json.loads(given.partition("=")[2])
        self.status_line: str | None = settings.get("statusLine", {}).get("command")
        self.hooks = settings["hooks"]

    @classmethod
    async def started(cls, record: Path) -> "HookedCli":
        """Wait until the recorder has been started."""
        return cls(json.loads(await until(lambda: record.exists() and record.read_text())))

    @property
    def link(self) -> Path:
        """The path at which it finds its editor."""
        return Path(shlex.split(self.command("Stop"))[-3])

    def command(self, event: str) -> str:
        """Return the command of a hook."""
        return str(self.hooks[event][0]["hooks"][0]["command"])

    async def send(self, event: str, **fields: Any) -> bytes:
        """Send one hook, and return what its command prints."""
        body = {"hook_event_name": event, "session_id": self.session, "cwd": "/p"} | fields
        return await run_command(self.command(event), json.dumps(body).encode())

    async def show_status(self, own: str, **report: Any) -> str:
        """Run the command for its status line, in which the user's is `own`; return the output."""
        assert self.status_line is not None
        body = json.dumps(report).encode()
        return (await run_command(self.status_line, body, {OWN_STATUS_LINE: own})).decode()

    async def use(self, name: str, use: str, given: Any, result: Any = None) -> None:
        """Send the hooks of one use of a tool."""
        tool = {"tool_name": name, "tool_use_id": use, "tool_input": given}
        await self.send("PreToolUse", **tool)
        await self.send("PostToolUse", **tool, tool_response=result)
