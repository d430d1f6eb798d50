"""CLIs in panes of tmux: opened, or left there by an editor for the next one to take over.

Each such pane has a mark, an option of tmux: who serves its CLI, and where that finds its editor.
"""

import contextlib
import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from claude_ide.base import git, program
from claude_ide.base.errors import UserError
from claude_ide.base.names import editor_name
from claude_ide.base.program import locate

LIMIT_SECONDS = 5.0
MARK = "@claude_ide"
GONE = "the pane of this CLI has closed"
OWN = re.compile(
    r"(TERM|COLORTERM|MYVIMRC|PWD|OLDPWD|SHLVL|_)\Z|TERM_PROGRAM|TMUX|N?VIM|[^A-Za-z_]|\w*\W"
)
"""Variables of the pane, or of the editor only, and what is no name in a shell."""
KEEP_OUTPUT = (
    r"""[ "$code" -eq 0 ] || { printf '\n[exited %s; Enter closes this]' "$code"; read -r _; }"""
)
"""The pane closes with the script, and its output with it (`editor/typing.py` knows this text)."""


class PaneMark(msgspec.Struct, frozen=True):
    """The mark of a pane: its editor, the link of its CLI ("" without hooks), and its project."""

    editor: int
    link: str
    project: str


class Pane(msgspec.Struct, frozen=True):
    """A pane, with the id of the process in it."""

    id: str
    pid: int
    mark: PaneMark


def mark(editor: int, link: Path | None, folder: str) -> str:
    """Return the mark for a CLI that an editor starts in a folder, or takes over."""
    return encoded(PaneMark(editor, str(link or ""), _project(folder)))


def encoded(mark: PaneMark) -> str:
    """Return a mark as tmux stores it."""
    return msgspec.json.encode(mark).decode()


def refusal(environment: Mapping[str, str]) -> str:
    """Return why no pane can be opened; an empty string if one can."""
    if not (environment.get("TMUX") and environment.get("TMUX_PANE")):
        return f"this {editor_name()} does not run in tmux"
    try:
        locate("tmux", environment.get("PATH", ""))
    except OSError:
        return "tmux is not on PATH"
    return ""


def open_pane(
    command: Sequence[str], environment: Mapping[str, str], folder: str, size: float, mark: str
) -> tuple[str, int]:
    """Run a command in a new pane on the right, and go there; return the ids of pane and process.

    `size` is a share of the window, or columns. Raises `UserError` if tmux refuses.
    """
    script = _script(command, environment, folder)
    place = _beside(environment, size)
    shell = ["-P", "-F", "#{pane_id} #{pane_pid}", "sh", script]
    try:
        id_, pid = _tmux(environment, "split-window", *place, *shell).split()
    except BaseException:
        Path(script).unlink(missing_ok=True)
        raise
    set_mark(environment, id_, mark)
    return id_, int(pid)


def _beside(environment: Mapping[str, str], size: float) -> list[str]:
    length = f"{int(size * 100)}%" if size < 1 else str(int(size))
    return ["-h", "-l", length, "-t", environment["TMUX_PANE"]]


def show(environment: Mapping[str, str], pane: str, size: float) -> None:
    """Bring a pane beside that of the editor, unless it is there, and go to it.

    Raises `UserError` if tmux refuses.
    """
    if not _is_here(environment, pane):
        _tmux(environment, "join-pane", *_beside(environment, size), "-s", pane)
    _tmux(environment, "select-pane", "-t", pane)


def hide(environment: Mapping[str, str], pane: str) -> bool:
    """Move a pane to a window of its own, in the background; return False if it is not here.

    Raises `UserError` if tmux refuses.
    """
    is_here = _is_here(environment, pane)
    if is_here:
        _tmux(environment, "break-pane", "-d", "-s", pane, "-n", "Claude")
    return is_here


def _is_here(environment: Mapping[str, str], pane: str) -> bool:
    """Return whether a pane is in the window of the editor. Raises `UserError` if it is gone."""
    window = ("display-message", "-p", "-t")
    found = _tmux(environment, *window, pane, "#{window_id}").strip()
    # Without the pane, older versions of tmux print an empty text.
    if not found:
        raise UserError(GONE)
    return found == _tmux(environment, *window, environment["TMUX_PANE"], "#{window_id}").strip()


def _script(command: Sequence[str], environment: Mapping[str, str], folder: str) -> str:
    """Write a command to a file, which deletes itself, and return its path.

    Every user of the machine can read a command line, but not this file. A pane gets the
    environment of tmux, not that of the editor. The folder is not told to tmux, which runs what is
    in `#(…)` in its name.
    """
    exports = (
        f"export {name}={shlex.quote(value)}"
        for name, value in sorted(environment.items())
        if not OWN.match(name)
    )
    run = f"cd -- {shlex.quote(folder)} && {shlex.join(command)}"
    lines = ['rm -f -- "$0"', *exports, run, "code=$?", KEEP_OUTPUT, ""]
    descriptor, path = tempfile.mkstemp(prefix="claude-ide-")
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write("\n".join(lines))
    return path


def set_mark(environment: Mapping[str, str], pane: str, mark: str) -> None:
    """Mark a pane, so that the next editor finds it."""
    with contextlib.suppress(UserError):  # the pane has closed
        _tmux(environment, "set-option", "-p", "-t", pane, MARK, mark)


def left(folder: str) -> list[Pane]:
    """Return the panes with CLIs of this project whose editors have ended."""
    if not os.environ.get("TMUX"):
        return []
    form = f"#{{pane_id}} #{{pane_pid}} #{{{MARK}}}"
    try:
        listed = _tmux(os.environ, "list-panes", "-a", "-F", form)
    except UserError:
        return []
    found = map(_decoded, listed.splitlines())
    project = _project(folder)
    return [
        pane
        for pane in found
        if pane and pane.mark.project == project and not program.lives(pane.mark.editor)
    ]


def _tmux(environment: Mapping[str, str], *words: str) -> str:
    """Return what a command of tmux prints. Raises `UserError` if it fails."""
    try:
        done = subprocess.run(
            [locate("tmux", environment.get("PATH", "")), *words],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LIMIT_SECONDS,
            check=True,
        )
    except subprocess.CalledProcessError as error:
        raise UserError(f"tmux: {error.stderr.decode(errors='replace').strip()}") from None
    except (OSError, subprocess.SubprocessError) as error:
        raise UserError(f"tmux: {error}") from None
    return done.stdout.decode(errors="replace")


def _decoded(line: str) -> Pane | None:
    """Return a pane; None if it has no mark of ours."""
    try:
        id_, pid, mark = line.split(maxsplit=2)
        return Pane(id_, int(pid), msgspec.json.decode(mark, type=PaneMark))
    except (ValueError, msgspec.DecodeError):
        return None


def _project(folder: str) -> str:
    real = Path(folder).resolve()
    found = git.find_repository(real)
    return str(found.root if found else real)
