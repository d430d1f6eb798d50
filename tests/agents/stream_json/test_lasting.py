"""`permission.py`: a rule for ignored settings of a folder lasts for the session instead."""

from typing import Any

import pytest

from claude_ide.agents.stream_json.permission import MARK, for_session


def asked(*destinations: str) -> dict[str, Any]:
    suggested = [{"type": "addRules", "destination": each} for each in destinations]
    request = {"subtype": "can_use_tool", "permission_suggestions": suggested}
    return {"type": "control_request", "request_id": "r", "request": request}


def test_a_rule_for_the_folder_lasts_for_the_session() -> None:
    frame = asked("localSettings", "projectSettings", "userSettings", "session")

    lasting = asked("session", "session", "userSettings", "session")
    lasting["request"][MARK] = True
    assert for_session(frame) == lasting
    assert frame == asked("localSettings", "projectSettings", "userSettings", "session")


@pytest.mark.parametrize("frame", [{}, {"request": 7}, {"type": "assistant"}])
def test_any_other_frame_is_unchanged(frame: dict[str, Any]) -> None:
    assert for_session(frame) is frame
