"""Why a tool was not executed: the user, a hook, a rule, the mode or a check has decided it.

2.1.330 names who decided in `tool_result_meta`. In 2.1.197 there is only the text for the model,
after a `permission_denied` unless a hook has decided.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from claude_ide.agents.events import ToolEnded, ToolStatus
from claude_ide.agents.fields import mapping, mappings, text
from claude_ide.agents.stream_json.decoding.notices import without_command
from claude_ide.agents.stream_json.wire.frames import Frame

DECIDERS: Mapping[str, str] = {
    "asyncAgent": "the settings for background agents",
    "classifier": "the safety check",
    "hook": "a hook",
    "mode": "the mode",
    "rule": "a rule",
    "safetyCheck": "a safety rule",
    "sandboxOverride": "the sandbox",
    "subcommandResults": "a rule",
    "workingDir": "a rule on folders",
}
"""The names of what can decide, by the type of its reason."""

IN_SESSION_FILE = "reasonType"
"""The spelling of `reason_type` in the files of sessions."""

STOPPED = ("cancelled", "interrupted", "user-rejected")

INTERRUPTED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was"
)
"""The beginning of the CLI's text for a tool that an interrupt has ended."""

BY_RULE = "File is in a directory that is denied by your permission settings."
"""The text for a file that a rule has denied, which 2.1.197 does not announce."""

HOOK = re.compile(r"PreToolUse:\S+ hook error: (?P<reason>.*)", re.DOTALL)
USUAL = re.compile(r"Permission to use .* has been denied(?: because .*)?\.?(?: IMPORTANT: .*)?",
                   re.DOTALL)  # fmt: skip
"""A text that says no more than who decided."""
CHECKED = re.compile(r".* classifier\. Reason: (?P<reason>.*?)\. If you have other tasks.*",
                     re.DOTALL)  # fmt: skip
ADVICE = " IMPORTANT: "
"""From here on, the text is advice to the model."""


class Denials:
    """Completes the results of tools that were not executed."""

    def __init__(self) -> None:
        self.rejected: set[str] = set()
        """Tool uses that the user has rejected; 2.1.197 reports their results as failures."""
        self._announced: dict[str, Frame] = {}

    def announce(self, frame: Frame) -> None:
        """Remember a `permission_denied`, which precedes the tool's result."""
        self._announced[text(frame.get("tool_use_id"))] = frame

    def turn_ended(self) -> None:
        """Forget the tools of this turn."""
        self.rejected.clear()
        self._announced.clear()

    def complete(self, frame: Frame, ended: ToolEnded, mode: str) -> ToolEnded:
        """Return a tool's result with its true status, and with who has denied it and why."""
        announced = self._announced.pop(ended.tool, {})
        if ended.status is ToolStatus.COMPLETED:
            return ended
        if ended.tool in self.rejected:
            return replace(ended, status=ToolStatus.REJECTED)
        metas = mappings(frame.get("tool_result_meta"))
        meta = next((meta for meta in metas if meta.get("id") == ended.tool), {})
        decision = mapping(meta.get("permission_decision"))
        if decision.get("decision") == "reject" or announced:
            return _denied(ended, _type(decision, announced), announced, mode)
        if HOOK.fullmatch(ended.output):
            return _denied(ended, "hook", announced, mode)
        if ended.output.strip() == BY_RULE:
            return _denied(ended, "rule", announced, mode)
        if meta.get("non_execution_kind") in STOPPED or ended.output.startswith(INTERRUPTED):
            return replace(ended, status=ToolStatus.INTERRUPTED)
        return ended


def _type(decision: Frame, announced: Frame) -> str:
    """Return the type of the reason; "user" if the user has decided.

    In these sessions a rule in the user's settings has the user as its source, but also a type.
    """
    type_ = (
        text(decision.get("reason_type"))
        or text(decision.get(IN_SESSION_FILE))
        or text(announced.get("decision_reason_type"))
    )
    source = text(decision.get("source"))
    return type_ or ("user" if source.startswith("user") else source)


def _denied(ended: ToolEnded, type_: str, announced: Frame, mode: str) -> ToolEnded:
    rejected = replace(ended, status=ToolStatus.REJECTED)
    if type_ == "user":
        return rejected
    who = DECIDERS.get(type_, "the settings")
    if type_ == "mode" and mode:
        who = f"mode {mode}"
    reason = text(announced.get("decision_reason")) or _reason(ended.output)
    return replace(rejected, denied_by=who, reason=reason)


def _reason(output: str) -> str:
    output = output.strip()
    if found := HOOK.fullmatch(output):
        return without_command(found["reason"])
    if found := CHECKED.fullmatch(output):
        return found["reason"]
    is_usual = USUAL.fullmatch(output) or output == BY_RULE
    return "" if is_usual else output.partition(ADVICE)[0]
