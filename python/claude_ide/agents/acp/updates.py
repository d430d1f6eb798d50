"""Decodes `session/update` notifications. Unknown ones are ignored: the set grows."""

import asyncio
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from claude_ide.agents import events
from claude_ide.agents.acp.tools import ToolCalls
from claude_ide.agents.fields import mapping, mappings, number, read, text
from claude_ide.base.errors import AgentError

logger = logging.getLogger(__name__)

Update = dict[str, Any]
MODE_NOTICE = re.compile(r"\[MODE_UPDATE\] \w+")
"""Gemini's words about each change of its mode, for programs; the bar shows the mode."""

CURRENCY = "USD"
USAGE_KEYS = {"context_used": "used", "context_size": "size"}


class UpdateDecoder:
    """Decodes the updates of one session that runs in `folder`."""

    def __init__(self, folder: str) -> None:
        self.settings = SessionSettings()
        self.tools = ToolCalls(folder)
        self.commands: tuple[events.SlashCommand, ...] = ()
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
            "state_update": lambda _: (),  # for `TurnEnds`
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
            read(events.SlashCommand, each, hint=text(mapping(each.get("input")).get("hint")))
            for each in mappings(update.get("availableCommands"))
        )
        yield events.CommandsChanged(self.commands)

    def _mode(self, update: Update) -> Iterator[events.Event]:
        return self.settings.mode_changed(text(update.get("currentModeId")))

    def _information(self, update: Update) -> Iterator[events.Event]:
        if title := text(update.get("title")):
            yield events.SessionChanged(self.session, title)


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


MODE, MODEL, EFFORT = "mode", "model", "thought_level"
"""The categories of the settings that the panel knows."""

SetRequest = tuple[str, dict[str, Any]]
"""The request that changes a setting: its method, and its params without the session."""

OLDER = {MODE: ("session/set_mode", "modeId"), MODEL: ("session/set_model", "modelId")}
"""The request, and its param, for an agent without options."""

ON, OFF = "on", "off"
"""The values of a boolean option."""


