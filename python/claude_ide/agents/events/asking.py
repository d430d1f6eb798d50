"""What the user is asked: permissions, questions, the approval of a plan."""

from dataclasses import dataclass
from enum import Enum
from typing import Any


class OptionKind(Enum):
    """What a permission option does; a source may offer several of one kind."""

    ALLOW_ONCE = "allow once"
    ALLOW_ALWAYS = "allow always"
    REJECT_ONCE = "reject once"
    REJECT_ALWAYS = "reject always"


@dataclass(frozen=True, slots=True)
class Option:
    """One way to answer a request; `scope` says how far an "always" reaches."""

    id: str
    name: str
    kind: OptionKind
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Subagent:
    """An agent that another one has started: by which tool use, for what, and of which kind."""

    tool: str = ""
    title: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Replacement:
    """An edit of a file: `new` replaces `old`, or the whole text if `old` is None.

    The first place is meant, or with `every` all of them.
    """

    path: str
    new: str
    old: str | None = None
    every: bool = False


@dataclass(frozen=True, slots=True)
class PermissionAsked:
    """The agent wants to use a tool and waits for an answer to this `request`, for ever.

    `edits` are the changes of files that it would make, where they are known before.
    `agent` is the subagent that asks; None for the agent itself.
    """

    request: str
    tool: str
    name: str
    arguments: dict[str, Any]
    options: tuple[Option, ...]
    kind: str = "other"
    title: str = ""
    path: str = ""
    reason: str = ""
    edits: tuple[Replacement, ...] = ()
    agent: Subagent | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer that a question offers."""

    label: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the user; free text is always an answer."""

    text: str
    header: str
    choices: tuple[Choice, ...]
    multiple: bool = False


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    """The agent waits for answers to its questions."""

    request: str
    tool: str
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class PlanProposed:
    """The agent waits for the approval of its plan; an empty `plan` is told in the text before."""

    request: str
    tool: str
    plan: str
    path: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class RequestWithdrawn:
    """A permission, question or plan is no longer asked; no answer is wanted."""

    request: str
