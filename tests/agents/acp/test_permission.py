"""Requests for permission, and what the agent gets as the answer."""

import pytest

from claude_ide.agents.acp import tools
from claude_ide.agents.events import ToolEnded, ToolInput, ToolStarted, ToolStatus, TurnEnded
from claude_ide.agents.requests import (
    Allow,
    Option,
    OptionKind,
    PermissionAsked,
    Reject,
    RequestWithdrawn,
)
from support.acp import script as acp
from support.acp.script import Script
from support.acp.talk import Begin
from support.neovim import until

SAID = [acp.say("Hello")]


async def test_a_request_for_permission_may_be_the_first_word_about_a_tool(begin: Begin) -> None:
    talk = await begin(Script(prompt=[acp.permission("t1", title="touch x", kind="execute")]))
    await talk.prompt("hi")

    asked = await talk.until(PermissionAsked)
    await talk.agent.answer(asked.request, Allow())
    await talk.until(TurnEnded)

    started, given = talk.of(ToolStarted)[0], talk.of(ToolInput)[0]
    assert talk.events.index(started) < talk.events.index(given) < talk.events.index(asked)
    assert (started.tool, started.title, given.arguments) == ("t1", "touch x", {})
    assert talk.of(ToolEnded)[0].status is ToolStatus.COMPLETED


async def test_a_request_may_have_only_the_id_of_its_tool(begin: Begin) -> None:
    talk = await begin(
        Script(prompt=[acp.tool("t1", "touch x", kind="execute"), acp.permission("t1")])
    )
    await talk.prompt("hi")

    asked = await talk.until(PermissionAsked)

    assert (asked.tool, asked.title, asked.kind) == ("t1", "touch x", "execute")


async def test_options_of_one_kind_are_told_apart(begin: Begin) -> None:
    options = [
        acp.option("session", "allow_always", "For this session"),
        acp.option("project", "allow_always", "For this project"),
        acp.option("once", "allow_once"),
        acp.option("strange", "allow_sometimes"),
        acp.option("no", "reject_once"),
        acp.option("never", "reject_always"),
    ]
    talk = await begin(Script(prompt=[acp.permission("t1", *options)]))
    answers: list[Allow | Reject] = [Allow(("project",)), Allow(), Reject(), Reject(option="never")]

    for count, answer in enumerate(answers, 1):
        await talk.prompt("hi")
        asked = await talk.until(PermissionAsked, count=count)
        await talk.agent.answer(asked.request, answer)
        await talk.until(TurnEnded, count=count)

    chosen = [
        answer["result"]["outcome"]["optionId"]
        for answer in talk.fake.answers("session/request_permission")
    ]
    assert chosen == ["project", "once", "no", "never"]


async def test_a_request_that_the_agent_withdraws_is_not_answered_later(begin: Begin) -> None:
    steps = [
        acp.start(
            "session/request_permission",
            toolCall={"toolCallId": "t1"},
            options=[*acp.ALLOW_OR_REJECT],
        ),
        acp.notify("$/cancel_request", requestId=0),
        *SAID,
    ]
    talk = await begin(Script(prompt=steps))
    await talk.turn("hi")

    asked, withdrawn = talk.of(PermissionAsked)[0], talk.of(RequestWithdrawn)
    await talk.agent.answer(asked.request, Allow())

    assert [event.request for event in withdrawn] == [asked.request]
    answers = talk.fake.answers
    (answer,) = await until(lambda: answers("session/request_permission"), "an answer")
    assert answer["result"] == {"outcome": {"outcome": "cancelled"}}


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["bash", "-lc", "ls -l"], "ls -l"),
        (["/usr/bin/zsh", "-c", "ls -l"], "ls -l"),
        (["./bash", "-c", "ls -l"], "./bash -c ls -l"),
        (["/project/bin/sh", "-c", "ls -l"], "/project/bin/sh -c ls -l"),
        (["payload", "-c", "ls -l"], "payload -c ls -l"),
        (["sh", "-x", "ls -l"], "sh -x ls -l"),
    ],
)
def test_only_a_shell_that_no_project_brings_is_left_out_of_a_command(
    words: list[str], shown: str
) -> None:
    call = tools.ToolCall("t1", kind="execute", arguments={"command": words})

    asked = tools.permission_asked("r1", {}, call)

    assert isinstance(asked, PermissionAsked)
    assert asked.arguments["command"] == shown


@pytest.mark.parametrize("answer", [Allow(), Reject()])
def test_no_lasting_option_is_chosen_for_the_user(answer: Allow | Reject) -> None:
    lasting = (
        Option("a", "Always", OptionKind.ALLOW_ALWAYS),
        Option("n", "Never", OptionKind.REJECT_ALWAYS),
    )

    assert tools.permission_answer(lasting, answer) == {"outcome": {"outcome": "cancelled"}}
