"""How ACP agents are started: their entries, command lines, logins."""

import logging
import shlex
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from claude_ide.agents.agent import Login
from claude_ide.agents.fields import mapping, mappings, read, strings, text
from claude_ide.base import files, program
from claude_ide.base.errors import AgentError, LoginNeededError
from claude_ide.config import AgentConfig

logger = logging.getLogger(__name__)

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


class AgentEntry(Struct, frozen=True):
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


class _KnownAgents(Struct, frozen=True):
    agents: dict[str, AgentEntry]


@cache
def known() -> Mapping[str, AgentEntry]:
    """Return the built-in entries by their ids."""
    content = msgspec.json.decode(FILE.read_bytes(), type=_KnownAgents).agents
    return {id_: replace(entry, id=id_) for id_, entry in content.items()}


def entries(agents: Mapping[str, AgentConfig | bool]) -> tuple[list[AgentEntry], list[str]]:
    """Return all agents except Claude by id, and a line for each entry that cannot be used."""
    found, complaints = dict(known()), list[str]()
    for id_, given in agents.items():
        if isinstance(given, bool):
            found.pop(id_, None)
        elif id_ == OWN:
            continue
        elif id_ in found or given.cmd is not None:
            found[id_] = _merged(found.get(id_, AgentEntry(id_, (), id_)), given)
        else:
            complaints.append(f"g:claude_ide.agents.{id_} needs a cmd ({LISTED})")
    return [found[id_] for id_ in sorted(found)], complaints


def _merged(entry: AgentEntry, given: AgentConfig) -> AgentEntry:
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


class LoginMethod(Struct, frozen=True):
    """A way to log in; `arguments` follow the agent's own command, if it logs in that way.

    `command` is another command for a terminal; `variables` are what the user must set instead.
    """

    id: str
    name: str
    description: str = ""
    kind: str = "agent"
    arguments: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    environment: dict[str, str] = {}
    variables: tuple[str, ...] = ()


def login_method(method: dict[str, Any]) -> LoginMethod:
    """Return a method; its terminal is described in one of three places."""
    meta = mapping(method.get("_meta"))
    terminal = mapping(meta.get("terminal-auth"))
    described = next((each for each in (method, meta) if each.get("type")), method)
    program = text(terminal.get("command"))
    environment = mapping((terminal or described).get("env"))
    return read(
        LoginMethod,
        method,
        kind=text(described.get("type")) or "agent",
        arguments=strings(described.get("args")),
        command=(program, *strings(terminal.get("args"))) if program else (),
        environment={str(name): text(value) for name, value in environment.items()},
        variables=tuple(text(each.get("name")) for each in mappings(method.get("vars"))),
    )


Request = Callable[[str, dict[str, Any]], Awaitable[Any]]
"""Calls the agent."""

LARGEST_BYTES = 100_000


class Remembered:
    """The ids of methods in the file `path`; without one, only while this process runs."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._methods: dict[str, str] = {}

    def of(self, agent: str) -> str:
        """Return the id of an agent's method, or ""."""
        return self._read().get(agent, "")

    def add(self, agent: str, method: str) -> None:
        """Remember an agent's method. A file that cannot be written is reported in the log."""
        known = self._read()
        if known.get(agent) != method:
            self._write(known | {agent: method})

    def remove(self, agent: str) -> None:
        """Forget an agent's method."""
        if agent in (known := self._read()):
            self._write({id_: method for id_, method in known.items() if id_ != agent})

    def _write(self, methods: dict[str, str]) -> None:
        self._methods = methods
        if self._path is not None:
            try:
                files.write_private(self._path, msgspec.json.encode(methods))
            except OSError as error:
                logger.warning("%s cannot be written: %s", self._path, error.strerror)

    def _read(self) -> dict[str, str]:
        """Return the content of the file; another Neovim may have written it."""
        content = files.read_if_sound(self._path, LARGEST_BYTES) if self._path else None
        if content is None:
            return self._methods
        try:
            return msgspec.json.decode(content, type=dict[str, str])
        except msgspec.DecodeError:
            return self._methods


PROTOCOL_WORDS = ("--acp", "--acp=true", "--experimental-acp", "acp", "--stdio")
"""The arguments that make an agent speak the protocol, which a terminal does not."""

COMMAND = "command"
"""The id of the login in a terminal that is known without the agent."""


