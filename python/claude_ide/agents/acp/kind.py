"""The kinds of agents that speak ACP: the programs that can be chosen, and their sessions."""

import weakref
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from claude_ide.agents.acp import launch
from claude_ide.agents.acp.client import AcpAgent
from claude_ide.agents.acp.connection import probe
from claude_ide.agents.acp.decoding.capabilities import Offer
from claude_ide.agents.acp.launch import Launch, Logins, Remembered
from claude_ide.agents.agent import Kind, Login, SessionSummary
from claude_ide.agents.workbench import Workbench
from claude_ide.config import AgentConfig
from claude_ide.errors import AgentError, UnsupportedError

FILE = Path(__file__).with_name("known.json")
"""Made from the public registry by `make agent-list`. The editor reads it, too, for completion."""

LISTED = ":help claude-ide-agents-list has the built-in agents"

OWN = "claude"
"""Claude itself, which needs no entry: the option `cmd` is its command."""


class Asking(Struct, frozen=True):
    """How an agent is kept from changing anything while it answers a one-off request.

    `mode` is set at its start; with `is_sandboxed` its commands can change nothing in that mode.
    `env` and `arguments` are added to those of its entry.
    """

    mode: str = ""
    is_sandboxed: bool = False
    env: Mapping[str, str] = {}
    arguments: tuple[str, ...] = ()


class Entry(Struct, frozen=True):
    """An agent: its command line, its environment in addition to Neovim's.

    `defaults` are variables that Neovim's environment overrides.
    `install` is the command that installs it, or a page that tells how; `login` is the command
    that logs the user in; both may be empty. An empty first word of `login` stands for the
    agent's own program, which the user may start in another way. `mcp` is `http` if the agent
    refuses MCP servers over `stdio`. `is_own` means that the user has configured it.
    """

    name: str
    cmd: str | Sequence[str]
    id: str = ""
    env: Mapping[str, str] = {}
    defaults: Mapping[str, str] = {}
    install: str = ""
    login: tuple[str, ...] = ()
    mcp: str = "stdio"
    asking: Asking = Asking()
    is_own: bool = False


class _Known(Struct, frozen=True):
    agents: dict[str, Entry]


@cache
def known() -> Mapping[str, Entry]:
    """Return the built-in entries by their ids."""
    content = msgspec.json.decode(FILE.read_bytes(), type=_Known).agents
    return {id_: replace(entry, id=id_) for id_, entry in content.items()}


def entries(agents: Mapping[str, AgentConfig | bool]) -> tuple[list[Entry], list[str]]:
    """Return all agents except Claude by id, and a line for each entry that cannot be used."""
    found, complaints = dict(known()), list[str]()
    for id_, given in agents.items():
        if isinstance(given, bool):
            found.pop(id_, None)
        elif id_ == OWN:
            continue
        elif id_ in found or given.cmd is not None:
            found[id_] = _merged(found.get(id_, Entry(id_, (), id_)), given)
        else:
            complaints.append(f"g:claude_ide.agents.{id_} needs a cmd ({LISTED})")
    return [found[id_] for id_ in sorted(found)], complaints


def _merged(entry: Entry, given: AgentConfig) -> Entry:
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


class Acp(Kind):
    """Implements `Kind`. `cmd` is the user's command line.

    `mcp` is `http` if it refuses MCP servers over `stdio`. `login` is the command that logs in in a
    terminal, as in an `Entry`.
    """

    chooses_settings = False
    needs_trust = True
    keeps_sessions = False

    def __init__(
        self,
        id_: str,
        name: str,
        cmd: str | Sequence[str],
        environment: Mapping[str, str],
        *,
        install: str = "",
        login: Sequence[str] = (),
        mcp: str = "stdio",
        asking: Asking | None = None,
        remembered: Remembered | None = None,
    ) -> None:
        self.id = id_
        self.name = name
        self._cmd = cmd
        self._environment = dict(environment)
        self._install = install
        self._mcp = mcp
        self.asking = asking or Asking()
        self._logins = Logins(login, id_, remembered)
        self.deletes_sessions = False
        self._agents: weakref.WeakSet[AcpAgent] = weakref.WeakSet()
        """The agents that were opened; one that runs can be asked for stored sessions."""

    def missing(self) -> str:
        words = self._words
        try:
            launch.find(words, self._environment)
        except OSError:
            problem = "no program" if Path(words[0]).is_absolute() else "not on PATH"
            hint = self._install or f"g:claude_ide.agents.{self.id}.cmd"
            return f"{self.name} is not installed: {words[0]} is {problem} ({hint})"
        return ""

    @property
    def program(self) -> str:
        """The path of its program; raises `OSError` if there is none."""
        return launch.find(self._words, self._environment)

    async def probe(self, folder: Path) -> Offer:
        """Start the agent, return what it reports about itself, and end it."""
        return await probe(self._launch(folder))

    def open(self, folder: Path, workbench: Workbench) -> AcpAgent:
        agent = AcpAgent(self._launch(folder), workbench)
        self._agents.add(agent)
        return agent

    def open_for_question(self, folder: Path) -> AcpAgent:
        """Return an agent that gets nothing of the editor's; raises like `open`."""
        if reason := self.missing():
            raise AgentError(reason)
        begun, asking = self._launch(folder), self.asking
        launch = replace(
            begun,
            command=(*begun.command, *asking.arguments),
            environment=begun.environment | dict(asking.env),
        )
        return AcpAgent(launch, Workbench(runs_commands=False))

    async def sessions(self, folder: Path) -> list[SessionSummary]:
        # The agent is started if none runs there.
        async with self._any(folder).stored() as stored:
            self.deletes_sessions = stored.can_delete
            return await stored.listed()

    async def delete_session(self, folder: Path, session: str) -> None:
        async with self._any(folder).stored() as stored:
            await stored.delete(session)

    def logins(self) -> list[Login]:
        if reason := self.missing():
            raise AgentError(reason)
        found = self._logins.ways(self._words, self._environment)
        if not found:
            raise UnsupportedError(f"{self.name} has reported no way to log in")
        return found

    def choose_login(self, login: str) -> None:
        self._logins.chosen = login

    def _any(self, folder: Path) -> AcpAgent:
        """Return an agent that runs in a folder, or a new one."""
        running = (each for each in self._agents if each.is_open and each.folder == folder)
        return next(running, None) or AcpAgent(self._launch(folder), Workbench())

    @property
    def _words(self) -> tuple[str, ...]:
        return launch.words(self._cmd, self._environment)

    def _launch(self, folder: Path) -> Launch:
        settings = self._environment, self._logins, self._mcp
        return Launch(self.name, self._words, folder, *settings)
