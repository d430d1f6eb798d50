"""Decodes the hooks about what happens beside the conversation, of terminals and chats."""

from collections.abc import Mapping
from typing import Any

from claude_ide.agents.events import Happened
from claude_ide.agents.fields import mapping, text
from claude_ide.agents.stream_json.decoding.tools import NAMES, path_in

SUBAGENT = {"id": "agent_id", "kind": "agent_type"}
FIELDS: Mapping[str, Mapping[str, str]] = {
    "Notification": {"message": "message", "title": "title", "type": "notification_type"},
    "PermissionDenied": {"id": "tool_use_id", "reason": "reason"},
    "SubagentStart": SUBAGENT,
    "SubagentStop": SUBAGENT | {"said": "last_assistant_message"},
    "PreCompact": {"trigger": "trigger", "instructions": "custom_instructions"},
}
"""For each hook the fields of our event, with the names that they have in the hook's input."""

BESIDE = tuple(name for name in FIELDS if name != "PermissionDenied")
"""Those that neither belong to a turn nor end the use of a tool."""


def happened(hook: Mapping[str, Any]) -> Happened | None:
    """Return what a hook tells; None if it belongs to the conversation."""
    name = text(hook.get("hook_event_name"))
    if name not in FIELDS:
        return None
    data = {ours: text(hook.get(theirs)) for ours, theirs in FIELDS[name].items()}
    if tool := text(hook.get("tool_name")):
        arguments = mapping(hook.get("tool_input"))
        data["tool"] = NAMES.get(tool, tool)
        data |= {"path": path_in(arguments), "command": text(arguments.get("command"))}
    return Happened(name, {key: value for key, value in data.items() if value})
