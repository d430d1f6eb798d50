"""Processes that a test has made others start (Linux)."""

from pathlib import Path


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and is not waited for does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        # It may also end while its state is read.
        return False
    return state != "Z"
