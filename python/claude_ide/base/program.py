"""Other programs: found on PATH, but never in the current folder; and those that run."""

import asyncio
import errno
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from claude_ide.base.errors import UserError
from claude_ide.base.names import VIM, editor_name

ELSEWHERE = {"claude": ("~/.claude/local/claude", "~/.local/bin/claude")}
"""Where installers put a program without changing PATH; the first is known only to an alias."""

NOT_INHERITED = ("CLAUDECODE", "CLAUDE_CODE_SSE_PORT")
"""With the first, a CLI believes it is nested; the second is meant for the host's own parent."""

MOST_ANCESTORS = 20
PS_SECONDS = 2.0


def inherited(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for a program, without what a CLI around Neovim has added to it."""
    return {name: value for name, value in environment.items() if name not in NOT_INHERITED}


def words(command: str | Sequence[str]) -> tuple[str, ...]:
    """Return the user's command line; its program is a name on PATH, or an absolute path.

    `~` is expanded, and a relative path begins at the folder in which Neovim has started the host.
    """
    name, *arguments = (command,) if isinstance(command, str) else command
    if Path(name).name != name:
        return (str(_expanded(name).absolute()), *arguments)
    if shutil.which(name) is None:
        places = map(_expanded, ELSEWHERE.get(name, ()))
        return (str(next(filter(_is_program, places), name)), *arguments)
    return (name, *arguments)


def _expanded(path: str) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError:  # `~name` without such a user
        return Path(path)


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def locate(program: str, path: str) -> str:
    """Return the absolute path of a program on `path`; a name with a folder stays as it is.

    Relative entries of `path` are ignored, because a project could put a program there. Raises
    `OSError` if there is none.
    """
    if Path(program).name != program:
        return program
    folders = [folder for folder in path.split(os.pathsep) if Path(folder).is_absolute()]
    found = shutil.which(program, path=os.pathsep.join(folders)) if folders else None
    if found is None or not Path(found).is_absolute():  # Windows searches the working folder first
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), program)
    return found


async def output(
    command: Sequence[str | Path],
    most_bytes: int,
    environment: Mapping[str, str],
    folder: str | None = None,
    given: bytes = b"",
) -> bytes | None:
    """Return what a program prints for its input, cut after so many bytes; None if it fails.

    It is killed after that, or when this is cancelled.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=folder,
            env=environment,
            stdin=asyncio.subprocess.PIPE if given else asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError:
        return None
    assert process.stdout is not None
    if process.stdin is not None:
        process.stdin.write(given)
        process.stdin.close()
    try:
        return await process.stdout.readexactly(most_bytes)
    except asyncio.IncompleteReadError as ended:
        return ended.partial if await process.wait() == 0 else None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def required(name: str, path: str) -> str:
    """Return the absolute path of a program for a terminal. Raises `UserError` if there is none."""
    try:
        found = locate(name, path)
        check(found)
    except OSError:
        problem = "not on PATH" if Path(name).name == name else "no program"
        check_command = ":ClaudeCheck" if editor_name() == VIM else ":checkhealth claude_ide"
        how = f"{check_command} says how to install it" if name == "claude" else "g:claude_ide.cmd"
        shown = name if name.strip() else f'"{name}"'
        raise UserError(f"{shown} is {problem} ({how})") from None
    return found


def check(path: str) -> None:
    """Raise `OSError` if there is no program at an absolute path."""
    if not _is_program(Path(path)):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)


def lives(pid: int) -> bool:
    """Return whether there is a process with this id, whoever owns it."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


def working_folder(pid: int) -> str:
    """Return the working folder of a process; an empty string if the system does not tell it."""
    try:
        return str(Path(f"/proc/{pid}/cwd").readlink())
    except OSError:
        return ""


def lineage(pid: int) -> list[int]:
    """Return a process and its ancestors, as far as the system tells them."""
    found = [pid]
    parent = _parent_in_proc if Path("/proc/self/stat").exists() else _parents_by_ps().get
    while len(found) <= MOST_ANCESTORS and found[-1] > 1:
        found.append(parent(found[-1], 0))
    return found


def _parent_in_proc(pid: int, unknown: int) -> int:
    try:
        # The name of the program, in parentheses, may contain anything.
        return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return unknown


def _parents_by_ps() -> dict[int, int]:
    try:
        command = ["ps", "-axo", "pid=,ppid="]
        listed = subprocess.run(command, capture_output=True, timeout=PS_SECONDS).stdout
    except (OSError, subprocess.SubprocessError):
        return {}
    words = [int(word) for word in listed.split()]
    return dict(zip(words[::2], words[1::2], strict=False))
