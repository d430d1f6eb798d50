"""How an ACP agent is started."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template

from msgspec import Struct, field

from claude_ide import program
from claude_ide.agents.acp.logins import Logins


def words(cmd: str | Sequence[str], environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the words of a command line; its program is a name, or an absolute path.

    A relative path begins at the folder in which Neovim has started the host.
    """
    given = _split(cmd, environment) if isinstance(cmd, str) else cmd
    name, *arguments = (expanded(word, environment) for word in given)
    return (_absolute(name), *arguments)


def environment(
    inherited: Mapping[str, str], added: Mapping[str, str | int | float]
) -> dict[str, str]:
    """Return Neovim's environment with the variables that the user has added."""
    more = {name: expanded(str(value), inherited) for name, value in added.items()}
    return program.inherited(inherited) | more


def expanded(text: str, environment: Mapping[str, str]) -> str:
    """Expand variables, and `~` at the beginning; an unknown variable stays as it is."""
    text = Template(text).safe_substitute(environment)
    home = environment.get("HOME", "")
    return home + text[1:] if home and (text == "~" or text.startswith("~/")) else text


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


class Launch(Struct, frozen=True):
    """How an agent is started; `mcp` is `http` if it refuses MCP servers over `stdio`."""

    name: str
    command: tuple[str, ...]
    folder: Path
    environment: dict[str, str] = {}
    logins: Logins = field(default_factory=Logins)
    mcp: str = "stdio"
