"""The lock file that announces the server: `<config>/ide/<port>.lock`.

Standard library only: it is written before anything else is imported, so that the CLI can be
started as soon as the port is known. Source: doc/protocol.md, "Discovery".
"""

import base64
import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

PLUGIN = "claude-ide"
"""Marks the locks that are ours to sweep; the CLI ignores fields it does not know."""


class LockFile(NamedTuple):
    """What one server announces; the field names are those of the wire.

    A tuple, because importing `dataclasses` takes a third of the time that the port may.

    `pid` is Neovim's: the CLI checks that it lives and is among its own ancestors. `hostPid` is
    ours, and tells a lock whose host was killed from one that is served.
    """

    path: Path
    workspaceFolders: tuple[str, ...]
    pid: int
    ideName: str
    authToken: str
    hostPid: int
    transport: str = "ws"
    runningInWindows: bool = os.name == "nt"
    plugin: str = PLUGIN

    def write(self) -> None:
        """Write the file whole or not at all, readable by its owner only."""
        folder = self.path.parent
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if folder.stat().st_mode & 0o077:
            # The token is what keeps others out. A folder that is not ours stays as it is.
            with contextlib.suppress(PermissionError):
                folder.chmod(0o700)
        fields = {name: value for name, value in self._asdict().items() if name != "path"}
        # Not `*.lock`: the CLI reads, and deletes, whatever ends so.
        draft = folder / f".{self.path.stem}.{self.hostPid}.new"
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(fields, file)
            draft.replace(self.path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise

    def with_folders(self, folders: tuple[str, ...]) -> "LockFile":
        """Return the same lock for other workspace folders."""
        return self._replace(workspaceFolders=folders)

    def remove(self) -> None:
        """Remove the file; nothing happens if somebody did so before."""
        self.path.unlink(missing_ok=True)


def folder(environment: Mapping[str, str]) -> Path:
    """Return the folder that the CLI reads: `$CLAUDE_CONFIG_DIR/ide`, else `~/.claude/ide`."""
    configured = environment.get("CLAUDE_CONFIG_DIR")
    return (Path(configured) if configured else Path.home() / ".claude") / "ide"


def new_token() -> str:
    """Return 64 random bytes in base64url without padding."""
    return base64.urlsafe_b64encode(os.urandom(64)).rstrip(b"=").decode()


def sweep(folder: Path) -> None:
    """Remove the locks of ours whose Neovim or host no longer lives."""
    for path, fields in _locks(folder):
        ours = fields.get("plugin") == PLUGIN
        if ours and not (_lives(fields.get("pid")) and _lives(fields.get("hostPid"))):
            path.unlink(missing_ok=True)


def ide_name(folder: Path, workspace: str) -> str:
    """Return `Neovim`, or with the project's name when another Neovim is announced already."""
    taken = any(
        str(fields.get("ideName", "")).startswith("Neovim") and _lives(fields.get("pid"))
        for _, fields in _locks(folder)
    )
    return f"Neovim ({Path(workspace).name or workspace})" if taken else "Neovim"


def _locks(folder: Path) -> list[tuple[Path, dict[str, Any]]]:
    locks = []
    for path in folder.glob("*.lock"):
        with contextlib.suppress(OSError, ValueError):
            fields = json.loads(path.read_text(encoding="utf-8"))
            if isinstance(fields, dict):
                locks.append((path, fields))
    return locks


def _lives(pid: object) -> bool:
    if not isinstance(pid, int) or pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True
