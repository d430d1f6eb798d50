"""The content of a file at one time."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from claude_ide import files

LARGEST = 2_000_000
"""Bytes of the largest file whose text is kept."""

TOO_LARGE = "too large"
BINARY = "not text in UTF-8"


@dataclass(frozen=True, slots=True)
class Version:
    """A file's text; None if the file does not exist, or if `obstacle` says why it is unknown.

    `stamp` distinguishes versions whose text is unknown.
    """

    text: str | None
    obstacle: str = ""
    stamp: str = ""

    @property
    def exists(self) -> bool:
        """Whether there is a file."""
        return self.text is not None or bool(self.obstacle)


MISSING = Version(None)
UNSEEN = Version(None, "the text before was not seen")


def read(path: str) -> Version:
    """Return the current version of a file."""
    try:
        content = files.read(Path(path), LARGEST)
    except FileNotFoundError:
        return MISSING
    except files.RefusedError as refusal:
        return Version(None, _reason(refusal), stamp_of(path))
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL
        return Version(None, getattr(error, "strerror", "") or str(error))
    return of(content)


def of(content: bytes) -> Version:
    """Return the version of a file with this content."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        return Version(None, BINARY, hashlib.blake2b(content).hexdigest())
    return Version(text)


def stamp_of(path: str) -> str:
    """Return a text that changes with each write to a file; empty if there is no file."""
    try:
        found = Path(path).stat()
    except (OSError, ValueError):
        return ""
    return f"{found.st_ino} {found.st_size} {found.st_mtime_ns}"


def _reason(refusal: files.RefusedError) -> str:
    reason = refusal.strerror or ""
    return TOO_LARGE if "bytes" in reason else reason
