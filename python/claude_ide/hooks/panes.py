"""CLIs in panes of tmux that an editor has left there, for the next editor to take over.

Each such pane has a mark, an option of tmux: who serves its CLI, and where that finds its editor.
"""

import os
import subprocess
from pathlib import Path

import msgspec

from claude_ide import pids, repository
from claude_ide.program import locate

LIMIT_SECONDS = 5.0
FORMAT = "#{pane_id} #{pane_pid} #{@claude_ide}"
"""The option is set in `terminal/pane.lua` and `pane.vim`."""


class Mark(msgspec.Struct, frozen=True):
    """The mark of a pane: its editor, the link of its CLI ("" without hooks), and its project."""

    editor: int
    link: str
    project: str


class Pane(msgspec.Struct, frozen=True):
    """A pane, with the id of the process in it."""

    id: str
    pid: int
    mark: Mark


def mark(editor: int, link: Path | None, folder: str) -> str:
    """Return the mark for a CLI that an editor starts in a folder, or takes over."""
    return encoded(Mark(editor, str(link or ""), _project(folder)))


def encoded(mark: Mark) -> str:
    """Return a mark as tmux stores it."""
    return msgspec.json.encode(mark).decode()


def left(folder: str) -> list[Pane]:
    """Return the panes with CLIs of this project whose editors have ended."""
    if not os.environ.get("TMUX"):
        return []
    try:
        listed = subprocess.run(
            [locate("tmux", os.environ.get("PATH", "")), "list-panes", "-a", "-F", FORMAT],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LIMIT_SECONDS,
        )
    except (OSError, subprocess.SubprocessError):
        return []
    found = (_decoded(line) for line in listed.stdout.splitlines())
    project = _project(folder)
    return [
        pane
        for pane in found
        if pane and pane.mark.project == project and not pids.lives(pane.mark.editor)
    ]


def _decoded(line: bytes) -> Pane | None:
    """Return a pane; None if it has no mark of ours."""
    try:
        id_, pid, mark = line.split(maxsplit=2)
        return Pane(id_.decode(), int(pid), msgspec.json.decode(mark, type=Mark))
    except (ValueError, msgspec.DecodeError):
        return None


def _project(folder: str) -> str:
    real = Path(folder).resolve()
    found = repository.find(real)
    return str(found.root if found else real)
