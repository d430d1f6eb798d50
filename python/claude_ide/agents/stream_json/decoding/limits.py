"""Decodes what the CLI knows of the plan's limits, which it tells in three shapes.

- to a status line: `{NAME: {"used_percentage", "resets_at"}}`, with a Unix time
- in a `rate_limit_event`: the window that limits now, and in newer versions each window, with the
  used fraction and a Unix time
- in the answer to `get_usage`: `{NAME: {"utilization", "resets_at"}}`, with a percentage and a time
  in words, and a list of windows of single models
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from claude_ide.agents.fields import mapping, mappings, number, text
from claude_ide.agents.stream_json.wire.frames import Frame
from claude_ide.limits import Limit

MOST = 20
LONGEST_NAME = 40
MINUTE_SECONDS = 60
MOST_PERCENT = 1_000
LATEST_SECONDS = 4_102_444_800
"""The year 2100."""

REQUEST = "get_usage"
FIELDS = {"skip_behaviors": True, "detached": True}
"""The request, without what costs: a scan of all sessions, and a delay of the next prompt."""
OFFER = "get_usage_detached_v1"
"""The capability of a CLI that knows this request."""


def of_status_line(report: Mapping[str, Any]) -> tuple[Limit, ...]:
    """Return what a CLI tells its status line."""
    windows = mapping(report.get("rate_limits"))
    return _found(
        _limit(name, mapping(window).get("used_percentage"), mapping(window).get("resets_at"))
        for name, window in windows.items()
    )


def of_event(frame: Frame) -> tuple[Limit, ...]:
    """Return what a `rate_limit_event` tells."""
    info = mapping(frame.get("rate_limit_info"))
    windows = {name: mapping(each) for name, each in mapping(info.get("unifiedWindows")).items()}
    if (name := text(info.get("rateLimitType"))) and name not in windows:
        windows[name] = info
    return _found(
        _limit(name, _percentage(window), window.get("resetsAt"))
        for name, window in windows.items()
    )


def of_usage(answer: Frame) -> tuple[Limit, ...]:
    """Return what the answer to `get_usage` tells."""
    windows = mapping(answer.get("rate_limits"))
    named = [(name, mapping(window)) for name, window in windows.items()]
    models = [
        (f"seven_day_{text(each.get('display_name')).lower()}", each)
        for each in mappings(windows.get("model_scoped"))
    ]
    return _found(
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
    return Limit(name[:LONGEST_NAME], _whole(used, MOST_PERCENT), until)


def _whole(value: object, most: float) -> int | None:
    """Return a number, rounded; None for what cannot be one: no clock knows every time."""
    known = number(value)
    return round(known) if known is not None and 0 <= known <= most else None


def _found(limits: Any) -> tuple[Limit, ...]:
    """Return the limits about which something is known."""
    return tuple(each for each in limits if (each.used, each.resets) != (None, None))[:MOST]
