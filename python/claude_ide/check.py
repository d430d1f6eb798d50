"""The host's part of `:checkhealth claude_ide`: the connection, the CLI, other editors, privacy.

It connects as the CLI would, and reports the first step that fails.
"""

import asyncio
import json
import os
import re
import stat
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Subprotocol

from claude_ide import git, program
from claude_ide.editor_name import editor_name
from claude_ide.mcp import lock_file
from claude_ide.mcp.lock_file import LockFile
from claude_ide.transport.handshake import AUTHORIZATION, SUBPROTOCOL

SECONDS = 3.0


OLDEST_CLI, NEWEST_CLI = "2.1.197", "2.1.330"
"""The versions of the CLI with which the tests run (`Makefile`)."""

HOW_TO_INSTALL = (
    "curl -fsSL https://claude.ai/install.sh | bash, or: npm install -g @anthropic-ai/claude-code"
)
PROGRAM_SECONDS = 8.0
MOST_BYTES = 100_000


class Finding(msgspec.Struct, frozen=True):
    """One line of the report, and what the user can do about it."""

    level: Literal["ok", "info", "warn", "error"]
    text: str
    advice: str = ""

    def reported(self) -> dict[str, str]:
        """Return the table that the editor gets."""
        advice = {"advice": self.advice} if self.advice else {}
        return {"level": self.level, "line": self.text, **advice}


class _Steps:
    """The steps in order; each returns its result in words, and raises if it fails."""

    def __init__(self, host: str, port: int, lock: LockFile) -> None:
        self._host = host
        self._port = port
        self._lock = lock
        self._fields: dict[str, Any] = {}

    async def lock_file(self) -> str:
        path = Path(self._lock.path)
        self._fields = json.loads(path.read_text(encoding="utf-8"))
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & 0o077:
            raise PermissionError(f"{path} can be read by others (mode {mode:o})")
        return f"{path}, for {', '.join(self._fields['workspaceFolders'])}"

    async def token(self) -> str:
        try:
            async with self._connect("not the token"):
                raise PermissionError("a client with a wrong token was let in")
        except InvalidStatus as refused:
            return f"a wrong one is refused with {refused.response.status_code}"

    async def conversation(self) -> str:
        async with self._connect(self._fields["authToken"]) as connection:
            information = {"name": "claude-ide-check", "version": "1"}
            opened = await _request(
                connection,
                "initialize",
                {
                    "protocolVersion": "2025-11-25",
                    "capabilities": {},
                    "clientInfo": information,
                },
            )
            listed = await _request(connection, "tools/list", {})
        version = opened["protocolVersion"]
        return f"MCP {version}, {len(listed['tools'])} tools, at {self._host}:{self._port}"

    def _connect(self, token: str) -> connect:
        return connect(
            f"ws://{self._host}:{self._port}/",
            additional_headers={AUTHORIZATION: token},
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            open_timeout=SECONDS,
            proxy=None,
        )


async def connection(host: str, port: int, lock: LockFile) -> list[Finding]:
    """Run the steps up to the first that fails, which is then the last in the list."""
    steps = _Steps(host, port, lock)
    runs: list[tuple[str, Callable[[], Awaitable[str]]]] = [
        ("lock file", steps.lock_file),
        ("token", steps.token),
        ("conversation", steps.conversation),
    ]
    results: list[Finding] = []
    for name, run in runs:
        try:
            results.append(Finding("ok", f"{name}: {await run()}"))
        except Exception as error:
            # The user needs to read every error, of any kind.
            results.append(Finding("error", f"{name}: {type(error).__name__}: {error}"))
            break
    return results


async def commit() -> list[Finding]:
    """Return the commit of the plugin, if it is a clone."""
    root = Path(__file__).parents[2]
    try:
        command = git.command("-C", root, "log", "-1", "--format=%h of %cs")
    except OSError:
        return []
    said = await _said(command) if (root / ".git").exists() else ""
    return [Finding("ok", f"Commit {said.strip()}")] if said else []


async def cli(words: Sequence[str]) -> list[Finding]:
    """Return what is known of the CLI with this command line."""
    name = words[0]
    try:
        path = program.locate(name, os.environ.get("PATH", ""))
        program.check(path)
    except OSError:
        problem = "not on PATH" if Path(name).name == name else "no program"
        advice = HOW_TO_INSTALL if name == "claude" else "Correct g:claude_ide.cmd"
        return [Finding("warn", f"{name} is {problem}", advice)]
    found = re.search(r"(\d+\.\d+\.\d+) \(Claude Code\)", await _said([path, "--version"]))
    if found is None:
        return [Finding("ok", f"{path} (it is not known as a version of Claude Code)")]
    # Only the CLI reads its credentials. An older one without this command is not reported.
    logged_in = await _said([path, "auth", "status", "--json"])
    return [_version(found[1], path), *_login(logged_in)]


async def _said(command: Sequence[str | Path]) -> str:
    """Return what a program prints, without the settings of the current folder; "" if it fails."""
    environment = program.inherited(os.environ)
    try:
        async with asyncio.timeout(PROGRAM_SECONDS):
            said = await program.output(command, MOST_BYTES, environment, folder=os.path.sep)
    except TimeoutError:
        return ""
    return (said or b"").decode(errors="replace")


def _version(version: str, path: str) -> Finding:
    here, oldest, newest = (
        [int(part) for part in each.split(".")] for each in (version, OLDEST_CLI, NEWEST_CLI)
    )
    words = f"Claude Code {version}: {path}"
    if here < oldest:
        return Finding("warn", f"{words} (tested: {OLDEST_CLI} to {NEWEST_CLI})", "claude update")
    return Finding(
        "ok", f"{words} (newer than the tested {NEWEST_CLI})" if here > newest else words
    )


def _login(status: str) -> list[Finding]:
    try:
        is_logged_in = json.loads(status)["loggedIn"]
    except (ValueError, KeyError, TypeError):
        return []
    if is_logged_in is True:
        return [Finding("ok", "The CLI is logged in")]
    if is_logged_in is False:
        return [Finding("warn", "The CLI is not logged in", "Run :Claude, then /login")]
    return []


def rivals(editor: int, folder: str) -> list[Finding]:
    """Return the other editors for a folder: `claude --ide` then connects to none of them."""
    found = lock_file.others(lock_file.folder(os.environ), editor, folder)
    if not found:
        return []
    names = ", ".join(f"{name} (pid {pid})" for name, pid in found)
    here = f"Start claude from a terminal in this {editor_name()} (:Claude), or choose with /ide"
    return [Finding("warn", f"Another editor has this folder open: {names}", here)]


def privacy(problems: Sequence[str], count: int) -> list[Finding]:
    """Return what cannot be read, or else the number of rules.

    What cannot be read denies everything that it could deny, so it must be found quickly.
    """
    advice = f"Until this is mended, no file that it could deny leaves {editor_name()}"
    rules = "1 rule" if count == 1 else f"{count} rules"
    known = f"Private files: {rules} of yours, and names of secrets (:help claude-ide-privacy)"
    return [Finding("error", each, advice) for each in problems] or [Finding("ok", known)]


async def _request(connection: ClientConnection, method: str, params: dict[str, Any]) -> Any:
    request = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
    await connection.send(msgspec.json.encode(request), text=True)
    while True:
        answer = msgspec.json.decode(await connection.recv())
        if answer.get("id") == method:
            return answer["result"]
