"""The events that a panel shows, in terms that fit every agent.

`block` is the id of one piece of an answer. `tool` is the id of one use of a tool. `parent` is the
id of the tool use that started the subagent from which the event comes; empty for the agent itself.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any

from msgspec import Struct

from claude_ide.agents.requests import (
    PermissionAsked,
    PlanProposed,
    QuestionAsked,
    RequestWithdrawn,
    UrlAsked,
)
from claude_ide.base import text_diff
from claude_ide.base.limits import Limit

CONTEXT_LINES = 3
WRITING_ANYWHERE = ("execute", "other", "delete", "move")
"""The kinds of tools that may change files without reporting it."""

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


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


class SlashCommand(Struct, frozen=True):
    """A slash command of the agent; `hint` describes its arguments."""

    name: str
    description: str = ""
    hint: str = ""


class Model(Struct, frozen=True):
    """A model to choose; `efforts` is empty if it has no such setting.

    `resolved` is the id with which `ModelChanged` reports it, if that is another one.
    """

    id: str
    name: str
    description: str = ""
    efforts: tuple[str, ...] = ()
    resolved: str = ""


class Mode(Struct, frozen=True):
    """A permission mode to choose; the key that cycles modes skips it unless `in_cycle`."""

    id: str
    name: str
    in_cycle: bool = True


class SettingValue(Struct, frozen=True):
    """A value that a setting can have."""

    id: str
    name: str
    description: str = ""


class Setting(Struct, frozen=True):
    """A setting that the agent itself has named; `current` is the id of one of its `values`.

    `category` is the agent's word for its kind, such as `thought_level`; "" if it has none.
    """

    id: str
    name: str
    current: str
    values: tuple[SettingValue, ...]
    category: str = ""
    description: str = ""


FAST = "fast"
"""The id of the setting with which the same model answers faster, at a higher price."""


class SettingsChanged(Struct, frozen=True):
    """The agent's own settings have changed; these are all of them.

    A setting that is also the mode, the model or the effort is reported as that, and not here.
    """

    settings: tuple[Setting, ...]


class Ready(Struct, frozen=True):
    """The agent is ready; this is what it offers.

    `efforts` are those of every model; a model may have more of its own.
    """

    commands: tuple[SlashCommand, ...] = ()
    models: tuple[Model, ...] = ()
    modes: tuple[Mode, ...] = ()
    efforts: tuple[SettingValue, ...] = ()


class OfferChanged(Struct, frozen=True):
    """The models, modes and efforts to choose from have changed; these are all of them."""

    models: tuple[Model, ...] = ()
    modes: tuple[Mode, ...] = ()
    efforts: tuple[SettingValue, ...] = ()


class CommandsChanged(Struct, frozen=True):
    """The slash commands have changed; these are all of them."""

    commands: tuple[SlashCommand, ...]


class ServersFailed(Struct, frozen=True):
    """MCP servers with these names cannot be used; each is reported once."""

    names: tuple[str, ...]


class SessionChanged(Struct, frozen=True):
    """The session's id, and its title once it has one."""

    id: str
    title: str = ""


class Cleared(Struct, frozen=True):
    """The conversation was cleared; a `SessionChanged` with another id follows."""


class ModeChanged(Struct, frozen=True):
    """The permission mode is now the one with this id."""

    mode: str


class ModelChanged(Struct, frozen=True):
    """The model that answers from now on; `name` is a shorter name to show, or ""."""

    model: str
    name: str = ""


class EffortChanged(Struct, frozen=True):
    """The reasoning effort from now on, by its id."""

    effort: str


class PromptChanged(Struct, frozen=True):
    """One of our prompts has reached a stage; several prompts can make up one turn."""

    prompt: str
    stage: PromptStage


class PromptBlocked(Struct, frozen=True):
    """A prompt was kept from the model; the conversation does not have it.

    `text` is empty if it is unknown; it is then the prompt that has started last. `by` names what
    has blocked it, such as "a hook".
    """

    text: str
    reason: str = ""
    by: str = ""


class PromptSuggested(Struct, frozen=True):
    """What the user may want to send next."""

    text: str


class Waiting(Struct, frozen=True):
    """The model was sent a request and has not begun to answer."""


class Usage(Struct, frozen=True):
    """The cost in dollars, and the context in tokens; None for what was not reported.

    `cost` is that of the session, as the agent reports it.
    `answered` are the tokens of an answer of the model that is now complete.
    """

    cost: float | None = None
    context_used: int | None = None
    context_size: int | None = None
    answered: int | None = None


