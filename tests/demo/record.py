"""The session's file, as the CLI keeps it: with it, the chat lists and resumes conversations."""

import contextlib
import json
import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from claude_ide.base.paths import config_folder

Frame = dict[str, Any]
CONFIG = "CLAUDE_CONFIG_DIR"


class Record:
    """The file of one session; without a configuration folder of the demo's own, no file."""

    def __init__(self, session: str, cwd: Path, environment: Mapping[str, str]) -> None:
        self._session = session
        self._cwd = cwd
        # The user's own folder belongs to the CLI.
        self._folder = folder(environment, cwd) if environment.get(CONFIG) else None
        self._last: str | None = None

    @property
    def _path(self) -> Path | None:
        return self._folder / f"{self._session}.jsonl" if self._folder else None

    def resume(self, session: str, until: str = "") -> bool:
        """Continue a session, perhaps from a copy up to a row; return whether there is one."""
        source = self._folder / f"{session}.jsonl" if self._folder else None
        if source is None or not source.is_file():
            return False
        rows = source.read_text(encoding="utf-8").splitlines()
        ids = [json.loads(row).get("uuid") for row in rows]
        kept = ids.index(until) + 1 if until in ids else len(rows)
        self._last = ids[kept - 1] if kept else None
        if self._path is not None and source != self._path:
            self._path.write_text("".join(f"{row}\n" for row in rows[:kept]), encoding="utf-8")
        return True

    def latest(self) -> str:
        """Return the id of the session that was used last; empty if there is none."""
        found = sorted(self._folder.glob("*.jsonl"), key=_changed) if self._folder else []
        return found[-1].stem if found else ""

    def add(self, frame: Frame) -> None:
        """Add a message."""
        row = {"parentUuid": self._last, "isSidechain": False, "cwd": str(self._cwd)}
        row |= {key: frame[key] for key in ("type", "uuid", "message")}
        row |= {"sessionId": self._session, "timestamp": datetime.now(UTC).isoformat()}
        if "tool_use_result" in frame:
            row["toolUseResult"] = frame["tool_use_result"]
        for decided in frame.get("tool_result_meta") or []:
            row["toolDenialKind"] = decided.get("non_execution_kind")
            row["permissionDecision"] = decided.get("permission_decision")
        self._append(row)
        self._last = frame["uuid"]

    def _append(self, row: Frame) -> None:
        if self._path is None:
            return
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                # The chat searches such files for `"type":"user"`.
                file.write(json.dumps(row, separators=(",", ":")) + "\n")


def folder(environment: Mapping[str, str], cwd: Path) -> Path:
    """Return the folder of the sessions in `cwd`."""
    return config_folder(environment) / "projects" / re.sub("[^a-zA-Z0-9]", "-", os.fspath(cwd))


def _changed(path: Path) -> float:
    return path.stat().st_mtime
