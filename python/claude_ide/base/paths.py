"""Spellings of paths on the wire; `is_same`, `exists`, `real` and `named_by` access the disk.

Bytes that are not UTF-8 become surrogates (PEP 383).
"""

import contextlib
import os.path
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, unquote

_FILE = re.compile(r"^file:(?://[^/]*)?")

TURNED = "a link on its path has changed since it was shown"
"""Why a file is not written: its path leads elsewhere than where the user was told."""


def normalized(path: str) -> str:
    """Return an absolute path without `.`, `..` and doubled slashes."""
    normal = os.path.normpath(path)
    # POSIX allows a special meaning of two leading slashes; no supported system has one.
    return normal[1:] if normal.startswith("//") else normal


def absolute(path: str, folder: str) -> str:
    """Return a path, which may begin with `~` or be relative to a folder, as an absolute one."""
    try:
        return normalized(str(Path(folder, Path(path).expanduser())))
    except RuntimeError:  # there is no such user
        return normalized(str(Path(folder, path)))


def within(path: str, root: str) -> str:
    """Return a path below a folder relative to it; other texts are unchanged, also if `root` is "".

    Both are compared as they are written.
    """
    folder = root.rstrip(os.path.sep) + os.path.sep
    return path.removeprefix(folder) if root else path


def is_same(path: str, other: str) -> bool:
    """Return whether two paths lead to the same file."""
    if path == other:
        return True
    with contextlib.suppress(OSError, ValueError):
        return Path(path).samefile(other)
    return False


def exists(path: str) -> bool:
    """Return whether a path exists; False if that cannot be determined."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # such as a folder that cannot be searched
        return False


def real(path: str) -> str:
    """Return a path without links, also if there is no file; unchanged if no file can have it."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):  # such as a NUL
        return path


def to_uri(path: str) -> str:
    """Return the file uri: `/a b` → `file:///a%20b`."""
    return "file://" + quote(path, safe="/:~!$&'()*+,;=@", errors="surrogateescape")


def from_uri(uri: str) -> str:
    """Return the path of a file uri; a path is returned unchanged."""
    scheme = _FILE.match(uri)
    return uri if scheme is None else unquote(uri[scheme.end() :], errors="surrogateescape")


def named_by(uri: str) -> str:
    """Return the path of a uri from a client: the CLI puts paths into uris unencoded."""
    plain = uri.removeprefix("file://")
    return plain if exists(plain) else from_uri(uri)


def home(environment: Mapping[str, str]) -> Path:
    """Return the user's home directory, as the CLI finds it."""
    return Path(environment.get("HOME") or Path.home())


def below_home(path: str, environment: Mapping[str, str]) -> str:
    """Return a path below the home directory with `~` for it; others are unchanged."""
    folder = str(home(environment)).rstrip("/") + "/"
    return f"~/{path[len(folder) :]}" if path.startswith(folder) and path != folder else path


def config_folder(environment: Mapping[str, str]) -> Path:
    """Return the folder in which the CLI keeps the user's settings and sessions."""
    return Path(environment.get("CLAUDE_CONFIG_DIR") or home(environment) / ".claude")
