"""The features and choices that the panel offers and completes."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from claude_ide.agents.agent import Agent, Capabilities
from claude_ide.agents.events import (
    Command,
    CommandsChanged,
    Event,
    OfferChanged,
    Ready,
    Setting,
    SettingsChanged,
    SettingValue,
)
from claude_ide.chat import abilities
from claude_ide.chat.naming import Words

UNLIMITED = "unlimited"
MODE, MODEL, EFFORT, THINKING = "mode", "model", "effort", "thinking"


def efforts(ready: Ready | OfferChanged) -> dict[str, str]:
    """Return the names of the reasoning efforts of all models, by their ids."""
    of_models = {effort: effort for model in ready.models for effort in model.efforts}
    return of_models | {each.id: each.name for each in ready.efforts}


def updated(ready: Ready, event: Event) -> Ready:
    """Return an agent's offer after an event."""
    match event:
        case Ready():
            return event
        case OfferChanged(models, modes, efforts_):
            return replace(ready, models=models, modes=modes, efforts=efforts_)
        case _:
            return ready


def settings(agent: Agent, ready: Ready, own: tuple[Setting, ...] = ()) -> tuple[Setting, ...]:
    """Return all settings of an agent that has `own` settings beside those of the port.

    The current values of the port's settings are unknown. A setting without values is typed.
    """
    found = [
        _of_port(MODE, "Mode", {each.id: each.name for each in ready.modes}),
        _of_port(MODEL, "Model", {each.id: each.name or each.id for each in ready.models}),
        _of_port(EFFORT, "Effort", efforts(ready)),
    ]
    lacks = abilities.lacking(agent)
    offered = [each for each in found if each.values and each.id not in lacks]
    if THINKING not in lacks:
        offered.append(Setting(THINKING, "Thinking tokens", "", ()))
    taken = {each.id for each in offered}
    is_open = abilities.has(agent, "settings")
    return (*offered, *(each for each in own if is_open and each.id not in taken))


def names(offered: tuple[Setting, ...]) -> Words:
    """Return the words for settings."""
    return Words((each.id, each.name) for each in offered)


def values(setting: Setting) -> Words:
    """Return the words for the values of a setting."""
    return Words((each.id, each.name) for each in setting.values)


def _of_port(id_: str, name: str, choices: dict[str, str]) -> Setting:
    return Setting(id_, name, "", tuple(SettingValue(*each) for each in choices.items()))


class Offer:
    """The features and choices of one agent; `send` is called with each change of them."""

    def __init__(self, agent: Agent, send: Callable[[dict[str, Any]], object]) -> None:
        self._agent = agent
        self._send = send
        self._ready = Ready()
        self._commands: tuple[Command, ...] = ()
        self._own: tuple[Setting, ...] = ()
        self._basis: tuple[Capabilities, Ready, tuple[Command, ...], tuple[Setting, ...]] | None
        self._basis = None
        self._sent: dict[str, Any] = {}

    def apply(self, event: Event) -> None:
        """Apply an event of the agent."""
        self._ready = updated(self._ready, event)
        match event:
            case Ready(commands=commands) | CommandsChanged(commands):
                self._commands = commands
            case SettingsChanged(own):
                self._own = own

    def update(self) -> None:
        """Send the offer if it has changed, for example after the agent has rejected a request.

        It is called with each piece of an answer, so it composes nothing while nothing has changed.
        """
        basis = (self._agent.capabilities, self._ready, self._commands, self._own)
        if basis == self._basis:
            return
        self._basis = basis
        offer = self._described()
        if offer != self._sent:
            self._sent = offer
            self._send(offer)

    def _described(self) -> dict[str, Any]:
        """Return the offer in the format of `chat/state.lua`."""
        return {
            "name": self._agent.name,
            "lacks": abilities.lacking(self._agent),
            "commands": [
                {"name": command.name, "description": command.description, "hint": command.hint}
                for command in self._commands
            ],
            "choices": self._choices(),
        }

    def _choices(self) -> dict[str, list[str]]:
        """Return the words that complete a subcommand, or `config` with the name of a setting."""
        offered = settings(self._agent, self._ready, self._own)
        words = {each.id: list(values(each)) or ["0", UNLIMITED] for each in offered}
        named = names(offered)
        of_config = {f"config {word}": words[id_] for word, id_ in named.ids.items()}
        of_port = {id_: words.get(id_, []) for id_ in (MODE, MODEL, EFFORT, THINKING)}
        return {"config": list(named), **of_config, **of_port}
