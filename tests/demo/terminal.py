"""The demo in a terminal: finds the server as the CLI does, and proposes edits to the user."""

import asyncio
import contextlib
import difflib
import itertools
import json
import os
import secrets
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Subprotocol

from claude_ide import __version__
from claude_ide.base.errors import ClaudeIdeError, ToolError, TransportClosed
from claude_ide.base.paths import from_uri, to_uri
from claude_ide.mcp import lock_file
from demo import scratch

RECONNECT_SECONDS = 0.5
AUTHORIZATION = "X-Claude-Code-Ide-Authorization"
INTRODUCTION = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "claude-ide-demo", "title": "Demo", "version": __version__},
}
MARKS = {"Error": "✘", "Warning": "⚠", "Info": "ℹ", "Hint": "★"}  # noqa: RUF001  the CLI's own
BOLD, DIM, RED, GREEN, YELLOW, CYAN = "1", "2", "31", "32", "33", "36"
KEYS = """
Type a letter and Enter:
  t  open the tour
  e  propose an edit
  d  ask for the diagnostics
  q  quit; :qa leaves Neovim
CTRL-W h leaves this window,
CTRL-W l returns.
"""


class Screen:
    """Prints lines above a prompt, which stays the last line."""

    def __init__(self) -> None:
        self._ends_in_status = False

    def show(self, text: str, style: str = "", *, is_status: bool = False) -> None:
        """Print a text; a status replaces the one before."""
        above = "\x1b[A\r\x1b[K" if is_status and self._ends_in_status else ""
        self._ends_in_status = is_status
        styled = f"\x1b[{style}m{text}\x1b[m" if style else text
        sys.stdout.write(f"\r\x1b[K{above}{styled}\n> ")
        sys.stdout.flush()

    def entered(self) -> None:
        """Print the prompt again after Enter."""
        self._ends_in_status = False
        sys.stdout.write("> ")
        sys.stdout.flush()


