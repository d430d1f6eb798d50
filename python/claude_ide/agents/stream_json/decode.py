"""Decodes the CLI's frames to events, without I/O. Unknown frames are ignored and logged.

Source: doc/stream-json.md. `connection.py` handles the answers to our control requests, and
the CLI's requests to the editor.
"""

import logging
from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from claude_ide.agents import events
from claude_ide.agents.fields import integer, mapping, mappings, read, text
from claude_ide.agents.requests import PermissionAsked, PlanProposed, RequestWithdrawn, Subagent
from claude_ide.agents.stream_json import permission, turn
from claude_ide.agents.stream_json.notices import Denials, Notices
from claude_ide.agents.stream_json.protocol import Frame, content_of
from claude_ide.agents.stream_json.settings import CliSettings, Commands, Flags, ServerReports
from claude_ide.agents.stream_json.tools import (
    CurrentTodos,
    Tasks,
    decode_result,
    decode_write,
    tool_started,
    whole_input,
)
from claude_ide.agents.stream_json.turn import Stages

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


TOOL_USES = ("tool_use", "server_tool_use", "mcp_tool_use")


class Block(Struct):
    """One block of the message that is being streamed."""

    id: str
    type: str
    tool: str = ""
    size: int = 0
    whole: bool = False


class Preview:
    """The blocks of the message that is being streamed."""

    def __init__(self) -> None:
        self._message = ""
        self._blocks: dict[int, Block] = {}
        self._finished = False

    def apply(self, event: Frame) -> list[events.Event]:
        """Decode a stream event of the main conversation."""
        match text(event.get("type")):
            case "content_block_delta":
                return self._delta(event)
            case "content_block_start":
                return self._start(event)
            case "message_start":
                voided = self.void()
                self._message = text(mapping(event.get("message")).get("id"))
                self._finished = False
                return voided
            case "message_delta":
                self._finished = True
            case "message_stop" if not self._finished:
                # The stream has broken off; the CLI will repeat the message under another id.
                return self.void()
        return []

    def confirm(self, message: str, block: Frame, number: int) -> tuple[Block, bool]:
        """Return the block that has arrived as a whole, and whether a preview of it is shown.

        `number` is its index among the blocks of this message that have arrived as a whole.
        """
        type_, tool = text(block.get("type")), text(block.get("id"))
        if message == self._message:
            for shown in self._blocks.values():
                if not shown.whole and shown.type == type_ and shown.tool == tool:
                    shown.whole = True
                    return shown, True
        return Block(f"{message}/{number}", type_, tool, whole=True), False

    def void(self) -> list[events.Event]:
        """Forget the message; its unconfirmed blocks are void."""
        void = [block for block in self._blocks.values() if not block.whole]
        self._blocks = {}
        if not void:
            return []
        tools = tuple(block.tool for block in void if block.tool)
        return [events.PreviewVoided(tuple(block.id for block in void), tools)]

    def _start(self, event: Frame) -> list[events.Event]:
        started = mapping(event.get("content_block"))
        index, type_ = integer(event.get("index")) or 0, text(started.get("type"))
        tool = text(started.get("id")) if type_ in TOOL_USES else ""
        self._blocks[index] = Block(f"{self._message}:{index}", type_, tool)
        if not tool:
            return []
        name = text(started.get("name"))
        return [tool_started(tool, name)]

    def _delta(self, event: Frame) -> list[events.Event]:
        block = self._blocks.get(integer(event.get("index")) or 0)
        delta = mapping(event.get("delta"))
        if block is None:
            return []
        match text(delta.get("type")):
            case "text_delta":
                return [events.TextDelta(block.id, text(delta.get("text")))]
            case "thinking_delta":
                return [events.ThinkingDelta(block.id, text(delta.get("thinking")))]
            case "input_json_delta" if block.tool:
                block.size += len(text(delta.get("partial_json")))
                return [events.ToolInput(block.tool, block.size)]
        return []


