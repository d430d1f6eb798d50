"""`permission.py`: the rule that the user may change, and its scopes."""

from typing import Any

import pytest

from claude_ide.agents.requests import Allow, PermissionRule
from claude_ide.agents.stream_json import permission
from claude_ide.agents.stream_json.permission import MARK, decode_request, encode_answer
from claude_ide.base.errors import InvalidRuleError

ROOT = "/p"


def asked(tool: str, *suggestions: dict[str, Any], **arguments: Any) -> dict[str, Any]:
    request = {"subtype": "can_use_tool", "tool_name": tool, "input": arguments}
    return request | {"permission_suggestions": [*suggestions]}


def adding(*found: tuple[str, str], to: str = "localSettings") -> dict[str, Any]:
    suggested = [{"toolName": tool, "ruleContent": content} for tool, content in found]
    return {"type": "addRules", "rules": suggested, "behavior": "allow", "destination": to}


def test_the_rule_of_the_cli_is_suggested() -> None:
    mode = {"type": "setMode", "mode": "acceptEdits", "destination": "session"}
    both = adding(("Read", "//tmp/**"), ("Bash", "touch x *"))

    suggested = permission.suggested(asked("Bash", mode, both, command="touch x"), ROOT)

    assert suggested == "Read(//tmp/**), Bash(touch x *)"
    assert permission.parse(suggested, "Bash") == both["rules"]


@pytest.mark.parametrize(
    ("tool", "arguments", "rule"),
    [
        ("Bash", {"command": "git push origin main"}, "Bash(git push *)"),
        ("Bash", {"command": "git push"}, "Bash(git push)"),
        ("Bash", {"command": "ls -la src"}, "Bash(ls -la src)"),
        ("Bash", {"command": "git log; rm -rf x"}, "Bash(git log; rm -rf x)"),
        ("Bash", {"command": "ls\nrm x"}, ""),
        ("Edit", {"file_path": "/p/src/a.py"}, "Edit(src/a.py)"),
        ("Write", {"file_path": "/etc/hosts"}, "Edit(//etc/hosts)"),
        ("NotebookEdit", {"notebook_path": "/p/n.ipynb"}, "Edit(n.ipynb)"),
        ("WebFetch", {"url": "https://example.com/x"}, "WebFetch(domain:example.com)"),
        ("WebFetch", {"url": "https://[x"}, "WebFetch"),
        ("mcp__mine__ask", {"message": "?"}, "mcp__mine__ask"),
    ],
)
def test_without_a_suggestion_there_is_a_rule_of_our_own(
    tool: str, arguments: dict[str, Any], rule: str
) -> None:
    assert permission.suggested(asked(tool, **arguments), ROOT) == rule


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (" Bash ", [{"toolName": "Bash"}]),
        ("Bash( git push:* )", [{"toolName": "Bash", "ruleContent": "git push:*"}]),
        ("Bash(echo (x), y)", [{"toolName": "Bash", "ruleContent": "echo (x), y"}]),
        ("WebSearch, mcp__a__b", [{"toolName": "WebSearch"}, {"toolName": "mcp__a__b"}]),
    ],
)
def test_a_text_is_parsed_as_rules(words: str, found: list[dict[str, str]]) -> None:
    assert permission.parse(words, "Bash") == found


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("", "the rule is empty"),
        ("  ", "the rule is empty"),
        ("git push", "not a rule: git push (write Bash or Bash(pattern))"),
        ("touch", "not a rule: touch (write Bash or Bash(pattern))"),
        ("Bash(git push", "the rule does not end with a parenthesis: Bash(git push"),
        ("Bash(ls) x", "the rule does not end with a parenthesis: Bash(ls) x"),
        ("Bash()", "there is no pattern in Bash() (Bash alone matches every use)"),
        ("bash(ls)", "the tool is Bash, not bash"),
        ("Write(a.py)", "Write(…) matches nothing: write Edit(a.py)"),
        ("Bash(ls), ,", "the rule does not end with a parenthesis: Bash(ls), ,"),
    ],
)
def test_a_malformed_rule_is_named(words: str, problem: str) -> None:
    with pytest.raises(InvalidRuleError) as raised:
        permission.parse(words, "Bash")

    assert str(raised.value) == problem


def test_a_rule_is_sent_with_its_scope() -> None:
    request = asked("Bash", command="ls")

    encoded = encode_answer(request, Allow(rule=PermissionRule("Bash(ls *)", "projectSettings")))

    assert encoded["updatedPermissions"] == [adding(("Bash", "ls *"), to="projectSettings")]


def test_a_folder_whose_settings_are_ignored_is_no_scope() -> None:
    assert [scope.id for scope in permission.scopes({})] == [*permission.SCOPES]
    assert [scope.id for scope in permission.scopes({MARK: True})] == ["session", "userSettings"]


@pytest.mark.parametrize(
    ("folders", "is_offered"),
    [(["/p"], False), (["/p/src"], False), (["/p", "/q"], True), (["/pq"], True)],
)
def test_access_to_the_own_folder_is_not_offered(folders: list[str], is_offered: bool) -> None:
    access = {"type": "addDirectories", "directories": folders, "destination": "session"}
    request = asked("Bash", access, command="ls")

    [event] = decode_request({"request_id": "r", "request": request}, ROOT)

    options = getattr(event, "options", ())
    assert any(option.name.startswith("allow access") for option in options) is is_offered
