"""Decodes the CLI's frames to events, without I/O. Unknown frames are ignored and logged.

Source: doc/stream-json.md. This module decodes the conversation. `wire/control.py` handles the
answers to our control requests, `callbacks.py` the CLI's requests to the editor.
"""

import logging
from collections.abc import Callable, Mapping

from msgspec.structs import replace

from claude_ide.agents.events import (
    Cleared,
    Event,
    LimitsTold,
    Notice,
    PromptSuggested,
    Text,
    Thinking,
    ToolEnded,
    ToolStatus,
    Usage,
)
from claude_ide.agents.fields import integer, mapping, mappings, read, text
from claude_ide.agents.requests import PermissionAsked, PlanProposed, RequestWithdrawn, Subagent
from claude_ide.agents.stream_json.decoding import limits, permission, turn
from claude_ide.agents.stream_json.decoding.answers import Commands, Servers
from claude_ide.agents.stream_json.decoding.flags import Flags
from claude_ide.agents.stream_json.decoding.notices import Denials, Notices
from claude_ide.agents.stream_json.decoding.tasks import Tasks
from claude_ide.agents.stream_json.decoding.tools import (
    TOOL_USES,
    Preview,
    Todos,
    decode_result,
    decode_write,
    tool_started,
    whole_input,
)
from claude_ide.agents.stream_json.decoding.turn import Settings, Stages
from claude_ide.agents.stream_json.wire.frames import Frame, content_of

logger = logging.getLogger(__name__)

SYNTHETIC = "<synthetic>"
"""The model of a message that the CLI itself has written."""

CONTEXT_KEYS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
SUBAGENT_KEYS = {"tool": "tool_use_id", "title": "description", "kind": "subagent_type"}

MOST_SEEN = 10_000
"""How many frames are remembered, the latest ones."""

NOTHING = ("(no content)", "No response requested.")
"""2.1.197 writes the first for a command of its own without output.

The CLI writes the second into a session that ended within a turn, so that it can be resumed.
"""


