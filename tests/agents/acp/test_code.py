"""Agents that ask before they call the editor's tool that runs code: one question, not two."""

from typing import Any

import pytest

from claude_ide.agents.editor_services import EditorServices
from claude_ide.agents.events import TurnEnded
from claude_ide.agents.requests import Allow, PermissionAsked, Reject
from claude_ide.base.names import EXECUTE_CODE_TITLE
from support.acp import script as acp
from support.acp.script import Frame, Script, Step
from support.acp.talk import AcpTalk, Begin

CODE = '{"code": "print(6)"}'
SPELLED = [{"type": "content", "content": {"type": "text", "text": CODE}}]
OPTIONS = (
    acp.option("always", "allow_always"),
    acp.option("once", "allow_once"),
    acp.option("no", "reject_once"),
)
ALWAYS = acp.option("always", "allow_always", "Always Allow in project: execute_code")
# As gemini, kimi, Claude's adapter, qwen and copilot report it.
SAID_FIRST: list[list[Step]] = [
    [acp.permission("t", *OPTIONS, title="execute_code (neovim MCP Server)", content=SPELLED)],
    [
        acp.tool("t", f"execute_code: {CODE}", content=SPELLED),
        acp.permission("t", *OPTIONS, title=f"execute_code: {CODE}"),
    ],
    [
        acp.permission(
            *("t", *OPTIONS), title="mcp__neovim__execute_code", rawInput={"code": "print(6)"}
        )
    ],
    [acp.permission("t", ALWAYS, *OPTIONS, title=CODE, rawInput={"code": "print(6)"})],
    [
        acp.tool("t", "neovim-execute_code", kind="execute", rawInput={"code": "print(6)"}),
        acp.permission("t", *OPTIONS, title=EXECUTE_CODE_TITLE, rawInput={"code": "print(6)"}),
    ],
]


class Noted:
    """The code that the user has allowed."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str, bool]] = []

    def __call__(self, asked: str, allowed: str, *, for_good: bool) -> None:
        self.calls.append((asked, allowed, for_good))


@pytest.fixture
def noted() -> Noted:
    return Noted()


async def asked(begin: Begin, noted: Noted, steps: list[Step]) -> tuple[AcpTalk, PermissionAsked]:
    talk = await begin(Script(prompt=steps), services=EditorServices(allow_code=noted))
    await talk.prompt("run it")
    return talk, await talk.until(PermissionAsked)


@pytest.mark.parametrize("steps", SAID_FIRST, ids=["first", "spelled", "raw", "option", "title"])
async def test_the_request_shows_the_code_of_the_editors_tool(
    begin: Begin, noted: Noted, steps: list[Step]
) -> None:
    _, request = await asked(begin, noted, steps)

    assert request.code == "print(6)"
    assert request.name == "execute_code"
    assert request.reason == ""


@pytest.mark.parametrize(
    ("answer", "calls"),
    [
        (Allow(), [("print(6)", "print(6)", False)]),
        (Allow(code="print(7)"), [("print(6)", "print(7)", False)]),
        (Allow(("always",)), [("print(6)", "print(6)", True)]),
        (Reject(), []),
    ],
)
async def test_what_the_user_allows_is_noted_for_the_tool(
    begin: Begin, noted: Noted, answer: Any, calls: list[tuple[str, str, bool]]
) -> None:
    talk, request = await asked(begin, noted, SAID_FIRST[0])

    await talk.agent.answer(request.request, answer)
    await talk.until(TurnEnded)

    assert noted.calls == calls


@pytest.mark.parametrize(
    "call",
    [
        {"title": "note", "rawInput": {"code": "print(6)"}},
        {"title": "re_execute_codes", "rawInput": {"code": "print(6)"}},
        {"title": "execute_code", "rawInput": {"code": 5}},
        {"title": "execute_code"},
    ],
)
async def test_another_call_allows_no_code(begin: Begin, noted: Noted, call: Frame) -> None:
    talk, request = await asked(begin, noted, [acp.permission("t", *OPTIONS, **call)])

    await talk.agent.answer(request.request, Allow())
    await talk.until(TurnEnded)

    assert (request.code, noted.calls) == ("", [])
