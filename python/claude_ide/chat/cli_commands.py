"""The commands that can begin a prompt for the CLI in a terminal.

They are the CLI's own, and those of the user and of the project, which are files.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from claude_ide.paths import config_folder

LARGEST = 4000
"""Characters of a file in which its description is sought."""
DEPTH = 4
"""Folders."""

BUILT_IN = {
    "clear": ("Start a new session with empty context", ""),
    "compact": ("Summarize the conversation to free up context", "<what to keep>"),
    "config": ("Change settings", ""),
    "context": ("Show the used context", ""),
    "cost": ("Show the cost of the session", ""),
    "init": ("Write a CLAUDE.md for this project", ""),
    "mcp": ("Manage MCP servers", ""),
    "memory": ("Edit the memory files", ""),
    "model": ("Set the model", "<model>"),
    "permissions": ("Manage the permission rules", ""),
    "resume": ("Resume a conversation", ""),
    "review": ("Review a pull request", "[number]"),
    "rewind": ("Restore an earlier point", ""),
    "security-review": ("Review the security of the pending changes", ""),
}
"""Those that most users need, each with a description and its arguments; the CLI has more."""

Command = dict[str, str]
"""A `name`, a `description`, and a `hint` at the arguments."""


def commands(root: Path, environment: Mapping[str, str]) -> list[Command]:
    """Return the commands in a project, in the order of their names."""
    found = dict(BUILT_IN)
    for folder in (config_folder(environment), root / ".claude"):
        for name, path in _files(folder):
            text = _beginning(path)
            found[name] = (_field(text, "description"), _field(text, "argument-hint"))
    return [
        {"name": name, "description": description, "hint": hint}
        for name, (description, hint) in sorted(found.items())
    ]


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield commands and skills.

    `commands/front/build.md` is `/front:build`; `skills/mend/SKILL.md` is `/mend`.
    """
    for depth in range(DEPTH):
        for path in (folder / "commands").glob("*/" * depth + "*.md"):
            yield ":".join(path.relative_to(folder / "commands").with_suffix("").parts), path
    for path in (folder / "skills").glob("*/SKILL.md"):
        yield path.parent.name, path


def _beginning(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(LARGEST)
    except OSError:
        return ""


def _field(text: str, name: str) -> str:
    """Return a field of the YAML at the beginning of a file; empty if there is none."""
    front = re.match(r"---\n(.*?)\n---", text, re.DOTALL)
    value = re.search(rf"^{name}:[ \t]*(.*)$", front[1], re.MULTILINE) if front else None
    return re.sub(r"^([\"'])(.*)\1$", r"\2", value[1].strip()) if value else ""
