"""Who answers a one-off request: what the user types first, or the option `headless.agent`."""

import re
from pathlib import Path

from msgspec.structs import replace

from claude_ide.agents.acp.agent import Acp
from claude_ide.chat.kinds import Kinds
from claude_ide.editor.port.questions import (
    AskRequest,
    CommitRequest,
    QuestionAsked,
    RewriteRequest,
)
from claude_ide.errors import UserError
from claude_ide.trust.trust import Trust, shown

AT_NAME = re.compile(r"\s*@(?P<name>[\w-]+)[,:]?(?:\s+|$)")
"""What begins a prompt, and names an agent: a mention of a file has a dot or a slash."""

NO_WORDS = "@{}: what is it to do?"
ONLY_NAME = ":ClaudeCommit takes only @ and the name of an agent"
NOT_TRUSTED = "{} follows the settings of {}, which is not trusted (:ClaudeTrust yes)"


def addressed(request: QuestionAsked) -> QuestionAsked:
    """Return a request without the name at its beginning, and with that as its agent."""
    match request:
        case AskRequest():
            agent, words = _split(request.prompt)
            return replace(request, prompt=words, agent=agent) if agent else request
        case RewriteRequest():
            agent, words = _split(request.instruction)
            return replace(request, instruction=words, agent=agent) if agent else request
        case CommitRequest() if request.typed:
            found = AT_NAME.fullmatch(request.typed)
            if found is None:
                raise UserError(ONLY_NAME)
            return replace(request, agent=found["name"])
    return request


def _split(words: str) -> tuple[str, str]:
    found = AT_NAME.match(words)
    return (found["name"], words[found.end() :]) if found else ("", words)


def answering(request: QuestionAsked, kinds: Kinds, usual: str, trust: Trust) -> Acp | None:
    """Return the agent that answers; None for Claude, whose CLI needs no other way.

    Raises `UserError` if there is no such agent, or if it may not start in this folder.
    """
    assert isinstance(request, AskRequest | RewriteRequest | CommitRequest)
    id_ = request.agent or usual or CLAUDE
    kind = None if id_ == CLAUDE else kinds.find(id_)
    words = request.instruction if isinstance(request, RewriteRequest) else None
    words = request.prompt if isinstance(request, AskRequest) else words
    if words is not None and not words.strip():
        raise UserError(NO_WORDS.format(id_))
    if not isinstance(kind, Acp):
        return None
    folder = Path(request.cwd)
    if not folder.is_dir():
        raise UserError(f"no such folder: {folder}")
    if not trust.is_trusted(folder):
        raise UserError(NOT_TRUSTED.format(kind.name, shown(str(folder))))
    return kind


CLAUDE = "claude"
