"""The user's answers to a request."""

from collections.abc import Mapping
from dataclasses import dataclass

from claude_ide.agents.events import Replacement, Value


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule in the agent's syntax; `scope` is the id of one of the request's scopes."""

    text: str
    scope: str


@dataclass(frozen=True, slots=True)
class Allow:
    """Let the tool run; `options` are the ids of any "always" options that the user chose.

    `rule` allows later uses as well; the agent raises `InvalidRuleError` if it is malformed.
    `edits` are the user's own versions of proposed edits, one for each file that they have changed;
    `plan` is that of the proposed plan, `code` that of code that the editor runs. `unsaved` names
    the files that have unsaved text: `new` is the whole text that the user accepts, and `old` the
    text that they have seen it replace.
    """

    options: tuple[str, ...] = ()
    edits: tuple[Replacement, ...] = ()
    plan: str = ""
    rule: Rule | None = None
    code: str = ""
    unsaved: tuple[Replacement, ...] = ()

    @property
    def is_changed(self) -> bool:
        """Whether the user has changed the proposal."""
        return bool(self.edits or self.plan)


@dataclass(frozen=True, slots=True)
class Reject:
    """Don't let the tool run; the model reads the reason. `option` is the id of a chosen option."""

    reason: str = ""
    option: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """Answers to questions, by the keys of the questions; without those that were not answered."""

    answers: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Dismiss:
    """End a request without a decision, if the agent accepts that; otherwise as `Reject`."""


Answer = Allow | Reject | Reply | Dismiss
