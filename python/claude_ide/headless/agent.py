"""A one-off request to another agent than Claude: one prompt in a session of its own.

The agent gets no tools and no terminal of the editor, and no files. What it asks for is rejected,
unless it reads a file of its folder that need not stay in the editor. Some agents act without a
question; their entry says how they are kept from that (`Asking` in `agents/acp/launch.py`).
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from claude_ide.agents.acp.agent import Acp, AcpAgent
from claude_ide.agents.agent import NewSession, Words
from claude_ide.agents.events import (
    Dead,
    Event,
    Notice,
    TextDelta,
    ToolEnded,
    ToolStarted,
    ToolStatus,
    TurnEnded,
    TurnEndReason,
)
from claude_ide.agents.requests import Allow, Answer, Asked, PermissionAsked, Reject
from claude_ide.agents.stream_json.headless import (
    FENCED,
    Format,
    HeadlessQuestion,
    HeadlessResult,
    decoded,
)
from claude_ide.base.errors import AgentError, LoginNeededError, UserError
from claude_ide.base.names import VIM, editor_name
from claude_ide.base.paths import real
from claude_ide.editor.port.prompts import READING

READS = ("read", "search")
CHANGES = ("edit", "delete", "move")
RUNS = "execute"
"""Kinds of tools."""

GRACE_SECONDS = DELETE_SECONDS = 0.5

IN_JSON = """

