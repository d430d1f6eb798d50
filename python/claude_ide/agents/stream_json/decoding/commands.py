"""The slash commands of the CLI, which change while it runs."""

import re
from collections.abc import Iterable
from dataclasses import replace

from claude_ide.agents.events import Command, CommandsChanged, Event, Ready
from claude_ide.agents.fields import mappings, strings, text
from claude_ide.agents.stream_json.wire.frames import Frame

MCP_PROMPT = re.compile(r"(?P<server>.+?):(?P<prompt>.+) \(MCP\)")
"""The name of a server's prompt in a list, which is not the name that runs it."""
MCP_PREFIX = "mcp__"
NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]")


def command(frame: Frame) -> Command:
    """Decode a command."""
    name = _name(text(frame.get("name")))
    return Command(name, text(frame.get("description")), text(frame.get("argumentHint")))


class Commands:
    """The commands that the CLI has reported last."""

    def __init__(self) -> None:
        self._known: tuple[Command, ...] = ()
        self._changed = False

    def ready(self, ready: Ready) -> Ready:
        """Return an offer with the latest commands, which may have changed since it was sent."""
        if not self._changed:
            self._known = ready.commands
        return replace(ready, commands=self._known)

    def change(self, frame: Frame) -> list[Event]:
        """Decode `commands_changed`, which lists all commands."""
        self._changed = True
        return self._set(command(each) for each in mappings(frame.get("commands")))

    def init(self, frame: Frame) -> list[Event]:
        """Add the prompts of servers: 2.1.197 reports them only here, by name."""
        known = {each.name for each in self._known}
        names = strings(frame.get("slash_commands"))
        new = [name for name in names if name.startswith(MCP_PREFIX) and name not in known]
        return self._set((*self._known, *map(Command, new))) if new else []

    def _set(self, commands: Iterable[Command]) -> list[Event]:
        self._known = tuple(commands)
        return [CommandsChanged(self._known)]


def _name(listed: str) -> str:
    found = MCP_PROMPT.fullmatch(listed)
    if found is None:
        return listed
    server, prompt = (NOT_IN_NAMES.sub("_", found[part]) for part in ("server", "prompt"))
    return f"{MCP_PREFIX}{server}__{prompt}"
