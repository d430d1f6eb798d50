"""The settings of a session, which the user types or chooses from a list."""

import contextlib
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from claude_ide.agents.agent import Agent
from claude_ide.agents.events import (
    EffortChanged,
    Event,
    Mode,
    ModeChanged,
    Model,
    ModelChanged,
    Ready,
    Setting,
    SettingsChanged,
)
from claude_ide.chat import offering
from claude_ide.chat.naming import Words
from claude_ide.chat.offering import EFFORT, MODE, MODEL, THINKING, UNLIMITED, efforts
from claude_ide.chat.page import amounts
from claude_ide.editor.editor import Editor
from claude_ide.errors import AgentError, UserError


class Settings:
    """The settings of one agent; `offer` waits for the agent and returns what it offers.

    It raises `UserError` if the agent lacks the given feature.
    """

    def __init__(
        self, agent: Agent, editor: Editor, offer: Callable[[str], Awaitable[Ready]]
    ) -> None:
        self._agent = agent
        self._editor = editor
        self._offer = offer
        # A model is set before its effort, also when the choices are repeated.
        self._setters: dict[str, Callable[[Any], Awaitable[None]]] = {
            MODE: agent.set_mode,
            MODEL: agent.set_model,
            EFFORT: agent.set_effort,
            THINKING: agent.set_thinking_tokens,
        }
        self._chosen: dict[str, str | int | None] = {}
        self._chosen_own: dict[str, str] = {}
        """The user's choices for the agent's own settings, by the ids of these."""
        self._current: dict[str, str] = {}
        self._own: tuple[Setting, ...] = ()

    def apply(self, event: Event) -> None:
        """Apply an event of the agent."""
        match event:
            case ModeChanged(value):
                self._current[MODE] = value
            case ModelChanged(value):
                self._current[MODEL] = value
            case EffortChanged(value):
                self._current[EFFORT] = value
            case SettingsChanged(own):
                self._own = own

    async def repeat(self, mode: str) -> None:
        """Repeat the user's choices on a restarted agent; `mode` was its last mode."""
        for what, set_ in self._setters.items():
            # The agent is usable even if a mode or model no longer exists.
            with contextlib.suppress(AgentError):
                if what in self._chosen:
                    await set_(mode if what == MODE and mode else self._chosen[what])
        for setting, value in self._chosen_own.items():
            with contextlib.suppress(AgentError):
                await self._agent.set_setting(setting, value)

    async def _set(self, what: str, value: str | int | None) -> None:
        await self._setters[what](value)
        self._chosen[what] = value

    # All settings.

    async def configure(self, words: str) -> None:
        """Have the user change any setting; `words` are its name and perhaps the new value."""
        ready = await self._offer("config")
        offered = offering.settings(self._agent, ready, self._own)
        if not offered:
            raise UserError(f"{self._agent.name} has no settings to choose from")
        setting, value = await self._setting(offered, words)
        if setting is None:
            return
        port = {
            MODE: self.set_mode,
            MODEL: self.set_model,
            EFFORT: self.set_effort,
            THINKING: self.set_thinking,
        }
        # An agent's own setting can have an id of these if the agent lacks that capability.
        if setting in self._own:
            return await self._set_own(setting, value)
        await port[setting.id](value)

    async def _setting(
        self, offered: tuple[Setting, ...], words: str
    ) -> tuple[Setting | None, str]:
        """Return the setting with which `words` begin, and the rest; None if the user cancels."""
        by_id = {each.id: each for each in offered}
        if not words:
            shown = [self._described(each) for each in offered]
            id_ = await self._editor.choose("Setting:", list(by_id), shown)
            return by_id.get(id_), ""
        named = offering.names(offered)
        found, value = named.split(words)
        if found is None:
            raise UserError(f"no such setting: {words}; available: {named}")
        return by_id[found], value

    def _described(self, setting: Setting) -> str:
        """Return a setting and its current value in one line."""
        current = setting.current or self._current_of_port(setting)
        name = next((each.name for each in setting.values if each.id == current), current)
        return f"{setting.name}: {name}" if name else setting.name

    def _current_of_port(self, setting: Setting) -> str:
        if setting.id == THINKING:
            most = self._chosen.get(THINKING, "")
            return UNLIMITED if most is None else str(most)
        return self._current.get(setting.id, "")

    async def _set_own(self, setting: Setting, typed: str) -> None:
        words = offering.values(setting)
        value = words.find(typed) if typed else ""
        if value is None:
            raise UserError(f"{setting.name} cannot be {typed}; available: {words}")
        names = {each.id: each.name for each in setting.values}
        value = value or await self._choose(f"{setting.name}:", names, setting.current)
        if value:
            await self._agent.set_setting(setting.id, value)
            self._chosen_own[setting.id] = value
            self._editor.notify(f"{setting.name}: {names[value]}")

    # Single settings.

    async def cycle_mode(self, now: str) -> None:
        """Switch to the next permission mode."""
        offered = (await self._offer("cycle-mode")).modes
        self._some("permission modes", offered)
        modes = [mode.id for mode in offered if mode.in_cycle] or [mode.id for mode in offered]
        now = now or modes[0]
        at = modes.index(now) + 1 if now in modes else 0
        await self._set(MODE, modes[at % len(modes)])

    async def set_mode(self, mode: str) -> None:
        """Set the permission mode; the agent may know others than it offers."""
        modes = self._some("permission modes", (await self._offer(MODE)).modes)
        typed = Words(modes.items()).find(mode) or mode
        chosen = typed or await self._choose("Mode:", modes, self._current.get(MODE))
        if chosen:
            await self._set(MODE, chosen)

    async def set_model(self, model: str) -> None:
        """Set the model to one that the agent has listed."""
        offered = (await self._offer(MODEL)).models
        models = self._some("models", offered)
        chosen = _found(models, "model", model)
        chosen = chosen or await self._choose("Model:", models, self._current_model(offered))
        if chosen:
            await self._set(MODEL, chosen)

    async def set_effort(self, effort: str) -> None:
        """Set the reasoning effort."""
        named = efforts(await self._offer(EFFORT))
        if not named:
            raise UserError(f"{self._agent.name} offers no efforts with this model")
        chosen = _found(named, "effort", effort)
        chosen = chosen or await self._choose("Effort:", named, self._current.get(EFFORT))
        if chosen:
            await self._set(EFFORT, chosen)

    def _some(self, kind: str, offered: Iterable[Mode | Model]) -> dict[str, str]:
        """Return the names of modes or models by their ids; raises `UserError` if there is none."""
        names = {each.id: each.name or each.id for each in offered}
        if not names:
            raise UserError(f"{self._agent.name} has no {kind} to choose from")
        return names

    async def _choose(self, prompt: str, names: dict[str, str], current: str | None) -> str:
        """Have the user choose a value by its name; the current one is marked."""
        marked = [f"{name} (current)" if id_ == current else name for id_, name in names.items()]
        return await self._editor.choose(prompt, list(names), marked)

    def _current_model(self, offered: Iterable[Model]) -> str | None:
        """Return the id of the current model; two of them may stand for the same model."""
        now = self._current.get(MODEL)
        ids = [model.id for model in offered if now and now in (model.id, model.resolved)]
        chosen = self._chosen.get(MODEL)
        return chosen if chosen in ids and isinstance(chosen, str) else next(iter(ids), None)

    async def set_thinking(self, tokens: str) -> None:
        """Limit the tokens of thinking; 0 turns thinking off."""
        await self._offer(THINKING)
        given = tokens or await self._editor.input("Thinking tokens: ", UNLIMITED)
        if not given:
            return
        if given != UNLIMITED and not given.isdecimal():
            raise UserError(f"not a number of tokens or {UNLIMITED}: {given}")
        most = None if given == UNLIMITED else int(given)
        await self._set(THINKING, most)
        limit = UNLIMITED if most is None else f"at most {amounts.count(most, 'token')}"
        self._editor.notify(f"thinking: {limit} (some models ignore it)")

    async def rename(self, title: str, now: str) -> None:
        """Give the session a title, which the list of sessions shows."""
        await self._offer("rename")
        given = title or await self._editor.input("Title: ", now)
        if given:
            await self._agent.rename(given)


def _found(names: dict[str, str], kind: str, typed: str) -> str:
    """Return the id of what the user has typed, "" if that is nothing."""
    words = Words(names.items())
    found = words.find(typed) if typed else ""
    if found is None:
        raise UserError(f"no such {kind}: {typed}; available: {words}")
    return found
