"""The progress of the conversation, apart from its messages: prompts, settings, ends of turns."""

import logging

from claude_ide.agents import events
from claude_ide.agents.fields import integer, mapping, number, read, strings, text
from claude_ide.agents.stream_json.decoding import tasks
from claude_ide.agents.stream_json.wire.frames import Frame
from claude_ide.own_mode import shown

AT_ONCE = "now"
"""The priority of a prompt that overtakes the waiting ones."""


class Stages:
    """The waiting and the started prompts, until the CLI reports a stage itself."""

    def __init__(self) -> None:
        self._is_reported = False
        self._waiting: dict[str, str] = {}
        """Prompts that have not started, with their priorities."""
        self._begun: list[str] = []
        self._running = False
        self._started: set[str] = set()
        """Prompts that the CLI has reported as started, and not yet as completed."""

    @property
    def has_started(self) -> bool:
        """Whether a prompt belongs to the present turn."""
        return bool(self._started or self._begun)

    def reported(self, frame: Frame) -> list[events.Event]:
        """Decode a `command_lifecycle` frame; from now on no stage is inferred."""
        try:
            prompt, stage = text(frame.get("command_uuid")), events.PromptStage(frame.get("state"))
        except ValueError:
            return []
        is_started = stage is events.PromptStage.STARTED
        (self._started.add if is_started else self._started.discard)(prompt)
        is_known = stage is events.PromptStage.QUEUED and prompt in self._waiting
        self._is_reported = True
        self._waiting.clear()
        self._begun.clear()
        return [] if is_known else [events.PromptChanged(prompt, stage)]

    def sent(self, prompt: str, priority: str) -> list[events.Event]:
        """Add a prompt that is being sent."""
        if self._is_reported:
            return []
        self._waiting[prompt] = priority
        return [events.PromptChanged(prompt, events.PromptStage.QUEUED)]

    def withdrawn(self, prompt: str) -> list[events.Event]:
        """Remove a prompt that the CLI has withdrawn, or has never received."""
        if self._waiting.pop(prompt, None) is None:
            return []
        return [events.PromptChanged(prompt, events.PromptStage.CANCELLED)]

    def echoed(self, frame: Frame) -> list[events.Event]:
        """Start a prompt that the CLI has echoed."""
        return self._begin(text(frame.get("uuid")))

    def turn_begun(self) -> list[events.Event]:
        """Start the next prompt on an `init`, which begins a turn unless one is running."""
        if self._running or not self._waiting:
            return []
        self._running = True
        return self._begin(min(self._waiting, key=lambda id_: self._waiting[id_] != AT_ONCE))

    def turn_ended(self) -> list[events.Event]:
        """Complete the prompts of the turn."""
        ended, self._begun = self._begun, []
        self._running = False
        return [events.PromptChanged(prompt, events.PromptStage.COMPLETED) for prompt in ended]

    def _begin(self, prompt: str) -> list[events.Event]:
        if self._waiting.pop(prompt, None) is None:
            return []
        self._begun.append(prompt)
        return [events.PromptChanged(prompt, events.PromptStage.STARTED)]


PREFIX = "claude-"


class Settings:
    """The settings that the CLI reported last."""

    def __init__(self) -> None:
        self.session = ""
        self.title = ""
        self.mode = ""
        self.model = ""
        self.models: dict[str, str] = {}
        """The models by the names under which the CLI offers them."""
        self._initialized = False

    def is_other_session(self, frame: Frame) -> bool:
        """Whether an `init` has a new session id: the conversation was cleared."""
        session = text(frame.get("session_id"))
        return self._initialized and "" not in (session, self.session) and session != self.session

    def apply(self, frame: Frame) -> list[events.Event]:
        """Update the settings from a `system` frame; return an event for each change."""
        match text(frame.get("subtype")):
            case "init":
                self._initialized = True
                return [
                    *self.set_session(text(frame.get("session_id"))),
                    *self.set_mode(text(frame.get("permissionMode"))),
                    *self.set_model(text(frame.get("model"))),
                ]
            case "status":
                return self.set_mode(text(frame.get("permissionMode")))
            case "model_fallback" | "model_consent_fallback":
                return self.set_model(text(frame.get("fallback_model")))
            case "session_title_changed":
                return self.set_title(text(frame.get("title")))
        return []

    def follow(self, run: Frame, answer: str) -> list[events.Event]:
        """Follow a command of the CLI that the user has sent as a prompt, such as `/model opus`."""
        chosen = text(run.get("args")).strip()
        match text(run.get("command")):
            case "model" if answer.startswith("Set model to"):
                id_ = chosen if chosen.startswith(PREFIX) else ""
                return self.set_model(self.models.get(chosen) or id_)
            case "effort" if answer.startswith("Set effort level to"):
                return [events.EffortChanged(chosen)]
        return []

    def set_session(self, session: str) -> list[events.Event]:
        """Set the session's id; return the event if that is a change."""
        return [events.Session(session, self.title)] if self._is_new("session", session) else []

    def set_title(self, title: str) -> list[events.Event]:
        """Set the session's title; return the event if that is a change."""
        return [events.Session(self.session, title)] if self._is_new("title", title) else []

    def set_mode(self, mode: str) -> list[events.Event]:
        """Set the permission mode; return the event if that is a change."""
        is_new = self._is_new("mode", mode and shown(mode))
        return [events.ModeChanged(self.mode)] if is_new else []

    def set_model(self, model: str) -> list[events.Event]:
        """Set the model's name; return the event if that is a change."""
        short = model.removeprefix(PREFIX)
        changed = events.ModelChanged(model, "" if short == model else short)
        return [changed] if self._is_new("model", model) else []

    def _is_new(self, setting: str, value: str) -> bool:
        is_new = value not in ("", getattr(self, setting))
        if is_new:
            setattr(self, setting, value)
        return is_new

    def forget_session(self) -> None:
        """Forget the session; the next reported session is a new one."""
        self.session = self.title = ""