class LoginMethods:
    """What all agents of a kind share: the ways to log in, and the user's choice among them.

    `command` logs in in a terminal; an empty first word stands for the agent's own program.
    """

    def __init__(
        self, command: Sequence[str] = (), agent: str = "", remembered: Remembered | None = None
    ) -> None:
        self.chosen = ""
        """The id of the method that the next session begins with; "" for none."""
        self._command = tuple(command)
        self._agent = agent
        self._remembered = remembered or Remembered()
        self._failed = ""
        """The method that has failed, or has never ended; the user may choose it again."""
        self.reported: tuple[LoginMethod, ...] = ()

    @property
    def exist(self) -> bool:
        """Whether a way to log in is known."""
        return bool(self._command or self.reported)

    async def follow_choice(self, request: Request) -> None:
        """Log in as the user has chosen, once.

        Raises `LoginNeededError` if that fails: there may be another way.
        """
        chosen, self.chosen = self.chosen, ""
        if chosen:
            try:
                await self._log_in(request, chosen)
            except AgentError as error:
                raise LoginNeededError(str(error)) from error

    async def repeat(self, request: Request) -> bool:
        """Log in as the user did before, in an agent that has forgotten it; False if not possible.

        Not before the agent asks for it: some delete the login that they have stored, or open a
        browser, at each request.
        """
        method = self._remembered.of(self._agent)
        if method == self._failed or method not in [each.id for each in self.reported]:
            return False
        try:
            await self._log_in(request, method)
        except AgentError as error:
            logger.info("%s: the login %s cannot be repeated: %s", self._agent, method, error)
            return False
        return True

    def forget(self) -> None:
        """Do not repeat the login: the user has logged out."""
        self.chosen = ""
        self._remembered.remove(self._agent)

    async def _log_in(self, request: Request, method: str) -> None:
        # Also of a login that the user interrupts: the next start must not wait for it again.
        self._failed = method
        await request("authenticate", {"methodId": method})
        self._failed = ""
        self._remembered.add(self._agent, method)

    def ways(self, words: Sequence[str], environment: Mapping[str, str]) -> list[Login]:
        """Return all ways; `words` is the agent's command line."""
        command = self._command
        reported = [_login(each, words, environment) for each in self.reported]
        has_terminal = any(each.command for each in reported)
        if not command or has_terminal:
            return reported
        program = command[:1] if command[0] else _without_protocol(words)
        line = (*program, *command[1:])
        name = f"In a terminal: {' '.join((Path(line[0]).name, *line[1:]))}"
        return [Login(COMMAND, name, line, environment), *reported]


def _login(method: LoginMethod, words: Sequence[str], environment: Mapping[str, str]) -> Login:
    """Return a way to log in in a terminal, or by a request to the agent."""
    login = Login(method.id, method.name or method.id)
    command = method.command
    if not command and method.kind == "terminal":
        command = (*_without_protocol(words), *method.arguments)
    if command:
        return replace(login, command=command, environment={**environment, **method.environment})
    unset = [variable for variable in method.variables if not environment.get(variable)]
    if unset:
        problem = f"set {', '.join(unset)} in Neovim's environment, or in g:claude_ide.agents"
        return replace(login, problem=problem)
    return login


def _without_protocol(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for word in words if word not in PROTOCOL_WORDS)


def words(cmd: str | Sequence[str], environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the words of a command line; its program is a name, or an absolute path.

    A relative path begins at the folder in which Neovim has started the host.
    """
    given = _split(cmd, environment) if isinstance(cmd, str) else cmd
    name, *arguments = (expanded(word, environment) for word in given)
    return (_absolute(name), *arguments)


def full_environment(
    inherited: Mapping[str, str], added: Mapping[str, str | int | float]
) -> dict[str, str]:
    """Return Neovim's environment with the variables that the user has added."""
    more = {name: expanded(str(value), inherited) for name, value in added.items()}
    return program.inherited(inherited) | more


def expanded(words: str, environment: Mapping[str, str]) -> str:
    """Expand variables, and `~` at the beginning; an unknown variable stays as it is."""
    words = Template(words).safe_substitute(environment)
    home = environment.get("HOME", "")
    return home + words[1:] if home and (words == "~" or words.startswith("~/")) else words


def find(words: Sequence[str], environment: Mapping[str, str]) -> str:
    """Return the path of the program; raises `OSError` if there is none."""
    path = program.locate(words[0], environment.get("PATH", ""))
    program.check(path)
    return path


def _split(line: str, environment: Mapping[str, str]) -> Sequence[str]:
    """Split a line as a shell does, unless all of it is the path of a program."""
    if Path(_absolute(expanded(line, environment))).is_file():
        return [line]
    try:
        return shlex.split(line) or [line]
    except ValueError:  # a quote that is not closed
        return line.split()


def _absolute(name: str) -> str:
    return name if Path(name).name == name else str(Path(name).absolute())


class AgentLaunch(Struct, frozen=True):
    """How an agent is started; `mcp` is `http` if it refuses MCP servers over `stdio`."""

    name: str
    command: tuple[str, ...]
    folder: Path
    environment: dict[str, str] = {}
    logins: LoginMethods = field(default_factory=LoginMethods)
    mcp: str = "stdio"
