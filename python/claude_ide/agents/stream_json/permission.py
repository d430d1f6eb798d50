"""The CLI's requests to the user, and the answers: `can_use_tool`, and `elicitation`.

Source: doc/stream-json.md, "Permission". Each of the CLI's suggestions becomes a separate option
with its scope. Only the chosen suggestions are sent back, unchanged: all of them together would
allow more than the user agreed to.
"""

import re
from urllib.parse import urlsplit

from claude_ide.agents import events, requests
from claude_ide.agents.editor_services import CODE_TOOL
from claude_ide.agents.fields import mapping, mappings, read, strings, text
from claude_ide.agents.stream_json.protocol import Frame, shown
from claude_ide.agents.stream_json.tools import kind_of, path_in, title_of
from claude_ide.base.errors import InvalidRuleError
from claude_ide.base.paths import within

ALLOW = requests.Option("allow", "Allow", requests.OptionKind.ALLOW_ONCE)
REJECT = requests.Option("reject", "Reject", requests.OptionKind.REJECT_ONCE)
KINDS = (requests.AnswerKind.CHOICE, requests.AnswerKind.CHOICES)
REASON = "The user doesn't want to proceed with this tool use."
ACCEPT_EDITS = {"type": "setMode", "mode": "acceptEdits", "destination": "session"}


def decode_request(frame: Frame, root: str = "") -> list[events.Event]:
    """Return the event for a `control_request` to the user; none if it addresses the host.

    `root` is the folder in which the CLI runs.
    """
    asked = mapping(frame.get("request"))
    if asked.get("subtype") == SUBTYPE:
        return [elicited(text(frame.get("request_id")), asked)]
    if asked.get("subtype") != "can_use_tool":
        return []
    request, tool = text(frame.get("request_id")), text(asked.get("tool_use_id"))
    arguments = mapping(asked.get("input"))
    match text(asked.get("tool_name")):
        case "AskUserQuestion":
            questions = (
                read(
                    requests.Question,
                    each,
                    {"text": "question"},
                    choices=tuple(
                        read(requests.Choice, one) for one in mappings(each.get("options"))
                    ),
                    kind=KINDS[each.get("multiSelect") is True],
                    default=None,
                    limits=requests.AnswerLimits(),
                )
                for each in mappings(arguments.get("questions"))
            )
            return [requests.QuestionAsked(request, tool, tuple(questions))]
        case "ExitPlanMode":
            plan, path = text(arguments.get("plan")), text(arguments.get("planFilePath"))
            return [requests.PlanProposed(request, tool, plan, path, _options(asked, root))]
        case name:
            return [
                requests.PermissionAsked(
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
                    rule=suggested(asked, root),
                    scopes=scopes(asked),
                    code=text(arguments.get("code")) if name == CODE_TOOL else "",
                )
            ]


def encode_answer(asked: Frame, answer: requests.Answer) -> Frame:
    """Return the answer to `asked`, the `request` in the CLI's frame."""
    if asked.get("subtype") == SUBTYPE:
        return requests.form_result(answer)
    arguments = mapping(asked.get("input"))
    allowed: Frame = {"behavior": "allow", "updatedInput": arguments}
    if tool := text(asked.get("tool_use_id")):
        allowed["toolUseID"] = tool
    match answer:
        case requests.Reject(reason):
            return {"behavior": "deny", "message": reason or REASON}
        case requests.Dismiss():
            return {"behavior": "deny", "message": REASON}
        case requests.Reply(answers):
            joined = {
                question: ", ".join(chosen) if isinstance(chosen, tuple | list) else str(chosen)
                for question, chosen in answers.items()
            }
            return allowed | {"updatedInput": arguments | {"answers": joined}}
        case requests.Allow(options):
            chosen = dict(_suggestions(asked))
            permissions = [chosen[option] for option in options if option in chosen]
            if answer.rule is not None:
                rules = parse(answer.rule.text, text(asked.get("tool_name")))
                update = {"type": "addRules", "rules": rules, "behavior": "allow"}
                permissions.append(update | {"destination": answer.rule.scope})
            if permissions:
                allowed["updatedPermissions"] = permissions
            return allowed | {"updatedInput": _changed(arguments, answer)}


