"""The CLI's requests to the editor rather than to the user: hooks, messages to our MCP servers.

Each request runs in its own task, since a tool may wait for the user. Every request is answered,
even one that carries a notification.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from claude_ide.agents.events import Hunk
from claude_ide.agents.fields import mapping, mappings, text
from claude_ide.agents.stream_json.decoding.tools import change_of, hunks_of, path_in
from claude_ide.agents.stream_json.wire import encode
from claude_ide.agents.stream_json.wire.frames import Frame
from claude_ide.agents.workbench import Edits, McpServer
from claude_ide.errors import TransportClosed

logger = logging.getLogger(__name__)

EDITING = "editing"
EDITED = "edited"
PROMPTED = "prompted"
EDITORS = "Edit|MultiEdit|Write|NotebookEdit"
HOOK_SECONDS = 5
CHANGED = (
    "The user changed your proposal before accepting it, so the file does not contain what you "
    "proposed. This is what was written:"
)
RESTORED = (
    "The user has restored these files to their state before an earlier prompt, so your later "
    "edits of them are undone. Read them again before you rely on their content:"
)
LONGEST_PATCH = 20_000


class Callbacks:
    """Answers the CLI's requests with the editor's services."""

    def __init__(
        self,
        send: Callable[[Frame], Awaitable[None]],
        servers: Mapping[str, McpServer],
        edits: Edits | None,
    ) -> None:
        self._send = send
        self._servers = servers
        self._edits = edits
        self._changed: set[str] = set()
        self._restored: dict[str, None] = {}
        """The files that were restored since the last prompt."""
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def fields(self) -> Frame:
        """Return the fields of `initialize` that register our hooks and servers."""
        hooks = {"PostToolUse": [_hook(EDITED, EDITORS)]}
        if self._edits is not None:
            hooks["PreToolUse"] = [_hook(EDITING, EDITORS)]
            hooks["PostToolUse"] = [_hook(EDITED)]
            hooks["UserPromptSubmit"] = [_hook(PROMPTED)]
        fields: Frame = {"hooks": hooks}
        return fields | {"sdkMcpServers": [*self._servers]} if self._servers else fields

    def proposal_changed(self, tool: str) -> None:
        """Record that the user changed a tool's input: the CLI does not inform the model."""
        self._changed.add(tool)

    def allowed(self, name: str, use: str, answer: Frame, code: str = "") -> None:
        """Tell our server that the user has allowed a use of one of its tools, or other `code`."""
        _, server, tool = [*name.split("__", 2), "", ""][:3]
        if name.startswith("mcp__") and server in self._servers:
            updates = mappings(answer.get("updatedPermissions"))
            rules = [rule for each in updates for rule in mappings(each.get("rules"))]
            for_good = any(rule.get("toolName") == name for rule in rules)
            arguments = mapping(answer.get("updatedInput")) | ({"code": code} if code else {})
            self._servers[server].allowed(tool, use, arguments, for_good=for_good)

    def files_restored(self, paths: Iterable[str]) -> None:
        """Record that the user restored files: the CLI does not inform the model."""
        self._restored |= dict.fromkeys(paths)

    def accept(self, frame: Frame) -> None:
        """Start to answer a `control_request`."""
        id_ = text(frame.get("request_id"))
        asked = mapping(frame.get("request"))
        task = asyncio.get_running_loop().create_task(self._answer(id_, asked))
        self._tasks[id_] = task

        def done(task: asyncio.Task[None]) -> None:
            self._tasks.pop(id_, None)
            if not task.cancelled() and (error := task.exception()):
                logger.error("a request of the CLI failed", exc_info=error)

        task.add_done_callback(done)

    def cancel(self, request: str) -> None:
        """Cancel a request that the CLI has withdrawn."""
        if task := self._tasks.get(request):
            task.cancel()

    async def close(self) -> None:
        """Cancel all requests: the CLI has ended."""
        tasks = [*self._tasks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._changed.clear()

    async def _answer(self, id_: str, asked: Frame) -> None:
        answer = encode.failure(id_, "this request failed")
        try:
            match text(asked.get("subtype")):
                case "hook_callback":
                    answer = encode.success(id_, await self._hook(asked))
                case "mcp_message":
                    answer = encode.success(id_, {"mcp_response": await self._message(asked)})
                case subtype:
                    answer = encode.failure(id_, f"{subtype} is not supported")
        except asyncio.CancelledError:
            answer = {}
            raise
        finally:
            # Without an answer the CLI would wait forever.
            if answer:
                await self._reply(answer)

    async def _reply(self, answer: Frame) -> None:
        try:
            await self._send(answer)
        except TransportClosed:
            logger.info("an answer could not be sent: the CLI has ended")

    async def _message(self, asked: Frame) -> dict[str, Any]:
        message = mapping(asked.get("message"))
        server = self._servers.get(text(asked.get("server_name")))
        if server is None:
            unknown = {"code": -32601, "message": "there is no such server"}
            return {"jsonrpc": "2.0", "id": message.get("id", 0), "error": unknown}
        answer = await server(message)
        return {"jsonrpc": "2.0", "result": {}, "id": 0} if answer is None else answer

    async def _hook(self, asked: Frame) -> Frame:
        if text(asked.get("callback_id")) == PROMPTED:
            return _context("UserPromptSubmit", await self._news())
        reported = mapping(asked.get("input"))
        tool = text(reported.get("tool_use_id"))
        path = path_in(mapping(reported.get("tool_input")))
        if text(asked.get("callback_id")) == EDITING:
            if self._edits is not None and path:
                await self._edits.before(tool, path)
            return {}
        notes = await self._notes(tool, path, mapping(reported.get("tool_response")))
        return _context("PostToolUse", notes)

    async def _news(self) -> list[str]:
        """Return notes for the model on what has happened since the last turn."""
        late = await self._edits.prompted() if self._edits is not None else ""
        restored = "\n".join([RESTORED, *self._restored]) if self._restored else ""
        self._restored.clear()
        return [*filter(None, (restored, late))]

    async def _notes(self, tool: str, path: str, result: Frame) -> list[str]:
        """Return notes for the model on a file that a tool has changed."""
        notes = []
        if tool in self._changed:
            self._changed.discard(tool)
            notes.append(f"{CHANGED}\n{_patch(hunks_of(result)) or text(result.get('content'))}")
        if self._edits is not None:
            notes.append(await self._edits.after(tool, path, change_of(result)))
        return [*filter(None, notes)]


def _hook(id_: str, tools: str = "") -> Frame:
    """Return the registration of a hook for some tools, or for all of them."""
    matcher = {"matcher": tools} if tools else {}
    return {**matcher, "hookCallbackIds": [id_], "timeout": HOOK_SECONDS}


def _context(event: str, notes: list[str]) -> Frame:
    """Return the answer to a hook that adds notes to the model's context."""
    if not notes:
        return {}
    context = {"hookEventName": event, "additionalContext": "\n\n".join(notes)}
    return {"hookSpecificOutput": context}


def _patch(hunks: Iterable[Hunk]) -> str:
    """Return a change as a unified diff, cut to `LONGEST_PATCH` characters."""
    patch = "\n".join(map(str, hunks))
    return patch if len(patch) <= LONGEST_PATCH else f"{patch[:LONGEST_PATCH]}\n[…]"