class Decoder:
    """Decodes one session's frames, in their order."""

    def __init__(self) -> None:
        self.settings = Settings()
        self.flags = Flags()
        self.stages = Stages()
        self.denials = Denials()
        self.commands = Commands()
        self.tasks = Tasks()
        self._notices = Notices()
        self._servers = Servers()
        self._preview = Preview()
        self._todos = Todos()
        self._tools: dict[str, tuple[str, dict[str, object]]] = {}
        self._agents: dict[str, Subagent] = {}
        """The subagents that have been started, by the ids in their requests."""
        self._last_block: tuple[str, int] = ("", 0)
        """The message of the last complete block, and the block's number in it."""
        self._seen: dict[str, None] = {}
        """The ids of `assistant` frames: after /compact the CLI sends the latest of them again."""
        self._context = 0
        self._root = ""
        """The folder in which the CLI runs."""
        self._decoders: Mapping[str, Callable[[Frame], list[Event]]] = {
            "stream_event": self._stream_event,
            "assistant": self._assistant,
            "user": self._user,
            "system": self._system,
            "result": self._result,
            "command_lifecycle": self.stages.reported,
            "conversation_reset": self._reset,
            "rate_limit_event": lambda frame: [LimitsTold(limits.of_event(frame))],
            "prompt_suggestion": lambda frame: [PromptSuggested(text(frame.get("suggestion")))],
            "control_request": self._request,
            "control_cancel_request": _withdrawn,
            "control_response": lambda _: [],
            "keep_alive": lambda _: [],
        }

    def decode(self, frame: Frame) -> list[Event]:
        """Return the events of a frame; none for an unknown type."""
        type_ = text(frame.get("type"))
        decode = self._decoders.get(type_)
        if decode is None:
            logger.info("ignored a frame of type %r", type_)
            return []
        return decode(frame)

    def _stream_event(self, frame: Frame) -> list[Event]:
        if frame.get("parent_tool_use_id"):
            return []  # a subagent's blocks are shown only when complete
        event = mapping(frame.get("event"))
        events = self._preview.apply(event)
        match text(event.get("type")):
            case "message_start":
                usage = mapping(mapping(event.get("message")).get("usage"))
                self._context = sum(integer(usage.get(key)) or 0 for key in CONTEXT_KEYS)
            case "message_delta" if self._context:
                output = integer(mapping(event.get("usage")).get("output_tokens")) or 0
                events.append(Usage(context_used=self._context + output, answered=output))
        return events

    def _assistant(self, frame: Frame) -> list[Event]:
        message = mapping(frame.get("message"))
        if self._is_seen(text(frame.get("uuid"))):
            return []
        if message.get("model") == SYNTHETIC:
            return self._synthetic(frame, message)
        id_ = text(message.get("id"))
        events: list[Event] = []
        for block in mappings(message.get("content")):
            number = self._last_block[1] + 1 if self._last_block[0] == id_ else 0
            self._last_block = (id_, number)
            events += self._block(frame, id_, block, number)
        return events

    def _is_seen(self, id_: str) -> bool:
        if id_ in self._seen:
            return True
        if id_:
            self._seen[id_] = None
            if len(self._seen) > MOST_SEEN:
                del self._seen[next(iter(self._seen))]
        return False

    def _synthetic(self, frame: Frame, message: Frame) -> list[Event]:
        """Return the CLI's own messages: errors, and the output of its commands."""
        reason, run = text(frame.get("error")), mapping(frame.get("local_command_run"))
        level = "error" if reason or frame.get("is_api_error_message") is True else "info"
        said = [
            Notice(text(block.get("text")), level, reason)
            for block in mappings(message.get("content"))
            if block.get("type") == "text" and block.get("text") not in NOTHING
        ]
        changed = [self.settings.follow(run, notice.text) for notice in said]
        return [*said, *(event for events in changed for event in events)]

    def _block(self, frame: Frame, message: str, block: Frame, number: int) -> list[Event]:
        parent = text(frame.get("parent_tool_use_id"))
        shown, was_shown = self._preview.confirm(message, block, number)
        match text(block.get("type")):
            case "text":
                return [Text(shown.id, text(block.get("text")), parent)]
            case "thinking" | "redacted_thinking":
                took = integer(frame.get("thinking_duration_ms"))
                return [Thinking(shown.id, text(block.get("thinking")), parent, took)]
            case type_ if type_ in TOOL_USES:
                name, arguments = text(block.get("name")), mapping(block.get("input"))
                tool = text(block.get("id"))
                self._tools[tool] = (name, arguments)
                whole = whole_input(tool, arguments, shown.size, parent)
                if title := self._todos.title(name, arguments):
                    whole = replace(whole, title=title)
                if was_shown:
                    return [whole]
                return [tool_started(tool, name, whole.title, parent), whole]
            case type_ if type_.endswith("_tool_result"):
                return [decode_result(frame, block)]
            case type_:
                logger.info("ignored a block of type %r", type_)
                return []

    def _user(self, frame: Frame) -> list[Event]:
        if frame.get("isReplay") is True:
            self.tasks.reported(frame)
            return self.stages.echoed(frame)
        if frame.get("isSynthetic") is True:
            return self._notices.feedback(frame)
        events: list[Event] = []
        for block in mappings(content_of(frame)):
            # The other blocks are our own prompts, or "[Request interrupted by user]".
            if block.get("type") == "tool_result":
                ended = decode_result(frame, block)
                ended = self.denials.complete(frame, ended, self.settings.mode)
                detail = frame.get("tool_use_result")
                events += decode_write(frame, block)
                events += [ended, *self._todos_after(ended, detail)]
                events += self.tasks.after_tool(ended.tool, detail, text(block.get("content")))
        return events

    def _todos_after(self, ended: ToolEnded, result: object) -> list[Event]:
        name, arguments = self._tools.pop(ended.tool, ("", {}))
        if ended.status is not ToolStatus.COMPLETED:
            return []
        todos = self._todos.apply(name, arguments, result)
        return [todos] if todos else []

    def _system(self, frame: Frame) -> list[Event]:
        found: list[Event] = []
        match frame.get("subtype"):
            case "api_retry":
                found += self._preview.void()
            case "init":
                self._root = text(frame.get("cwd"))
                found += self.stages.turn_begun()
                if self.settings.is_other_session(frame):
                    found += self._reset(frame)
                found += self._servers.apply(frame)
                found += self.flags.apply(frame)
                found += self.commands.init(frame)
                found += self.tasks.turn_begun(is_prompted=self.stages.has_started)
            case "commands_changed":
                return self.commands.change(frame)
            case "permission_denied":
                self.denials.announce(frame)
                return []
            case "task_started":
                self._agents[text(frame.get("task_id"))] = read(Subagent, frame, SUBAGENT_KEYS)
        said = self._notices.decode(frame)
        decoded = turn.decode_system(frame) if said is None else said
        return [*found, *self.settings.apply(frame), *self.tasks.apply(frame), *decoded]

    def _request(self, frame: Frame) -> list[Event]:
        id_ = text(mapping(frame.get("request")).get("agent_id"))
        agent = self._agents.get(id_, Subagent()) if id_ else None
        match permission.decode_request(frame, self._root):
            case [PermissionAsked() as asked]:
                return [replace(asked, agent=agent)]
            case [PlanProposed(plan="") as asked]:
                # Without a file, 2.1.330 has the plan only in the tool's use.
                _, arguments = self._tools.get(asked.tool, ("", {}))
                return [replace(asked, plan=text(arguments.get("plan")))]
            case others:
                return others

    def _result(self, frame: Frame) -> list[Event]:
        voided = self._preview.void()
        self._tools.clear()
        self.denials.turn_ended()
        self._notices.turn_ended()
        usage, ended = turn.usage(frame, self.settings.model), turn.turn_ended(frame)
        return [*voided, usage, ended, *self.stages.turn_ended()]

    def _reset(self, _frame: Frame) -> list[Event]:
        self._todos.clear()
        self._agents.clear()
        self.tasks.clear()
        self._context = 0
        self.settings.forget_session()
        return [Cleared()]


def _withdrawn(frame: Frame) -> list[Event]:
    return [RequestWithdrawn(text(frame.get("request_id")))]
