"""Decodes the answers to our control requests, any part of which may be missing."""

import re
from collections.abc import Iterable

from msgspec.structs import replace

from claude_ide.agents import events
from claude_ide.agents.agent import ContextUsage, Rewind, ServerState, TaskOutput, ToolServer
from claude_ide.agents.fields import integer, mapping, mappings, read, sequence, strings, text
from claude_ide.agents.stream_json.wire.frames import Frame
from claude_ide.agents.stream_json.wire.launch import BYPASS, MODES
from claude_ide.own_mode import shown

AUTO = events.Mode("auto", "auto", in_cycle=False)
MODEL_KEYS = {"id": "value", "name": "displayName", "resolved": "resolvedModel"}
OUTPUT_KEYS = {"text": "output", "size": "total_bytes", "is_cut": "truncated"}
REWIND_KEYS = {"possible": "canRewind", "files": "filesChanged", "reason": "error"}
DONT_ASK = events.Mode("dontAsk", "dontAsk", in_cycle=False)


def ready(answer: Frame, *, bypasses: bool = False) -> events.Ready:
    """Decode the answer to `initialize`: the commands, models and modes on offer.

    With `bypasses` the CLI was started with the permission to run everything without a request.
    """
    models = mappings(answer.get("models"))
    names = map(shown, (*MODES, *([BYPASS] if bypasses else [])))
    modes = [events.Mode(name, name) for name in names]
    modes += [AUTO] * any(model.get("supportsAutoMode") is True for model in models)
    return events.Ready(
        commands=tuple(map(command, mappings(answer.get("commands")))),
        models=tuple(map(_model, models)),
        modes=(*modes, DONT_ASK),
    )


def model_ids(answer: Frame) -> dict[str, str]:
    """Decode the models on offer: their ids, by the names that `/model` accepts."""
    offered = mappings(answer.get("models"))
    return {text(model.get("value")): text(model.get("resolvedModel")) for model in offered}


def usual_mode(answer: Frame) -> str:
    """Decode the default permission mode from the answer to `get_settings`."""
    return text(mapping(mapping(answer.get("effective")).get("permissions")).get("defaultMode"))


def context_usage(answer: Frame) -> ContextUsage:
    """Decode the answer to `get_context_usage`."""
    categories = tuple(
        (text(category.get("name")), integer(category.get("tokens")) or 0)
        for category in mappings(answer.get("categories"))
    )
    used, size = integer(answer.get("totalTokens")), integer(answer.get("maxTokens"))
    return ContextUsage(used or 0, size or 0, categories)


def rewind(answer: Frame) -> Rewind:
    """Decode the answer to `rewind_files`."""
    return read(Rewind, answer, REWIND_KEYS)


def task_output(answer: Frame, path: str) -> TaskOutput:
    """Decode the answer to `get_task_output`; `path` is the file of the whole output."""
    return read(TaskOutput, answer, OUTPUT_KEYS, path=path)


def _model(model: Frame) -> events.Model:
    efforts = strings(model.get("supportedEffortLevels")) if model.get("supportsEffort") else ()
    return read(events.Model, model, MODEL_KEYS, efforts=efforts)


STATES = {
    "connected": ServerState.CONNECTED,
    "pending": ServerState.CONNECTING,
    "failed": ServerState.FAILED,
    "needs-auth": ServerState.NEEDS_LOGIN,
    "disabled": ServerState.OFF,
}
BROKEN = (ServerState.FAILED, ServerState.NEEDS_LOGIN)


def tool_servers(answer: Frame) -> list[ToolServer]:
    """Decode the answer to `mcp_status`."""
    found = []
    for server in mappings(answer.get("mcpServers")):
        kind = text(server.get("transport")) or text(mapping(server.get("config")).get("type"))
        place = " · ".join(filter(None, (kind, text(server.get("scope")))))
        tools = len(sequence(server.get("tools")))
        found.append(read(ToolServer, server, state=_state(server), tools=tools, place=place))
    return found


def _state(server: Frame) -> ServerState:
    return STATES.get(text(server.get("status")), ServerState.UNKNOWN)


class Servers:
    """Reports each server once that cannot be used."""

    def __init__(self) -> None:
        self._reported: set[str] = set()

    def apply(self, frame: Frame) -> list[events.Event]:
        """Apply an `init`; return the event about servers that have failed."""
        listed = mappings(frame.get("mcp_servers"))
        broken = [text(server.get("name")) for server in listed if _state(server) in BROKEN]
        new = tuple(name for name in broken if name and name not in self._reported)
        self._reported.update(new)
        failed: list[events.Event] = [events.ServersFailed(new)] if new else []
        return [*failed, *self._left_out(frame)]

    def _left_out(self, frame: Frame) -> list[events.Event]:
        """Return notices about entries that the CLI cannot read, which it lists nowhere else."""
        said = []
        for entry in mappings(frame.get("mcp_server_errors")):
            name, reason = text(entry.get("name")), text(entry.get("message"))
            if name and name not in self._reported:
                self._reported.add(name)
                words = f"MCP server {name}: {reason or 'its entry cannot be read'}"
                said.append(events.Notice(words, "warning"))
        return [*said]


MCP_PROMPT = re.compile(r"(?P<server>.+?):(?P<prompt>.+) \(MCP\)")
"""The name of a server's prompt in a list, which is not the name that runs it."""
MCP_PREFIX = "mcp__"
NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]")


def command(frame: Frame) -> events.Command:
    """Decode a command."""
    name = text(frame.get("name"))
    if found := MCP_PROMPT.fullmatch(name):
        server, prompt = (NOT_IN_NAMES.sub("_", found[part]) for part in ("server", "prompt"))
        name = f"{MCP_PREFIX}{server}__{prompt}"
    return read(events.Command, frame, {"hint": "argumentHint"}, name=name)


class Commands:
    """The commands that the CLI has reported last."""

    def __init__(self) -> None:
        self._known: tuple[events.Command, ...] = ()
        self._changed = False

    def ready(self, ready: events.Ready) -> events.Ready:
        """Return an offer with the latest commands, which may have changed since it was sent."""
        if not self._changed:
            self._known = ready.commands
        return replace(ready, commands=self._known)

    def change(self, frame: Frame) -> list[events.Event]:
        """Decode `commands_changed`, which lists all commands."""
        self._changed = True
        return self._set(command(each) for each in mappings(frame.get("commands")))

    def init(self, frame: Frame) -> list[events.Event]:
        """Add the prompts of servers: 2.1.197 reports them only here, by name."""
        known = {each.name for each in self._known}
        names = strings(frame.get("slash_commands"))
        new = [name for name in names if name.startswith(MCP_PREFIX) and name not in known]
        return self._set((*self._known, *map(events.Command, new))) if new else []

    def _set(self, commands: Iterable[events.Command]) -> list[events.Event]:
        self._known = tuple(commands)
        return [events.CommandsChanged(self._known)]
