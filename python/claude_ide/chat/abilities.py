"""What the agent of a chat can do, of all that the panel offers.

A feature has the name of its word after `:ClaudeChat`, or of its key (`<Plug>(claude-chat-…)`).
"""

from collections.abc import Callable
from typing import Any

from claude_ide.agents.agent import Agent, Capabilities
from claude_ide.agents.answer import Allow, Answer, Reject
from claude_ide.agents.events import Command, CommandsChanged, Event, Ready
from claude_ide.errors import UserError

NEEDS = {
    "aside": "side_question",
    "context": "context_usage",
    "continue": "resume",
    "cycle-mode": "modes",
    "effort": "effort",
    "fork": "fork",
    "mode": "modes",
    "model": "models",
    "paste-image": "images",
    "redirect": "redirect",
    "rename": "titles",
    "resume": "resume",
    "rewind": "rewind",
    "steer": "steer",
    "thinking": "thinking_tokens",
    "withdraw": "withdraw",
}
"""The features that not every agent has, and the capabilities behind them."""

VERBS = {
    "change_proposal": "take your changes to what it proposes",
    "context_usage": "report how full its context is",
    "effort": "change its reasoning effort",
    "fork": "fork a session",
    "images": "take images",
    "models": "change its model",
    "modes": "change its permission mode",
    "redirect": "replace its turn with another prompt",
    "resume": "resume a session",
    "rewind": "undo its changes of files",
    "side_question": "answer an aside",
    "steer": "take a prompt in the middle of a turn",
    "thinking_tokens": "limit its thinking",
    "titles": "rename a session",
    "withdraw": "give a prompt back",
}
UNLIMITED = "unlimited"


def has(agent: Agent, capability: str) -> bool:
    """Return whether an agent has a capability, as far as it is known."""
    return bool(getattr(agent.capabilities, capability))


def require(agent: Agent, *features: str) -> None:
    """Raise `UserError` if an agent lacks one of these features; some are every agent's."""
    for feature in features:
        if feature in NEEDS:
            _require(agent, NEEDS[feature])


def _require(agent: Agent, capability: str) -> None:
    if not has(agent, capability):
        raise UserError(f"{agent.name} cannot {VERBS[capability]}")


async def answer(agent: Agent, request: str, answer: Answer) -> str:
    """Answer a request; return the reason that the agent has not read with it.

    Raises `UserError` if the agent would drop what the user has changed in its proposal.
    """
    if isinstance(answer, Allow) and answer.is_changed:
        _require(agent, "change_proposal")
    await agent.answer(request, answer)
    if isinstance(answer, Reject) and not has(agent, "reject_with_reason"):
        return answer.reason
    return ""


def efforts(ready: Ready) -> list[str]:
    """Return the reasoning efforts of all models."""
    return list(dict.fromkeys(effort for model in ready.models for effort in model.efforts))


class Offer:
    """What the editor's half completes and lists; `send` is called when it has changed."""

    def __init__(self, agent: Agent, send: Callable[[dict[str, Any]], object]) -> None:
        self._agent = agent
        self._send = send
        self._ready = Ready()
        self._commands: tuple[Command, ...] = ()
        self._basis: tuple[Capabilities, Ready, tuple[Command, ...]] | None = None
        self._sent: dict[str, Any] = {}

    def take(self, event: Event) -> None:
        """Take an event of the agent."""
        match event:
            case Ready():
                self._ready, self._commands = event, event.commands
            case CommandsChanged(commands):
                self._commands = commands

    def update(self) -> None:
        """Send what has changed; an agent may have turned out not to know a request.

        It is called with each piece of an answer: nothing is composed while nothing has changed.
        """
        basis = (self._agent.capabilities, self._ready, self._commands)
        if basis == self._basis:
            return
        self._basis = basis
        offer = self._described()
        if offer != self._sent:
            self._sent = offer
            self._send(offer)

    def _described(self) -> dict[str, Any]:
        """The offer as `chat/offer.lua` has it."""
        return {
            "name": self._agent.name,
            "lacks": [feature for feature, needed in NEEDS.items() if not has(self._agent, needed)],
            "commands": [
                {"name": command.name, "description": command.description, "hint": command.hint}
                for command in self._commands
            ],
            "choices": {
                "effort": efforts(self._ready),
                "mode": [mode.id for mode in self._ready.modes],
                "model": [model.id for model in self._ready.models],
                "thinking": ["0", UNLIMITED],
            },
        }