def _changed(arguments: Frame, answer: requests.Allow) -> Frame:
    """Return a tool's arguments with the user's changes."""
    if answer.plan:
        return arguments | {"plan": answer.plan}
    if not answer.edits:
        return arguments
    [edit] = answer.edits
    if edit.old is None:
        return arguments | {"content": edit.new}
    # The CLI's tools restore the line endings of the file.
    old, new = (part.replace("\r\n", "\n") for part in (edit.old, edit.new))
    changed = arguments | {"old_string": old, "new_string": new}
    is_same = bool(arguments.get("replace_all")) is edit.every
    return changed if is_same else changed | {"replace_all": edit.every}


def _edits(name: str, arguments: Frame) -> tuple[requests.Replacement, ...]:
    """Return the edit that a tool proposes, if its arguments describe it completely."""
    path, content = path_in(arguments), arguments.get("content")
    old, new = arguments.get("old_string"), arguments.get("new_string")
    if kind_of(name) != "edit":
        return ()
    if isinstance(content, str):
        return (requests.Replacement(path, content),)
    if isinstance(old, str) and isinstance(new, str):
        every = bool(arguments.get("replace_all"))
        return (requests.Replacement(path, new, old, every, takes_line_feed=True),)
    return ()


def _suggestions(asked: Frame) -> list[tuple[str, Frame]]:
    suggestions = mappings(asked.get("permission_suggestions"))
    if not suggestions and asked.get("tool_name") == "ExitPlanMode":
        suggestions = [ACCEPT_EDITS]
    return [(f"always:{number}", suggestion) for number, suggestion in enumerate(suggestions)]


def _options(asked: Frame, root: str) -> tuple[requests.Option, ...]:
    """Return the options without the rule that the user may change (`suggested`)."""
    # The CLI may use its own folder anyway.
    offered = [
        (id_, each)
        for id_, each in _suggestions(asked)
        if each.get("type") != "addDirectories"
        or not root
        or any(
            not f"{folder}/".startswith(f"{root}/") for folder in strings(each.get("directories"))
        )
    ]
    rule = next((each for each in offered if is_suggestion(each[1])), None)
    always = (_option(*each) for each in offered if each is not rule)
    return (ALLOW, *always, REJECT)


def _option(id_: str, suggestion: Frame) -> requests.Option:
    scope = text(suggestion.get("destination"))
    kind = requests.OptionKind.ALLOW_ALWAYS
    match text(suggestion.get("type")):
        case "addRules" | "replaceRules":
            if suggestion.get("behavior") == "deny":
                name, kind = (
                    f"never allow {rule_text(suggestion)}",
                    requests.OptionKind.REJECT_ALWAYS,
                )
            else:
                name = f"always allow {rule_text(suggestion)}"
        case "addDirectories":
            name = f"allow access to {', '.join(strings(suggestion.get('directories')))}"
        case "setMode":
            name = f"switch to {shown(text(suggestion.get('mode')))} mode"
        case other:
            name = other
    return requests.Option(id_, name, kind, SCOPES.get(scope, scope))


SCOPES = {
    "session": "this session",
    "localSettings": "this project, for you",
    "projectSettings": "this project, for everyone",
    "userSettings": "all your projects",
}

EDIT = "Edit"
"""The rules of this tool are those of all tools that change files."""

_TOOL = r"(?:[A-Z]\w*|mcp__[\w.*-]+)"
_BETWEEN = re.compile(rf",\s+(?={_TOOL}(?:\(|,|\s*$))")
_PLAIN = re.compile(r"[\w./:@%+=,-]+(?: [\w./:@%+=,-]+)*")
_SUBCOMMAND = re.compile(r"[a-z][a-z-]*")


def scopes(asked: Frame) -> tuple[requests.Scope, ...]:
    """Return where a rule for a request may apply."""
    ignored = OF_FOLDER if asked.get(MARK) else ()
    return tuple(requests.Scope(id_, name) for id_, name in SCOPES.items() if id_ not in ignored)


def is_suggestion(suggestion: Frame) -> bool:
    """Return whether a suggestion of the CLI is a rule that allows something."""
    return suggestion.get("type") == "addRules" and suggestion.get("behavior") != "deny"


