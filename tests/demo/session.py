"""A run of the demo: prints notifications, proposes edits, reads diagnostics and the selection."""

import asyncio
import contextlib
import difflib
import json
import os
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from claude_ide.base.errors import ClaudeIdeError, RpcError, ToolError, TransportClosed
from claude_ide.base.paths import from_uri, to_uri
from demo import page, scratch
from demo.page import Page
from demo.server import Server, connected, find

FIRST_EDIT_SECONDS = 8.0
RECONNECT_SECONDS = 0.5
MOST_LINES = 12
START = {"line": 0, "character": 0}
MARKS = {"Error": "✘", "Warning": "⚠", "Info": "ℹ", "Hint": "★"}  # noqa: RUF001  the CLI's own


class Session:
    """One run of the demo, in the project's folder."""

    def __init__(self, screen: Page) -> None:
        self._page = screen
        self._folder = Path.cwd()
        self._file = self._folder / "shop.py"
        self._server: Server | None = None
        self._connected = asyncio.Event()
        self._begun = asyncio.Event()
        self._waiting = False
        self._actions: dict[str, tuple[str, Callable[[], Awaitable[None]]]] = {
            "t": ("open the tour: chat, ask, edit, commit", self._open_tour),
            "e": ("propose an edit", self._propose_edit),
            "n": ("propose a new file", self._propose_file),
            "d": ("ask for the diagnostics", self._ask_diagnostics),
        }

    async def run(self) -> None:
        """Serve the user until they quit."""
        self._page.title("A demo of Claude Code")
        self._page.print("A script, not a model; it speaks the CLI's protocol.", page.DIM)
        self._show_menu()
        async with asyncio.TaskGroup() as group:
            background = [
                group.create_task(self._stay_connected()),
                group.create_task(self._begin()),
            ]
            async for line in page.typed_lines():
                self._page.entered()
                if line == "q":
                    break
                _, action = self._actions.get(line, ("", None))
                if action is None:
                    self._show_menu()
                else:
                    background.append(group.create_task(self._carry_out(action)))
            for task in background:
                task.cancel()

    def _show_menu(self) -> None:
        self._page.print("")
        self._page.print("Type a letter and Enter:")
        for key, (what, _) in self._actions.items():
            self._page.print(f"  {key}  {what}", hang=5)
        self._page.print("  q  quit; :qa then leaves Neovim", hang=5)
        self._page.print("CTRL-W h leaves this window, CTRL-W l returns.", page.DIM)
        self._page.print("")

    async def _carry_out(self, action: Callable[[], Awaitable[None]]) -> None:
        self._begun.set()
        if self._server is None:
            self._page.print("Not connected. :ClaudeStart starts the server.", page.RED)
            return
        try:
            await action()
        except TransportClosed:
            pass  # `_stay_connected` prints it
        except (ClaudeIdeError, OSError, UnicodeDecodeError) as error:
            self._page.print(str(error), page.RED)

    # The connection.

    async def _stay_connected(self) -> None:
        """Connect, and reconnect when the connection is lost, as the CLI does."""
        lost = False
        while True:
            address = find(os.environ)
            try:
                if address is not None:
                    async with connected(address, self._on_notification) as server:
                        self._server = server
                        self._page.print(f"Connected to {address.name}.", page.GREEN)
                        self._connected.set()
                        lost = False
                        await server.conversation
            except TransportClosed:
                pass
            self._server = None
            if not lost:
                lost = True
                self._page.print("No server; :ClaudeStart starts it.", page.RED)
            await asyncio.sleep(RECONNECT_SECONDS)

    async def _begin(self) -> None:
        """Propose the first edit after some seconds, unless the user does something."""
        await self._connected.wait()
        seconds = f"{FIRST_EDIT_SECONDS:.0f} seconds"
        self._page.print(f"I propose an edit in {seconds}, unless you begin.")
        try:
            await asyncio.wait_for(self._begun.wait(), FIRST_EDIT_SECONDS)
        except TimeoutError:
            await self._carry_out(self._propose_edit)

    def _call(self, tool: str, arguments: dict[str, Any]) -> Awaitable[list[str]]:
        if self._server is None:
            raise TransportClosed("not connected")
        return self._server.call(tool, arguments)

    # Notifications.

    def _on_notification(self, method: str, params: dict[str, Any]) -> None:
        match method:
            case "selection_changed":
                if params["selection"]["end"] != START:
                    self._begun.set()
                self._page.print_status(_described(params, self._name(params["filePath"])))
            case "at_mentioned":
                self._begun.set()
                self._page.print(f"You mention {self._mention(params)}", page.CYAN)
            case "diagnostics_changed":
                name = self._name(from_uri(params["uri"]))
                self._page.print_status(f"diagnostics changed in {name}")

    def _name(self, path: str) -> str:
        """Return a path relative to the project's folder."""
        return path.removeprefix(f"{self._folder}/")

    def _mention(self, params: dict[str, Any]) -> str:
        lines = [params[key] + 1 for key in ("lineStart", "lineEnd") if key in params]
        suffix = "#L" + "-".join(map(str, lines)) if lines else ""
        return f"@{self._name(params['filePath'])}{suffix}"

    # Actions.

    async def _open_tour(self) -> None:
        await self._call("openFile", {"filePath": str(self._folder / "TOUR.md")})

    async def _propose_edit(self) -> None:
        old = self._file.read_bytes().decode()
        idea = scratch.next_idea(old)
        await self._propose(self._file, idea.reason, old, idea.change(old))

    async def _propose_file(self) -> None:
        number, path = 1, self._folder / "test_receipt.py"
        while path.exists():
            number += 1
            path = self._folder / f"test_receipt_{number}.py"
        await self._propose(path, "The receipt has no tests.", None, scratch.RECEIPT_TEST)

    async def _propose(self, path: Path, reason: str, old: str | None, new: str) -> None:
        """Run an edit as the CLI does: diff, close it, read diagnostics, write, read them again."""
        if self._waiting:
            self._page.print("An edit is already open: :w accepts it, :q rejects it.", page.YELLOW)
            return
        self._waiting = True
        try:
            is_written = await self._decide(path, reason, old, new)
        finally:
            self._waiting = False
        if is_written:
            await self._report_diagnostics(path)
        self._page.print("Another one? Type e and Enter.", page.DIM)

    async def _decide(self, path: Path, reason: str, old: str | None, new: str) -> bool:
        """Let the user decide on an edit; return whether it was written."""
        what = "A new file," if old is None else "An edit of"
        self._page.print(f"{what} {path.name}:", page.BOLD)
        self._page.print(reason)
        self._page.print(":w in its tab accepts it, :q rejects it.", page.DIM)
        final = await self._decision(path, new)
        if final is None or final == old:
            self._page.print("Rejected: nothing was written.", page.RED)
            return False
        with contextlib.suppress(ToolError, RpcError):
            await self._call("getDiagnostics", {"uri": to_uri(str(path))})
        path.write_bytes(final.encode())
        self._print_accepted(new, final)
        return True

    async def _decision(self, path: Path, text: str) -> str | None:
        """Return the text that the user accepts, or None if they reject it."""
        tab_name = f"✻ [Demo] {path.name} ({secrets.token_hex(3)}) ⧉"
        outcome, *texts = await self._call(
            "openDiff",
            {
                "old_file_path": str(path),
                "new_file_path": str(path),
                "new_file_contents": text,
                "tab_name": tab_name,
            },
        )
        await self._call("close_tab", {"tab_name": tab_name})
        return texts[0] if outcome == "FILE_SAVED" and texts else None

    def _print_accepted(self, proposed: str, final: str) -> None:
        if final == proposed:
            self._page.print("Accepted as proposed, and written.", page.GREEN)
            return
        self._page.print("Accepted with your changes, and written:", page.GREEN)
        changes = difflib.unified_diff(proposed.splitlines(), final.splitlines(), n=0, lineterm="")
        lines = [line for line in changes if line[:2] not in ("--", "++", "@@")]
        for line in lines[:MOST_LINES]:
            self._page.print(line, page.GREEN if line[0] == "+" else page.RED)
        if len(lines) > MOST_LINES:
            self._page.print(f"… and {len(lines) - MOST_LINES} more lines", page.DIM)

    async def _ask_diagnostics(self) -> None:
        await self._report_diagnostics(None)

    async def _report_diagnostics(self, path: Path | None) -> None:
        """Print all diagnostics or those of `path`; the call also has Neovim reload the file."""
        (text,) = await self._call("getDiagnostics", {})
        files = json.loads(text)
        if path is not None:
            files = [file for file in files if from_uri(file["uri"]) == str(path)]
        found = False
        for file in files:
            name = self._name(from_uri(file["uri"]))
            for diagnostic in file["diagnostics"]:
                found = True
                start = diagnostic["range"]["start"]
                location = f"{name}:{start['line'] + 1}:{start['character'] + 1}"
                mark = MARKS.get(diagnostic["severity"], "·")
                self._page.print(f"{mark} {location} {diagnostic['message']}", page.YELLOW, hang=2)
        if not found:
            self._page.print("No diagnostics.", page.GREEN)


def _described(params: dict[str, Any], name: str) -> str:
    """Describe the cursor or the selection, with lines counted as the CLI does."""
    start, end = params["selection"]["start"], params["selection"]["end"]
    if params["selection"]["isEmpty"]:
        return f"⧉ In {name}, line {start['line'] + 1}"
    lines = end["line"] - start["line"] + (1 if end["character"] else 0)
    return f"⧉ {lines} line{'s' if lines > 1 else ''} selected in {name}"
