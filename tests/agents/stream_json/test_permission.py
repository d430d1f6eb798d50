"""`permission.py`: requests and their answers, compared with recorded answers."""

from typing import Any

import pytest

from claude_ide.agents.requests import (
    Allow,
    Answer,
    OptionKind,
    PermissionAsked,
    PlanProposed,
    Reject,
    Replacement,
    Reply,
    Value,
)
from claude_ide.agents.stream_json.permission import decode_request, encode_answer
from support.transcripts import entries, frames_of


def asked(name: str, number: int = 0) -> dict[str, Any]:
    """Return the request of a recorded `can_use_tool`."""
    frames = [frame for frame in frames_of(name) if frame["type"] == "control_request"]
    requests: list[dict[str, Any]] = [frame["request"] for frame in frames]
    return [r for r in requests if r["subtype"] == "can_use_tool"][number]


def answered(name: str, number: int = 0) -> dict[str, Any]:
    """Return the answer of the recorded host."""
    sent = [e["m"] for e in entries(name) if e["dir"] == "in"]
    answers = [frame["response"] for frame in sent if frame["type"] == "control_response"]
    replies: list[dict[str, Any]] = [answer["response"] for answer in answers]
    return [reply for reply in replies if "behavior" in reply][number]


def suggesting(*suggestions: dict[str, Any], tool: str = "Bash") -> dict[str, Any]:
    return {
        "subtype": "can_use_tool",
        "tool_name": tool,
        "input": {},
        "permission_suggestions": [*suggestions],
    }


QUESTIONS: dict[str, Value] = {"Which library?": "httpx", "Which features?": ("Retry", "Cache")}


@pytest.mark.parametrize(
    ("name", "number", "answer"),
    [
        ("read_edit_allow", 0, Allow()),
        ("always_allow", 0, Allow(("always:0", "always:1", "always:2"))),
        ("edit_deny", 0, Reject("Use a constant instead, please.")),
        ("ask_user", 0, Reply(QUESTIONS)),
        ("ask_user", 1, Reject("The user declined to answer.")),
        ("exit_plan", 0, Allow()),
        ("exit_plan_file", 0, Reject("Add a test step.")),
    ],
)
def test_an_answer_matches_that_of_the_recorded_host(
    name: str, number: int, answer: Answer
) -> None:
    encoded, recorded = encode_answer(asked(name, number), answer), answered(name, number)

    # Not every recorded host has sent it; the CLI accepts both.
    encoded.pop("toolUseID", None)
    recorded.pop("toolUseID", None)
    assert encoded == recorded


def test_a_changed_proposal_is_sent_back_changed() -> None:
    request = asked("edit_updated_input")
    edit = Replacement(request["input"]["file_path"], "return 42  # the user's edit", "return 1")

    encoded = encode_answer(request, Allow(edits=(edit,)))

    assert encoded["updatedInput"] == answered("edit_updated_input")["updatedInput"]


def test_a_changed_plan_is_sent_back_changed() -> None:
    request = asked("exit_plan_file")

    encoded = encode_answer(request, Allow(plan="1. Less"))

    assert encoded["updatedInput"] == request["input"] | {"plan": "1. Less"}


def test_only_the_chosen_suggestions_are_sent_back() -> None:
    """All of them together would also switch the mode."""
    encoded = encode_answer(asked("always_allow"), Allow(("always:0",)))

    assert [update["type"] for update in encoded["updatedPermissions"]] == ["addRules"]


def test_an_option_that_was_not_offered_is_ignored() -> None:
    assert "updatedPermissions" not in encode_answer(asked("always_allow"), Allow(("always:9",)))


def test_a_rejection_without_a_reason_has_a_default_reason() -> None:
    assert encode_answer(asked("edit_deny"), Reject())["message"]


def test_a_plan_can_be_approved_together_with_its_edits() -> None:
    request = asked("exit_plan_file")
    [proposed] = decode_request({"request_id": "r", "request": request})
    assert isinstance(proposed, PlanProposed)

    [accept_edits] = [o for o in proposed.options if o.kind is OptionKind.ALLOW_ALWAYS]
    encoded = encode_answer(request, Allow((accept_edits.id,)))

    assert accept_edits.name == "switch to acceptEdits mode"
    assert encoded["updatedPermissions"][0]["mode"] == "acceptEdits"


def test_a_suggestion_of_an_unknown_type_is_offered_under_its_type() -> None:
    rule = {"type": "addRules", "behavior": "deny", "rules": [{"toolName": "Bash"}]}
    request = suggesting({"type": "newKind", "destination": "moon"}, rule)

    [event] = decode_request({"request_id": "r", "request": request})

    assert isinstance(event, PermissionAsked)
    assert [(option.name, option.scope) for option in event.options[1:-1]] == [
        ("newKind", "moon"),
        ("never allow Bash", ""),
    ]
    assert event.options[2].kind is OptionKind.REJECT_ALWAYS
