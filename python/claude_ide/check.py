"""The host's part of `:checkhealth`: the connection, the CLI, other editors, privacy, agents.

It connects as the CLI would, and reports the first step that fails.
"""

import asyncio
import json
import os
import re
import stat
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Subprotocol

from claude_ide.agents.acp.agent import Acp
from claude_ide.agents.agent import AgentKind
from claude_ide.base import git, program
from claude_ide.base.errors import AgentError
from claude_ide.base.names import NEOVIM, editor_name
from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.mcp import lock_file
from claude_ide.mcp.lock_file import LockFile
from claude_ide.startup import Bound, Options
from claude_ide.transport.admission import AUTHORIZATION, SUBPROTOCOL

if TYPE_CHECKING:
    from claude_ide.hooks.endpoint import Hooks

CONNECT_SECONDS = 3.0
INTRODUCTION = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "claude-ide-check", "version": "1"},
}

OLDEST_CLI, NEWEST_CLI = "2.1.197", "2.1.332"
"""The versions of the CLI with which the tests run (`Makefile`)."""

HOW_TO_INSTALL = (
    "curl -fsSL https://claude.ai/install.sh | bash, or: npm install -g @anthropic-ai/claude-code"
)
PROGRAM_SECONDS = 8.0
MOST_BYTES = 100_000

AGENT_SECONDS = 20.0
"""How long an agent may take to answer."""

AGENTS_AT_ONCE = 3
"""The number of agents that are started at once; some need seconds of CPU."""


class Finding(msgspec.Struct, frozen=True):
    """One line of the report, and what the user can do about it."""

    level: Literal["ok", "info", "warn", "error"]
    text: str
    advice: str = ""

    def reported(self) -> dict[str, str]:
        """Return the table that the editor gets."""
        advice = {"advice": self.advice} if self.advice else {}
        return {"level": self.level, "line": self.text, **advice}


async def report(
    editor: Editor,
    config: Config,
    options: Options,
    bound: Bound | None,
    hooks: "Hooks",
    complaints: Sequence[str],
    configured: Callable[[], tuple[Iterable[AgentKind], Sequence[str]]],
) -> None:
    """Test the server as a client would, and what else the host knows, for `health.vim`.

    `complaints` are those about options; `configured` returns the agents, and what is wrong there.
    """
    rules = await editor.private_files.update()
    words = program.words(config.cmd)
    findings = await commit()
    findings += [Finding("error", f"option: {complaint}") for complaint in complaints]
    findings += [] if complaints else [Finding("ok", "options: all are known and valid")]
    findings.append(Finding("ok", f"hooks: {hooks.state(words)}"))
    if bound is None:
        findings.append(Finding("error", "server: not running"))
    else:
        findings += await connection(options.host, bound.port, bound.lock)
    if editor_name() == NEOVIM:
        # Agents other than Claude, for the chat.
        kinds, wrong = configured()
        findings += [Finding("error", complaint) for complaint in wrong]
        findings += await agents([*kinds], [*config.agents])
    findings += await cli(words)
    findings += rivals(options.pid, await editor.port.buffers.folder())
    findings += privacy(rules.problems, rules.count)
    await editor.port.host.report_health([each.reported() for each in findings])


async def connection(host: str, port: int, lock: LockFile) -> list[Finding]:
    """Run the steps up to the first that fails, which is then the last in the list."""
    found: list[Finding] = []
    step = "lock file"
    try:
        path = Path(lock.path)
        fields = json.loads(path.read_text(encoding="utf-8"))
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & 0o077:
            raise PermissionError(f"{path} can be read by others (mode {mode:o})")
        folders = ", ".join(fields["workspaceFolders"])
        found.append(Finding("ok", f"lock file: {path}, for {folders}"))
        step = "token"
        try:
            async with _connect(host, port, "not the token"):
                raise PermissionError("a client with a wrong token was let in")
        except InvalidStatus as refused:
            code = refused.response.status_code
            found.append(Finding("ok", f"token: a wrong one is refused with {code}"))
        step = "conversation"
        async with _connect(host, port, fields["authToken"]) as opened:
            version = (await _request(opened, "initialize", INTRODUCTION))["protocolVersion"]
            tools = (await _request(opened, "tools/list", {}))["tools"]
        words = f"MCP {version}, {len(tools)} tools, at {host}:{port}"
        found.append(Finding("ok", f"conversation: {words}"))
    except Exception as error:
        # The user needs to read every error, of any kind.
        found.append(Finding("error", f"{step}: {type(error).__name__}: {error}"))
    return found


def _connect(host: str, port: int, token: str) -> connect:
    return connect(
        f"ws://{host}:{port}/",
        additional_headers={AUTHORIZATION: token},
        subprotocols=[Subprotocol(SUBPROTOCOL)],
        open_timeout=CONNECT_SECONDS,
        proxy=None,
    )


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


# Other agents than Claude: installed, and able to speak the protocol.


async def agents(kinds: Sequence[AgentKind], configured: Sequence[str]) -> list[Finding]:
    """Return what is known about each agent; `configured` are the ids of the user's entries."""
    others = [kind for kind in kinds if isinstance(kind, Acp)]
    missing = [kind for kind in others if kind.missing()]
    slots = asyncio.Semaphore(AGENTS_AT_ONCE)
    with tempfile.TemporaryDirectory() as empty:
        installed = [kind for kind in others if kind not in missing]
        answers = [_answer(kind, Path(empty), slots) for kind in installed]
        pairs = zip(installed, await asyncio.gather(*answers), strict=True)
        findings = [_judged(finding, kind.id in configured) for kind, finding in pairs]
    wanted = [kind for kind in missing if kind.id in configured]
    findings += [Finding("warn", kind.missing()) for kind in wanted]
    rest = ", ".join(kind.id for kind in missing if kind not in wanted)
    hint = "see :help claude-ide-agents-list"  # at the end: a link takes all up to a space
    return findings + ([Finding("info", f"Not installed: {rest}; {hint}")] if rest else [])


async def _answer(kind: Acp, folder: Path, slots: asyncio.Semaphore) -> Finding:
    """Start an agent in an empty folder, where there is nothing that it could run."""
    async with slots:
        began = time.monotonic()
        where = f"{kind.id}: {kind.program}"
        try:
            offer = await asyncio.wait_for(kind.probe(folder), AGENT_SECONDS)
        except AgentError as error:
            return Finding("error", f"{where}: {error}")
        except TimeoutError:
            return Finding("error", f"{where} has not answered within {AGENT_SECONDS:.0f} s")
        seconds = time.monotonic() - began
        words = filter(None, (offer.name, offer.agent_version))
        name = " ".join(words) or "an agent without a name"
        return Finding("ok", f"{where}: {name} answers within {seconds:.1f} s")


def _judged(finding: Finding, is_wanted: bool) -> Finding:
    """Return a milder finding for a program that may only have the name of an agent."""
    if finding.level == "error" and not is_wanted:
        return Finding("warn", finding.text)
    return finding
