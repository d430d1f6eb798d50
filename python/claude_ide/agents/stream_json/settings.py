"""The settings of the CLI, as it offers and reports them: commands, models, modes, MCP servers.

Any part of an answer to our control requests may be missing.
"""

import re
from collections.abc import Iterable
from typing import Any

from claude_ide.agents import events
from claude_ide.agents.agent import ServerState, ToolServer
from claude_ide.agents.fields import mapping, mappings, read, sequence, strings, text
from claude_ide.agents.stream_json.protocol import BYPASS, USUAL_MODES, Frame, shown

AUTO = events.Mode("auto", "auto", in_cycle=False)
MODEL_KEYS = {"id": "value", "name": "displayName", "resolved": "resolvedModel"}
DONT_ASK = events.Mode("dontAsk", "dontAsk", in_cycle=False)


def offered(
    answer: Frame, commands: tuple[events.SlashCommand, ...], *, bypasses: bool = False
) -> events.Ready:
    """Decode the answer to `initialize`: the models and modes on offer beside the commands.

    With `bypasses` the CLI was started with the permission to run everything without a request.
    """
    models = mappings(answer.get("models"))
    names = map(shown, (*USUAL_MODES, *([BYPASS] if bypasses else [])))
    modes = [events.Mode(name, name) for name in names]
    modes += [AUTO] * any(model.get("supportsAutoMode") is True for model in models)
    return events.Ready(commands, tuple(map(_model, models)), (*modes, DONT_ASK))


def model_ids(answer: Frame) -> dict[str, str]:
    """Decode the models on offer: their ids, by the names that `/model` accepts."""
    offered = mappings(answer.get("models"))
    return {text(model.get("value")): text(model.get("resolvedModel")) for model in offered}


def usual_mode(answer: Frame) -> str:
    """Decode the default permission mode from the answer to `get_settings`."""
    return text(mapping(mapping(answer.get("effective")).get("permissions")).get("defaultMode"))


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


class ServerReports:
    """Reports each server once that cannot be used."""

    def __init__(self) -> None:
        self._reported: set[str] = set()

    def apply(self, frame: Frame) -> list[events.Event]:
        """Apply an `init`; return the event about servers that have failed."""
        listed = mappings(frame.get("mcp_servers"))
        new = self._new([server for server in listed if _state(server) in BROKEN])
        found: list[events.Event] = [events.ServersFailed(new)] if new else []
        # Entries that the CLI cannot read, which it lists nowhere else.
        for entry in mappings(frame.get("mcp_server_errors")):
            reason = text(entry.get("message")) or "its entry cannot be read"
            words = (f"MCP server {name}: {reason}" for name in self._new([entry]))
            found += (events.Notice(each, "warning") for each in words)
        return found

    def _new(self, servers: list[Frame]) -> tuple[str, ...]:
        """Return the names that were not reported yet."""
        names = (text(server.get("name")) for server in servers)
        new = tuple(name for name in names if name and name not in self._reported)
        self._reported.update(new)
        return new


MCP_PROMPT = re.compile(r"(?P<server>.+?):(?P<prompt>.+) \(MCP\)")
"""The name of a server's prompt in a list, which is not the name that runs it."""
MCP_PREFIX = "mcp__"
NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]")


def command(frame: Frame) -> events.SlashCommand:
    """Decode a command."""
    name = text(frame.get("name"))
    if found := MCP_PROMPT.fullmatch(name):
        server, prompt = (NOT_IN_NAMES.sub("_", found[part]) for part in ("server", "prompt"))
        name = f"{MCP_PREFIX}{server}__{prompt}"
    return read(events.SlashCommand, frame, {"hint": "argumentHint"}, name=name)


class Commands:
    """The commands that the CLI has reported last."""

    def __init__(self) -> None:
        self._known: tuple[events.SlashCommand, ...] = ()
        self._changed = False

    def offered(self, answer: Frame) -> tuple[events.SlashCommand, ...]:
        """Return the commands in an answer to `initialize`, or those that were sent since."""
        if not self._changed:
            self._known = tuple(map(command, mappings(answer.get("commands"))))
        return self._known

    def change(self, frame: Frame) -> list[events.Event]:
        """Decode `commands_changed`, which lists all commands."""
        self._changed = True
        return self._set(command(each) for each in mappings(frame.get("commands")))

    def init(self, frame: Frame) -> list[events.Event]:
        """Add the prompts of servers: 2.1.197 reports them only here, by name."""
        known = {each.name for each in self._known}
        names = strings(frame.get("slash_commands"))
        new = [name for name in names if name.startswith(MCP_PREFIX) and name not in known]
        return self._set((*self._known, *map(events.SlashCommand, new))) if new else []

    def _set(self, commands: Iterable[events.SlashCommand]) -> list[events.Event]:
        self._known = tuple(commands)
        return [events.CommandsChanged(self._known)]


PREFIX = "claude-"


