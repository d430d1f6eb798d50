"""The features of the panel that a chat's agent supports.

A feature has the name of its subcommand of `:ClaudeChat`, or of its key (`<Plug>(claude-chat-…)`).
"""

from collections.abc import Callable
from typing import Any

from claude_ide.agents.agent import Agent, Capabilities
from claude_ide.agents.answer import Allow, Answer, Reject
from claude_ide.agents.events import Command, CommandsChanged, Event, Ready
from claude_ide.errors import UserError

NEEDS = {
    "aside": "side_question",
    "background": "background",
    "context": "context_usage",
    "continue": "resume",
    "cycle-mode": "modes",
    "edit": "branch",
    "effort": "effort",
    "fork": "fork",
    "mcp": "tool_servers",
    "mode": "modes",
    "model": "models",
    "paste-image": "images",
    "redirect": "redirect",
    "rename": "titles",
    "resume": "resume",
    "rewind": "rewind",
    "steer": "steer",
    "stop-task": "stop_task",
    "tasks": "tasks",
    "thinking": "thinking_tokens",
    "withdraw": "withdraw",
}
"""The features that not every agent supports, and the capabilities that they need."""

VERBS = {
    "background": "move a command to the background",
    "branch": "continue from an earlier prompt",
    "change_proposal": "accept your changes to its proposals",
    "context_usage": "report how full its context is",
    "effort": "change its reasoning effort",
    "fork": "fork a session",
    "images": "accept images",
    "models": "change its model",
    "modes": "change its permission mode",
    "redirect": "replace its turn with another prompt",
    "resume": "resume a session",
    "rewind": "undo its changes to files",
    "settings": "list its own settings",
    "side_question": "answer an aside",
    "steer": "accept a prompt during a turn",
    "stop_task": "stop a task in the background",
    "stored_history": "show earlier parts of a conversation again",
    "tasks": "list its tasks in the background",
    "thinking_tokens": "limit its thinking",
    "titles": "rename a session",
    "tool_servers": "list its MCP servers",
    "withdraw": "withdraw a queued prompt",
}
UNLIMITED = "unlimited"


def has(agent: Agent, capability: str) -> bool:
    """Return whether an agent is known to have a capability."""
    return bool(getattr(agent.capabilities, capability))


def require(agent: Agent, *features: str) -> None:
    """Raise `UserError` if an agent lacks one of these features; every agent has others."""
    for feature in features:
        if feature in NEEDS:
            require_capability(agent, NEEDS[feature])


def require_capability(agent: Agent, capability: str) -> None:
    """Raise `UserError` if an agent lacks a capability."""
    if not has(agent, capability):
        raise UserError(f"{agent.name} cannot {VERBS[capability]}")


async def answer(agent: Agent, request: str, answer: Answer) -> str:
    """Answer a request; return the reason of a rejection if the agent cannot read it, or "".

    Raises `UserError` if the agent would ignore the user's changes of its proposal.
    """
    if isinstance(answer, Allow) and answer.is_changed:
        require_capability(agent, "change_proposal")
    await agent.answer(request, answer)
    if isinstance(answer, Reject) and not has(agent, "reject_with_reason"):
        return answer.reason
    return ""


def efforts(ready: Ready) -> list[str]:
    """Return the reasoning efforts of all models."""
    return list(dict.fromkeys(effort for model in ready.models for effort in model.efforts))


class Offer:
    """The features and choices that Lua offers and completes; `send` is called with each change."""

    def __init__(self, agent: Agent, send: Callable[[dict[str, Any]], object]) -> None:
        self._agent = agent
        self._send = send
        self._ready = Ready()
        self._commands: tuple[Command, ...] = ()
        self._basis: tuple[Capabilities, Ready, tuple[Command, ...]] | None = None
        self._sent: dict[str, Any] = {}

    def apply(self, event: Event) -> None:
        """Apply an event of the agent."""
        match event:
            case Ready():
                self._ready, self._commands = event, event.commands
            case CommandsChanged(commands):
                self._commands = commands

    def update(self) -> None:
        """Send the offer if it has changed, for example after the agent has rejected a request.

        It is called with each piece of an answer, so it composes nothing while nothing has changed.
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
        """Return the offer in the format of `chat/offer.lua`."""
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