class SessionSettings:
    """The modes, models and other settings of one session, in the three forms that agents use.

    `configOptions` is the newer form; it has an option for each setting, with a category. Older
    agents list `modes` and `models`. Some send both, of which the newer one counts.
    """

    def __init__(self) -> None:
        self.modes: tuple[events.Mode, ...] = ()
        self.models: tuple[events.Model, ...] = ()
        self._mode = ""
        self._model = ""
        self._options: dict[str, events.Setting] = {}
        self._booleans: set[str] = set()

    @property
    def efforts(self) -> tuple[events.SettingValue, ...]:
        """The reasoning efforts to choose from, whatever the model."""
        effort = self._of(EFFORT)
        return effort.values if effort else ()

    @property
    def free(self) -> tuple[events.Setting, ...]:
        """The settings that are neither the mode nor the model nor the effort."""
        known = [self._of(category) for category in (MODE, MODEL, EFFORT)]
        return tuple(option for option in self._options.values() if option not in known)

    def load(self, result: dict[str, Any]) -> None:
        """Read the answer to `session/new`, `load` or `resume`."""
        modes, models = mapping(result.get("modes")), mapping(result.get("models"))
        self._mode = text(modes.get("currentModeId"))
        self._model = text(models.get("currentModelId"))
        self.modes = tuple(
            read(events.Mode, each) for each in mappings(modes.get("availableModes"))
        )
        self.models = tuple(
            read(events.Model, each, {"id": "modelId"})
            for each in mappings(models.get("availableModels"))
        )
        self._options, self._booleans = {}, set()
        self._load_options(result)

    def current(self) -> Iterator[events.Event]:
        """Yield the present values."""
        if self._mode:
            yield events.ModeChanged(self._mode)
        if self._model:
            yield events.ModelChanged(self._model, self._name_of_model())
        if effort := self._of(EFFORT):
            yield events.EffortChanged(effort.current)
        if self.free:
            yield events.SettingsChanged(self.free)

    def update(self, changed: dict[str, Any]) -> Iterator[events.Event]:
        """Read a `config_option_update`, or the answer to a request; yield the present values."""
        before = self.models, self.modes, self.efforts
        if "configOptions" in changed:
            self._options = {}
            self._load_options(changed)
        if (self.models, self.modes, self.efforts) != before:
            yield events.OfferChanged(self.models, self.modes, self.efforts)
        yield from self.current()

    def mode_changed(self, mode: str) -> Iterator[events.Event]:
        """Note the mode that the agent has reported."""
        self._mode = mode
        if option := self._of(MODE):
            self._options[option.id] = replace(option, current=mode)
        yield events.ModeChanged(mode)

    def model_changed(self, model: str) -> Iterator[events.Event]:
        """Note the model that the agent has accepted."""
        self._model = model
        yield events.ModelChanged(model, self._name_of_model())

    def check_mode(self, mode: str, agent: str) -> None:
        """Raise `AgentError`, which lists the modes, if there is no such mode."""
        offered = [each.id for each in self.modes]
        if offered and mode not in offered:
            raise AgentError(f"{agent} has no mode {mode}; available: {', '.join(offered)}")

    def set_known(self, category: str, value: str) -> SetRequest | None:
        """Return the request that sets the mode, model or effort; None if there is none to set."""
        method, key = OLDER.get(category, ("", ""))
        older = (method, {key: value}) if method else None
        return self._set(self._of(category), value) or older

    def set_option(self, id_: str, value: str) -> SetRequest | None:
        """Return the request that sets one of the agent's settings; None if it is unknown."""
        return self._set(self._options.get(id_), value)

    def current_of(self, id_: str) -> str:
        """Return the id of the present value of one of the agent's settings, or ""."""
        option = self._options.get(id_)
        return option.current if option else ""

    def _set(self, option: events.Setting | None, value: str) -> SetRequest | None:
        if option is None:
            return None
        params: dict[str, Any] = {"configId": option.id, "value": value}
        if option.id in self._booleans:
            params |= {"type": "boolean", "value": value == ON}
        return "session/set_config_option", params

    def _load_options(self, result: dict[str, Any]) -> None:
        for option in mappings(result.get("configOptions")):
            setting = _setting(option)
            if setting.id and setting.values:
                self._options[setting.id] = setting
            if option.get("type") == "boolean":
                self._booleans.add(setting.id)
        if mode := self._of(MODE):
            self._mode = mode.current
            self.modes = tuple(events.Mode(value.id, value.name) for value in mode.values)
        if model := self._of(MODEL):
            self._model = model.current
            self.models = tuple(
                events.Model(value.id, value.name, value.description) for value in model.values
            )

    def _of(self, category: str) -> events.Setting | None:
        """Return the setting of a category; of several, the one that has its name."""
        found = [each for each in self._options.values() if each.category == category]
        return next((each for each in found if each.id == category), next(iter(found), None))

    def _name_of_model(self) -> str:
        return next((model.name for model in self.models if model.id == self._model), "")


def _setting(option: dict[str, Any]) -> events.Setting:
    current, id_ = option.get("currentValue"), text(option.get("id"))
    values = tuple(_values(option))
    if isinstance(current, bool):
        current = ON if current else OFF
        values = (events.SettingValue(ON, "on"), events.SettingValue(OFF, "off"))
    return read(
        events.Setting,
        option,
        name=text(option.get("name")) or id_,
        current=text(current),
        values=values,
        # Agents need not give a category; the ids of those that do are the same words.
        category=text(option.get("category")) or id_,
    )


def _values(option: dict[str, Any]) -> Iterator[events.SettingValue]:
    """Yield the values of an option, which may be in groups."""
    for each in mappings(option.get("options")):
        if "options" in each:
            yield from _values(each)
        elif id_ := text(each.get("value")):
            yield read(events.SettingValue, each, id=id_, name=text(each.get("name")) or id_)


