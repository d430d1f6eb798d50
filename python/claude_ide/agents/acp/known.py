"""The agents that can be chosen: the built-in entries of `known.json`, and the user's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Protocol

import msgspec

FILE = Path(__file__).with_suffix(".json")
"""Neovim reads it, too, for completion (`chat/command.lua`)."""

OWN = "claude"
"""Claude itself, which needs no entry: the option `cmd` is its command."""


class _Known(msgspec.Struct, frozen=True):
    name: str
    cmd: tuple[str, ...]
    install: str
    login: tuple[str, ...]
    mcp: str = "stdio"
    env: dict[str, str] = {}


@dataclass(frozen=True, slots=True)
class Entry:
    """An agent: its command line, its environment in addition to Neovim's.

    `defaults` are variables that Neovim's environment overrides.
    `install` is the command that installs it, `login` the one that logs the user in; both may be
    empty. An empty first word of `login` stands for the agent's own program. `mcp` is `http` if the
    agent refuses MCP servers over `stdio`. `is_own` means that the user has configured it.
    """

    id: str
    name: str
    cmd: str | Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, str] = field(default_factory=dict)
    install: str = ""
    login: tuple[str, ...] = ()
    mcp: str = "stdio"
    is_own: bool = False


@cache
def known() -> Mapping[str, Entry]:
    """Return the built-in entries by their ids."""
    content = msgspec.json.decode(FILE.read_bytes(), type=dict[str, _Known])
    return {
        id_: Entry(
            *(id_, each.name, each.cmd),
            defaults=each.env,
            install=each.install,
            login=_login(each),
            mcp=each.mcp,
        )
        for id_, each in content.items()
    }


def _login(each: _Known) -> tuple[str, ...]:
    """Return the login; the user may start the same program in another way."""
    program, *arguments = each.login or ("",)
    return ("", *arguments) if each.login and program == each.cmd[0] else each.login


class Given(Protocol):
    """The user's part of an entry; an empty value is that of the built-in one."""

    @property
    def cmd(self) -> str | Sequence[str] | None:
        """The command line."""

    @property
    def env(self) -> Mapping[str, str | int | float]:
        """The environment."""

    @property
    def name(self) -> str:
        """The name in messages."""

    @property
    def mcp(self) -> str | None:
        """How it connects to MCP servers."""


def entries(agents: Mapping[str, Given | bool]) -> tuple[list[Entry], list[str]]:
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


def _merged(entry: Entry, given: Given) -> Entry:
    return replace(
        entry,
        cmd=entry.cmd if given.cmd is None else given.cmd,
        # An entry of the user's own is installed in their own way.
        install=entry.install if given.cmd is None else "",
        env={name: str(value) for name, value in given.env.items()},
        name=given.name or entry.name,
        mcp=given.mcp or entry.mcp,
        is_own=True,
    )