class CliSettings:
    """The settings that the CLI reported last."""

    def __init__(self) -> None:
        self.session = ""
        self.title = ""
        self.mode = ""
        self.model = ""
        self.models: dict[str, str] = {}
        """The models by the names under which the CLI offers them."""
        self._initialized = False

    def is_other_session(self, frame: Frame) -> bool:
        """Whether an `init` has a new session id: the conversation was cleared."""
        session = text(frame.get("session_id"))
        return self._initialized and "" not in (session, self.session) and session != self.session

    def apply(self, frame: Frame) -> list[events.Event]:
        """Update the settings from a `system` frame; return an event for each change."""
        match text(frame.get("subtype")):
            case "init":
                self._initialized = True
                return [
                    *self.set_session(text(frame.get("session_id"))),
                    *self.set_mode(text(frame.get("permissionMode"))),
                    *self.set_model(text(frame.get("model"))),
                ]
            case "status":
                return self.set_mode(text(frame.get("permissionMode")))
            case "model_fallback" | "model_consent_fallback":
                return self.set_model(text(frame.get("fallback_model")))
            case "session_title_changed":
                return self.set_title(text(frame.get("title")))
        return []

    def follow(self, run: Frame, answer: str) -> list[events.Event]:
        """Follow a command of the CLI that the user has sent as a prompt, such as `/model opus`."""
        chosen = text(run.get("args")).strip()
        match text(run.get("command")):
            case "model" if answer.startswith("Set model to"):
                id_ = chosen if chosen.startswith(PREFIX) else ""
                return self.set_model(self.models.get(chosen) or id_)
            case "effort" if answer.startswith("Set effort level to"):
                return [events.EffortChanged(chosen)]
        return []

    def set_session(self, session: str) -> list[events.Event]:
        """Set the session's id; return the event if that is a change."""
        return (
            [events.SessionChanged(session, self.title)] if self._is_new("session", session) else []
        )

    def set_title(self, title: str) -> list[events.Event]:
        """Set the session's title; return the event if that is a change."""
        return [events.SessionChanged(self.session, title)] if self._is_new("title", title) else []

    def set_mode(self, mode: str) -> list[events.Event]:
        """Set the permission mode; return the event if that is a change."""
        is_new = self._is_new("mode", mode and shown(mode))
        return [events.ModeChanged(self.mode)] if is_new else []

    def set_model(self, model: str) -> list[events.Event]:
        """Set the model's name; return the event if that is a change."""
        short = model.removeprefix(PREFIX)
        changed = events.ModelChanged(model, "" if short == model else short)
        return [changed] if self._is_new("model", model) else []

    def _is_new(self, setting: str, value: str) -> bool:
        is_new = value not in ("", getattr(self, setting))
        if is_new:
            setattr(self, setting, value)
        return is_new

    def forget_session(self) -> None:
        """Forget the session; the next reported session is a new one."""
        self.session = self.title = ""


STYLE = "output-style"
ON, OFF, COOLDOWN = "on", "off", "cooldown"

PASSING = ("pending", "sdk_opt_in_required")
"""The reasons against fast mode that end once it is turned on."""


class Flags:
    """The output style and fast mode, as the CLI reported them last; without the unknown."""

    def __init__(self) -> None:
        self._styles: tuple[str, ...] = ()
        self._style = ""
        self._fast = ""
        self._is_fast_chosen = False
        self._reported: tuple[events.Setting, ...] = ()

    def offer(self, answer: Frame) -> list[events.Event]:
        """Read the answer to `initialize`; return the event if there is something to choose."""
        self._styles = strings(answer.get("available_output_styles"))
        return self.apply(answer)

    def apply(self, frame: Frame) -> list[events.Event]:
        """Read an `init`; return an event for a change."""
        said: list[events.Event] = []
        self._style = text(frame.get("output_style")) or self._style
        if state := text(frame.get("fast_mode_state")):
            reason = text(frame.get("fast_mode_disabled_reason"))
            self._fast = "" if state == OFF and reason not in ("", *PASSING) else state
            if self._is_fast_chosen and state == OFF and reason not in PASSING:
                self._is_fast_chosen = False
                why = f": {reason.replace('_', ' ')}" if reason else " (not every model has it)"
                said.append(events.Notice(f"Fast mode is off{why}", "warning"))
        return [*said, *self._changed()]

    def encode(self, setting: str, value: str) -> dict[str, Any]:
        """Return a change of a setting in the CLI's terms."""
        return {"outputStyle": value} if setting == STYLE else {"fastMode": value != OFF}

    def set(self, setting: str, value: str) -> list[events.Event]:
        """Record a change, which the CLI reports only with the next turn."""
        if setting == STYLE:
            self._style = value
        else:
            self._fast = value
            self._is_fast_chosen = value != OFF
        return self._changed()

    def _changed(self) -> list[events.Event]:
        styles = tuple(events.SettingValue(style, style) for style in self._styles)
        speeds = (ON, OFF, COOLDOWN) if self._fast == COOLDOWN else (ON, OFF)
        switch = tuple(events.SettingValue(speed, speed) for speed in speeds)
        style = events.Setting(STYLE, "Output style", self._style, styles)
        fast = events.Setting(events.FAST, "Fast mode", self._fast, switch)
        now = tuple(each for each in (style, fast) if each.current and each.values)
        if now == self._reported:
            return []
        self._reported = now
        return [events.SettingsChanged(now)]
