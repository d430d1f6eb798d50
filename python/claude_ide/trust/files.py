"""Files that others wrote, read so that none of them can stall or fill the host."""

import os
import stat
from pathlib import Path


def read(path: str | Path, most: int) -> bytes | None:
    """Return a regular file's bytes; None if it is something else, larger, or unreadable."""
    try:
        # Opening a FIFO would otherwise wait for a writer.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            content = file.read(most + 1)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return content if len(content) <= most else None


def write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, readable and writable by its owner only."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.new")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