logger = logging.getLogger(__name__)

UNKNOWN = "unknown"
CONNECTION_LOST = "connection lost"

SIZE_KEYS = {"before": "pre_tokens", "after": "post_tokens"}
WITHOUT_EVENTS = ("init", "session_title_changed", "hook_started", "hook_progress")
"""Subtypes without an event of this module; unknown ones are logged."""


def decode_system(frame: Frame) -> list[events.Event]:
    """Return the events of a `system` frame, except those about settings."""
    match text(frame.get("subtype")):
        case "status":
            return _status(frame)
        case "thinking_tokens":
            return [events.ThinkingTokens(integer(frame.get("estimated_tokens")) or 0)]
        case "api_retry":
            return [_retry(frame)]
        case "compact_boundary":
            return [read(events.Compacted, frame.get("compact_metadata"), SIZE_KEYS)]
        case subtype if subtype not in (*WITHOUT_EVENTS, *tasks.SUBTYPES):
            logger.info("ignored a system frame of subtype %r", subtype)
    return []


def _status(frame: Frame) -> list[events.Event]:
    match frame.get("status"):
        case "requesting":
            return [events.Waiting()]
        case "compacting":
            return [events.Compacting()]
    compacted = text(frame.get("compact_result"))
    if compacted and compacted != "success":
        reason = text(frame.get("compact_error")) or compacted
        return [
            events.Notice(f"The conversation could not be compacted: {reason}", "error", "compact")
        ]
    return []


def _retry(frame: Frame) -> events.Retry:
    status, reason = integer(frame.get("error_status")), text(frame.get("error"))
    # A request without an answer has an unknown error.
    is_lost = status is None and reason in ("", UNKNOWN)
    return events.Retry(
        attempt=integer(frame.get("attempt")) or 0,
        most=integer(frame.get("max_retries")) or 0,
        seconds=(number(frame.get("retry_delay_ms")) or 0) / 1000,
        reason=CONNECTION_LOST if is_lost else reason,
        status=status,
    )


DIAGNOSTIC = "[ede_diagnostic]"
"""The prefix of messages that are for the CLI's own developers."""


def usage(frame: Frame, model: str) -> events.Usage:
    """Return the cost of the session, and the size of the context of `model`."""
    models = mapping(frame.get("modelUsage"))
    used = models.get(model) or next(iter(models.values()), None)
    size = integer(mapping(used).get("contextWindow"))
    return events.Usage(number(frame.get("total_cost_usd")), context_size=size)


def turn_ended(frame: Frame) -> events.TurnEnded:
    """Return the end of the turn; `subtype` and `is_error` alone do not determine its reason."""
    why = _why(text(frame.get("terminal_reason")), frame.get("is_error") is True)
    message = ""
    if why in (events.TurnEndReason.FAILED, events.TurnEndReason.TOO_LONG):
        errors = strings(frame.get("errors"))
        own = [error for error in errors if not error.startswith(DIAGNOSTIC)]
        message = "\n".join(own) or text(frame.get("result"))
    prompts = strings(frame.get("user_message_uuids"))
    return events.TurnEnded(why, prompts, message, integer(frame.get("duration_ms")))


def _why(reason: str, failed: bool) -> events.TurnEndReason:
    match reason:
        case "aborted_streaming" | "aborted_tools":
            # An aborted turn is no error only if the user's next prompt replaced it.
            return events.TurnEndReason.INTERRUPTED if failed else events.TurnEndReason.REDIRECTED
        case "prompt_too_long":
            return events.TurnEndReason.TOO_LONG
        case _:
            return events.TurnEndReason.FAILED if failed else events.TurnEndReason.COMPLETED
