"""Questions of agents, and what they get as the answer."""

from typing import Any

import pytest

from claude_ide.agents.events import TurnEnded
from claude_ide.agents.requests import (
    Answer,
    AnswerKind,
    Dismiss,
    QuestionAsked,
    Reject,
    Reply,
    RequestWithdrawn,
    UrlAsked,
)
from support.acp import script as acp
from support.acp.script import Script
from support.acp.talk import Begin
from support.neovim import until

SCHEMA = {
    "type": "object",
    "properties": {
        "library": {"type": "string", "title": "Which library?", "enum": ["httpx", "requests"]},
        "retries": {"type": "integer", "minimum": 0, "default": 3},
        "cache": {"type": "boolean"},
    },
    "required": ["library"],
}
FORM = acp.ask("elicitation/create", mode="form", message="Please choose", requestedSchema=SCHEMA)


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        (
            Reply({"library": "httpx", "retries": 2, "cache": True}),
            {"action": "accept", "content": {"library": "httpx", "retries": 2, "cache": True}},
        ),
        (Reject(), {"action": "decline"}),
        (Dismiss(), {"action": "cancel"}),
    ],
)
async def test_a_form_is_answered(begin: Begin, answer: Answer, result: dict[str, Any]) -> None:
    talk = await begin(Script(prompt=[FORM]))
    await talk.prompt("hi")

    asked = await talk.until(QuestionAsked)
    await talk.agent.answer(asked.request, answer)
    await talk.until(TurnEnded)

    assert asked.message == "Please choose"
    assert [(question.key, question.kind) for question in asked.questions] == [
        ("library", AnswerKind.CHOICE),
        ("retries", AnswerKind.INTEGER),
        ("cache", AnswerKind.BOOLEAN),
    ]
    (sent,) = talk.fake.answers("elicitation/create")
    assert sent["result"] == result


async def test_an_address_is_offered(begin: Begin) -> None:
    address = acp.ask("elicitation/create", mode="url", message="Log in", url="https://example.com")
    talk = await begin(Script(prompt=[address]))
    await talk.prompt("hi")

    asked = await talk.until(UrlAsked)
    await talk.agent.answer(asked.request, Reply({}))
    await talk.until(TurnEnded)

    assert (asked.url, asked.message) == ("https://example.com", "Log in")
    (sent,) = talk.fake.answers("elicitation/create")
    assert sent["result"]["action"] == "accept"


async def test_a_question_is_cancelled_with_its_turn(begin: Begin) -> None:
    talk = await begin(Script(prompt=[FORM]))
    await talk.prompt("hi")
    asked = await talk.until(QuestionAsked)

    await talk.agent.interrupt()

    assert (await talk.until(RequestWithdrawn)).request == asked.request
    answers = talk.fake.answers
    (sent,) = await until(lambda: answers("elicitation/create"), "an answer")
    assert sent["result"] == {"action": "cancel"}


@pytest.mark.parametrize("schema", [None, {}, {"properties": None}, {"properties": {"a": 7}}, []])
async def test_a_form_without_a_usable_question_is_answered_nevertheless(
    begin: Begin, schema: Any
) -> None:
    form = acp.ask("elicitation/create", mode="form", message="?", requestedSchema=schema)
    talk = await begin(Script(prompt=[form]))
    await talk.prompt("hi")

    asked = await talk.until(QuestionAsked)
    await talk.agent.answer(asked.request, Dismiss())

    await talk.until(TurnEnded)


async def test_the_client_says_that_it_can_ask(begin: Begin) -> None:
    talk = await begin()

    (introduced,) = talk.fake.received("initialize")

    assert introduced["clientCapabilities"]["elicitation"] == {"form": {}, "url": {}}
    assert introduced["clientInfo"]["name"] == "claude-ide"