class LimitsTold(Struct, frozen=True):
    """What is known of the limits of the user's plan."""

    limits: tuple[Limit, ...]


class Retry(Struct, frozen=True):
    """The model could not be reached; the agent retries after `seconds`, at most `most` times."""

    attempt: int
    most: int
    seconds: float
    reason: str
    status: int | None = None


class Compacting(Struct, frozen=True):
    """The conversation is being summarized to make room."""


class Compacted(Struct, frozen=True):
    """The conversation was summarized; `before` and `after` are its sizes in tokens."""

    before: int | None = None
    after: int | None = None
    trigger: str = ""


class Stopping(Struct, frozen=True):
    """The user has interrupted the turn."""


class TurnEnded(Struct, frozen=True):
    """The turn is over; `message` says what went wrong, if the agent reported it."""

    why: TurnEndReason
    prompts: tuple[str, ...] = ()
    message: str = ""
    milliseconds: int | None = None


class Dead(Struct, frozen=True):
    """The agent has ended; `stderr` is the end of its output there, or what it printed instead.

    `session` is the session to resume, if there is one.
    """

    code: int
    stderr: str = ""
    session: str = ""


class UserMessage(Struct, frozen=True):
    """A message of the user in the history of a session; `prompt` is its id, if known."""

    text: str
    prompt: str = ""


class ShellRan(Struct, frozen=True):
    """A shell command of the user in the history of a session, with its output."""

    command: str
    output: str


class TextDelta(Struct, frozen=True):
    """A piece of text; the pieces are a preview until `Text` arrives with the same block."""

    block: str
    text: str
    parent: str = ""


class Text(Struct, frozen=True):
    """A complete text, which replaces the preview of its block, if there was one."""

    block: str
    text: str
    parent: str = ""


class ThinkingDelta(Struct, frozen=True):
    """A piece of thinking, like `TextDelta`."""

    block: str
    text: str
    parent: str = ""


class Thinking(Struct, frozen=True):
    """Complete thinking, like `Text`; the text is empty if the model keeps it hidden."""

    block: str
    text: str
    parent: str = ""
    milliseconds: int | None = None


class ThinkingTokens(Struct, frozen=True):
    """An estimate of the tokens used by the current thinking."""

    tokens: int


class PreviewVoided(Struct, frozen=True):
    """Blocks and tool uses that were abandoned; their previews must be deleted."""

    blocks: tuple[str, ...]
    tools: tuple[str, ...] = ()


class Notice(Struct, frozen=True):
    """A message from neither the user nor the model; `reason` names the kind of an error.

    `level` is "info" for the answer to a command, in Markdown, and "notice", "warning" or "error"
    for a remark beside the conversation. With the reason `authentication_failed` the panel offers
    to log in.
    """

    text: str
    level: str = "info"
    reason: str = ""
    parent: str = ""


class ToolStatus(Enum):
    """How the use of a tool has ended."""

    COMPLETED = "completed"
    FAILED = "failed"
    REJECTED = "rejected"
    INTERRUPTED = "interrupted"
    """The user has ended the turn before the tool's end."""


class ToolStarted(Struct, frozen=True):
    """The model has begun to write a tool's input; `title` may follow with `ToolInput`."""

    tool: str
    name: str
    kind: str = "other"
    title: str = ""
    parent: str = ""


class ToolInput(Struct, frozen=True):
    """The tool's input has grown to `size` characters; `arguments` is None until it is complete."""

    tool: str
    size: int
    arguments: dict[str, Any] | None = None
    title: str = ""
    path: str = ""
    line: int | None = None
    parent: str = ""


class ToolOutput(Struct, frozen=True):
    """A piece of a running tool's output; with `replaces`, all output so far."""

    tool: str
    text: str
    replaces: bool = False


