"""The user's own MCP servers for an agent: those of the options, and the folder's `.mcp.json`."""

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from claude_ide import config
from claude_ide.agents.acp import launch
from claude_ide.agents.editor_services import McpAddress, McpCommand
from claude_ide.base import folder_settings, program
from claude_ide.base.names import SERVER
from claude_ide.base.redaction import SHORTEST, conceal
from claude_ide.config import Config, McpServerConfig

Server = McpCommand | McpAddress

_VARIABLE = re.compile(r"\$\{(?P<name>\w+)(?::-(?P<default>[^}]*))?\}")


class _ServerScope(NamedTuple):
    """Where servers are configured; `folder` is where relative paths begin."""

    name: str
    folder: Path
    is_option: bool = True


class UserServers:
    """The servers for one agent in `folder`; `trusts` returns whether the user trusts that."""

    def __init__(
        self,
        options: Config,
        agent: str,
        folder: Path,
        trusts: Callable[[Path], bool],
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        own = options.agents.get(agent)
        self._own = own.mcp_servers if isinstance(own, config.AgentConfig) else {}
        self._agent = agent
        self._of_all = options.mcp_servers
        self._folder = folder
        self._trusts = trusts
        self.complaints: list[str] = []
        """A line for each that cannot be used."""
        self._environment = environment

    def taken(self, transports: Collection[str]) -> list[Server]:
        """Return those that an agent can use which takes servers over these transports."""
        self.complaints = []
        found: list[Server] = []
        seen: set[str] = set()
        for place, name, given in self._given():
            if name in seen:
                continue
            seen.add(name)
            try:
                found.append(self._server(name, given, place, transports))
            except ValueError as error:
                self.complaints.append(f"{place.name}.{name}: {error}")
        return found

    def _given(self) -> Iterator[tuple[_ServerScope, str, McpServerConfig]]:
        """Yield all servers, those of the nearest place first."""
        here = Path.cwd()
        options = {f"agents.{self._agent}.mcp_servers": self._own, "mcp_servers": self._of_all}
        for where, servers in options.items():
            for name, server in servers.items():
                yield _ServerScope(f"g:claude_ide.{where}", here), name, server
        for path, content in self._files():
            name = self._named(path)
            servers, complaints = config.decode_mcp_servers(content, name)
            self.complaints += complaints
            place = _ServerScope(name, path.parent, is_option=False)
            yield from ((place, each, server) for each, server in servers.items())

    def _files(self) -> Iterator[tuple[Path, object]]:
        if self._trusts(self._folder):
            for path, content in folder_settings.server_files(self._folder):
                # Others may write above a folder that the user trusts, such as in `/tmp`.
                if not self._trusts(path.parent):
                    where = f"trust {path.parent} (:ClaudeTrust) to use it"
                    self.complaints.append(f"{self._named(path)} is not used: {where}")
                elif content is None:
                    self.complaints.append(f"{self._named(path)} cannot be read as a JSON object")
                else:
                    yield path, content.get("mcpServers", content)

    def _named(self, path: Path) -> str:
        """Return a file as the user sees it from the folder: the message is one line."""
        return os.path.relpath(path, self._folder.resolve())

    def _server(
        self, name: str, given: McpServerConfig, place: _ServerScope, transports: Collection[str]
    ) -> Server:
        """Return a server. Raises `ValueError` with the reason if it cannot be used."""
        if name == SERVER:
            raise ValueError("the editor's own server has this name")
        transport = given.transport
        if transport not in transports:
            raise ValueError(f"the agent takes no MCP server over {transport}")
        expand = partial(self._expanded, place)
        if transport != "stdio":
            headers = {key: _secret(expand(value)) for key, value in given.headers.items()}
            return McpAddress(name, expand(given.url), headers, transport)
        command = self._program(expand(given.command), place.folder)
        variables = {key: _secret(expand(str(value))) for key, value in given.env.items()}
        return McpCommand(name, (command, *map(expand, given.args)), variables)

    def _program(self, command: str, folder: Path) -> str:
        is_path = Path(command).name != command
        path = str(folder / command) if is_path else command
        try:
            found = program.locate(path, self._environment.get("PATH", ""))
            program.check(found)
        except OSError:
            problem = "no program" if is_path else "not on PATH"
            raise ValueError(f"{command} is {problem}") from None
        return found

    def _expanded(self, place: _ServerScope, text: str) -> str:
        """Expand variables, as everywhere in options, or as the CLI does in `.mcp.json`."""
        environment = self._environment
        if place.is_option:
            return launch.expanded(text, environment)

        def value(found: re.Match[str]) -> str:
            known = environment.get(found["name"], found["default"])
            if known is None:
                raise ValueError(f"{found['name']} is not set")
            return known

        return _VARIABLE.sub(value, text)


def _secret(value: str) -> str:
    """Return the value of a variable or of a header, which no log may contain."""
    if len(value) >= SHORTEST and value.isascii():
        conceal(value)
    return value
