"""The CLI's requests to the user, and the answers: `can_use_tool`, and `elicitation`.

Source: doc/stream-json.md, "Permission". Each of the CLI's suggestions becomes a separate option
with its scope. Only the chosen suggestions are sent back, unchanged: all of them together would
allow more than the user agreed to.
"""

from typing import Any

from claude_ide.agents.answer import Allow, Answer, Dismiss, Reject, Reply, Rule
from claude_ide.agents.events import (
    AnswerKind,
    Choice,
    Event,
    Option,
    OptionKind,
    PermissionAsked,
    PlanProposed,
    Question,
    QuestionAsked,
    Replacement,
    Value,
)
from claude_ide.agents.fields import mapping, mappings, strings, text
from claude_ide.agents.stream_json.decoding import elicitation, rules
from claude_ide.agents.stream_json.decoding.tools import kind_of, path_in, title_of
from claude_ide.agents.stream_json.wire.frames import Frame
from claude_ide.agents.workbench import CODE_TOOL
from claude_ide.own_mode import shown

ALLOW = Option("allow", "Allow", OptionKind.ALLOW_ONCE)
REJECT = Option("reject", "Reject", OptionKind.REJECT_ONCE)
REASON = "The user doesn't want to proceed with this tool use."
ACCEPT_EDITS = {"type": "setMode", "mode": "acceptEdits", "destination": "session"}


def decode_request(frame: Frame, root: str = "") -> list[Event]:
    """Return the event for a `control_request` to the user; none if it addresses the host.

    `root` is the folder in which the CLI runs.
    """
    asked = mapping(frame.get("request"))
    if asked.get("subtype") == elicitation.SUBTYPE:
        return [elicitation.decode(text(frame.get("request_id")), asked)]
    if asked.get("subtype") != "can_use_tool":
        return []
    request, tool = text(frame.get("request_id")), text(asked.get("tool_use_id"))
    arguments = mapping(asked.get("input"))
    match text(asked.get("tool_name")):
        case "AskUserQuestion":
            questions = tuple(map(_question, mappings(arguments.get("questions"))))
            return [QuestionAsked(request, tool, questions)]
        case "ExitPlanMode":
            plan, path = text(arguments.get("plan")), text(arguments.get("planFilePath"))
            return [PlanProposed(request, tool, plan, path, _options(asked, root))]
        case name:
            return [
                PermissionAsked(
                    request,
                    tool,
                    name,
                    arguments,
                    _options(asked, root),
                    kind=kind_of(name),
                    title=title_of(arguments) or text(asked.get("description")),
                    path=path_in(arguments) or text(asked.get("blocked_path")),
                    reason=text(asked.get("decision_reason")),
                    edits=_edits(name, arguments),
                    rule=rules.suggested(asked, root),
                    scopes=rules.scopes(asked),
                    code=text(arguments.get("code")) if name == CODE_TOOL else "",
                )
            ]


def encode_answer(asked: Frame, answer: Answer) -> Frame:
    """Return the answer to `asked`, the `request` in the CLI's frame."""
    if asked.get("subtype") == elicitation.SUBTYPE:
        return elicitation.encode(answer)
    arguments = mapping(asked.get("input"))
    allowed: Frame = {"behavior": "allow", "updatedInput": arguments}
    if tool := text(asked.get("tool_use_id")):
        allowed["toolUseID"] = tool
    match answer:
        case Reject(reason):
            return {"behavior": "deny", "message": reason or REASON}
        case Dismiss():
            return {"behavior": "deny", "message": REASON}
        case Reply(answers):
            joined = {question: _joined(chosen) for question, chosen in answers.items()}
            return allowed | {"updatedInput": arguments | {"answers": joined}}
        case Allow(options):
            chosen = dict(_suggestions(asked))
            permissions = [chosen[option] for option in options if option in chosen]
            if answer.rule is not None:
                permissions.append(_added(answer.rule, text(asked.get("tool_name"))))
            if permissions:
                allowed["updatedPermissions"] = permissions
            return allowed | {"updatedInput": _changed(arguments, answer)}


