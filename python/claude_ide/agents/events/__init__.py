"""The events that a panel shows, in terms that fit every agent.

`block` is the id of one piece of an answer. `tool` is the id of one use of a tool. `parent` is the
id of the tool use that started the subagent from which the event comes; empty for the agent itself.
"""

from claude_ide.agents.events.asking import (
    Choice,
    Option,
    OptionKind,
    PermissionAsked,
    PlanProposed,
    Question,
    QuestionAsked,
    Replacement,
    RequestWithdrawn,
    Subagent,
)
from claude_ide.agents.events.session import (
    Cleared,
    Command,
    CommandsChanged,
    Compacted,
    Compacting,
    Dead,
    EffortChanged,
    Mode,
    ModeChanged,
    Model,
    ModelChanged,
    PromptChanged,
    PromptStage,
    Ready,
    Retry,
    Session,
    Stopping,
    TurnEnded,
    TurnEndReason,
    Usage,
    Waiting,
)
from claude_ide.agents.events.talk import (
    Notice,
    PreviewVoided,
    Text,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ThinkingTokens,
    UserMessage,
)
from claude_ide.agents.events.tools import (
    Change,
    FileWritten,
    Hunk,
    Task,
    TasksChanged,
    Todo,
    TodoList,
    ToolEnded,
    ToolInput,
    ToolOutput,
    ToolStarted,
    ToolStatus,
)

__all__ = [
    "Change",
    "Choice",
    "Cleared",
    "Command",
    "CommandsChanged",
    "Compacted",
    "Compacting",
    "Dead",
    "EffortChanged",
    "Event",
    "FileWritten",
    "Hunk",
    "Mode",
    "ModeChanged",
    "Model",
    "ModelChanged",
    "Notice",
    "Option",
    "OptionKind",
    "PermissionAsked",
    "PlanProposed",
    "PreviewVoided",
    "PromptChanged",
    "PromptStage",
    "Question",
    "QuestionAsked",
    "Ready",
    "Replacement",
    "RequestWithdrawn",
    "Retry",
    "Session",
    "Stopping",
    "Subagent",
    "Task",
    "TasksChanged",
    "Text",
    "TextDelta",
    "Thinking",
    "ThinkingDelta",
    "ThinkingTokens",
    "Todo",
    "TodoList",
    "ToolEnded",
    "ToolInput",
    "ToolOutput",
    "ToolStarted",
    "ToolStatus",
    "TurnEndReason",
    "TurnEnded",
    "Usage",
    "UserMessage",
    "Waiting",
]

Event = (
    Ready | CommandsChanged | Session | Cleared | ModeChanged | ModelChanged | EffortChanged
    | PromptChanged | UserMessage | Waiting | TextDelta | Text | ThinkingDelta | Thinking
    | ThinkingTokens | PreviewVoided | ToolStarted | ToolInput | ToolOutput | ToolEnded
    | FileWritten
    | PermissionAsked | QuestionAsked | PlanProposed | RequestWithdrawn | TodoList | TasksChanged
    | Usage | Retry | Compacting | Compacted | Notice | Stopping | TurnEnded | Dead
)  # fmt: skip
