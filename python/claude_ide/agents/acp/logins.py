"""The ways to log in to an agent, which it reports when it starts."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from claude_ide.agents.acp.decoding.capabilities import LoginMethod, Offer
from claude_ide.agents.agent import Login

PROTOCOL_WORDS = ("--acp", "--experimental-acp", "acp", "--stdio")
"""The arguments that make an agent speak the protocol, which a terminal does not."""

COMMAND = "command"
"""The id of the login in a terminal that is known without the agent."""


class Initialized(Protocol):
    """A connection to an agent that has been initialized."""

    @property
    def offer(self) -> Offer:
        """What the agent has reported."""

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        """Call the agent."""


class Logins:
    """What all agents of a kind share: the ways to log in, and the user's choice among them."""

    def __init__(self) -> None:
        self.chosen = ""
        """The id of the method that is requested at each start; "" for none."""
        self._reported: tuple[LoginMethod, ...] = ()

    async def use(self, connection: Initialized, method: str = "") -> None:
        """Note what an agent has reported, and log in as the user has chosen, or by `method`."""
        self._reported = connection.offer.methods
        method, self.chosen = self.chosen or method, ""
        if method:
            await connection.request("authenticate", {"methodId": method})
            # Not after an error: the user may choose another way.
            self.chosen = method

    def ways(
        self, words: Sequence[str], environment: Mapping[str, str], command: Sequence[str]
    ) -> list[Login]:
        """Return all ways; `words` is the agent's command line, `command` logs in in a terminal.

        An empty first word of `command` stands for the agent's own program.
        """
        reported = [_login(each, words, environment) for each in self._reported]
        has_terminal = any(each.command for each in reported)
        if not command or has_terminal:
            return reported
        program = command[:1] if command[0] else _without_protocol(words)
        line = (*program, *command[1:])
        name = f"In a terminal: {' '.join((Path(line[0]).name, *line[1:]))}"
        return [Login(COMMAND, name, line, environment), *reported]


def _login(method: LoginMethod, words: Sequence[str], environment: Mapping[str, str]) -> Login:
    name = method.name or method.id
    unset = [variable for variable in method.variables if not environment.get(variable)]
    if method.command:
        return Login(method.id, name, method.command, {**environment, **method.environment})
    if method.kind == "terminal":
        more = {**environment, **method.environment}
        return Login(method.id, name, (*_without_protocol(words), *method.arguments), more)
    if unset:
        problem = f"set {', '.join(unset)} in Neovim's environment, or in g:claude_ide.agents"
        return Login(method.id, name, problem=problem)
    return Login(method.id, name)


def _without_protocol(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for word in words if word not in PROTOCOL_WORDS)
