"""What the tests know about a real agent: how it is installed, configured, and told to act."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.fake_api import Block


@dataclass(frozen=True, slots=True)
class Desk:
    """The surroundings of one agent: its HOME, its project, and the address of its model."""

    home: Path
    project: Path
    url: str

    def write(self, name: str, text: str) -> Path:
        """Write a file below HOME; return its path."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path


def todos(
    steps: Sequence[str], key: str = "content", *, ids: bool = True, **more: str
) -> list[dict[str, str]]:
    """Return a list of things to do, the first in progress, as most agents' tools take it."""
    return [
        {
            **({"id": str(number)} if ids else {}),
            key: step,
            "status": "pending" if number else "in_progress",
            **more,
        }
        for number, step in enumerate(steps)
    ]


def question(words: str, choices: Sequence[str], many: str = "multiSelect") -> list[dict[str, Any]]:
    """Return one question, as most agents' tools take it; `many` allows several choices."""
    options = [{"label": choice, "description": ""} for choice in choices]
    return [{"question": words, "header": "Choice", "options": options, many: False}]


Configure = Callable[[Desk], dict[str, str]]
"""Writes an agent's configuration; returns its own environment variables."""


@dataclass(frozen=True, slots=True)
class Tools:
    """An agent's own tools, as its model uses them."""

    write: Callable[[Path, str], Block]
    """Creates a file with a text."""
    edit: Callable[[Path, str, str], Block]
    """Replaces a line of a file by another."""
    run: Callable[[str], Block]
    """Runs a command line."""
    read: Callable[[Path], Block] | None = None
    """Reads a file, if that has to come before an edit."""
    plan: Callable[[Sequence[str]], Block] | None = None
    """Makes a plan, with the first entry in progress; None if it cannot tell the client."""
    ask: Callable[[str, Sequence[str]], Block] | None = None
    """Asks the user a question with choices; None if the question does not reach the client."""
    propose: Callable[[str], Block] | None = None
    """Proposes a plan of action in the mode `plan`; None if it cannot."""


@dataclass(frozen=True, slots=True)
class Habits:
    """How an agent differs from the others; the defaults are those of most."""

    thinks: bool = True
    """It reports the thinking of its model."""
    asks_to_edit: bool = True
    asks_to_run: bool = True
    shows_changes: bool = True
    """It tells the changed text before it asks."""
    edits_parts: bool = True
    """It has a tool that changes a part of a file."""
    reports_output: bool = True
    """It reports the output of a command."""
    streams_output: bool = True
    """It reports that while the command runs."""
    writes_here: bool = False
    """It writes files through the client."""
    runs_here: bool = False
    """It runs commands in terminals of the client."""
    ends_commands: bool = True
    """It ends a running command together with the turn."""
    repeats: bool = True
    """It repeats the conversation of a session that it loads."""
    lists: bool = True
    """It lists its sessions."""
    saves_late: bool = False
    """It stores a turn some time after its end, and loses it if it is killed before."""
    begins_in_minutes: bool = False
    """It cannot load a session in the minute in which that began."""
    mode: str = ""
    """The mode in which it asks, if that is not its first one."""
    asks_in: tuple[str, str] | None = None
    """The setting and its value with which it asks questions, if it does not always."""
    shows_servers: bool = True
    """It starts the client's MCP servers, and its model sees the names of their tools."""
    logs_out: bool = False
    """It ends the user's login when the client asks for that."""
    takes_folders: bool = False
    """A session can have further folders, which its model hears of."""
    mcp: str = "stdio"
    """How it connects to the client's MCP servers."""

    @property
    def starts_servers(self) -> bool:
        """Whether it starts them itself."""
        return self.shows_servers and self.mcp == "stdio"


@dataclass(frozen=True, slots=True)
class RealAgent:
    """An agent that can be installed from npm or PyPI and needs no account.

    `packages` are names with a version, in npm's syntax, or in that of PyPI if `is_python`.
    `command` begins with a program of these. Without `tools` it needs an account after all:
    `refusal` are words of its answer to `session/new`.
    """

    name: str
    packages: tuple[str, ...]
    command: tuple[str, ...]
    configure: Configure
    tools: Tools | None = None
    habits: Habits = Habits()
    is_python: bool = False
    refusal: str = ""
