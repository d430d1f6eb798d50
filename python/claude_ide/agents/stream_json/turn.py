"""The progress of a turn: its prompts, its end, its use of the plan's limits.

The CLI tells the limits in three shapes:

- to a status line: `{NAME: {"used_percentage", "resets_at"}}`, with a Unix time
- in a `rate_limit_event`: the window that limits now, and in newer versions each window, with the
  used fraction and a Unix time
- in the answer to `get_usage`: `{NAME: {"utilization", "resets_at"}}`, with a percentage and a time
  in words, and a list of windows of single models
"""

import logging
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from claude_ide.agents import events
from claude_ide.agents.fields import integer, mapping, mappings, number, read, strings, text
from claude_ide.agents.stream_json import tools
from claude_ide.agents.stream_json.protocol import Frame
from claude_ide.base.limits import Limit

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
        case subtype if subtype not in (*WITHOUT_EVENTS, *tools.TASK_SUBTYPES):
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


MOST_LIMITS = 20
LONGEST_LIMIT_NAME = 40
MINUTE_SECONDS = 60
MOST_PERCENT = 1_000
LATEST_SECONDS = 4_102_444_800
"""The year 2100."""

LIMITS_REQUEST = "get_usage"
LIMITS_FIELDS = {"skip_behaviors": True, "detached": True}
"""The request, without what costs: a scan of all sessions, and a delay of the next prompt."""
LIMITS_CAPABILITY = "get_usage_detached_v1"
"""The capability of a CLI that knows this request."""


def limits_of_status_line(report: Mapping[str, Any]) -> tuple[Limit, ...]:
    """Return what a CLI tells its status line."""
    windows = mapping(report.get("rate_limits"))
    return _known_limits(
        _limit(name, mapping(window).get("used_percentage"), mapping(window).get("resets_at"))
        for name, window in windows.items()
    )


def limits_of_event(frame: Frame) -> tuple[Limit, ...]:
    """Return what a `rate_limit_event` tells."""
    info = mapping(frame.get("rate_limit_info"))
    windows = {name: mapping(each) for name, each in mapping(info.get("unifiedWindows")).items()}
    if (name := text(info.get("rateLimitType"))) and name not in windows:
        windows[name] = info
    return _known_limits(
        _limit(name, _percentage(window), window.get("resetsAt"))
        for name, window in windows.items()
    )


def limits_of_usage(answer: Frame) -> tuple[Limit, ...]:
    """Return what the answer to `get_usage` tells."""
    windows = mapping(answer.get("rate_limits"))
    named = [(name, mapping(window)) for name, window in windows.items()]
    models = [
        (f"seven_day_{text(each.get('display_name')).lower()}", each)
        for each in mappings(windows.get("model_scoped"))
    ]
    return _known_limits(
        _limit(name, window.get("utilization"), _unix_time(window.get("resets_at")))
        for name, window in [*named, *models]
        if window.get("is_enabled") is not False
    )


def _percentage(window: Frame) -> object:
    """Return the percentage of a fraction; a window that rejects is used up."""
    fraction = number(window.get("utilization"))
    if fraction is not None:
        return fraction * 100
    return 100 if window.get("status") == "rejected" else None


def _unix_time(words: object) -> float | None:
    try:
        moment = datetime.fromisoformat(text(words)).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
    # The same end of a window is told with other fractions of a second each time.
    return round(moment / MINUTE_SECONDS) * MINUTE_SECONDS


def _limit(name: str, used: object, resets: object) -> Limit:
    until = _whole(resets, LATEST_SECONDS)
    return Limit(name[:LONGEST_LIMIT_NAME], _whole(used, MOST_PERCENT), until)


def _whole(value: object, most: float) -> int | None:
    """Return a number, rounded; None for what cannot be one: no clock knows every time."""
    known = number(value)
    return round(known) if known is not None and 0 <= known <= most else None


def _known_limits(limits: Any) -> tuple[Limit, ...]:
    """Return the limits about which something is known."""
    return tuple(each for each in limits if (each.used, each.resets) != (None, None))[:MOST_LIMITS]
