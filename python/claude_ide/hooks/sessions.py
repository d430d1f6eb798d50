"""The sessions of the CLIs in terminals: their hooks are answered, and become events for users.

No hook reports that the user has interrupted a turn; only the CLI's record of the conversation
says so. During a turn it is looked at again and again: Vim cannot watch a file, and has hooks as
well as Neovim.

The editor also learns why Claude makes the edits that are under way. The CLI proposes a diff
without saying why; only its terminal and the path connect it with the words, which are in the
transcript that its hooks name. The CLI writes a use of a tool there only after the hook that
announces it. Words that outlived their edit would be shown for the next one.
"""

import asyncio
import logging
import os
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from claude_ide.agents.events import WRITING_ANYWHERE, Change, ToolStatus, TurnEndReason
from claude_ide.agents.fields import mapping, mappings, number, parsed, sequence, text
from claude_ide.agents.stream_json import tools, turn
from claude_ide.agents.stream_json.notices import BESIDE, happened
from claude_ide.agents.stream_json.protocol import INTERRUPTED
from claude_ide.base import files
from claude_ide.base.paths import normalized
from claude_ide.base.unicode import readable
from claude_ide.editor.editor import Editor
from claude_ide.editor.events import Run
from claude_ide.editor.port.events import Activity
from claude_ide.editor.status_line import CONTROLS, figures_of
from claude_ide.hooks.permissions import Permissions
from claude_ide.hooks.registration import AGENT, ASKING, ENDS, IDLE, PROMPTED, Hook
from claude_ide.mcp.client import Readings
from claude_ide.review.announcer import Announcer, found_change, whole
from claude_ide.review.recorder import Recorder
from claude_ide.review.service import ReviewService
from claude_ide.transport.wire import FROM, TO, Party
from claude_ide.ui.text import last_sentence

logger = logging.getLogger(__name__)

PAUSE_SECONDS = 0.2
LONGEST_READ_BYTES = 1_000_000
"""What is read of a record at once."""


class Interruptions:
    """The records of the running turns; `report` gets the launch, and the id of the prompt."""

    def __init__(self, report: Callable[[str, str], object]) -> None:
        self._report = report
        self._watching: dict[str, asyncio.Task[None]] = {}

    def watch(self, launch: str, path: str) -> None:
        """Watch the record of a turn, which may not exist yet, from now on until `unwatch`."""
        if launch not in self._watching:
            watch = self._watch(launch, TranscriptFile(path))
            self._watching[launch] = asyncio.get_running_loop().create_task(watch)

    def unwatch(self, launch: str) -> None:
        """Forget the turn: it has ended."""
        if task := self._watching.pop(launch, None):
            task.cancel()

    async def _watch(self, launch: str, record: "TranscriptFile") -> None:
        while True:
            # In a thread: the folder may be on a network drive that hangs.
            for prompt in await asyncio.to_thread(record.interrupted):
                try:
                    self._report(launch, prompt)
                except Exception:
                    logger.exception("an interruption could not be reported")
            await asyncio.sleep(PAUSE_SECONDS)