def suggested(asked: Frame, root: str) -> str:
    """Return the rule that the CLI suggests for a request; without one, a rule of our own.

    Paths below `root` are relative to it. The rule is empty if none would be sensible.
    """
    for suggestion in mappings(asked.get("permission_suggestions")):
        if is_suggestion(suggestion):
            return rule_text(suggestion)
    return _own(text(asked.get("tool_name")), mapping(asked.get("input")), root)


def rule_text(suggestion: Frame) -> str:
    """Return the rules of a suggestion as a text."""
    rules = mappings(suggestion.get("rules"))
    pairs = [(text(rule.get("toolName")), text(rule.get("ruleContent"))) for rule in rules]
    return ", ".join(f"{tool}({content})" if content else tool for tool, content in pairs)


def parse(words: str, tool: str) -> list[Frame]:
    """Return the rules in a text for the request of a tool.

    Raises `InvalidRuleError`.
    """
    if not words.strip():
        raise InvalidRuleError("the rule is empty")
    return [_parsed(rule.strip(), tool) for rule in _BETWEEN.split(words.strip())]


def _parsed(rule: str, tool: str) -> Frame:
    name, bracket, rest = rule.partition("(")
    name = name.strip()
    if name != tool and name.lower() == tool.lower():
        raise InvalidRuleError(f"the tool is {tool}, not {name}")
    if not re.fullmatch(_TOOL, name):
        raise InvalidRuleError(f"not a rule: {rule} (write {tool} or {tool}(pattern))")
    if not bracket:
        return {"toolName": name}
    if not rest.endswith(")"):
        raise InvalidRuleError(f"the rule does not end with a parenthesis: {rule}")
    content = rest.removesuffix(")").strip()
    if not content:
        raise InvalidRuleError(f"there is no pattern in {rule} ({name} alone matches every use)")
    if kind_of(name) == "edit" and name != EDIT:
        raise InvalidRuleError(f"{name}(…) matches nothing: write {EDIT}({content})")
    return {"toolName": name, "ruleContent": content}


def _own(tool: str, arguments: Frame, root: str) -> str:
    match kind_of(tool):
        case "execute" if command := text(arguments.get("command")):
            return _for_command(tool, command)
        case "edit" if path := path_in(arguments):
            inside = within(path, root)
            return f"{EDIT}({inside if inside != path else f'/{path}'})"
        case "fetch" if host := _host(text(arguments.get("url"))):
            return f"{tool}(domain:{host})"
    return tool


def _for_command(tool: str, command: str) -> str:
    """Return a rule for the subcommand of a plain command, otherwise for exactly this command."""
    if "\n" in command:
        return ""
    first, _, rest = command.partition(" ")
    second, _, arguments = rest.partition(" ")
    if arguments and _PLAIN.fullmatch(command) and _SUBCOMMAND.fullmatch(second):
        return f"{tool}({first} {second} *)"
    return f"{tool}({command})"


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


SUBTYPE = "elicitation"


def elicited(request: str, asked: Frame) -> requests.QuestionAsked | requests.UrlAsked:
    """Return the event for the `request` of an elicitation."""
    server, message = text(asked.get("mcp_server_name")), text(asked.get("message"))
    asker = f"the MCP server {server}"
    if asked.get("mode") == "url":
        return requests.UrlAsked(request, "", asker, message, text(asked.get("url")))
    order = strings(asked.get("property_order"))
    questions = requests.form_questions(asked.get("requested_schema"), order)
    return requests.QuestionAsked(request, "", questions, asker, message)


OF_FOLDER = ("localSettings", "projectSettings")
MARK = "ignores_folder"
"""A key of our own in such a request."""


def for_session(frame: Frame) -> Frame:
    """Return a permission request with its suggestions for the folder changed to the session."""
    request = mapping(frame.get("request"))
    if request.get("subtype") != "can_use_tool":
        return frame
    suggested = [
        each | ({"destination": "session"} if each.get("destination") in OF_FOLDER else {})
        for each in mappings(request.get("permission_suggestions"))
    ]
    more = {"permission_suggestions": suggested} if suggested else {}
    return frame | {"request": request | {MARK: True} | more}