Answer with JSON alone, without a code fence, as this schema describes it:
{schema}
"""


class Needs(Struct, frozen=True):
    """What a question needs beside its words: a folder, the names of tools, a model or ""."""

    cwd: str
    tools: Sequence[str] = ()
    model: str = ""


class AgentQuestion:
    """A question that is being answered; `events` first, then `result`."""

    def __init__(
        self,
        kind: Acp,
        needs: Needs,
        question: HeadlessQuestion,
        refusal: Callable[[str], Awaitable[str]],
        keep: Callable[[str], None] | None = None,
    ) -> None:
        """Prepare a question; `refusal` says why a file stays in the editor.

        `keep` gets the id of the session, which is then not deleted afterwards. Raises `UserError`
        for what only Claude's CLI can do.
        """
        more = [tool for tool in needs.tools if tool not in READING]
        if question.format is Format.STREAM_JSON:
            raise UserError(f"format: {kind.name} has no stream-json")
        if more:
            raise UserError(f"tools: only Claude has {more[0]}")
        self._kind = kind
        self._needs = needs
        self._question = question
        self._refusal = refusal
        self._keep = keep
        self._agent: AcpAgent | None = None
        self._is_sandboxed = False
        self._texts: dict[str, str] = {}
        self._last: list[str] = []
        """The blocks of text after the last tool."""
        self._kinds: dict[str, str] = {}
        """The kinds of the tools, by the ids of their uses."""
        self._ended: TurnEnded | None = None
        self._notice = ""

    async def events(self) -> AsyncGenerator[Event, None]:
        """Ask, and yield every event until the answer is complete.

        A caller that stops reading early must close this iterator or call `cancel`; both end the
        agent. Raises `AgentError` if it cannot be started, or ends without an answer.
        """
        agent = self._agent = self._kind.open_for_question(Path(self._needs.cwd))
        try:
            await self._begin(agent)
            async for event in agent.events():
                if isinstance(event, Dead):
                    last = event.stderr.strip().splitlines() or [f"exit code {event.code}"]
                    raise AgentError(f"{agent.name} gave no answer: {last[-1]}")
                if isinstance(event, Asked):
                    await agent.answer(event.request, await self._answer(event))
                    continue
                self._note(event)
                yield event
                if isinstance(event, TurnEnded):
                    break
        except LoginNeededError as error:
            raise AgentError(self._without_login(str(error))) from error
        finally:
            await self._delete(agent)
            await agent.stop(GRACE_SECONDS)

    def result(self) -> HeadlessResult:
        """Return the answer, once `events` has ended.

        Raises `AgentError` with the reason if there is no answer.
        """
        if self._ended is None:
            raise AgentError("the question was cancelled")
        if self._ended.why is not TurnEndReason.COMPLETED:
            reason = self._ended.message or f"the answer was not completed: {self._ended.why.value}"
            raise AgentError(self._notice or reason)
        words = "\n\n".join(text for text in self._texts.values() if text)
        if not words.strip():
            raise AgentError(f"{self._kind.name} gave no answer")
        structured = self._structured() if self._question.schema is not None else None
        raw = {"type": "result", "is_error": False, "result": words}
        raw |= {} if structured is None else {"structured_output": structured}
        return HeadlessResult(words, structured, None, raw)

    def cancel(self) -> None:
        """End the agent; `events` then ends with an error."""
        if self._agent is not None:
            self._agent.kill()

    async def _begin(self, agent: AcpAgent) -> None:
        ready = await agent.start(NewSession())
        mode = self._kind.asking.mode
        if mode:
            # Another version of the agent may not have it; then its questions are rejected.
            with contextlib.suppress(AgentError):
                await agent.set_mode(mode)
                self._is_sandboxed = self._kind.asking.is_sandboxed
        if self._needs.model:
            if self._needs.model not in [model.id for model in ready.models]:
                raise AgentError(f'{agent.name} has no model "{self._needs.model}"')
            await agent.set_model(self._needs.model)
        if self._keep is not None and agent.capabilities.resume:
            self._keep(agent.session)
        await agent.prompt([Words(self._words)])

    @property
    def _words(self) -> str:
        schema = self._question.schema
        if schema is None or _only_text(schema):
            return self._question.prompt
        return self._question.prompt + IN_JSON.format(schema=json.dumps(schema))

    def _note(self, event: Event) -> None:
        match event:
            case TextDelta(block, text, ""):
                self._texts[block] = self._texts.get(block, "") + text
                if block not in self._last:
                    self._last.append(block)
            case ToolStarted():
                self._last.clear()
                self._kinds[event.tool] = event.kind
            case ToolEnded(tool, ToolStatus.COMPLETED) if self._kinds.get(tool) in self._barred:
                what = "run a command" if self._kinds[tool] == RUNS else "changed a file"
                name = self._kind.name
                raise AgentError(f"{name} has {what} without asking; the answer is not used")
            case Notice(level="error", reason="authentication_failed"):
                self._notice = self._without_login(event.text)
            case Notice(level="error"):
                self._notice = event.text
            case TurnEnded():
                self._ended = event

    @property
    def _barred(self) -> tuple[str, ...]:
        return CHANGES if self._is_sandboxed else (*CHANGES, RUNS)

    async def _answer(self, asked: Asked) -> Answer:
        if not (isinstance(asked, PermissionAsked) and asked.kind in READS and self._needs.tools):
            return Reject()
        path = asked.path
        is_here = bool(path) and Path(real(path)).is_relative_to(real(self._needs.cwd))
        return Allow() if is_here and not await self._refusal(path) else Reject()

    def _structured(self) -> Any:
        """Return the value that the schema describes, from what the agent has said at last."""
        schema = self._question.schema or {}
        words = "\n\n".join(self._texts[block] for block in self._last) or self._texts_joined
        only = _only_text(schema)
        if not only:
            return decoded(words, self._kind.name)
        with contextlib.suppress(AgentError):
            value = decoded(words, self._kind.name)
            if isinstance(value, Mapping) and isinstance(value.get(only), str):
                return value
        fenced = FENCED.fullmatch(words.strip())
        return {only: fenced["text"] if fenced else words.strip("\n")}

    @property
    def _texts_joined(self) -> str:
        return "\n\n".join(self._texts.values())

    def _without_login(self, reason: str) -> str:
        """Return why nobody is logged in, with how to do that."""
        with contextlib.suppress(AgentError):
            for way in self._kind.logins():
                if way.command:
                    words = Path(way.command[0]).name, *way.command[1:]
                    return f"{reason.rstrip('.')}. Run {' '.join(words)}"
        chat = f"a chat: :ClaudeChat new {self._kind.id}"
        place = "its own program" if editor_name() == VIM else chat
        return f"{reason.rstrip('.')}. Log in in {place}"

    async def _delete(self, agent: AcpAgent) -> None:
        """Delete the session, if the agent can and nobody continues it."""
        if self._keep is not None or self._ended is None or not agent.is_open:
            return
        with contextlib.suppress(AgentError, TimeoutError):
            async with asyncio.timeout(DELETE_SECONDS), agent.stored() as stored:
                if stored.can_delete:
                    await stored.delete(agent.session)


def _only_text(schema: Mapping[str, Any]) -> str:
    """Return the name of the only field of a schema, if it is a text; otherwise ""."""
    fields = schema.get("properties")
    if not isinstance(fields, dict) or len(fields) != 1:
        return ""
    name, field = next(iter(fields.items()))
    return name if isinstance(field, dict) and field.get("type") == "string" else ""
