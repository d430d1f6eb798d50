"""The CLI's words beside the conversation: its own notices, and those of the user's hooks.

One table names the `system` frames that are a text. Hooks speak in three ways: 2.1.330 sends most
of their messages as `informational`, the feedback to the model is a synthetic `user` frame, and
`hook_response` has the output of each hook. So the same words can arrive more than once.
"""

import re
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from claude_ide.agents.events import Event, Happened, Notice, PromptBlocked, ToolEnded, ToolStatus
from claude_ide.agents.fields import mapping, mappings, parsed, text
from claude_ide.agents.stream_json.protocol import Frame, content_of
from claude_ide.agents.stream_json.tools import NAMES, path_in

NOTICE, WARNING, ERROR = "notice", "warning", "error"

TEXTS: Mapping[str, tuple[str, str]] = {
    "away_summary": ("content", NOTICE),
    "informational": ("content", NOTICE),
    "local_command_output": ("content", "info"),
    "mirror_error": ("error", ERROR),
    "model_consent_fallback": ("content", WARNING),
    "model_fallback": ("content", WARNING),
    "model_refusal_fallback": ("content", WARNING),
    "model_refusal_no_fallback": ("content", WARNING),
    "notification": ("text", NOTICE),
    "permission_retry": ("content", NOTICE),
    "scheduled_task_fire": ("content", NOTICE),
}
"""The field with the text, and the level unless the frame has its own, for each subtype."""

URGENT = ("high", "immediate")
"""The priorities of a `notification` that is a warning."""

STOP_HOOK = "stop-hook-error"
"""The key of a `notification` without content: a Stop hook has failed or given feedback."""

PROMPT_EVENTS = ("UserPromptExpansion", "UserPromptSubmit")
REPORTED_ELSEWHERE = ("PermissionRequest", "PreToolUse", "Stop", *PROMPT_EVENTS)
"""The events at which a hook's refusal (exit code 2) is also in a frame of another type."""
REFUSAL = 2

TERMINAL_KEY = re.compile(r"\s*·\s*ctrl\+\w+ to .*")
COMMAND = re.compile(r"^\[.*?\]: ", re.DOTALL)
"""The hook's command, which may be a whole script, before its words."""
BLOCKED = re.compile(
    r"(?:UserPromptSubmit|UserPromptExpansion) operation blocked by hook:\s*"
    r"(?P<reason>.*?)(?:\s*Original prompt: (?P<prompt>.*))?",
    re.DOTALL,
)
STOPPED = re.compile(r"Operation stopped by hook(?:: (?P<reason>.*))?", re.DOTALL)
FEEDBACK = re.compile(r"(?P<hook>\w+ hook feedback):\s*(?P<words>.*)", re.DOTALL)


