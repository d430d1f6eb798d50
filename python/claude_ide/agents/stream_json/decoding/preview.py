"""Decodes stream events to pieces of the answer, keyed by message and block.

The pieces are a preview: the CLI then sends each block as a whole, which is authoritative. A block
that is never confirmed in this way is void, and its preview must be deleted.
"""

from dataclasses import dataclass

from claude_ide.agents.events import (
    Event,
    PreviewVoided,
    TextDelta,
    ThinkingDelta,
    ToolInput,
)
from claude_ide.agents.fields import integer, mapping, text
from claude_ide.agents.stream_json.decoding.tools import tool_started
from claude_ide.agents.stream_json.wire.frames import Frame

TOOL_USES = ("tool_use", "server_tool_use", "mcp_tool_use")


@dataclass(slots=True)
class Block:
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

    def apply(self, event: Frame) -> list[Event]:
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

    def void(self) -> list[Event]:
        """Forget the message; its unconfirmed blocks are void."""
        void = [block for block in self._blocks.values() if not block.whole]
        self._blocks = {}
        if not void:
            return []
        tools = tuple(block.tool for block in void if block.tool)
        return [PreviewVoided(tuple(block.id for block in void), tools)]

    def _start(self, event: Frame) -> list[Event]:
        started = mapping(event.get("content_block"))
        index, type_ = integer(event.get("index")) or 0, text(started.get("type"))
        tool = text(started.get("id")) if type_ in TOOL_USES else ""
        self._blocks[index] = Block(f"{self._message}:{index}", type_, tool)
        if not tool:
            return []
        name = text(started.get("name"))
        return [tool_started(tool, name)]

    def _delta(self, event: Frame) -> list[Event]:
        block = self._blocks.get(integer(event.get("index")) or 0)
        delta = mapping(event.get("delta"))
        if block is None:
            return []
        match text(delta.get("type")):
            case "text_delta":
                return [TextDelta(block.id, text(delta.get("text")))]
            case "thinking_delta":
                return [ThinkingDelta(block.id, text(delta.get("thinking")))]
            case "input_json_delta" if block.tool:
                block.size += len(text(delta.get("partial_json")))
                return [ToolInput(block.tool, block.size)]
        return []
