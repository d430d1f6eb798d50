"""Logs to which another process appends JSON objects, one per line."""

import json
from pathlib import Path
from typing import Any


def read(log: Path) -> list[dict[str, Any]]:
    """Return the objects in a log, without one that is still being written."""
    if not log.exists():
        return []
    return [json.loads(line) for line in log.read_text(encoding="utf-8").split("\n")[:-1]]
