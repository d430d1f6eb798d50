"""Events of the session: what the agent offers, its settings, the turn, its cost, its end."""

from dataclasses import dataclass
from enum import Enum


class TurnEndReason(Enum):
    """Why a turn has ended."""

    COMPLETED = "completed"
    INTERRUPTED = "interrupted"
    REDIRECTED = "redirected"
    """The user sent another prompt, which starts now."""
    TOO_LONG = "too long"
    """The conversation no longer fits the model's context."""
    ANSWER_TOO_LONG = "answer too long"
    """The answer was cut off at its maximum length."""
    TOO_MANY_REQUESTS = "too many requests"
    """The agent has reached its limit of requests to the model in one turn."""
    REFUSED = "refused"
    """The model refused to continue."""
    FAILED = "failed"


class PromptStage(Enum):
    """The progress of a prompt."""

    QUEUED = "queued"
    STARTED = "started"
    COMPLETED = "completed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command of the agent; `hint` describes its arguments."""

    name: str
    description: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Model:
    """A model to choose; `efforts` is empty if it has no such setting.

    `resolved` is the id with which `ModelChanged` reports it, if that is another one.
    """

    id: str
    name: str
    description: str = ""
    efforts: tuple[str, ...] = ()
    resolved: str = ""


@dataclass(frozen=True, slots=True)
class Mode:
    """A permission mode to choose; the key that cycles modes skips it unless `in_cycle`."""

    id: str
    name: str
    in_cycle: bool = True


@dataclass(frozen=True, slots=True)
class SettingValue:
    """A value that a setting can have."""

    id: str
    name: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting that the agent itself has named; `current` is the id of one of its `values`.

    `category` is the agent's word for its kind, such as `thought_level`; "" if it has none.
    """

    id: str
    name: str
    current: str
    values: tuple[SettingValue, ...]
    category: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class SettingsChanged:
    """The agent's own settings have changed; these are all of them.

    A setting that is also the mode, the model or the effort is reported as that, and not here.
    """

    settings: tuple[Setting, ...]


@dataclass(frozen=True, slots=True)
class Ready:
    """The agent is ready; this is what it offers.

    `efforts` are those of every model; a model may have more of its own.
    """

    commands: tuple[Command, ...] = ()
    models: tuple[Model, ...] = ()
    modes: tuple[Mode, ...] = ()
    efforts: tuple[SettingValue, ...] = ()


@dataclass(frozen=True, slots=True)
class OfferChanged:
    """The models, modes and efforts to choose from have changed; these are all of them."""

    models: tuple[Model, ...] = ()
    modes: tuple[Mode, ...] = ()
    efforts: tuple[SettingValue, ...] = ()


@dataclass(frozen=True, slots=True)
class CommandsChanged:
    """The slash commands have changed; these are all of them."""

    commands: tuple[Command, ...]


@dataclass(frozen=True, slots=True)
class ServersFailed:
    """MCP servers with these names cannot be used; each is reported once."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Session:
    """The session's id, and its title once it has one."""

    id: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Cleared:
    """The conversation was cleared; a `Session` with another id follows."""


@dataclass(frozen=True, slots=True)
class ModeChanged:
    """The permission mode is now the one with this id."""

    mode: str


@dataclass(frozen=True, slots=True)
class ModelChanged:
    """The model that answers from now on; `name` is a shorter name to show, or ""."""

    model: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class EffortChanged:
    """The reasoning effort from now on, by its id."""

    effort: str


@dataclass(frozen=True, slots=True)
class PromptChanged:
    """One of our prompts has reached a stage; several prompts can make up one turn."""

    prompt: str
    stage: PromptStage


@dataclass(frozen=True, slots=True)
class PromptBlocked:
    """A prompt was kept from the model; the conversation does not have it.

    `text` is empty if it is unknown; it is then the prompt that has started last. `by` names what
    has blocked it, such as "a hook".
    """

    text: str
    reason: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The model was sent a request and has not begun to answer."""


@dataclass(frozen=True, slots=True)
class Usage:
    """The cost in dollars, and the context in tokens; None for what was not reported.

    `cost` is that of the session, and of those that the agent has opened before it.
    `answered` are the tokens of an answer of the model that is now complete.
    """

    cost: float | None = None
    context_used: int | None = None
    context_size: int | None = None
    answered: int | None = None


@dataclass(frozen=True, slots=True)
class Retry:
    """The model could not be reached; the agent retries after `seconds`, at most `most` times."""

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
    """The conversation was summarized; `before` and `after` are its sizes in tokens."""

    before: int | None = None
    after: int | None = None
    trigger: str = ""


@dataclass(frozen=True, slots=True)
class Stopping:
    """The user has interrupted the turn."""


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The turn is over; `message` says what went wrong, if the agent reported it."""

    why: TurnEndReason
    prompts: tuple[str, ...] = ()
    message: str = ""
    milliseconds: int | None = None


@dataclass(frozen=True, slots=True)
class Dead:
    """The agent has ended; `stderr` is the end of its output there, or what it printed instead.

    `session` is the session to resume, if there is one.
    """

    code: int
    stderr: str = ""
    session: str = ""