OF_TALK = (
    *(events.UserMessage, events.TextDelta, events.ThinkingDelta, events.TodoList),
    *(
        events.ToolStarted,
        events.ToolInput,
        events.ToolOutput,
        events.ToolEnded,
        events.FileWritten,
    ),
)
"""The events that belong to the conversation."""

_Piece = tuple[type[events.Text | events.Thinking | events.UserMessage], str, str]
"""A kind of message, the id of the message, and its words."""

LATE_SECONDS = 0.5
"""How long an agent may take to repeat a conversation after its answer."""

PAUSE_SECONDS = 0.05
"""An agent that is silent for this long has repeated all of it."""


async def settled(repeated: Sequence[events.Event]) -> None:
    """Wait for the rest of a conversation: some agents repeat it only after they have answered.

    `repeated` is the list to which it is added.
    """
    loop = asyncio.get_running_loop()
    end, known = loop.time() + LATE_SECONDS, -1
    while loop.time() < end and (
        known < len(repeated) or not any(isinstance(event, OF_TALK) for event in repeated)
    ):
        known = len(repeated)
        await asyncio.sleep(PAUSE_SECONDS)


def present(repeated: Iterable[events.Event]) -> Iterator[events.Event]:
    """Yield the events that describe the session as it is now."""
    return (event for event in repeated if not isinstance(event, OF_TALK))


def history(name: str, repeated: Iterable[events.Event]) -> list[events.Event]:
    """Return a repeated conversation, or a notice that the agent with this name repeats none."""
    silent = events.Notice(f"{name} does not repeat the conversation, but continues it", "notice")
    return [*conversation(repeated)] or [silent]


def conversation(repeated: Iterable[events.Event]) -> Iterator[events.Event]:
    """Yield a repeated conversation with whole texts in place of their pieces."""
    whole: _Piece | None = None
    for event in (each for each in repeated if isinstance(each, OF_TALK)):
        piece: _Piece | None = None
        match event:
            case events.TextDelta(block, words):
                piece = events.Text, block, words
            case events.ThinkingDelta(block, words):
                piece = events.Thinking, block, words
            case events.UserMessage(words, prompt):
                piece = events.UserMessage, prompt, words
        if piece is not None and whole is not None and piece[:2] == whole[:2]:
            whole = (*piece[:2], whole[2] + piece[2])
            continue
        yield from _shown(whole)
        whole = piece
        if piece is None and not isinstance(event, events.FileWritten):
            yield event
    yield from _shown(whole)


def _shown(whole: _Piece | None) -> Iterator[events.Event]:
    match whole:
        case (kind, prompt, words) if kind is events.UserMessage:
            if own := typed(words):
                yield events.UserMessage(own, prompt)
        case (kind, block, words):
            yield kind(block, words)


ASSISTANT = "assistant"
"""The audience of texts that are not for the user."""

_MARKED = re.compile(r'\s*<context ref="[^"\n]*">\n.*?\n</context>', re.DOTALL)
_FILE = re.compile(r"\[/[^\]\n]+\]\n")
"""opencode repeats an embedded file in a text of its own, with the path at its beginning."""

_BY_THE_AGENT = re.compile(r"\s*<session_context>\n.*?\n</session_context>", re.DOTALL)
"""Gemini's own first message, which it repeats as if the user had sent it."""

_LINK = re.compile(r"\[@[^\]\n]*\]\(file://[^)\n]*\)")


def is_context(content: dict[str, Any]) -> bool:
    """Return whether a part of a prompt was not typed: a link, a file, a text for the model."""
    audience = mapping(content.get("annotations")).get("audience")
    is_file = _FILE.match(text(content.get("text"))) is not None
    return (
        is_file or content.get("type") in ("resource_link", "resource") or audience == [ASSISTANT]
    )


def marked(source: str, words: str) -> str:
    """Return a text that the prompt takes along; `source` says where it is from."""
    return f'<context ref="{source}">\n{words}\n</context>'


def typed(words: str) -> str:
    """Return what the user has typed of a prompt that an agent repeats."""
    return _LINK.sub("", _MARKED.sub("", _BY_THE_AGENT.sub("", words))).strip()
