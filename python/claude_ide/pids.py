"""What the system tells of another process."""

import os
import subprocess
from pathlib import Path

MOST_ANCESTORS = 20
PS_SECONDS = 2.0


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
