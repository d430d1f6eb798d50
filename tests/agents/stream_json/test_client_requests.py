"""`StreamJsonAgent`: the CLI's requests, and their answers."""

from msgspec.structs import replace

from claude_ide.agents.events import ModeChanged, TurnEnded, TurnEndReason
from claude_ide.agents.requests import (
    Allow,
    PermissionAsked,
    PlanProposed,
    QuestionAsked,
    Reject,
    Reply,
    RequestWithdrawn,
    Value,
)
from support.agents import NewError, Replay


async def test_an_edit_is_allowed(replay: Replay) -> None:
    talk = await replay("read_edit_allow")
    await talk.prompt("change it to 2")
    asked = await talk.until(PermissionAsked)

    await talk.agent.answer(asked.request, Allow())
    await talk.until(TurnEnded)

    [answer] = talk.received("control_response")
    assert answer["response"]["response"]["behavior"] == "allow"
    assert answer["response"]["response"]["updatedInput"] == asked.arguments


async def test_an_answer_is_given_only_once(replay: Replay) -> None:
    talk = await replay("read_edit_allow")
    await talk.prompt("change it to 2")
    asked = await talk.until(PermissionAsked)

    await talk.agent.answer(asked.request, Allow())
    await talk.agent.answer(asked.request, Reject())
    await talk.agent.answer("nobody's", Reject())
    await talk.until(TurnEnded)

    assert len(talk.received("control_response")) == 1


async def test_the_model_reads_what_the_user_changed(replay: Replay) -> None:
    """Otherwise the CLI would tell the model that the file is as proposed."""
    talk = await replay("edit_user_modified_hook")
    await talk.prompt("go")
    asked = await talk.until(PermissionAsked)

    [proposed] = asked.edits
    await talk.agent.answer(asked.request, Allow(edits=(replace(proposed, new="return 42"),)))
    await talk.until(TurnEnded)

    answer = talk.received("control_response")[-1]["response"]["response"]
    context = answer["hookSpecificOutput"]["additionalContext"]
    assert context.startswith("The user changed your proposal")
    assert context.endswith("@@ -1,2 +1,2 @@\n def hello():\n-    return 1\n+    return 42")


async def test_the_model_reads_nothing_if_the_user_changed_nothing(replay: Replay) -> None:
    talk = await replay("edit_user_modified_hook")
    await talk.prompt("go")
    asked = await talk.until(PermissionAsked)

    await talk.agent.answer(asked.request, Allow(edits=asked.edits))
    await talk.until(TurnEnded)

    assert talk.received("control_response")[-1]["response"]["response"] == {}


async def test_the_editor_can_add_a_note_after_an_edit(replay: Replay) -> None:
    talk = await replay("edit_user_modified_hook", edits=NewError())
    await talk.prompt("go")
    await talk.agent.answer((await talk.until(PermissionAsked)).request, Allow())
    await talk.until(TurnEnded)

    answer = talk.received("control_response")[-1]["response"]["response"]
    context = answer["hookSpecificOutput"]["additionalContext"]
    assert context == "1 new error in /home/dev/project/a.py"


async def test_an_edit_is_rejected_with_a_reason(replay: Replay) -> None:
    talk = await replay("edit_deny")
    await talk.prompt("change it to 2")
    first = await talk.until(PermissionAsked)
    await talk.agent.answer(first.request, Reject("Use a constant instead, please."))

    await talk.until(TurnEnded)
    sent = [frame["response"]["response"] for frame in talk.received("control_response")]
    assert sent == [{"behavior": "deny", "message": "Use a constant instead, please."}]


async def test_questions_are_answered(replay: Replay) -> None:
    talk = await replay("ask_user")
    await talk.prompt("build it")
    asked = await talk.until(QuestionAsked)
    answers: dict[str, Value] = {"Which library?": "httpx", "Which features?": ("Retry", "Cache")}
    await talk.agent.answer(asked.request, Reply(answers))
    await talk.until(TurnEnded)

    [answer] = talk.received("control_response")
    assert answer["response"]["response"]["updatedInput"]["answers"] == {
        "Which library?": "httpx",
        "Which features?": "Retry, Cache",
    }


async def test_a_plan_without_a_file_is_approved(replay: Replay) -> None:
    talk = await replay("exit_plan")
    await talk.prompt("plan it")
    asked = await talk.until(PlanProposed)
    await talk.agent.answer(asked.request, Allow())
    await talk.until(TurnEnded)

    assert (await talk.until(ModeChanged, lambda event: event.mode == "manual")).mode == "manual"


async def test_an_interrupt_withdraws_a_pending_request(replay: Replay) -> None:
    talk = await replay("interrupt_permission")
    await talk.prompt("touch it")
    asked = await talk.until(PermissionAsked)

    await talk.agent.interrupt()
    withdrawn = await talk.until(RequestWithdrawn)
    await talk.agent.answer(asked.request, Allow())

    assert withdrawn.request == asked.request
    assert (await talk.until(TurnEnded)).why is TurnEndReason.INTERRUPTED
    assert not talk.received("control_response")
