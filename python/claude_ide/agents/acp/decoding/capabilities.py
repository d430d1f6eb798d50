"""What an agent can do, as its answer to `initialize` says. Every capability is optional."""

from typing import Any

from msgspec import Struct

from claude_ide.agents.fields import integer, mapping, mappings, read, strings, text

VERSION = 1
"""The version of the protocol that the client speaks."""


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


class Offer(Struct, frozen=True):
    """The answer to `initialize`."""

    version: int = VERSION
    name: str = ""
    own_name: str = ""
    """Its name for programs, such as `gemini-cli`."""
    agent_version: str = ""
    loads: bool = False
    resumes: bool = False
    lists: bool = False
    forks: bool = False
    closes: bool = False
    deletes: bool = False
    takes_folders: bool = False
    """A session can have further folders."""
    images: bool = False
    embeds: bool = False
    """It takes the text of files within a prompt."""
    steers: bool = False
    http_servers: bool = False
    sse_servers: bool = False
    logs_out: bool = False
    methods: tuple[LoginMethod, ...] = ()


def offer(answer: dict[str, Any]) -> Offer:
    """Return what an agent offers."""
    abilities = mapping(answer.get("agentCapabilities"))
    prompts = mapping(abilities.get("promptCapabilities"))
    sessions = mapping(abilities.get("sessionCapabilities"))
    servers = mapping(abilities.get("mcpCapabilities"))
    information = mapping(answer.get("agentInfo"))
    meta = mapping(answer.get("_meta"))
    version = integer(answer.get("protocolVersion"))
    return Offer(
        version=VERSION if version is None else version,
        name=text(information.get("title")) or text(information.get("name")),
        own_name=text(information.get("name")),
        agent_version=text(information.get("version")),
        loads=abilities.get("loadSession") is True,
        resumes="resume" in sessions,
        lists="list" in sessions,
        forks="fork" in sessions,
        closes="close" in sessions,
        deletes="delete" in sessions,
        takes_folders=isinstance(sessions.get("additionalDirectories"), dict),
        images=prompts.get("image") is True,
        embeds=prompts.get("embeddedContext") is True,
        steers=mapping(meta.get("steering")).get("supported") is True,
        http_servers=servers.get("http") is True,
        sse_servers=servers.get("sse") is True,
        logs_out=isinstance(mapping(abilities.get("auth")).get("logout"), dict),
        methods=tuple(map(_method, mappings(answer.get("authMethods")))),
    )


def _method(method: dict[str, Any]) -> LoginMethod:
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
