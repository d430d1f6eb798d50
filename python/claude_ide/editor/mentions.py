"""Mentions in a text, such as `@src/a.py#L3-9`: as a user means them, and as agents read them."""

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from claude_ide.base import git
from claude_ide.base.errors import UserError
from claude_ide.base.names import editor_name
from claude_ide.base.paths import exists, real
from claude_ide.editor.editor import Editor

LINES = r"(?:#L(\d+)(?:-(\d+))?)?"
MENTION = re.compile(
    rf"""(?<!\S)@(?:"([^"]+?){LINES}"|([^\s"]+?)){LINES}"""
    r"""(?=[\s.,;:!?)\]}>'"]{0,99}(?:\s|$))"""
)
"""The punctuation behind a mention belongs to the sentence."""

BLANK = "\\s\ufeff"
STOPS = "\u3002\u3001\uff1f\uff01"
"""Marks after which 2.1.330 reads a mention, as after a blank."""

QUOTED = re.compile(rf'(?:^|[{BLANK}{STOPS}])@"([^"]+)"')
TOKEN = re.compile(rf"[^{BLANK}]+")
WITH_LINES = re.compile(r"([^#]+)(?:#L\d+(?:-\d+)?)?(?:#[^#]*)?")
WORD = re.compile(r"\w", re.ASCII)


def mentions(text: str) -> list[tuple[str, int | None, int | None]]:
    """Return the mentions in a prompt: each a path as typed, and its first and last line."""
    found = []
    for match in MENTION.finditer(text):
        quoted, first_within, last_within, plain, first_behind, last_behind = match.groups()
        first = first_within or first_behind
        last = last_within or last_behind or first
        lines = (int(first), int(last)) if first else (None, None)
        found.append((quoted or plain, *lines))
    return found


def path_of(root: str, name: str) -> str:
    """Return the path of a mention, which may begin with `~`."""
    try:
        return str(Path(root, Path(name).expanduser()))
    except RuntimeError:  # there is no such user
        return str(Path(root, name))


def mentioned_path(mention: Mapping[str, Any]) -> str:
    """Return the path of a mention for a CLI; that with blanks has its lines behind it."""
    return str(mention["filePath"]).strip('"')


def worktree(path: str) -> Path:
    """Return the worktree of a file, or the file itself if it is in none."""
    return git.repository_of(Path(real(path))).root


def is_elsewhere(path: str, folder: str) -> bool:
    """Return whether a file is in another worktree than an agent in a folder of its repository."""
    return git.is_in_other_worktree(Path(real(path)), Path(real(folder)))


async def choose_elsewhere(editor: Editor, path: str, names: list[str]) -> int:
    """Return the number of the agent that gets a file of another worktree, as the user chooses.

    Raises `UserError` if they choose none.
    """
    where = f"{Path(path).name} is in the worktree {worktree(path).name}"
    index = await editor.select(f"{where}. Send it to:", names)
    if index is None:
        raise UserError(f"not sent: {where}")
    return index


async def check_private(editor: Editor, text: str, roots: Iterable[str]) -> None:
    """Raise `UserError` if an agent in one of the folders would read a file that stays here."""
    typed: dict[str, str] = {}
    for root in roots:
        typed |= await asyncio.to_thread(read_by_agents, text, root)
    private = await editor.private(typed) if typed else {}
    there = {
        *filter(exists, private),
        *(await editor.port.buffers.modified([*private]) if private else ()),
    }
    for path, reason in private.items():
        if path in there:
            raise UserError(f"not sent: @{typed[path]} stays in {editor_name()}: {reason}")


def read_by_agents(text: str, root: str) -> dict[str, str]:
    """Return the paths that an agent in a folder may read because of a text, each as typed.

    Claude's CLI finds more than a user means: it ends a mention at the last letter or digit.
    """
    names = [path for path, _, _ in mentions(text)]
    for name in _as_by_the_cli(text):
        plain = WITH_LINES.fullmatch(name)
        names += [name, plain[1]] if plain else [name]
    return {path_of(root, name.strip()): name for name in dict.fromkeys(names)}


def _as_by_the_cli(text: str) -> Iterator[str]:
    """Yield what 2.1.330 takes for mentions; older versions find fewer."""
    if "@" not in text:
        return
    for quoted in QUOTED.finditer(text):
        yield quoted[1]
    for token in TOKEN.findall(text):
        at = token.find("@")
        while at > 0 and token[at - 1] not in STOPS:
            at = token.find("@", at + 1)
        end = len(token)
        while at >= 0 and end >= at + 2 and _is_word(token, end - 1) == _is_word(token, end):
            end -= 1
        if at >= 0 and end >= at + 2:
            yield token[at + 1 : end]


def _is_word(token: str, index: int) -> bool:
    return bool(WORD.match(token[index : index + 1]))