class FrameDecoder:
    """Decodes one session's frames, in their order."""

    def __init__(self) -> None:
        self.settings = CliSettings()
        self.flags = Flags()
        self.stages = Stages()
        self.denials = Denials()
        self.commands = Commands()
        self.tasks = Tasks()
        self._notices = Notices()
        self._servers = ServerReports()
        self._preview = Preview()
        self._todos = CurrentTodos()
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
        self._decoders: Mapping[str, Callable[[Frame], list[events.Event]]] = {
            "stream_event": self._stream_event,
            "assistant": self._assistant,
            "user": self._user,
            "system": self._system,
            "result": self._result,
            "command_lifecycle": self.stages.reported,
            "conversation_reset": self._reset,
            "rate_limit_event": lambda frame: [events.LimitsTold(turn.limits_of_event(frame))],
            "prompt_suggestion": lambda frame: [
                events.PromptSuggested(text(frame.get("suggestion")))
            ],
            "control_request": self._request,
            "control_cancel_request": _withdrawn,
            "control_response": lambda _: [],
            "keep_alive": lambda _: [],
        }

    def decode(self, frame: Frame) -> list[events.Event]:
        """Return the events of a frame; none for an unknown type."""
        type_ = text(frame.get("type"))
        decode = self._decoders.get(type_)
        if decode is None:
            logger.info("ignored a frame of type %r", type_)
            return []
        return decode(frame)

    def _stream_event(self, frame: Frame) -> list[events.Event]:
        if frame.get("parent_tool_use_id"):
            return []  # a subagent's blocks are shown only when complete
        event = mapping(frame.get("event"))
        found = self._preview.apply(event)
        match text(event.get("type")):
            case "message_start":
                usage = mapping(mapping(event.get("message")).get("usage"))
                self._context = sum(integer(usage.get(key)) or 0 for key in CONTEXT_KEYS)
            case "message_delta" if self._context:
                output = integer(mapping(event.get("usage")).get("output_tokens")) or 0
                found.append(events.Usage(context_used=self._context + output, answered=output))
        return found

    def _assistant(self, frame: Frame) -> list[events.Event]:
        message = mapping(frame.get("message"))
        if self._is_seen(text(frame.get("uuid"))):
            return []
        if message.get("model") == SYNTHETIC:
            return self._synthetic(frame, message)
        id_ = text(message.get("id"))
        found: list[events.Event] = []
        for block in mappings(message.get("content")):
            number = self._last_block[1] + 1 if self._last_block[0] == id_ else 0
            self._last_block = (id_, number)
            found += self._block(frame, id_, block, number)
        return found

    def _is_seen(self, id_: str) -> bool:
        if id_ in self._seen:
            return True
        if id_:
            self._seen[id_] = None
            if len(self._seen) > MOST_SEEN:
                del self._seen[next(iter(self._seen))]
        return False

    def _synthetic(self, frame: Frame, message: Frame) -> list[events.Event]:
        """Return the CLI's own messages: errors, and the output of its commands."""
        reason, run = text(frame.get("error")), mapping(frame.get("local_command_run"))
        level = "error" if reason or frame.get("is_api_error_message") is True else "info"
        said = [
            events.Notice(text(block.get("text")), level, reason)
            for block in mappings(message.get("content"))
            if block.get("type") == "text" and block.get("text") not in NOTHING
        ]
        changed = [self.settings.follow(run, notice.text) for notice in said]
        return [*said, *(event for found in changed for event in found)]

    def _block(self, frame: Frame, message: str, block: Frame, number: int) -> list[events.Event]:
        parent = text(frame.get("parent_tool_use_id"))
        shown, was_shown = self._preview.confirm(message, block, number)
        match text(block.get("type")):
            case "text":
                return [events.Text(shown.id, text(block.get("text")), parent)]
            case "thinking" | "redacted_thinking":
                took = integer(frame.get("thinking_duration_ms"))
                return [events.Thinking(shown.id, text(block.get("thinking")), parent, took)]
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

    def _user(self, frame: Frame) -> list[events.Event]:
        if frame.get("isReplay") is True:
            self.tasks.reported(frame)
            return self.stages.echoed(frame)
        if frame.get("isSynthetic") is True:
            return self._notices.feedback(frame)
        found: list[events.Event] = []
        for block in mappings(content_of(frame)):
            # The other blocks are our own prompts, or "[Request interrupted by user]".
            if block.get("type") == "tool_result":
                ended = decode_result(frame, block)
                ended = self.denials.complete(frame, ended, self.settings.mode)
                detail = frame.get("tool_use_result")
                found += decode_write(frame, block)
                found += [ended, *self._todos_after(ended, detail)]
                found += self.tasks.after_tool(ended.tool, detail, text(block.get("content")))
        return found

    def _todos_after(self, ended: events.ToolEnded, result: object) -> list[events.Event]:
        name, arguments = self._tools.pop(ended.tool, ("", {}))
        if ended.status is not events.ToolStatus.COMPLETED:
            return []
        todos = self._todos.apply(name, arguments, result)
        return [todos] if todos else []

    def _system(self, frame: Frame) -> list[events.Event]:
        found: list[events.Event] = []
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

    def _request(self, frame: Frame) -> list[events.Event]:
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

    def _result(self, frame: Frame) -> list[events.Event]:
        voided = self._preview.void()
        self._tools.clear()
        self.denials.turn_ended()
        self._notices.turn_ended()
        usage, ended = turn.usage(frame, self.settings.model), turn.turn_ended(frame)
        return [*voided, usage, ended, *self.stages.turn_ended()]

    def _reset(self, _frame: Frame) -> list[events.Event]:
        self._todos.clear()
        self._agents.clear()
        self.tasks.clear()
        self._context = 0
        self.settings.forget_session()
        return [events.Cleared()]


def _withdrawn(frame: Frame) -> list[events.Event]:
    return [RequestWithdrawn(text(frame.get("request_id")))]
