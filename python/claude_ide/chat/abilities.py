"""The features of the panel that a chat's agent supports.

A feature has the name of its subcommand of `:ClaudeChat`, or of its key (`<Plug>(claude-chat-…)`).
"""

from claude_ide.agents.agent import Agent
from claude_ide.agents.prompt import Allow, Answer, Reject
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
    "login": "login",
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
    "settings": "change its settings",
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

CONFIG = "config"
SETTINGS = ("settings", "modes", "models", "effort", "thinking_tokens")
"""The capabilities of which one is enough for the feature `CONFIG`."""


def has(agent: Agent, capability: str) -> bool:
    """Return whether an agent is known to have a capability."""
    return bool(getattr(agent.capabilities, capability))


def lacking(agent: Agent) -> list[str]:
    """Return the features that an agent lacks."""
    lacks = [feature for feature, needed in NEEDS.items() if not has(agent, needed)]
    return lacks if any(has(agent, setting) for setting in SETTINGS) else [*lacks, CONFIG]


def require(agent: Agent, *features: str) -> None:
    """Raise `UserError` if an agent lacks one of these features; every agent has others."""
    lacks = lacking(agent)
    for feature in features:
        if feature in lacks:
            require_capability(agent, NEEDS.get(feature, "settings"))


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