class Notices:
    """Decodes notices; each is reported once in a turn."""

    def __init__(self) -> None:
        self._reported: set[str] = set()
        self._stop_hook_reported = False

    def decode(self, frame: Frame) -> list[Event] | None:
        """Return the events of a `system` frame; None if it is not a notice."""
        subtype = text(frame.get("subtype"))
        if subtype == "hook_response":
            return self._hook(frame)
        if subtype not in TEXTS:
            return None
        if text(frame.get("key")) == STOP_HOOK and self._stop_hook_reported:
            return []
        field, usual = TEXTS[subtype]
        words = text(frame.get(field))
        if frame.get("prevent_continuation") is True:
            return self._prompt_ended(words, mapping(frame.get("prompt_submit_outcome")))
        return self._notice(TERMINAL_KEY.sub("", words), _level(frame, usual))

    def feedback(self, frame: Frame) -> list[Event]:
        """Return the feedback of a hook in a `user` frame that the user has not written."""
        content = content_of(frame)
        texts = [text(block.get("text")) for block in mappings(content)] or [text(content)]
        found = FEEDBACK.fullmatch("\n".join(texts).strip())
        if found is None:
            return []
        self._stop_hook_reported = True
        return self._notice(f"{found['hook']}: {without_command(found['words'])}", NOTICE)

    def turn_ended(self) -> None:
        """Allow the same words in the next turn."""
        self._reported.clear()
        self._stop_hook_reported = False

    def _prompt_ended(self, words: str, outcome: Frame) -> list[Event]:
        """Return the end of a prompt that a hook has kept from the model, or of its turn."""
        blocked = BLOCKED.fullmatch(words.strip())
        stopped = STOPPED.fullmatch(words.strip())
        found = blocked or stopped
        reason = text(outcome.get("reason")) or (found["reason"] or "" if found else words)
        reason = without_command(reason)
        kept = outcome.get("prompt_kept")
        if kept is False or (kept is None and blocked):
            return [PromptBlocked(blocked["prompt"] or "" if blocked else "", reason, "a hook")]
        return self._notice(_joined("a hook stopped this prompt", reason), WARNING)

    def _hook(self, frame: Frame) -> list[Event]:
        name, event = text(frame.get("hook_name")), text(frame.get("hook_event"))
        answer = parsed(text(frame.get("stdout")))
        found: list[Event] = []
        if message := text(answer.get("systemMessage")):
            found += self._notice(f"{name} says: {message}", NOTICE)
        if event in REPORTED_ELSEWHERE and _refuses(frame, answer):
            self._stop_hook_reported = self._stop_hook_reported or event == "Stop"
        elif event in PROMPT_EVENTS and answer.get("continue") is False:
            pass  # `informational` reports it, with what has become of the prompt.
        elif answer.get("continue") is False:
            reason = text(answer.get("stopReason"))
            found += self._notice(_joined(f"{name} hook stopped the turn", reason), WARNING)
        elif _refuses(frame, answer):
            words = text(answer.get("reason")) or text(frame.get("stderr"))
            found += self._notice(_joined(f"{name} hook", words.strip()), NOTICE)
        elif frame.get("outcome") == "error":
            self._stop_hook_reported = self._stop_hook_reported or event == "Stop"
            words = text(frame.get("stderr")) or text(frame.get("output"))
            found += self._notice(_joined(f"{name} hook failed", words.strip()), WARNING)
        return found

    def _notice(self, words: str, level: str) -> list[Event]:
        words = words.strip()
        if not words or words in self._reported:
            return []
        self._reported.add(words)
        return [Notice(words, level)]


def without_command(words: str) -> str:
    """Return a hook's words without the command that the CLI puts before them."""
    return COMMAND.sub("", words.strip(), count=1).strip()


def _level(frame: Frame, usual: str) -> str:
    if frame.get("level") in (WARNING, ERROR):
        return str(frame["level"])
    return WARNING if frame.get("priority") in URGENT else usual


def _refuses(frame: Frame, answer: Mapping[str, Any]) -> bool:
    return frame.get("exit_code") == REFUSAL or answer.get("decision") == "block"


def _joined(head: str, words: str) -> str:
    return f"{head}: {words}" if words else head


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

NOT_RUN = ("cancelled", "interrupted", "user-rejected")

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
        if meta.get("non_execution_kind") in NOT_RUN or ended.output.startswith(INTERRUPTED):
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


SUBAGENT = {"id": "agent_id", "kind": "agent_type"}
HOOK_FIELDS: Mapping[str, Mapping[str, str]] = {
    "Notification": {"message": "message", "title": "title", "type": "notification_type"},
    "PermissionDenied": {"id": "tool_use_id", "reason": "reason"},
    "SubagentStart": SUBAGENT,
    "SubagentStop": SUBAGENT | {"said": "last_assistant_message"},
    "PreCompact": {"trigger": "trigger", "instructions": "custom_instructions"},
}
"""For each hook the fields of our event, with the names that they have in the hook's input."""

BESIDE = tuple(name for name in HOOK_FIELDS if name != "PermissionDenied")
"""Those that neither belong to a turn nor end the use of a tool."""


def happened(hook: Mapping[str, Any]) -> Happened | None:
    """Return what a hook, of a terminal or a chat, tells; None if it is about the conversation.

    The subagents that the CLI uses for itself, as to suggest prompts, have no type. It tells only
    their ends, which nobody waits for.
    """
    name = text(hook.get("hook_event_name"))
    fields = HOOK_FIELDS.get(name)
    if fields is None or ("kind" in fields and not hook.get(fields["kind"])):
        return None
    data = {ours: text(hook.get(theirs)) for ours, theirs in fields.items()}
    if tool := text(hook.get("tool_name")):
        arguments = mapping(hook.get("tool_input"))
        data["tool"] = NAMES.get(tool, tool)
        data |= {"path": path_in(arguments), "command": text(arguments.get("command"))}
    return Happened(name, {key: value for key, value in data.items() if value})
