"""The settings of a session: what the panel offers of them, and how the user changes them.

The user types a setting and its value as words, since an agent's ids can be any text: a word is the
id if that can be typed in a command, otherwise a short form of the name.
"""

import contextlib
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from claude_ide.agents import events
from claude_ide.agents.events import Event, OfferChanged, Ready, Setting, SettingValue, SlashCommand
from claude_ide.base.errors import AgentError, UserError
from claude_ide.chat.chat_context import ChatContext, ChatPart, subcommand
from claude_ide.chat.life import Life
from claude_ide.chat.prompt_buffers import command_item
from claude_ide.editor.port import panel
from claude_ide.editor.port.binding import handles
from claude_ide.ui.text import counted

UNLIMITED = "unlimited"
MODE, MODEL, EFFORT, THINKING = "mode", "model", "effort", "thinking"
NOTHING = {
    MODE: "has no permission modes to choose from",
    MODEL: "has no models to choose from",
    EFFORT: "offers no efforts with this model",
}
TYPEABLE = re.compile(r"(?!-)[\w.:@/+=~()\[\]-]{1,40}")


class SettingWords:
    """The words for things with an id and a name, such as the values of a setting."""

    def __init__(self, named: Iterable[tuple[str, str]]) -> None:
        self._names = dict(named)
        self.ids: dict[str, str] = {}
        """The ids by their words."""
        for id_, name in self._names.items():
            self.ids[self._free(_word(id_, name))] = id_

    def __iter__(self) -> Iterator[str]:
        """Iterate over the words."""
        return iter(self.ids)

    def __str__(self) -> str:
        """Return the words for a message."""
        return ", ".join(self.ids)

    def find(self, typed: str) -> str | None:
        """Return the id of what the user has typed: a word, an id or a name; None if unknown."""
        if typed in self._names:
            return typed
        folded = typed.casefold()
        words = ((word, id_) for word, id_ in self.ids.items())
        names = ((name, id_) for id_, name in self._names.items())
        return next((id_ for each, id_ in (*words, *names) if each.casefold() == folded), None)

    def split(self, typed: str) -> tuple[str | None, str]:
        """Return the id with which a line begins, and the rest; a name may contain blanks."""
        ends = [found.start() for found in re.finditer(r"\s+|$", typed)]
        for end in reversed(ends):
            if (id_ := self.find(typed[:end])) is not None:
                return id_, typed[end:].strip()
        return None, ""

    def _free(self, word: str) -> str:
        """Return a word that no other id has."""
        number, free = 1, word
        while free in self.ids:
            number += 1
            free = f"{word}-{number}"
        return free


def _word(id_: str, name: str) -> str:
    if TYPEABLE.fullmatch(id_) and "://" not in id_:
        return id_
    return _short(name) or _short(id_) or "unnamed"


def _short(text: str) -> str:
    return re.sub(r"[^\w.]+", "-", text).strip("-").lower()


def efforts(ready: Ready | OfferChanged) -> dict[str, str]:
    """Return the names of the reasoning efforts of all models, by their ids."""
    of_models = {effort: effort for model in ready.models for effort in model.efforts}
    return of_models | {each.id: each.name for each in ready.efforts}


