"""The CLI's records of the sessions that run, in a folder of a test."""

import json
import os
from pathlib import Path
from typing import Any


class Records:
    """Records of CLIs below a configuration folder; each runs as this process by default."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def process(self, session: str, **more: Any) -> Path:
        """Record a CLI in a terminal."""
        pid = more.setdefault("pid", os.getpid())
        record = {"sessionId": session, "cwd": "/p", "kind": "interactive", "status": "idle"}
        return _write(self.folder / f"sessions/{pid}.json", record | more)

    def job(self, id_: str, **more: Any) -> Path:
        """Record a session in the background; without a process it has ended."""
        state = {"sessionId": f"{id_}-1", "cwd": "/p", "name": id_, "state": "working"}
        return _write(self.folder / f"jobs/{id_}/state.json", state | more)

    def running_job(self, id_: str, status: str, pid: int, **more: Any) -> None:
        """Record a session in the background, and its process."""
        state = self.job(id_, **more)
        folder = json.loads(state.read_text())["cwd"]
        self.process(f"{id_}-1", kind="bg", jobId=id_, status=status, cwd=folder, pid=pid)


def _write(path: Path, content: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".new")
    draft.write_text(json.dumps(content))
    draft.replace(path)
    return path
