"""How it stands: what the agent offers, settings, the turn, its cost, its end."""

from dataclasses import dataclass
from enum import Enum


class TurnEndReason(Enum):
    """Why a turn has ended."""

    COMPLETED = "completed"
    INTERRUPTED = "interrupted"
    REDIRECTED = "redirected"
    """The user said something else, which starts now."""
    TOO_LONG = "too long"
    """The conversation no longer fits the model's context."""
    ANSWER_TOO_LONG = "answer too long"
    """The model was cut off in the middle of its answer."""
    TOO_MANY_REQUESTS = "too many requests"
    """The agent has asked the model as often as it may within a turn."""
    REFUSED = "refused"
    """The model does not want to go on."""
    FAILED = "failed"


class PromptStage(Enum):
    """How far a prompt of the user has come."""

    QUEUED = "queued"
    STARTED = "started"
    COMPLETED = "completed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command that the agent knows."""

    name: str
    description: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Model:
    """A model to choose; `efforts` is empty where it has no such setting."""

    id: str
    name: str
    description: str = ""
    efforts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mode:
    """A permission mode to choose, by its name; the key that cycles the modes may skip it."""

    id: str
    name: str
    in_cycle: bool = True


@dataclass(frozen=True, slots=True)
class Ready:
    """The agent answers; what it offers is known."""

    commands: tuple[Command, ...] = ()
    models: tuple[Model, ...] = ()
    modes: tuple[Mode, ...] = ()


@dataclass(frozen=True, slots=True)
class CommandsChanged:
    """All slash commands that the agent knows now."""

    commands: tuple[Command, ...]


@dataclass(frozen=True, slots=True)
class Session:
    """The session's id and its title, once it has one."""

    id: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Cleared:
    """The conversation was emptied; a `Session` with another id follows."""


@dataclass(frozen=True, slots=True)
class ModeChanged:
    """The permission mode that is in force, by its id."""

    mode: str


@dataclass(frozen=True, slots=True)
class ModelChanged:
    """The model that answers; `name` is a shorter one to show, if there is one."""

    model: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class EffortChanged:
    """How much the model is to think."""

    effort: str


@dataclass(frozen=True, slots=True)
class PromptChanged:
    """A prompt of ours has come further; several can make up one turn."""

    prompt: str
    stage: PromptStage


@dataclass(frozen=True, slots=True)
class Waiting:
    """The model has been asked and has not begun to answer."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What the session has cost, and how full the context is; None where it was not told."""

    cost: float | None = None
    context_used: int | None = None
    context_size: int | None = None


@dataclass(frozen=True, slots=True)
class Retry:
    """The model could not be reached; it is tried again after `seconds`."""

    attempt: int
    most: int
    seconds: float
    reason: str
    status: int | None = None


@dataclass(frozen=True, slots=True)
class Compacting:
    """The conversation is being summarized to make room."""


@dataclass(frozen=True, slots=True)
class Compacted:
    """The conversation was summarized."""

    before: int | None = None
    after: int | None = None
    trigger: str = ""


@dataclass(frozen=True, slots=True)
class Stopping:
    """The user has asked for the turn's end."""


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The turn is over; `message` says what went wrong, if that was told."""

    why: TurnEndReason
    prompts: tuple[str, ...] = ()
    message: str = ""
    milliseconds: int | None = None


@dataclass(frozen=True, slots=True)
class Dead:
    """The agent is gone. `stderr` is the last it wrote there, `session` what can be resumed."""

    code: int
    stderr: str = ""
    session: str = ""
