"""Processes that a test has made others start (Linux)."""

import contextlib
from pathlib import Path


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and is not waited for does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        # It may also end while its state is read.
        return False
    return state != "Z"


def started_with(words: str) -> set[int]:
    """The processes that run and have something in their arguments or their environment."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                given = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
                if words.encode() in given and alive(int(entry.name)):
                    found.add(int(entry.name))
    return found
