"""Frames of type `result`: the end of a turn, and the session's cost so far."""

from claude_ide.agents.events import TurnEnded, TurnEndReason, Usage
from claude_ide.agents.fields import integer, mapping, number, strings, text
from claude_ide.agents.stream_json.wire.frames import Frame

DIAGNOSTIC = "[ede_diagnostic]"
"""The prefix of messages that are for the CLI's own developers."""


def usage(frame: Frame, model: str) -> Usage:
    """Return the cost of the session, and the size of the context of `model`."""
    models = mapping(frame.get("modelUsage"))
    used = models.get(model) or next(iter(models.values()), None)
    size = integer(mapping(used).get("contextWindow"))
    return Usage(number(frame.get("total_cost_usd")), context_size=size)


def turn_ended(frame: Frame) -> TurnEnded:
    """Return the end of the turn; `subtype` and `is_error` alone do not determine its reason."""
    failed = frame.get("is_error") is True
    why = _why(text(frame.get("terminal_reason")), failed)
    return TurnEnded(
        why,
        prompts=strings(frame.get("user_message_uuids")),
        message=_message(frame) if why in (TurnEndReason.FAILED, TurnEndReason.TOO_LONG) else "",
        milliseconds=integer(frame.get("duration_ms")),
    )


def _why(reason: str, failed: bool) -> TurnEndReason:
    match reason:
        case "aborted_streaming" | "aborted_tools":
            # An aborted turn is no error only if the user's next prompt replaced it.
            return TurnEndReason.INTERRUPTED if failed else TurnEndReason.REDIRECTED
        case "prompt_too_long":
            return TurnEndReason.TOO_LONG
        case _:
            return TurnEndReason.FAILED if failed else TurnEndReason.COMPLETED


def _message(frame: Frame) -> str:
    errors = [error for error in strings(frame.get("errors")) if not error.startswith(DIAGNOSTIC)]
    return "\n".join(errors) or text(frame.get("result"))
