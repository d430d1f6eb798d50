"""The settings of a session, which the user types or chooses from a list."""

import contextlib
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from claude_ide.agents.agent import Agent
from claude_ide.agents.events import EffortChanged, Event, ModeChanged, Model, ModelChanged, Ready
from claude_ide.chat.abilities import UNLIMITED, efforts
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
        self._setters: dict[str, Callable[[Any], Awaitable[None]]] = {
            "mode": agent.set_mode,
            "model": agent.set_model,
            "effort": agent.set_effort,
            "thinking": agent.set_thinking_tokens,
        }
        self._chosen: dict[str, str | int | None] = {}
        self._current: dict[str, str] = {}

    def apply(self, event: Event) -> None:
        """Apply an event of the agent."""
        match event:
            case ModeChanged(value):
                self._current["mode"] = value
            case ModelChanged(value):
                self._current["model"] = value
            case EffortChanged(value):
                self._current["effort"] = value

    async def repeat(self, mode: str) -> None:
        """Repeat the user's choices on a restarted agent; `mode` was its last mode."""
        for what, value in self._chosen.items():
            # The agent is usable even if a mode or model no longer exists.
            with contextlib.suppress(AgentError):
                await self._setters[what](mode if what == "mode" and mode else value)

    async def _set(self, what: str, value: str | int | None) -> None:
        await self._setters[what](value)
        self._chosen[what] = value

    async def cycle_mode(self, now: str) -> None:
        """Switch to the next permission mode."""
        offered = (await self._offer("cycle-mode")).modes
        modes = [mode.id for mode in offered if mode.in_cycle]
        if not modes:
            raise UserError(f"{self._agent.name} has no permission modes to choose from")
        now = now or modes[0]
        at = modes.index(now) + 1 if now in modes else 0
        await self._set("mode", modes[at % len(modes)])

    async def set_mode(self, mode: str) -> None:
        """Set the permission mode."""
        modes = {each.id: each.name for each in (await self._offer("mode")).modes}
        chosen = mode or await self._choose("Mode:", modes, self._current.get("mode"))
        if chosen:
            await self._set("mode", chosen)

    async def set_model(self, model: str) -> None:
        """Set the model to one that the agent has listed."""
        offered = (await self._offer("model")).models
        models = {each.id: each.name or each.id for each in offered}
        if model and model not in models:
            raise UserError(f"no such model: {model}; available: {', '.join(models)}")
        chosen = model or await self._choose("Model:", models, self._current_model(offered))
        if chosen:
            await self._set("model", chosen)

    async def set_effort(self, effort: str) -> None:
        """Set the reasoning effort."""
        offered = efforts(await self._offer("effort"))
        if not offered:
            raise UserError(f"{self._agent.name} offers no efforts with this model")
        if effort and effort not in offered:
            raise UserError(f"no such effort: {effort}; available: {', '.join(offered)}")
        named = dict(zip(offered, offered, strict=True))
        chosen = effort or await self._choose("Effort:", named, self._current.get("effort"))
        if chosen:
            await self._set("effort", chosen)

    async def _choose(self, prompt: str, names: dict[str, str], current: str | None) -> str:
        """Have the user choose a value by its name; the current one is marked."""
        marked = [f"{name} (current)" if id_ == current else name for id_, name in names.items()]
        return await self._editor.choose(prompt, list(names), marked)

    def _current_model(self, offered: Iterable[Model]) -> str | None:
        """Return the id of the current model; two of them may stand for the same model."""
        now = self._current.get("model")
        ids = [model.id for model in offered if now and now in (model.id, model.resolved)]
        chosen = self._chosen.get("model")
        return chosen if chosen in ids and isinstance(chosen, str) else next(iter(ids), None)

    async def set_thinking(self, tokens: str) -> None:
        """Limit the tokens of thinking; 0 turns thinking off."""
        await self._offer("thinking")
        given = tokens or await self._editor.input("Thinking tokens: ", UNLIMITED)
        if not given:
            return
        if given != UNLIMITED and not given.isdecimal():
            raise UserError(f"not a number of tokens or {UNLIMITED}: {given}")
        most = None if given == UNLIMITED else int(given)
        await self._set("thinking", most)
        limit = UNLIMITED if most is None else f"at most {amounts.count(most, 'token')}"
        self._editor.notify(f"thinking: {limit} (some models ignore it)")

    async def rename(self, title: str, now: str) -> None:
        """Give the session a title, which the list of sessions shows."""
        await self._offer("rename")
        given = title or await self._editor.input("Title: ", now)
        if given:
            await self._agent.rename(given)
