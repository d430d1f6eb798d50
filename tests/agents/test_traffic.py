"""`wire.py`: the recent frames in both directions."""

import json

from claude_ide.transport.wire import FROM, MOST_MESSAGES, AgentTraffic


def test_only_the_last_frames_are_kept() -> None:
    traffic = AgentTraffic(clock=iter(range(MOST_MESSAGES + 10)).__next__)
    for number in range(MOST_MESSAGES + 1):
        traffic.note(FROM, {"number": number})

    kept = [json.loads(line) for line in traffic.text().splitlines()]

    assert len(kept) == MOST_MESSAGES
    assert kept[0] == {"t": 2, "dir": "out", "m": {"number": 1}}


def test_no_traffic_is_an_empty_text() -> None:
    assert AgentTraffic().text() == ""