def _changed(arguments: Frame, answer: Allow) -> Frame:
    """Return a tool's arguments with the user's changes."""
    if answer.plan:
        return arguments | {"plan": answer.plan}
    if not answer.edits:
        return arguments
    [edit] = answer.edits
    if edit.old is None:
        return arguments | {"content": edit.new}
    old, new = _without_returns(edit.old), _without_returns(edit.new)
    changed = arguments | {"old_string": old, "new_string": new}
    is_same = bool(arguments.get("replace_all")) is edit.every
    return changed if is_same else changed | {"replace_all": edit.every}


def _without_returns(words: str) -> str:
    """Return a text with the line endings of the CLI's tools, which restore those of the file."""
    return words.replace("\r\n", "\n")


def _edits(name: str, arguments: Frame) -> tuple[Replacement, ...]:
    """Return the edit that a tool proposes, if its arguments describe it completely."""
    path, content = path_in(arguments), arguments.get("content")
    old, new = arguments.get("old_string"), arguments.get("new_string")
    if kind_of(name) != "edit":
        return ()
    if isinstance(content, str):
        return (Replacement(path, content),)
    if isinstance(old, str) and isinstance(new, str):
        every = bool(arguments.get("replace_all"))
        return (Replacement(path, new, old, every, takes_line_feed=True),)
    return ()


def _suggestions(asked: Frame) -> list[tuple[str, Frame]]:
    suggestions = mappings(asked.get("permission_suggestions"))
    if not suggestions and asked.get("tool_name") == "ExitPlanMode":
        suggestions = [ACCEPT_EDITS]
    return [(f"always:{number}", suggestion) for number, suggestion in enumerate(suggestions)]


def _options(asked: Frame, root: str) -> tuple[Option, ...]:
    """Return the options without the rule that the user may change (`rules.suggested`)."""
    offered = [each for each in _suggestions(asked) if _has_effect(each[1], root)]
    rule = next((each for each in offered if rules.is_suggestion(each[1])), None)
    always = (_option(*each) for each in offered if each is not rule)
    return (ALLOW, *always, REJECT)


def _has_effect(suggestion: Frame, root: str) -> bool:
    """Return whether a suggestion allows anything: the CLI may use its own folder anyway."""
    folders = strings(suggestion.get("directories"))
    is_own = bool(root) and all(f"{folder}/".startswith(f"{root}/") for folder in folders)
    return suggestion.get("type") != "addDirectories" or not is_own


def _added(rule: Rule, tool: str) -> Frame:
    update: Frame = {"type": "addRules", "rules": rules.parse(rule.text, tool)}
    return update | {"behavior": "allow", "destination": rule.scope}


def _option(id_: str, suggestion: Frame) -> Option:
    scope = text(suggestion.get("destination"))
    kind = OptionKind.ALLOW_ALWAYS
    match text(suggestion.get("type")):
        case "addRules" | "replaceRules":
            if suggestion.get("behavior") == "deny":
                name, kind = f"never allow {rules.shown(suggestion)}", OptionKind.REJECT_ALWAYS
            else:
                name = f"always allow {rules.shown(suggestion)}"
        case "addDirectories":
            name = f"allow access to {', '.join(strings(suggestion.get('directories')))}"
        case "setMode":
            name = f"switch to {shown(text(suggestion.get('mode')))} mode"
        case other:
            name = other
    return Option(id_, name, kind, rules.SCOPES.get(scope, scope))


def _question(question: dict[str, Any]) -> Question:
    choices = tuple(
        Choice(text(option.get("label")), text(option.get("description")))
        for option in mappings(question.get("options"))
    )
    header = text(question.get("header"))
    kind = AnswerKind.CHOICES if question.get("multiSelect") is True else AnswerKind.CHOICE
    return Question(text(question.get("question")), header, choices, kind)


def _joined(chosen: Value) -> str:
    return ", ".join(chosen) if isinstance(chosen, tuple | list) else str(chosen)
