"""Frames of type `system`: the progress of the conversation, apart from its messages."""

import logging

from claude_ide.agents.events import (
    Compacted,
    Compacting,
    Event,
    Notice,
    Retry,
    ThinkingTokens,
    Waiting,
)
from claude_ide.agents.fields import integer, mapping, number, text
from claude_ide.agents.stream_json.decoding import tasks
from claude_ide.agents.stream_json.wire.frames import Frame

logger = logging.getLogger(__name__)

UNKNOWN = "unknown"
CONNECTION_LOST = "connection lost"

WITHOUT_EVENTS = ("init", "session_title_changed", "hook_started", "hook_progress")
"""Subtypes without an event of this module; unknown ones are logged."""


def decode(frame: Frame) -> list[Event]:
    """Return the events of a `system` frame, except those about settings."""
    match text(frame.get("subtype")):
        case "status":
            return _status(frame)
        case "thinking_tokens":
            return [ThinkingTokens(integer(frame.get("estimated_tokens")) or 0)]
        case "api_retry":
            return [_retry(frame)]
        case "compact_boundary":
            return [_compacted(mapping(frame.get("compact_metadata")))]
        case subtype if subtype not in (*WITHOUT_EVENTS, *tasks.SUBTYPES):
            logger.info("ignored a system frame of subtype %r", subtype)
    return []


def _status(frame: Frame) -> list[Event]:
    match frame.get("status"):
        case "requesting":
            return [Waiting()]
        case "compacting":
            return [Compacting()]
    compacted = text(frame.get("compact_result"))
    if compacted and compacted != "success":
        reason = text(frame.get("compact_error")) or compacted
        return [Notice(f"The conversation could not be compacted: {reason}", "error", "compact")]
    return []


def _retry(frame: Frame) -> Retry:
    status = integer(frame.get("error_status"))
    return Retry(
        attempt=integer(frame.get("attempt")) or 0,
        most=integer(frame.get("max_retries")) or 0,
        seconds=(number(frame.get("retry_delay_ms")) or 0) / 1000,
        reason=_reason(text(frame.get("error")), status),
        status=status,
    )


def _reason(error: str, status: int | None) -> str:
    """Return the reason of a retry; a request without an answer has an unknown error."""
    return CONNECTION_LOST if status is None and error in ("", UNKNOWN) else error


def _compacted(metadata: Frame) -> Compacted:
    return Compacted(
        before=integer(metadata.get("pre_tokens")),
        after=integer(metadata.get("post_tokens")),
        trigger=text(metadata.get("trigger")),
    )
