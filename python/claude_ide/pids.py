"""What the system tells of another process."""

import os
from pathlib import Path


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