class Session:
    """One run, in the project's folder."""

    def __init__(self) -> None:
        self._screen = Screen()
        self._folder = Path.cwd()
        self._ids = itertools.count(1)
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._connection: ClientConnection | None = None
        self._is_deciding = False

    async def run(self) -> None:
        """Serve the user until they quit."""
        actions = {"t": self._open_tour, "e": self._propose_edit, "d": self._show_diagnostics}
        self._screen.show("\x1b]2;A demo of Claude Code\x07A demo of Claude Code", BOLD)
        self._screen.show("A script, not a model; it speaks the CLI's protocol.", DIM)
        self._screen.show(KEYS)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._stay_connected())]
            while line := await asyncio.to_thread(sys.stdin.readline):
                self._screen.entered()
                if line.strip() == "q":
                    break
                if action := actions.get(line.strip()):
                    tasks.append(group.create_task(self._carry_out(action())))
                else:
                    self._screen.show(KEYS)
            for task in tasks:
                task.cancel()

    async def _carry_out(self, action: Any) -> None:
        try:
            await action
        except (ClaudeIdeError, OSError, UnicodeDecodeError) as error:
            self._screen.show(str(error), RED)

    # The connection.

    async def _stay_connected(self) -> None:
        while True:
            with contextlib.suppress(OSError, InvalidHandshake, ConnectionClosed, ValueError):
                async with self._connected() as reading:
                    await reading
            for asked in self._asked.values():
                asked.cancel()
            if self._connection is not None:
                self._connection = None
                self._screen.show("No server; :ClaudeStart starts it.", RED)
            await asyncio.sleep(RECONNECT_SECONDS)

    @contextlib.asynccontextmanager
    async def _connected(self) -> AsyncIterator["asyncio.Task[None]"]:
        """Connect to the server on the port in the environment."""
        port = os.environ.get("CLAUDE_CODE_SSE_PORT", "")
        lock = Path(lock_file.folder(os.environ), f"{port}.lock")
        fields = json.loads(lock.read_text(encoding="utf-8"))
        async with connect(
            f"ws://127.0.0.1:{port}/",
            additional_headers={AUTHORIZATION: fields["authToken"]},
            subprotocols=[Subprotocol("mcp")],
            max_size=None,
        ) as connection:
            self._connection = connection
            reading = asyncio.create_task(self._read(connection))
            await self._request("initialize", INTRODUCTION)
            await self._send({"method": "notifications/initialized"})
            await self._send({"method": "ide_connected", "params": {"pid": os.getpid()}})
            self._screen.show(f"Connected to {fields['ideName']}.", GREEN)
            yield reading

    async def _read(self, connection: ClientConnection) -> None:
        async for frame in connection:
            message = json.loads(frame)
            if "method" not in message:
                self._asked.pop(message["id"]).set_result(message)
            elif "id" in message:
                # The server only asks whether the demo still answers.
                await self._send({"id": message["id"], "result": {}})
            else:
                self._on_notification(message["method"], message.get("params") or {})

    async def _send(self, message: dict[str, Any]) -> None:
        if self._connection is None:
            raise TransportClosed("Not connected. :ClaudeStart starts the server.")
        await self._connection.send(json.dumps({"jsonrpc": "2.0"} | message))

    async def _request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        id_ = next(self._ids)
        answer = self._asked[id_] = asyncio.get_running_loop().create_future()
        await self._send({"id": id_, "method": method, "params": params})
        message = await answer
        if error := message.get("error"):
            raise ToolError(error["message"])
        result: dict[str, Any] = message["result"]
        return result

    async def _call(self, tool: str, arguments: dict[str, Any]) -> list[str]:
        """Call a tool and return its texts. Raises `ToolError` with its message."""
        result = await self._request("tools/call", {"name": tool, "arguments": arguments})
        texts = [block["text"] for block in result["content"]]
        if result.get("isError"):
            raise ToolError(" ".join(texts))
        return texts

    def _on_notification(self, method: str, params: dict[str, Any]) -> None:
        match method:
            case "selection_changed":
                words = _described(params, self._name(params["filePath"]))
                self._screen.show(words, DIM, is_status=True)
            case "at_mentioned":
                lines = [str(params[key] + 1) for key in ("lineStart", "lineEnd") if key in params]
                suffix = f"#L{'-'.join(lines)}" if lines else ""
                self._screen.show(f"You mention @{self._name(params['filePath'])}{suffix}", CYAN)

    def _name(self, path: str) -> str:
        return path.removeprefix(f"{self._folder}/")

    # What the user can have it do.

    async def _open_tour(self) -> None:
        await self._call("openFile", {"filePath": str(self._folder / scratch.TOUR.name)})

    async def _propose_edit(self) -> None:
        """Propose an edit as the CLI does: diff, close it, diagnostics, write, diagnostics."""
        if self._is_deciding:
            return self._screen.show("An edit is already open: :w accepts it, :q rejects it.")
        path = self._folder / "shop.py"
        old = path.read_text()
        idea = scratch.next_idea(old)
        self._screen.show(f"An edit of {path.name}:", BOLD)
        self._screen.show(idea.reason)
        self._screen.show(":w in its tab accepts it, :q rejects it.", DIM)
        self._is_deciding = True
        try:
            final = await self._decision(str(path), idea.change(old))
        finally:
            self._is_deciding = False
        if final is None:
            return self._screen.show("Rejected: nothing was written.", RED)
        await self._call("getDiagnostics", {"uri": to_uri(str(path))})
        path.write_text(final)
        self._show_accepted(idea.change(old), final)
        await self._show_diagnostics(str(path))

    async def _decision(self, path: str, text: str) -> str | None:
        """Return the text that the user accepts, or None if they reject it."""
        tab_name = f"✻ [Demo] {Path(path).name} ({secrets.token_hex(3)}) ⧉"
        diff = {"old_file_path": path, "new_file_path": path, "new_file_contents": text}
        outcome, *texts = await self._call("openDiff", diff | {"tab_name": tab_name})
        await self._call("close_tab", {"tab_name": tab_name})
        return texts[0] if outcome == "FILE_SAVED" and texts else None

    def _show_accepted(self, proposed: str, final: str) -> None:
        if final == proposed:
            return self._screen.show("Accepted as proposed, and written.", GREEN)
        self._screen.show("Accepted with your changes, and written:", GREEN)
        changes = difflib.unified_diff(proposed.splitlines(), final.splitlines(), n=0, lineterm="")
        for line in changes:
            if line[:2] not in ("--", "++", "@@"):
                self._screen.show(line, GREEN if line[0] == "+" else RED)

    async def _show_diagnostics(self, path: str = "") -> None:
        """Show all diagnostics or those of a file, which Neovim then reloads."""
        (text,) = await self._call("getDiagnostics", {})
        found = [
            (from_uri(file["uri"]), diagnostic)
            for file in json.loads(text)
            for diagnostic in file["diagnostics"]
            if path in ("", from_uri(file["uri"]))
        ]
        for name, diagnostic in found:
            start = diagnostic["range"]["start"]
            where = f"{self._name(name)}:{start['line'] + 1}:{start['character'] + 1}"
            mark = MARKS.get(diagnostic["severity"], "·")
            self._screen.show(f"{mark} {where} {diagnostic['message']}", YELLOW)
        if not found:
            self._screen.show("No diagnostics.", GREEN)


def _described(params: dict[str, Any], name: str) -> str:
    """Describe the cursor or the selection, with lines counted as the CLI does."""
    start, end = params["selection"]["start"], params["selection"]["end"]
    if params["selection"]["isEmpty"]:
        return f"⧉ In {name}, line {start['line'] + 1}"
    lines = end["line"] - start["line"] + (1 if end["character"] else 0)
    return f"⧉ {lines} line{'s' if lines > 1 else ''} selected in {name}"


async def run() -> None:
    """Serve the user until they quit, or close the terminal."""
    await Session().run()
