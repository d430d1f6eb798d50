"""`lasting.py`: a rule that the folder's settings would keep in vain lasts for the session."""

from typing import Any

import pytest

from claude_ide.agents.stream_json.decoding.lasting import for_session


def asked(*destinations: str) -> dict[str, Any]:
    suggested = [{"type": "addRules", "destination": each} for each in destinations]
    request = {"subtype": "can_use_tool", "permission_suggestions": suggested}
    return {"type": "control_request", "request_id": "r", "request": request}


def test_what_the_folder_would_keep_lasts_for_the_session() -> None:
    frame = asked("localSettings", "projectSettings", "userSettings", "session")

    assert for_session(frame) == asked("session", "session", "userSettings", "session")
    assert frame == asked("localSettings", "projectSettings", "userSettings", "session")


@pytest.mark.parametrize("frame", [{}, {"request": 7}, asked(), {"type": "assistant"}])
def test_any_other_frame_stays_as_it_is(frame: dict[str, Any]) -> None:
    assert for_session(frame) is frame
