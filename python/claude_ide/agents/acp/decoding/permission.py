"""Requests for permission, and their answers.

Source: the ACP schema, `session/request_permission`. An answer is one of the options: it carries
neither a reason nor a changed input.
"""

import re
from collections.abc import Sequence
from typing import Any

from claude_ide.agents.acp.decoding.tools import NAMES, OTHER, Call, command, is_input, replacement
from claude_ide.agents.fields import mapping, mappings, text
from claude_ide.agents.requests import (
    Allow,
    Answer,
    Option,
    OptionKind,
    PermissionAsked,
    PlanProposed,
    Reject,
)
from claude_ide.tool_names import EXECUTE_CODE, EXECUTE_CODE_TITLE

KINDS = {kind.value.replace(" ", "_"): kind for kind in OptionKind}
_RUNS_CODE = re.compile(rf"(?<![^\W_]){EXECUTE_CODE}\b|{EXECUTE_CODE_TITLE}")
"""The name of the tool, which agents put behind that of the server, or its title."""

CANCELLED = {"outcome": {"outcome": "cancelled"}}


def options(params: dict[str, Any]) -> tuple[Option, ...]:
    """Return the options of a request; those of an unknown kind are chosen by name only."""
    offered = [each for each in mappings(params.get("options")) if text(each.get("optionId"))]
    # The first option of a kind is the answer to its key.
    offered.sort(key=lambda each: text(each.get("kind")) not in KINDS)
    return tuple(
        Option(
            text(each.get("optionId")),
            text(each.get("name")) or text(each.get("optionId")),
            KINDS.get(text(each.get("kind")), OptionKind.REJECT_ONCE),
        )
        for each in offered
    )


def asked(request: str, params: dict[str, Any], call: Call) -> PermissionAsked | PlanProposed:
    """Return the event for a request about a call."""
    plan = text(call.arguments.get("plan"))
    if call.kind == "switch_mode" and plan:
        return PlanProposed(request, call.id, plan, "", options(params))
    offered = options(params)
    # Some agents name the tool only in their options.
    words = " ".join((call.name, call.title, *(option.name for option in offered)))
    code = text(call.arguments.get("code")) if _RUNS_CODE.search(words) else ""
    line = command(call)
    return PermissionAsked(
        request,
        call.id,
        EXECUTE_CODE if code else call.name or NAMES.get(call.shown_kind, OTHER),
        # A command line in words becomes one text.
        call.arguments | ({"command": line} if line else {}),
        offered,
        kind=call.shown_kind,
        title=call.title,
        path=call.path if call.is_on_files else "",
        reason=_reason(call, params),
        edits=tuple(map(replacement, call.diffs)),
        code=code,
    )


def answered(options: Sequence[Option], answer: Answer | None) -> dict[str, Any]:
    """Return the answer to a request; None withdraws it."""
    match answer:
        case None:
            return CANCELLED
        case Allow(options=chosen):
            return _selected(options, next(iter(chosen), ""), OptionKind.ALLOW_ONCE)
        case Reject(option=chosen):
            return _selected(options, chosen, OptionKind.REJECT_ONCE)
        case _:
            return _selected(options, "", OptionKind.REJECT_ONCE)


def _selected(options: Sequence[Option], chosen: str, kind: OptionKind) -> dict[str, Any]:
    """Return the chosen option, or the first one of a kind: none that lasts unless it is chosen."""
    fitting = [option.id for option in options if option.kind is kind]
    offered = [chosen, *fitting] if chosen else fitting
    return {"outcome": {"outcome": "selected", "optionId": offered[0]}} if offered else CANCELLED


def _reason(call: Call, params: dict[str, Any]) -> str:
    """Return what a request says beside the call: some agents describe a command there."""
    update = mapping(params.get("toolCall"))
    blocks = [mapping(each.get("content")) for each in mappings(update.get("content"))]
    said = " ".join(found for block in blocks if (found := text(block.get("text"))))
    return "" if is_input(call, update) else said
