"""The links by which CLIs in terminals find the editor that gets their hooks.

Each CLI has one, named by the id of its launch, and keeps its path for as long as it runs. It leads
to the Unix socket of an editor. If that editor ends, the CLI goes on, and another editor can put a
link to its own socket in that place. Only the user can enter the folder, so nobody else can answer.
"""

import contextlib
import os
from pathlib import Path

from claude_ide.base import program
from claude_ide.base.folders import make_private

OWNER_ONLY = 0o700
FOR_OTHERS = 0o077


class Links:
    """Those of one editor. Its socket has the path `socket`, which ends with the editor's pid.

    The path is empty if there can be none.
    """

    def __init__(self, folder: Path, socket: str) -> None:
        self._folder = folder
        self.socket = socket
        self._served: dict[str, Path] = {}

    @property
    def is_used(self) -> bool:
        """Whether CLIs report to this editor, which an earlier host has let them do."""
        return bool(self.socket) and (
            Path(self.socket).exists() or any(_target(path) == self.socket for path in self._all())
        )

    def prepare(self) -> None:
        """Create the folder, and remove what dead processes have left. Raises `OSError`."""
        make_private(self._folder)
        if self._folder.stat().st_mode & FOR_OTHERS:
            self._folder.chmod(OWNER_ONLY)
        for path in self._all():
            if _is_left(path):
                _remove(path)

    def path(self, launch: str) -> Path:
        """Return the path of a CLI's link."""
        return self._folder / launch

    def serve(self, path: Path) -> None:
        """Have a CLI's link lead to us from now on. Raises `OSError`."""
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        _remove(draft)
        draft.symlink_to(self.socket)
        draft.replace(path)
        self._served[path.name] = path

    def is_served(self, path: Path) -> bool:
        """Return whether a CLI's link leads to an editor that is alive."""
        return bool(_target(path)) and not _is_left(path)

    def remove(self, launch: str) -> None:
        """Remove the link of a CLI that has ended."""
        # Vim and Neovim have different folders, and take over each other's CLIs.
        _remove(self._served.pop(launch, self.path(launch)))

    def _all(self) -> list[Path]:
        try:
            return [*self._folder.iterdir()]
        except OSError:
            return []


def _target(path: Path) -> str:
    """Return where a link leads; empty if it is none, as the files of waiting hooks."""
    try:
        return str(path.readlink())
    except OSError:
        return ""


def _is_left(path: Path) -> bool:
    """Return whether a path, or that to which it leads, has the id of a process that has ended."""
    pid = (_target(path) or path.name).rpartition(".")[2]
    return not (pid.isdecimal() and program.lives(int(pid)))


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
