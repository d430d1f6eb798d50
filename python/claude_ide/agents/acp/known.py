"""The agents that can be chosen: the built-in entries of `known.json`, and the user's."""

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from string import Template

import msgspec

from claude_ide import program
from claude_ide.config import AgentConfig, Agents
from claude_ide.errors import AgentError

FILE = Path(__file__).with_suffix(".json")
"""Neovim reads it, too, for completion (`chat/agents.lua`)."""

OWN = "claude"
"""Claude itself, which needs no entry: the option `cmd` is its command."""


class _Known(msgspec.Struct, frozen=True):
    name: str
    cmd: tuple[str, ...]
    install: str
    login: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """An agent: its command line, its environment in addition to Neovim's.

    `install` is the command that installs it, `login` the one that logs the user in; both may be
    empty. `is_own` means that the user has configured it.
    """

    id: str
    name: str
    cmd: str | Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    install: str = ""
    login: tuple[str, ...] = ()
    is_own: bool = False

    def environment(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """Return the environment of its process; values may refer to variables: `$HOME/x`."""
        clean = program.inherited(inherited)
        return clean | {name: _expanded(value, inherited) for name, value in self.env.items()}

    def words(self, environment: Mapping[str, str]) -> tuple[str, ...]:
        """Return its command line, with the absolute path of its program.

        Raises `AgentError` with instructions if there is no such program.
        """
        name, *arguments = _split(self.cmd, environment)
        path = environment.get("PATH", "")
        try:
            found = program.locate(_absolute(name), path)
        except OSError:
            found = ""
        if not found or not os.access(found, os.X_OK) or Path(found).is_dir():
            raise AgentError(f"{self.name} is not installed: {self._remedy(name)}")
        return (found, *arguments)

    def _remedy(self, name: str) -> str:
        if self.install:
            return self.install
        problem = "no program" if Path(name).name != name else "not on PATH"
        return f"{name} is {problem} (g:claude_ide.agents.{self.id}.cmd)"


@cache
def known() -> Mapping[str, Entry]:
    """Return the built-in entries by their ids."""
    content = msgspec.json.decode(FILE.read_bytes(), type=dict[str, _Known])
    return {
        id_: Entry(id_, each.name, each.cmd, install=each.install, login=each.login)
        for id_, each in content.items()
    }


def entries(agents: Agents) -> tuple[list[Entry], list[str]]:
    """Return all agents except Claude by id, and a line for each entry that cannot be used."""
    found, complaints = dict(known()), list[str]()
    for id_, given in agents.items():
        if isinstance(given, bool):
            found.pop(id_, None)
        elif id_ == OWN:
            continue
        elif id_ in found or given.cmd is not None:
            found[id_] = _merged(found.get(id_, Entry(id_, id_, ())), given)
        else:
            named = ", ".join(known())
            complaints.append(f"g:claude_ide.agents.{id_} needs a cmd; built-in agents: {named}")
    return [found[id_] for id_ in sorted(found)], complaints


def _merged(entry: Entry, given: AgentConfig) -> Entry:
    return replace(
        entry,
        cmd=entry.cmd if given.cmd is None else given.cmd,
        # An entry of the user's own is installed in their own way.
        install=entry.install if given.cmd is None else "",
        env={name: str(value) for name, value in given.env.items()},
        name=given.name or entry.name,
        is_own=True,
    )


def _split(cmd: str | Sequence[str], environment: Mapping[str, str]) -> Iterator[str]:
    for word in cmd if not isinstance(cmd, str) else _words(cmd, environment):
        yield _expanded(word, environment)


def _words(line: str, environment: Mapping[str, str]) -> list[str]:
    """Split a line as a shell does, unless all of it is the path of a program."""
    if Path(_absolute(_expanded(line, environment))).is_file():
        return [line]
    try:
        return shlex.split(line) or [line]
    except ValueError as error:
        raise AgentError(f"{line}: {str(error).lower()} (g:claude_ide.agents)") from None


def _expanded(text: str, environment: Mapping[str, str]) -> str:
    """Expand `~` at the beginning and variables; an unknown variable stays as it is."""
    text = Template(text).safe_substitute(environment)
    home = environment.get("HOME", "")
    return home + text[1:] if home and (text == "~" or text.startswith("~/")) else text


def _absolute(name: str) -> str:
    """A path begins at the folder in which Neovim has started the host; a name stays a name."""
    return name if Path(name).name == name else str(Path(name).absolute())
