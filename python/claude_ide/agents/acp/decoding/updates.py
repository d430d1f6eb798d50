"""Decodes `session/update` notifications. Unknown ones are ignored: the set grows."""

import logging
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from claude_ide.agents import events
from claude_ide.agents.acp.decoding.replay import is_context
from claude_ide.agents.acp.decoding.settings import Settings
from claude_ide.agents.acp.decoding.tools import Tools
from claude_ide.agents.fields import mapping, mappings, number, read, text

logger = logging.getLogger(__name__)

Update = dict[str, Any]
MODE_NOTICE = re.compile(r"\[MODE_UPDATE\] \w+")
"""Gemini's words about each change of its mode, for programs; the bar shows the mode."""

CURRENCY = "USD"
USAGE_KEYS = {"context_used": "used", "context_size": "size"}


class Decoder:
    """Decodes the updates of one session that runs in `folder`."""

    def __init__(self, folder: str) -> None:
        self.settings = Settings()
        self.tools = Tools(folder)
        self.commands: tuple[events.Command, ...] = ()
        self.session = ""
        self.is_replaying = False
        """Whether the agent repeats the conversation; otherwise it may echo our prompts."""
        self._blocks = 0
        self._open: tuple[str, str] | None = None
        """The kind and the message's id of the block to which the next piece may belong."""
        self._decoders: dict[str, Callable[[Update], Iterable[events.Event]]] = {
            "agent_message_chunk": self._message,
            "agent_thought_chunk": self._thought,
            "user_message_chunk": self._user,
            "tool_call": self._tool,
            "tool_call_update": self._tool,
            "plan": _plan,
            "available_commands_update": self._commands_changed,
            "current_mode_update": self._mode,
            "config_option_update": self.settings.update,
            "session_info_update": self._information,
            "usage_update": _usage,
            "state_update": lambda _: (),  # for `turn_ends`
        }

    def decode(self, update: Update) -> Iterator[events.Event]:
        """Yield the events of an update; none if it is unknown."""
        kind = text(update.get("sessionUpdate"))
        decode = self._decoders.get(kind)
        if decode is None:
            logger.info("ignored an update of type %r", kind)
        else:
            yield from decode(update)

    def turn_ended(self, status: events.ToolStatus) -> Iterator[events.Event]:
        """Begin with new blocks and tool calls; yield the ends of those that have not ended."""
        self._open = None
        yield from self.tools.turn_ended(status)

    def _message(self, update: Update) -> Iterator[events.Event]:
        if (words := _words(update)) and not MODE_NOTICE.fullmatch(words):
            yield events.TextDelta(self._block("text", update), words)

    def _thought(self, update: Update) -> Iterator[events.Event]:
        if words := _words(update):
            yield events.ThinkingDelta(self._block("thinking", update), words)

    def _user(self, update: Update) -> Iterator[events.Event]:
        is_typed = not is_context(mapping(update.get("content")))
        if self.is_replaying and is_typed and (words := _words(update)):
            yield events.UserMessage(words, self._block("user", update))

    def _block(self, kind: str, update: Update) -> str:
        message = text(update.get("messageId"))
        if self._open != (kind, message):
            self._open = (kind, message)
            self._blocks += 1
        return f"b{self._blocks}"

    def _tool(self, update: Update) -> Iterable[events.Event]:
        self._open = None
        return self.tools.update(update) if text(update.get("toolCallId")) else ()

    def _commands_changed(self, update: Update) -> Iterator[events.Event]:
        self.commands = tuple(
            read(events.Command, each, hint=text(mapping(each.get("input")).get("hint")))
            for each in mappings(update.get("availableCommands"))
        )
        yield events.CommandsChanged(self.commands)

    def _mode(self, update: Update) -> Iterator[events.Event]:
        return self.settings.mode_changed(text(update.get("currentModeId")))

    def _information(self, update: Update) -> Iterator[events.Event]:
        if title := text(update.get("title")):
            yield events.Session(self.session, title)


def _words(update: Update) -> str:
    """Return the text of a piece; other content is named."""
    content = mapping(update.get("content"))
    match content.get("type"):
        case "text":
            return text(content.get("text"))
        case "resource_link":
            return text(content.get("uri"))
        case "resource":
            return text(mapping(content.get("resource")).get("uri"))
        case None:
            return ""
        case other:
            return f"[{other}]"


def _plan(update: Update) -> Iterator[events.Event]:
    entries = enumerate(mappings(update.get("entries")), 1)
    todos = (read(events.Todo, each, {"text": "content"}, id=str(n)) for n, each in entries)
    yield events.TodoList(tuple(todos))


def _usage(update: Update) -> Iterator[events.Event]:
    cost = mapping(update.get("cost"))
    dollars = number(cost.get("amount")) if cost.get("currency") == CURRENCY else None
    yield read(events.Usage, update, USAGE_KEYS, cost=dollars, answered=None)
