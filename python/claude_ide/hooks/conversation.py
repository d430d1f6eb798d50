"""One session of a CLI in a terminal: follows its hooks, and announces what they report.

It also tells the editor why Claude makes the edits that are under way. The CLI proposes a diff
without saying why; only its terminal and the path connect it with the words, which are in the
transcript that its hooks name. The CLI writes a use of a tool there only after the hook that
announces it. Words that outlived their edit would be shown for the next one.
"""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from claude_ide.agents.events import Change, ToolStatus, TurnEndReason
from claude_ide.agents.fields import mapping, mappings, parsed, text
from claude_ide.agents.stream_json.notices import happened
from claude_ide.agents.stream_json.tools import (
    NAMES,
    change_of,
    decode_write,
    kind_of,
    path_in,
    unmarked,
)
from claude_ide.base import files
from claude_ide.base.last_words import sentence
from claude_ide.base.paths import normalized
from claude_ide.review.announcer import Announcer, found_change, whole
from claude_ide.review.recorder import Recorder

TAIL = 2_000_000
"""Bytes at the end of a transcript that are read; it also has whole requests."""

POLL_SECONDS = 0.2
POLLS = 25


async def before(transcript: str, use: str) -> str:
    """Return the last text of the turn before a use of a tool; empty if there is none."""
    for _ in range(POLLS):
        said = await asyncio.to_thread(_read, Path(transcript), use)
        if said is not None:
            return said
        await asyncio.sleep(POLL_SECONDS)
    return ""


def _read(path: Path, use: str) -> str | None:
    """Return the text; None as long as the transcript does not have the use."""
    try:
        with files.open_regular(path) as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - TAIL))
            lines = file.read(TAIL).splitlines()
    except (OSError, ValueError):
        return None
    return _said(_messages(reversed(lines)), use)


def _said(messages: Iterable[Mapping[str, Any]], use: str) -> str | None:
    is_found = False
    for message in messages:
        content = message.get("content")
        blocks = [*mappings(content)] if isinstance(content, list) else []
        if message.get("role") == "user":
            is_prompt = not any(block.get("type") == "tool_result" for block in blocks)
            if is_found and is_prompt:
                return ""
            continue
        for block in reversed(blocks):
            if block.get("type") == "tool_use" and block.get("id") == use:
                is_found = True
            elif is_found and block.get("type") == "text" and text(block.get("text")).strip():
                return text(block.get("text"))
    return "" if is_found else None


def _messages(lines: Iterable[bytes]) -> Iterator[Mapping[str, Any]]:
    """Yield the messages of the main conversation in these lines."""
    for line in lines:
        if b'"role":"assistant"' not in line and b'"role":"user"' not in line:
            continue
        record = parsed(line)
        if record.get("type") in ("assistant", "user") and not record.get("isSidechain"):
            yield mapping(record.get("message"))


class Reasons:
    """The edits of one session. `explain` is called with a path, and words or an empty string.

    `start` runs a task. `record` gets the words, also if the edit is over by then.
    """

    def __init__(
        self,
        explain: Callable[[str, str], object],
        start: Callable[[Coroutine[Any, Any, None]], object],
        record: Callable[[str, str], Coroutine[Any, Any, None]] | None = None,
    ) -> None:
        self._explain = explain
        self._start = start
        self._record = record
        self._paths: dict[str, str] = {}
        """The files of the edits that are under way, by the tool use."""

    def begin(self, use: str, path: str, transcript: str) -> None:
        """Tell what was said before an edit as soon as the transcript (a path) has the edit."""
        self._paths[use] = path
        if transcript:
            self._start(self._tell(use, path, transcript))

    def end(self, use: str) -> None:
        """Forget what was said before an edit; uses of other tools are ignored."""
        if path := self._paths.pop(use, ""):
            self._explain(path, "")

    def end_all(self) -> None:
        """Forget what was said: no edit is under way."""
        for use in list(self._paths):
            self.end(use)

    async def _tell(self, use: str, path: str, transcript: str) -> None:
        words = sentence(await before(transcript, use))
        if words and self._record is not None:
            self._start(self._record(path, words))
        # The edit may be over by now.
        if words and use in self._paths:
            self._explain(self._paths[use], words)


logger = logging.getLogger(__name__)

T = TypeVar("T")

AGENT = "Claude"

SEARCHED = ("execute", "other")
"""The kinds of tools that may change files without reporting it."""


class Hook(msgspec.Struct, frozen=True):
    """The body of a hook's request; each event has some of the fields."""

    hook_event_name: str
    session_id: str
    cwd: str = ""
    transcript_path: str = ""
    prompt: str = ""
    tool_name: str = ""
    tool_use_id: str = ""
    tool_input: Any = None
    tool_response: Any = None
    is_interrupt: bool = False
    permission_suggestions: Any = None
    agent_id: str = ""
    """The subagent that uses the tool; empty for the agent itself."""
    agent_type: str = ""
    prompt_id: str = ""
    message: Any = None
    title: Any = None
    notification_type: Any = None
    reason: Any = None
    last_assistant_message: Any = None
    trigger: Any = None
    custom_instructions: Any = None

    @property
    def accessed(self) -> str:
        """The file that a tool has read or written, which the user has allowed; or ""."""
        is_access = kind_of(self.tool_name) in ("read", "edit")
        if self.hook_event_name != "PostToolUse" or not is_access:
            return ""
        path = path_in(mapping(self.tool_input))
        return normalized(path) if path.startswith("/") else ""

    @property
    def edited(self) -> str:
        """The file that an editing tool writes, or ""."""
        path = path_in(mapping(self.tool_input)) if kind_of(self.tool_name) == "edit" else ""
        return normalized(path) if path.startswith("/") else ""


