"""What is kept of a kernel's outputs on the disk."""

import base64
import time
from pathlib import Path

import pytest

from claude_ide.jupyter.outputs import MOST_SAVED, Ending, Outcome, Output, Record


def saved(record: Record, text: bytes) -> Path:
    """Have an image saved, and return its path."""
    image = Output("image", base64.b64encode(text).decode(), "image/png")
    (shown,) = record.outputs(Outcome([image], Ending.DONE))
    assert shown["kind"] == "image", shown
    return Path(shown["text"])


def test_the_newest_images_are_kept_also_when_the_clock_has_been_set_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = Record(tmp_path)
    before = [saved(record, b"before") for _ in range(MOST_SAVED)]

    monkeypatch.setattr(time, "time_ns", lambda: 1_000_000_000)
    after = [saved(record, b"after %d" % number) for number in range(5)]

    assert [each.read_bytes() for each in after] == [b"after %d" % number for number in range(5)]
    assert not any(each.exists() for each in before[:5])
    assert all(each.exists() for each in before[5:])
