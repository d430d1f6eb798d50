"""The user's answers to a request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from claude_ide.agents.events import Replacement


@dataclass(frozen=True, slots=True)
class Allow:
    """Let the tool run; `options` are the ids of any "always" options that the user chose.

    `edit` is the user's own version of the proposed edit, `plan` that of the proposed plan.
    """

    options: tuple[str, ...] = ()
    edit: Replacement | None = None
    plan: str = ""

    @property
    def is_changed(self) -> bool:
        """Whether the user has changed the proposal."""
        return self.edit is not None or bool(self.plan)


@dataclass(frozen=True, slots=True)
class Reject:
    """Don't let the tool run; the model reads the reason. `option` is the id of a chosen option."""

    reason: str = ""
    option: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """Answers to questions: each question's text, and the user's choice or words."""

    answers: Mapping[str, str | Sequence[str]]


Answer = Allow | Reject | Reply
