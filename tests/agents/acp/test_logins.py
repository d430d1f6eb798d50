"""`agents/acp/launch.py`: the ways to log in that agents report."""

from typing import Any

import pytest

from claude_ide.agents.acp.connection import AgentOffer, offer
from claude_ide.agents.acp.launch import LoginMethods
from claude_ide.agents.agent import Login
from claude_ide.base.errors import LoginNeededError

WORDS = ("/bin/otter", "--acp", "--fish")


class Agent:
    """An agent that has been initialized; `refuses` the login."""

    def __init__(self, *methods: dict[str, Any], refuses: bool = False) -> None:
        self.offer: AgentOffer = offer({"protocolVersion": 1, "authMethods": list(methods)})
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self._refuses = refuses

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        self.requests.append((method, params))
        if self._refuses:
            raise LoginNeededError("no")


async def ways(
    *methods: dict[str, Any], environment: dict[str, str] | None = None, command: str = ""
) -> list[Login]:
    logins = LoginMethods(command.split())
    logins.reported = Agent(*methods).offer.methods
    return logins.ways(WORDS, environment or {})


async def test_an_agent_without_methods_has_its_known_command_only() -> None:
    assert await ways() == []
    assert await ways(command="otter login") == [
        Login("command", "In a terminal: otter login", ("otter", "login"))
    ]


async def test_a_known_command_can_be_that_of_the_agents_own_program() -> None:
    logins = LoginMethods(("", "auth", "login"))

    [login] = logins.ways(WORDS, {})

    assert login.name == "In a terminal: otter --fish auth login"
    assert login.command == ("/bin/otter", "--fish", "auth", "login")


async def test_a_method_of_the_agent_itself_has_no_command() -> None:
    [known, login] = await ways({"id": "o", "name": "OAuth"}, command="otter login")

    assert known.command == ("otter", "login")
    assert login == Login("o", "OAuth")


@pytest.mark.parametrize(
    "method",
    [
        {"type": "terminal", "args": ["--setup"], "env": {"A": "1"}},
        {"_meta": {"type": "terminal", "args": ["--setup"], "env": {"A": "1"}}},
    ],
)
async def test_a_login_in_a_terminal_runs_the_agents_program(method: dict[str, Any]) -> None:
    [login] = await ways({"id": "t", "name": "Set up"} | method, command="otter login")

    assert login.command == ("/bin/otter", "--fish", "--setup")
    assert login.environment == {"A": "1"}


async def test_an_agent_can_name_the_command() -> None:
    terminal = {"command": "/bin/kingfisher", "args": ["login"], "env": {"A": "1"}}
    [login] = await ways({"id": "t", "name": "", "_meta": {"terminal-auth": terminal}})

    assert login == Login("t", "t", ("/bin/kingfisher", "login"), {"A": "1"})


async def test_a_missing_variable_is_named() -> None:
    method = {"id": "k", "name": "Key", "type": "env_var", "vars": [{"name": "A"}, {"name": "B"}]}

    [login] = await ways(method, environment={"B": "1"})
    assert login.problem == "set A in Neovim's environment, or in g:claude_ide.agents"
    [login] = await ways(method, environment={"A": "1", "B": "1"})
    assert login == Login("k", "Key")


@pytest.mark.parametrize("wrong", [{"args": 5}, {"vars": "x"}, {"_meta": []}, {"env": 1}])
async def test_nonsense_in_a_method_is_ignored(wrong: dict[str, Any]) -> None:
    assert await ways({"id": "o", "name": "O"} | wrong) == [Login("o", "O")]


def test_no_login_exists_without_a_command_or_a_method() -> None:
    assert not LoginMethods().exist
    assert LoginMethods(("otter", "login")).exist


async def test_the_chosen_method_is_requested_once() -> None:
    logins = LoginMethods()
    logins.chosen = "o"
    first, second = Agent(), Agent()

    await logins.follow_choice(first.request)
    await logins.follow_choice(second.request)

    assert (first.requests, second.requests) == ([("authenticate", {"methodId": "o"})], [])


async def test_a_choice_that_fails_is_not_requested_again() -> None:
    logins = LoginMethods()
    logins.chosen = "o"

    with pytest.raises(LoginNeededError):
        await logins.follow_choice(Agent(refuses=True).request)
    later = Agent()
    await logins.follow_choice(later.request)

    assert later.requests == []