class TranscriptFile:
    """The file to which a CLI adds a line for each message."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._size: int | None = None
        """The bytes that were looked at; None before the first look, which ignores them."""

    def interrupted(self) -> list[str]:
        """Return the ids of the prompts whose interruption was added; empty ids are unknown."""
        found = (
            _interrupted_prompt(line) for line in self._added() if INTERRUPTED.encode() in line
        )
        return [prompt for prompt in found if prompt is not None]

    def _added(self) -> list[bytes]:
        """Return the whole lines that were added, of which long ones may be cut."""
        try:
            with files.open_regular(self._path) as file:
                size = file.seek(0, 2)
                begin = max(size if self._size is None else self._size, size - LONGEST_READ_BYTES)
                file.seek(begin)
                read = file.read(LONGEST_READ_BYTES)
        except (OSError, ValueError):
            self._size = self._size or 0
            return []
        whole = read[: read.rfind(b"\n") + 1]
        self._size = begin + len(whole)
        return whole.splitlines()


def _interrupted_prompt(line: bytes) -> str | None:
    """Return the id of the prompt whose interruption a line records; None if it does not."""
    entry = parsed(line)
    content = sequence(mapping(entry.get("message")).get("content"))
    first = text(mapping(content[0]).get("text")) if content else ""
    is_mark = entry.get("type") == "user" and first.startswith(INTERRUPTED)
    return text(entry.get("promptId")) if is_mark else None


MOST_LAUNCHES = 50
"""Launches; a client can invent some."""


class Activities:
    """The state and the figures of each terminal, by the id of its launch.

    `interrupted` gets the launch of a turn that the user has interrupted, and the prompt's id.
    """

    def __init__(self, editor: Editor, interrupted: Callable[[str, str], object]) -> None:
        self._editor = editor
        self._interruptions = Interruptions(interrupted)
        self._known: dict[str, Activity] = {}
        self._prompts: dict[str, str] = {}
        """The ids of the prompts whose turns are running."""

    def follow(self, launch: str, hook: Hook) -> None:
        """Apply a hook."""
        if hook.hook_event_name in IDLE:
            self.rest(launch)
            return
        self._prompts[launch] = hook.prompt_id
        if hook.transcript_path:
            self._interruptions.watch(launch, hook.transcript_path)
        self._update(launch, is_working=True)

    def of(self, launch: str) -> Activity | None:
        """Return what is known of a terminal."""
        return self._known.get(launch)

    def is_current(self, launch: str, prompt: str) -> bool:
        """Return whether the turn of the prompt with this id is running; all may be unknown."""
        known = self._prompts.get(launch)
        return known is not None and (prompt == known or "" in (prompt, known))

    def rest(self, launch: str) -> None:
        """Record the end of a turn."""
        self._prompts.pop(launch, None)
        self._interruptions.unwatch(launch)
        self._update(launch, is_working=False)

    def end(self, launch: str) -> None:
        """Forget a terminal that has ended."""
        self._prompts.pop(launch, None)
        self._interruptions.unwatch(launch)
        if self._known.pop(launch, None) is not None:
            self._editor.status.agent_does(launch, None)

    def report(self, launch: str, body: bytes) -> str:
        """Apply what a CLI tells its status line; versions differ. Return a row for it to show."""
        report = parsed(body)
        context = number(mapping(report.get("context_window")).get("used_percentage"))
        figures = {
            "model": text(mapping(report.get("model")).get("display_name")) or None,
            "context": None if context is None else round(context),
            "cost": number(mapping(report.get("cost")).get("total_cost_usd")),
        }
        self._update(launch, **{key: value for key, value in figures.items() if value is not None})
        self._editor.limits.learn(launch, turn.limits_of_status_line(report))
        used = [each for each in self._editor.limits.known if each.used is not None]
        return CONTROLS.sub("?", figures_of(self._known[launch], used))

    def _update(self, launch: str, **changes: Any) -> None:
        before = self._known.pop(launch, None)
        after = self._known[launch] = msgspec.structs.replace(before or Activity(), **changes)
        if after != before:
            self._editor.status.agent_does(launch, after)
        while len(self._known) > MOST_LAUNCHES:
            self.end(next(iter(self._known)))


TAIL_BYTES = 2_000_000
"""Bytes at the end of a transcript that are read; it also has whole requests."""

POLL_SECONDS = 0.2
POLLS = 25


async def words_before(transcript: str, use: str) -> str:
    """Return the last text of the turn before a use of a tool; empty if there is none."""
    for _ in range(POLLS):
        said = await asyncio.to_thread(_said_before, Path(transcript), use)
        if said is not None:
            return said
        await asyncio.sleep(POLL_SECONDS)
    return ""


def _said_before(path: Path, use: str) -> str | None:
    """Return the text; None as long as the transcript does not have the use."""
    try:
        with files.open_regular(path) as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - TAIL_BYTES))
            lines = file.read(TAIL_BYTES).splitlines()
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
        words = last_sentence(await words_before(transcript, use))
        if words and self._record is not None:
            self._start(self._record(path, words))
        # The edit may be over by now.
        if words and use in self._paths:
            self._explain(self._paths[use], words)


T = TypeVar("T")


class HookedSession:
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
        reported = time.monotonic()
        async with self._order:
            try:
                await self._apply(hook, reported)
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

    async def _apply(self, hook: Hook, reported: float) -> None:
        self._announcer.session(hook.session_id)
        if told := happened(msgspec.structs.asdict(hook)):
            self._announcer.happened(told)
        match hook.hook_event_name:
            case "UserPromptSubmit" if hook.is_from_cli:
                if self._announcer.goes_on():
                    await self._recorded(self.recorder.prompted())
                    self._reasons.end_all()
            case "UserPromptSubmit":
                await self._recorded(self.recorder.prompted())
                self._reasons.end_all()
                self.recorder.prompt = tools.unmarked(hook.prompt)
                self._announcer.prompted(self.recorder.prompt)
            case "PreToolUse":
                await self._begin(hook, reported)
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

    async def _begin(self, hook: Hook, reported: float) -> None:
        arguments = mapping(hook.tool_input)
        if tools.kind_of(hook.tool_name) in WRITING_ANYWHERE:
            await self._recorded(self.recorder.command_begun(hook.tool_use_id, reported))
            if arguments.get("run_in_background"):
                self.recorder.in_background()
        path, command = tools.path_in(arguments), text(arguments.get("command"))
        if command:
            await self._recorded(self.recorder.runs(command))
        if path and tools.kind_of(hook.tool_name) == "edit":
            self.recorder.not_asked(normalized(path))
            before = self.recorder.before_write(normalized(path), reported)
            await self._recorded(before)
            self._reasons.begin(hook.tool_use_id, normalized(path), hook.transcript_path)
        name = tools.NAMES.get(hook.tool_name, hook.tool_name)
        self._announcer.tool_started(hook.tool_use_id, name, path, command)

    async def _end(self, hook: Hook, status: ToolStatus) -> None:
        self._reasons.end(hook.tool_use_id)
        result = mapping(hook.tool_response)
        change = tools.change_of(result)
        written = tools.decode_write({"tool_use_result": result}, {"tool_use_id": hook.tool_use_id})
        changes = whole([change] if change else [], written)
        known = {each.path: each for each in written}
        paths = dict.fromkeys(each.path for each in changes)
        if hook.edited and self.recorder.is_writing(hook.edited):
            paths[hook.edited] = None
        for path in paths:
            report = known.get(path)
            texts = (report.before, report.after) if report else ()
            wrote = self.recorder.wrote(path, *texts, is_known=report is not None)
            await self._recorded(wrote)
        if not paths and (path := tools.path_in(mapping(hook.tool_input))):
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


WAIT_SECONDS = 0.5
"""How long a CLI waits for us: a tool must not run before the files were looked at."""
MOST_SESSIONS = 50


class HookedSessions:
    """All sessions, by the id of their terminal and their own."""

    def __init__(self, editor: Editor, run: Run, review: ReviewService, readings: Readings) -> None:
        self._editor = editor
        self._readings = readings
        self.permissions = Permissions(editor, run)
        self.activities = Activities(editor, self._interrupted)
        self._review = review
        self._recorders: dict[str, Recorder] = {}
        """By session, the last active one last."""
        self._open: dict[tuple[str, str], HookedSession] = {}
        self._following: set[asyncio.Task[None]] = set()
        self._party = Party(lambda: f"{AGENT} (hooks)")

    def terminal_ended(self, launch: str) -> None:
        """End the sessions of a terminal that its CLI has not ended."""
        self.permissions.terminal_ended(launch)
        self.activities.end(launch)
        for key in [key for key in self._open if key[0] == launch]:
            self._start(self._open.pop(key).close())

    def of(self, launch: str) -> str:
        """Return the session of a terminal that was active last; empty if there is none."""
        return next((session for each, session in reversed(self._open) if each == launch), "")

    def _interrupted(self, launch: str, prompt: str) -> None:
        """End the turn of a terminal, unless another prompt has ended it."""
        if not self.activities.is_current(launch, prompt):
            return
        self.activities.rest(launch)
        self.permissions.interrupted(launch)
        for key in [key for key in self._open if key[0] == launch]:
            self._start(self._open[key].interrupt())

    async def answer(self, launch: str, body: bytes) -> bytes:
        """Handle a hook; return JSON for the CLI, or nothing, which leaves all decisions to it."""
        try:
            hook = msgspec.json.decode(body, type=Hook)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            logger.warning("a hook could not be decoded: %s", error)
            return b""
        self._party.note(FROM, body)
        session = self._find(launch, hook)
        if hook.hook_event_name == ASKING:
            if path := hook.edited:
                session.recorder.asked(path)
            decision = await self.permissions.ask(launch, hook)
            return self._told(ASKING, decision=decision) if decision else b""
        self.permissions.follow(launch, hook)
        if hook.hook_event_name not in BESIDE:
            self.activities.follow(launch, hook)
        self._follow_turn(launch, hook)
        if path := hook.accessed:
            self._readings.of(launch).add(path)
        task = self._start(session.follow(hook))
        await asyncio.wait((task,), timeout=WAIT_SECONDS)
        is_prompt = hook.hook_event_name == PROMPTED
        note = await session.recorder.note() if is_prompt else ""
        return self._told(PROMPTED, additionalContext=note) if note else b""

    def _follow_turn(self, launch: str, hook: Hook) -> None:
        attention, event = self._editor.attention, hook.hook_event_name
        session = self._editor.terminals.session(AGENT, launch)
        if event == PROMPTED and not hook.is_from_cli:
            attention.prompted(session)
        elif event not in (*ENDS, *BESIDE):
            attention.works(session)

    def _told(self, event: str, **more: Any) -> bytes:
        answer = {"hookSpecificOutput": {"hookEventName": event, **more}}
        self._party.note(TO, answer)
        return msgspec.json.encode(readable(answer))

    def _find(self, launch: str, hook: Hook) -> HookedSession:
        """Return the session of a hook; the least recently used one of too many ends."""
        key = launch, hook.session_id
        session = self._open.pop(key, None)
        recorder = self._recorder(hook)
        if session is None:
            announcer = Announcer(self._editor.port.windows.announce, AGENT, hook.cwd)
            explain = partial(self._editor.port.diffs.explain, launch)
            reasons = Reasons(explain, self._start, recorder.explain)
            ended = partial(self._review.turn_ended, self._editor.terminals.session(AGENT, launch))
            session = HookedSession(announcer, recorder, ended, reasons)
        session.recorder = recorder
        if hook.hook_event_name != "SessionEnd":
            self._open[key] = session
        while len(self._open) > MOST_SESSIONS:
            self._start(self._open.pop(next(iter(self._open))).close())
        return session

    def _tell(self, what: str) -> None:
        self._editor.notify(f"{AGENT} now knows that you {what}")

    def _recorder(self, hook: Hook) -> Recorder:
        """Return what records a session; its terminal may be another one than before."""
        known = self._recorders.pop(hook.session_id, None)
        given = self._review, self._editor, hook.session_id, hook.cwd, self._tell
        self._recorders[hook.session_id] = known or Recorder(*given)
        while len(self._recorders) > MOST_SESSIONS:
            del self._recorders[next(iter(self._recorders))]
        return self._recorders[hook.session_id]

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._following.add(task)
        task.add_done_callback(self._following.discard)
        return task
