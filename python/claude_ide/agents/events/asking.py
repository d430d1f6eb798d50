"""Requests to the user: permissions, questions, the approval of a plan."""

from dataclasses import dataclass
from enum import Enum
from typing import Any


class OptionKind(Enum):
    """The effect of a permission option; an agent may offer several of one kind."""

    ALLOW_ONCE = "allow once"
    ALLOW_ALWAYS = "allow always"
    REJECT_ONCE = "reject once"
    REJECT_ALWAYS = "reject always"


@dataclass(frozen=True, slots=True)
class Option:
    """One way to answer a request; `scope` describes where an "always" applies."""

    id: str
    name: str
    kind: OptionKind
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Subagent:
    """An agent that another agent has started through a tool use; `title` describes its task."""

    tool: str = ""
    title: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Replacement:
    """An edit of a file: `new` replaces `old`, or the whole text if `old` is None.

    It replaces the first occurrence of `old`, or with `every` all of them.
    """

    path: str
    new: str
    old: str | None = None
    every: bool = False


@dataclass(frozen=True, slots=True)
class PermissionAsked:
    """The agent wants to use a tool; it waits for an answer to `request` without a time limit.

    `edits` are the file changes that the tool would make, if they are known in advance.
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
    """The agent waits for approval of its plan; if `plan` is empty, it is in the text before."""

    request: str
    tool: str
    plan: str
    path: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class RequestWithdrawn:
    """The agent no longer waits for an answer to this permission, question or plan."""

    request: str
