"""`turn.py`: the plan's limits in the three shapes in which the CLI tells them."""

from typing import Any

import pytest

from claude_ide.agents.stream_json.turn import (
    MOST_LIMITS,
    limits_of_event,
    limits_of_status_line,
    limits_of_usage,
)
from claude_ide.base.limits import Limit

RESETS = 1_771_390_800


def event(**info: Any) -> dict[str, Any]:
    return {"type": "rate_limit_event", "rate_limit_info": info}


def test_a_status_line_has_percentages() -> None:
    five = {"used_percentage": 23.5, "resets_at": RESETS}
    report = {"rate_limits": {"five_hour": five, "seven_day": {"used_percentage": 41.2}}}

    assert limits_of_status_line(report) == (
        Limit("five_hour", 24, RESETS),
        Limit("seven_day", 41, None),
    )


def test_an_event_has_fractions_of_each_window() -> None:
    windows = {
        "five_hour": {"utilization": 0.285, "resetsAt": RESETS, "status": "allowed"},
        "seven_day": {"utilization": 1.05, "resetsAt": RESETS + 1},
    }
    frame = event(status="allowed", rateLimitType="five_hour", utilization=0.1)
    frame["rate_limit_info"]["unifiedWindows"] = windows

    assert limits_of_event(frame) == (
        Limit("five_hour", 28, RESETS),
        Limit("seven_day", 105, RESETS + 1),
    )


def test_an_older_event_has_the_window_that_limits_now() -> None:
    told = {"resetsAt": RESETS, "rateLimitType": "seven_day_opus"}

    assert limits_of_event(event(status="allowed", **told)) == (
        Limit("seven_day_opus", None, RESETS),
    )
    assert limits_of_event(event(status="rejected", **told)) == (
        Limit("seven_day_opus", 100, RESETS),
    )
    warned = event(status="allowed_warning", utilization=0.83, **told)
    assert limits_of_event(warned) == (Limit("seven_day_opus", 83, RESETS),)


def test_usage_has_windows_of_models_and_times_in_words() -> None:
    windows = {
        "five_hour": {"utilization": 7.0, "resets_at": "2026-02-18T04:59:59.981+00:00"},
        "seven_day": {"utilization": 17, "resets_at": "2026-02-18T05:00:00.2Z"},
        "seven_day_opus": None,
        "model_scoped": [{"display_name": "Fable", "utilization": 3, "resets_at": None}],
        "extra_usage": {"is_enabled": False, "utilization": 0},
    }

    assert limits_of_usage({"rate_limits": windows}) == (
        Limit("five_hour", 7, RESETS),
        Limit("seven_day", 17, RESETS),
        Limit("seven_day_fable", 3, None),
    )
    assert limits_of_usage({"rate_limits_available": False, "rate_limits": None}) == ()


@pytest.mark.parametrize("odd", [None, [], "x", {"five_hour": 3}, {"a": {"used_percentage": "9"}}])
def test_what_is_odd_is_unknown(odd: object) -> None:
    assert limits_of_status_line({"rate_limits": odd}) == ()
    assert limits_of_event({"rate_limit_info": odd}) == ()
    assert limits_of_usage({"rate_limits": odd}) == ()


def test_odd_figures_are_unknown() -> None:
    odd = {"a": {"used_percentage": -1}, "b": {"used_percentage": float("nan"), "resets_at": True}}
    assert limits_of_status_line({"rate_limits": odd}) == ()
    huge = {"a": {"used_percentage": 1e9, "resets_at": 1e18}}
    assert limits_of_status_line({"rate_limits": huge}) == ()
    assert limits_of_usage({"rate_limits": {"a": {"utilization": 1, "resets_at": "soon"}}}) == (
        Limit("a", 1, None),
    )
    many = {f"n{number}": {"used_percentage": 1} for number in range(100)}
    assert len(limits_of_status_line({"rate_limits": many})) == MOST_LIMITS