class Settings(ChatPart):
    """The settings of one agent: those of the port, and others that only this agent has."""

    def __init__(self, chat: ChatContext, life: Life) -> None:
        super().__init__(chat)
        self._life = life
        # A model is set before its effort, also when the choices are repeated.
        self._setters: dict[str, Callable[[Any], Awaitable[None]]] = {
            MODE: self._agent.set_mode,
            MODEL: self._agent.set_model,
            EFFORT: self._agent.set_effort,
            THINKING: self._agent.set_thinking_tokens,
        }
        self._chosen: dict[str, str | int | None] = {}
        self._chosen_own: dict[str, str] = {}
        """The user's choices for the agent's own settings, by the ids of these."""
        self._current: dict[str, str] = {}
        self.offered = Ready()
        """The models, modes and efforts to choose from."""
        self._commands: tuple[SlashCommand, ...] = ()
        self._own: tuple[Setting, ...] = ()
        self._basis: object = None
        self._sent: dict[str, Any] = {}

    def apply(self, event: Event) -> None:
        match event:
            case Ready(commands=commands):
                self.offered, self._commands = event, commands
            case OfferChanged(models, modes, of_all):
                self.offered = replace(self.offered, models=models, modes=modes, efforts=of_all)
            case events.CommandsChanged(commands):
                self._commands = commands
            case events.ModeChanged(value):
                self._current[MODE] = value
            case events.ModelChanged(value):
                self._current[MODEL] = value
            case events.EffortChanged(value):
                self._current[EFFORT] = value
            case events.SettingsChanged(own):
                self._own = own
        self.refresh()

    @property
    def mode(self) -> str:
        """The id of the permission mode."""
        return self._current.get(MODE, "")

    async def begin(self, ready: Ready) -> None:
        self.offered = ready
        mode = self.mode
        for what, set_ in self._setters.items():
            # The agent is usable even if a mode or model no longer exists.
            with contextlib.suppress(AgentError):
                if what in self._chosen:
                    await set_(mode if what == MODE and mode else self._chosen[what])
        for setting, value in self._chosen_own.items():
            with contextlib.suppress(AgentError):
                await self._agent.set_setting(setting, value)

    # What the panel offers and completes.

    def refresh(self) -> None:
        """Send the offer if it has changed, for example after the agent has rejected a request.

        It is called with each piece of an answer, so it composes nothing while nothing has changed.
        """
        basis = (self._agent.capabilities, self.offered, self._commands, self._own)
        if basis == self._basis:
            return
        self._basis = basis
        offer = {
            "name": self._agent.name,
            "lacks": self._chat.lacks,
            "commands": [
                command_item(each.name, each.description, each.hint) for each in self._commands
            ],
            "choices": self._choices(),
        }
        if offer != self._sent:
            self._sent = offer
            self._chat.run(self._panel.update({"offer": offer}))

    def _choices(self) -> dict[str, list[str]]:
        """Return the words that complete a subcommand, or `config` with the name of a setting."""
        offered = self._all()
        words = {each.id: [*_words(each.values)] or ["0", UNLIMITED] for each in offered}
        named = _words(offered)
        of_config = {f"config {word}": words[id_] for word, id_ in named.ids.items()}
        of_port = {id_: words.get(id_, []) for id_ in (MODE, MODEL, EFFORT, THINKING)}
        return {"config": list(named), "remote": ["off"], **of_config, **of_port}

    def _all(self) -> tuple[Setting, ...]:
        """Return all settings. A setting without values is typed."""
        lacks = self._chat.lacks
        found = [
            Setting(each, each.capitalize(), self._current_of_port(each), values)
            for each in (MODE, MODEL, EFFORT)
            if (values := tuple(SettingValue(*named) for named in self._names(each).items()))
        ]
        found.append(Setting(THINKING, "Thinking tokens", self._current_of_port(THINKING), ()))
        offered = [each for each in found if each.id not in lacks]
        taken = {each.id for each in offered}
        own = self._own if self._chat.has("settings") else ()
        return (*offered, *(each for each in own if each.id not in taken))

    def _names(self, what: str) -> dict[str, str]:
        """Return the names of the values of one of the port's settings, by their ids."""
        if what == EFFORT:
            return efforts(self.offered)
        offered = self.offered.modes if what == MODE else self.offered.models
        return {each.id: each.name or each.id for each in offered}

    def _current_of_port(self, what: str) -> str:
        now = self._current.get(what, "")
        if what == THINKING:
            most = self._chosen.get(THINKING, "")
            return UNLIMITED if most is None else str(most)
        if what != MODEL:
            return now
        # Two models of the offer may stand for the same one.
        same = [each.id for each in self.offered.models if now and now in (each.id, each.resolved)]
        chosen = self._chosen.get(MODEL)
        return str(chosen) if chosen in same else next(iter(same), now)

    # The user's changes.

    async def _set(self, what: str, value: str | int | None) -> None:
        await self._setters[what](value)
        self._chosen[what] = value

    @subcommand("config")
    async def configure(self, words: str) -> None:
        """Have the user change any setting; `words` are its name and perhaps the new value."""
        await self._life.started("config")
        offered = self._all()
        if not offered:
            raise UserError(f"{self._agent.name} has no settings to choose from")
        setting, value = await self._setting(offered, words)
        # An agent's own setting can have an id of the port's if the agent lacks that capability.
        if setting in self._own:
            await self._set_own(setting, value)
        elif setting is not None and setting.id == THINKING:
            await self.set_thinking(value)
        elif setting is not None:
            await self._set_of_port(setting.id, value)

    async def _setting(
        self, offered: tuple[Setting, ...], words: str
    ) -> tuple[Setting | None, str]:
        """Return the setting with which `words` begin, and the rest; None if the user cancels."""
        by_id = {each.id: each for each in offered}
        if not words:
            id_ = await self._editor.choose("Setting:", list(by_id), [*map(_described, offered)])
            return by_id.get(id_), ""
        named = _words(offered)
        found, value = named.split(words)
        if found is None:
            raise UserError(f"no such setting: {words}; available: {named}")
        return by_id[found], value

    async def _set_own(self, setting: Setting, typed: str) -> None:
        words = _words(setting.values)
        value = words.find(typed) if typed else ""
        if value is None:
            raise UserError(f"{setting.name} cannot be {typed}; available: {words}")
        names = {each.id: each.name for each in setting.values}
        value = value or await self._choose(setting.name, names, setting.current)
        if value:
            now = await self._agent.set_setting(setting.id, value)
            self._chosen_own[setting.id] = now
            is_kept = "" if now == value else f" ({self._agent.name} does not take {names[value]})"
            self._editor.notify(f"{setting.name}: {names.get(now, now)}{is_kept}")

    async def _set_of_port(self, what: str, typed: str) -> None:
        """Set the mode, the model or the effort; the user chooses one if none is typed."""
        await self._life.started(what)
        names = self._names(what)
        if not names:
            raise UserError(f"{self._agent.name} {NOTHING[what]}")
        words = SettingWords(names.items())
        # The agent may know other modes than it offers.
        chosen = words.find(typed) or (typed if what == MODE else "")
        if typed and not chosen:
            raise UserError(f"no such {what}: {typed}; available: {words}")
        current = self._current_of_port(what)
        if chosen := chosen or await self._choose(what.capitalize(), names, current):
            await self._set(what, chosen)

    async def _choose(self, name: str, names: dict[str, str], current: str) -> str:
        """Have the user choose a value by its name; the current one is marked."""
        marked = [f"{each} (current)" if id_ == current else each for id_, each in names.items()]
        return await self._editor.choose(f"{name}:", list(names), marked)

    @handles(panel.ModeCycled)
    async def cycle_mode(self, _: panel.ModeCycled) -> None:
        """Switch to the next permission mode."""
        await self._life.started("cycle-mode")
        offered = self.offered.modes
        if not offered:
            raise UserError(f"{self._agent.name} {NOTHING[MODE]}")
        modes = [mode.id for mode in offered if mode.in_cycle] or [mode.id for mode in offered]
        now = self.mode or modes[0]
        at = modes.index(now) + 1 if now in modes else 0
        await self._set(MODE, modes[at % len(modes)])

    @subcommand("mode")
    async def set_mode(self, mode: str) -> None:
        """Set the permission mode."""
        await self._set_of_port(MODE, mode)

    @subcommand("model")
    async def set_model(self, model: str) -> None:
        """Set the model to one that the agent has listed."""
        await self._set_of_port(MODEL, model)

    @subcommand("effort")
    async def set_effort(self, effort: str) -> None:
        """Set the reasoning effort."""
        await self._set_of_port(EFFORT, effort)

    @subcommand("thinking")
    async def set_thinking(self, tokens: str) -> None:
        """Limit the tokens of thinking; 0 turns thinking off."""
        await self._life.started(THINKING)
        given = tokens or await self._editor.input("Thinking tokens: ", UNLIMITED)
        if not given:
            return
        if given != UNLIMITED and not given.isdecimal():
            raise UserError(f"not a number of tokens or {UNLIMITED}: {given}")
        most = None if given == UNLIMITED else int(given)
        await self._set(THINKING, most)
        limit = UNLIMITED if most is None else f"at most {counted(most, 'token')}"
        self._editor.notify(f"thinking: {limit} (some models ignore it)")

    @subcommand("rename")
    async def rename(self, title: str) -> None:
        """Give the session a title, which the list of sessions shows."""
        await self._life.started("rename")
        if given := title or await self._editor.input("Title: ", self._chat.title):
            await self._agent.rename(given)


def _words(named: Iterable[Setting | SettingValue]) -> SettingWords:
    """Return the words for settings, or for the values of one."""
    return SettingWords((each.id, each.name) for each in named)


def _described(setting: Setting) -> str:
    """Return a setting and its current value in one line."""
    names = (each.name for each in setting.values if each.id == setting.current)
    name = next(names, setting.current)
    return f"{setting.name}: {name}" if name else setting.name
