"""How the user knows a path, with a warning if a change of its file can run code."""

import os
import re
from collections.abc import Iterable
from typing import NamedTuple

from claude_ide.base.names import NEOVIM, editor_name
from claude_ide.base.paths import absolute, below_home, home, real

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
    (r"/\.nvim(\.lua|rc)$", NVIM),
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
