"""Spellings of paths: on the wire, and for the user, with a warning if a change can run code.

`is_same`, `exists`, `real`, `named_by` and `display_path` access the disk. Bytes that are not UTF-8
become surrogates (PEP 383).
"""

import contextlib
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

from claude_ide.base.names import NEOVIM, editor_name

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


def nearest_folder(path: str) -> Path:
    """Return the innermost folder of a path that is there: a worktree may have been removed."""
    given = Path("/", path)
    return next(each for each in (given, *given.parents) if each.is_dir())


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


OUTSIDE = "outside the project"
AT_LOGIN, IN_SHELLS = "runs at login", "runs in every shell"
EDITOR = "the editor runs it"
GIT, CLAUDE, AGENT, NVIM = (
    "git runs it",
    "Claude runs it",
    "an agent runs it",
    f"{NEOVIM} runs it",
)
CRON = "cron runs it"

PATH = re.compile(r"[~/]|[A-Za-z]:[/\\]")
"""Begins a path, unlike the name of another buffer."""


# Searched in the path in lower case, because some file systems ignore case. They are not compiled
# before the first path: the start of the host would wait for it.
ANYWHERE = (
    (r"/\.git(/|$)", GIT),
    (r"/\.husky/", GIT),
    (r"/\.claude/settings[^/]*\.json$", CLAUDE),
    (r"/\.claude/hooks/", CLAUDE),
    (r"/\.mcp\.json$", CLAUDE),
    (r"/\.(codex|copilot|gemini|kimi|kimi-code|opencode|qwen|vibe)/", AGENT),
    (r"/opencode\.jsonc?$", AGENT),
    (r"/\.envrc$", "direnv runs it"),
    (r"/\.vscode/", "VS Code runs it"),
    (r"/\.(nvim\.lua|nvimrc|lazy\.lua)$", NVIM),
    (r"/([._]g?vimrc|\.exrc)$", EDITOR),
    (r"^/etc/cron", CRON),
    (r"^/etc/anacrontab$", CRON),
    (r"^/var/spool/cron/", CRON),
    (r"^/etc/profile", AT_LOGIN),
    (r"^/etc/systemd/", AT_LOGIN),
    (r"^/library/launch", AT_LOGIN),
)

AT_HOME = (
    (r"^\.(bash_profile|bash_login|profile|z?login|zprofile|x[a-z]+|pam_environment)$", AT_LOGIN),
    (r"^\.config/(autostart|autostart-scripts|environment\.d|systemd/user)/", AT_LOGIN),
    (r"^\.local/share/systemd/user/", AT_LOGIN),
    (r"^library/launch", AT_LOGIN),
    (r"^\.(bashrc|bash_aliases|bash_logout|z[a-z]+|[a-z]*shrc)$", IN_SHELLS),
    (r"^\.config/fish/", IN_SHELLS),
    (r"^\.ssh/", "ssh trusts it"),
    (r"^\.gitconfig$", GIT),
    (r"^\.config/git/", GIT),
    (r"^\.(config/)?vim/", EDITOR),
    (r"^\.(config/nvim|local/share/nvim/site)/", NVIM),
    (r"^\.claude\.json$", CLAUDE),
    (r"^\.config/opencode/", AGENT),
)


class DisplayPath(NamedTuple):
    """A path for display, and a warning in a few words, or "", for the path without links."""

    path: str
    warning: str = ""
    target: str = ""


def display_path(path: str, roots: Iterable[str]) -> DisplayPath:
    """Shorten a path, and find a warning about its file; `roots` are the project's folders.

    What is no path stays as it is.
    """
    if not PATH.match(path):
        return DisplayPath(path, "", path)
    normal, at_home = absolute(path, "/"), str(home(os.environ))
    folders = [absolute(root, "/") for root in roots]
    target = real(normal)
    warning = (
        _warning(target, real(at_home))
        or _warning(normal, at_home)
        or ("" if any(_is_in(target, real(folder)) for folder in folders) else OUTSIDE)
    )
    return DisplayPath(_spelled(normal, folders), warning, target)


def _below(path: str, folder: str) -> str | None:
    """Return a path relative to a folder; None if it is not inside."""
    start = folder if folder.endswith("/") else f"{folder}/"
    return path[len(start) :] if path.startswith(start) else None


def _is_in(path: str, folder: str) -> bool:
    return path == folder or _below(path, folder) is not None


def _warning(path: str, at_home: str) -> str:
    inside = _below(path, at_home)
    found = _find(AT_HOME, inside) if inside is not None else ""
    return found or _find(ANYWHERE, path)


def _find(rules: Iterable[tuple[str, str]], path: str) -> str:
    lower = path.lower()
    warning = next((warning for pattern, warning in rules if re.search(pattern, lower)), "")
    return f"{editor_name()} runs it" if warning == EDITOR else warning


def _spelled(path: str, folders: list[str]) -> str:
    for folder in folders:
        for spelling in (folder, real(folder)):
            if inside := _below(path, spelling):
                return inside
    return below_home(path, os.environ)