class Conversation:
    """Announces one session; its hooks are handled in the order in which they arrive."""

    def __init__(
        self,
        announcer: Announcer,
        recorder: Recorder,
        ended: Callable[[TurnEndReason, tuple[int, int, int]], object],
        reasons: Reasons,
    ) -> None:
        self._announcer = announcer
        self.recorder = recorder
        """Records what the session writes; a later terminal may resume it."""
        self._ended = ended
        self._reasons = reasons
        self._order = asyncio.Lock()

    async def follow(self, hook: Hook) -> None:
        """Handle one hook."""
        async with self._order:
            try:
                await self._apply(hook)
            except Exception:
                # The hooks after it may still be valid.
                logger.exception("the hook %s could not be handled", hook.hook_event_name)

    async def interrupt(self) -> None:
        """End the turn: the user has interrupted it."""
        async with self._order:
            await self._end_turn(TurnEndReason.INTERRUPTED)

    async def close(self) -> None:
        """End the session: its CLI has ended."""
        async with self._order:
            await self._end_session()

    async def _apply(self, hook: Hook) -> None:
        self._announcer.session(hook.session_id)
        if told := happened(msgspec.structs.asdict(hook)):
            self._announcer.happened(told)
        match hook.hook_event_name:
            case "UserPromptSubmit":
                await self._recorded(self.recorder.prompted())
                self._reasons.end_all()
                self.recorder.prompt = unmarked(hook.prompt)
                self._announcer.prompted(self.recorder.prompt)
            case "PreToolUse":
                await self._begin(hook)
            case "PostToolUse":
                await self._end(hook, ToolStatus.COMPLETED)
            case "PostToolUseFailure":
                is_over = hook.is_interrupt
                await self._end(hook, ToolStatus.INTERRUPTED if is_over else ToolStatus.FAILED)
            case "PermissionDenied":
                await self._end(hook, ToolStatus.REJECTED)
            case "Stop":
                await self._end_turn(TurnEndReason.COMPLETED)
            case "StopFailure":
                await self._end_turn(TurnEndReason.FAILED)
            case "SessionEnd":
                await self._end_session()

    async def _begin(self, hook: Hook) -> None:
        arguments = mapping(hook.tool_input)
        if kind_of(hook.tool_name) in SEARCHED:
            await self._recorded(self.recorder.command_begun(hook.tool_use_id))
            if arguments.get("run_in_background"):
                self.recorder.in_background()
        path, command = path_in(arguments), text(arguments.get("command"))
        if command:
            await self._recorded(self.recorder.runs(command))
        if path and kind_of(hook.tool_name) == "edit":
            self.recorder.not_asked(normalized(path))
            await self._recorded(self.recorder.before_write(normalized(path)))
            self._reasons.begin(hook.tool_use_id, normalized(path), hook.transcript_path)
        name = NAMES.get(hook.tool_name, hook.tool_name)
        self._announcer.tool_started(hook.tool_use_id, name, path, command)

    async def _end(self, hook: Hook, status: ToolStatus) -> None:
        self._reasons.end(hook.tool_use_id)
        result = mapping(hook.tool_response)
        change = change_of(result)
        written = decode_write({"tool_use_result": result}, {"tool_use_id": hook.tool_use_id})
        changes = whole([change] if change else [], written)
        known = {each.path: each for each in written}
        paths = dict.fromkeys(each.path for each in changes)
        if hook.edited and self.recorder.is_writing(hook.edited):
            paths[hook.edited] = None
        for path in paths:
            report = known.get(path)
            before = report.before if report else None
            wrote = self.recorder.wrote(path, before, is_known=report is not None)
            await self._recorded(wrote)
        if not paths and (path := path_in(mapping(hook.tool_input))):
            self.recorder.used(normalized(path))
        changes += await self._found(hook.tool_use_id)
        self._announcer.tool_ended(hook.tool_use_id, status, changes)

    async def _end_turn(self, reason: TurnEndReason) -> None:
        self._reasons.end_all()
        self._announcer.turn_ended(reason)
        counts = await self._recorded(self.recorder.turn_ended())
        self._ended(reason, counts or (0, 0, 0))

    async def _end_session(self) -> None:
        self._reasons.end_all()
        self._announcer.session_ended()
        await self._recorded(self.recorder.turn_ended())

    async def _found(self, use: str) -> list[Change]:
        found = await self._recorded(self.recorder.command_ended(use))
        return [found_change(each) for each in found or ()]

    async def _recorded(self, work: Awaitable[T]) -> T | None:
        """Await what is recorded for the review; a failure costs no event."""
        try:
            return await work
        except Exception:
            logger.exception("what %s wrote could not be recorded", AGENT)
            return None
