"""Permission rules: `Bash(git push *)` allows commands, `Edit(src/**)` changes of files.

Source: doc/stream-json.md, "Permission". The CLI accepts malformed rules, which match nothing.
"""

import re
from typing import Any
from urllib.parse import urlsplit

from claude_ide.agents.events import Scope
from claude_ide.agents.fields import mapping, mappings, text
from claude_ide.agents.stream_json.decoding.lasting import MARK, OF_FOLDER
from claude_ide.agents.stream_json.decoding.tools import kind_of, path_in
from claude_ide.agents.stream_json.wire.frames import Frame
from claude_ide.errors import InvalidRuleError
from claude_ide.paths import within

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


def scopes(asked: Frame) -> tuple[Scope, ...]:
    """Return where a rule for a request may apply."""
    ignored = OF_FOLDER if asked.get(MARK) else ()
    return tuple(Scope(id_, name) for id_, name in SCOPES.items() if id_ not in ignored)


def is_suggestion(suggestion: Frame) -> bool:
    """Return whether a suggestion of the CLI is a rule that allows something."""
    return suggestion.get("type") == "addRules" and suggestion.get("behavior") != "deny"


def suggested(asked: Frame, root: str) -> str:
    """Return the rule that the CLI suggests for a request; without one, a rule of our own.

    Paths below `root` are relative to it. The rule is empty if none would be sensible.
    """
    for suggestion in mappings(asked.get("permission_suggestions")):
        if is_suggestion(suggestion):
            return shown(suggestion)
    return _own(text(asked.get("tool_name")), mapping(asked.get("input")), root)


def shown(suggestion: Frame) -> str:
    """Return the rules of a suggestion as a text."""
    return ", ".join(map(_shown, mappings(suggestion.get("rules"))))


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


def _shown(rule: dict[str, Any]) -> str:
    tool, content = text(rule.get("toolName")), text(rule.get("ruleContent"))
    return f"{tool}({content})" if content else tool


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