class DiffHunk(Struct, frozen=True):
    """One hunk of a unified diff; `lines` begin with a blank, `-` or `+`."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    lines: tuple[str, ...]

    def __str__(self) -> str:
        """Return it in the form of a unified diff."""
        old = f"-{self.old_start},{self.old_lines}"
        new = f"+{self.new_start},{self.new_lines}"
        return "\n".join([f"@@ {old} {new} @@", *self.lines])


class Change(Struct, frozen=True):
    """A tool's change of one file, with the numbers of added and removed lines."""

    path: str
    added: int
    removed: int
    hunks: tuple[DiffHunk, ...] = ()
    created: bool = False

    @classmethod
    def between(cls, path: str, before: str | None, after: str) -> "Change":
        """Return the change between two texts; without hunks if they are too large."""
        hunks = tuple(_hunks(text_diff.unified(before or "", after, CONTEXT_LINES)))
        return cls.of(path, hunks, created=before is None)

    @classmethod
    def of(cls, path: str, hunks: tuple[DiffHunk, ...], *, created: bool = False) -> "Change":
        """Return the change that consists of these hunks."""
        lines = [line for hunk in hunks for line in hunk.lines]
        added, removed = (sum(line.startswith(sign) for line in lines) for sign in "+-")
        return cls(path, added, removed, hunks, created)


def _hunks(lines: Sequence[str]) -> Iterator[DiffHunk]:
    starts = [at for at, line in enumerate(lines) if line.startswith("@@")]
    for first, end in itertools.pairwise([*starts, len(lines)]):
        found = _HUNK.match(lines[first])
        assert found is not None
        old, old_lines, new, new_lines = (int(each or 1) for each in found.groups())
        body = tuple(part for line in lines[first + 1 : end] for part in line.split("\n"))
        yield DiffHunk(old, old_lines, new, new_lines, body)


class FileWritten(Struct, frozen=True):
    """A tool has written a file; its `ToolEnded` follows.

    `before` and `after` are the whole texts. `before` is None if there was no file; `after` is None
    if it was not reported. Line ends may be LF although the file has others.
    """

    tool: str
    path: str
    before: str | None
    after: str | None
    parent: str = ""


class ToolEnded(Struct, frozen=True):
    """The use of a tool has ended; `output` is what the model reads.

    If something else than the user has rejected it, `denied_by` names that, such as "a hook", and
    `reason` says why.
    """

    tool: str
    status: ToolStatus
    output: str = ""
    changes: tuple[Change, ...] = ()
    parent: str = ""
    denied_by: str = ""
    reason: str = ""


class Todo(Struct, frozen=True):
    """One item of the agent's list; `status` is pending, in_progress or completed.

    `active` is the text to show while it is in progress.
    """

    id: str
    text: str
    status: str
    active: str = ""


class TodoList(Struct, frozen=True):
    """The agent's todo list has changed; these are all items."""

    todos: tuple[Todo, ...]


class TaskState(Enum):
    """The progress of a task."""

    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    STOPPED = "stopped"


class Task(Struct, frozen=True):
    """A task that a tool use has started; `kind` is `command`, or the kind of a subagent.

    `last_tool` is the tool that a subagent has used last, `tools` the number of its tool uses.
    `result` is the text with which the task has ended.
    """

    id: str
    kind: str = ""
    title: str = ""
    tool: str = ""
    state: TaskState = TaskState.RUNNING
    in_background: bool = False
    is_agent: bool = False
    last_tool: str = ""
    tools: int | None = None
    tokens: int | None = None
    result: str = ""

    @property
    def runs_in_background(self) -> bool:
        """Whether it runs now, and the agent does not wait for it."""
        return self.in_background and self.state is TaskState.RUNNING


class TaskChanged(Struct, frozen=True):
    """A task has started, progressed or ended; this is its present state."""

    task: Task


class FilesFound(Struct, frozen=True):
    """What a tool has changed that may change any file; its `ToolEnded` came before, or follows."""

    tool: str
    changes: tuple[Change, ...]


class Happened(Struct, frozen=True):
    """Something beside the conversation, such as a notification, of which only events tell."""

    name: str
    data: dict[str, str]


class TurnBegun(Struct, frozen=True):
    """The agent has started a turn by itself, because these tasks have ended."""

    ended: tuple[Task, ...]


Event = (
    Ready | OfferChanged | CommandsChanged | ServersFailed | SessionChanged | Cleared | ModeChanged
    | ModelChanged | EffortChanged | SettingsChanged | PromptChanged | PromptBlocked | UserMessage
    | ShellRan | PromptSuggested | Waiting
    | TextDelta | Text | ThinkingDelta | Thinking | ThinkingTokens | PreviewVoided | ToolStarted
    | ToolInput | ToolOutput | ToolEnded | FileWritten | FilesFound | PermissionAsked
    | QuestionAsked | UrlAsked | PlanProposed | RequestWithdrawn | TodoList | TaskChanged | Usage
    | LimitsTold | Retry | Compacting | Compacted | Notice | Happened | Stopping | TurnBegun
    | TurnEnded | Dead
)  # fmt: skip
