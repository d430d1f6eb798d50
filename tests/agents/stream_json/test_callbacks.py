"""`connection.py`: every request of the CLI is answered, even if it fails."""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

import pytest

from claude_ide.agents.editor_services import Edits, McpServer
from claude_ide.agents.events import Event, Happened
from claude_ide.agents.stream_json.connection import (
    CHANGED,
    LONGEST_PATCH,
    RESTORED,
    Callbacks,
    Controls,
)
from claude_ide.base.errors import TransportClosed
from support.agents import NewError
from support.mcp_server import Server
from support.neovim import until

Frame = dict[str, Any]


class Cli:
    """The other side: sends requests, and keeps the answers by request."""

    def __init__(
        self, servers: Mapping[str, McpServer] | None = None, edits: Edits | None = None
    ) -> None:
        self.answers: dict[str, Frame] = {}
        self.gone = False
        self.events: list[Event] = []
        controls = Controls(self.receive)
        given = self.receive, servers or {}, edits, controls
        self.callbacks = Callbacks(*given, self.events.extend)

    async def receive(self, frame: Frame) -> None:
        if self.gone:
            raise TransportClosed("gone")
        self.answers[frame["response"]["request_id"]] = frame["response"]

    def begin(self, request: str, subtype: str, **fields: Any) -> None:
        self.callbacks.accept({"request_id": request, "request": {"subtype": subtype, **fields}})

    async def ask(self, subtype: str, **fields: Any) -> Frame:
        """Send a request, and return the answer."""
        self.begin("r1", subtype, **fields)
        await until(lambda: "r1" in self.answers, "an answer")
        return self.answers.pop("r1")


def edit(tool: str, result: Frame | None = None) -> Frame:
    return {
        "callback_id": "edited",
        "input": {
            "hook_event_name": "PostToolUse",
            "tool_name": "Edit",
            "tool_use_id": tool,
            "tool_input": {"file_path": "/p/a.py"},
            "tool_response": result or {},
        },
    }


async def test_an_unknown_request_is_refused() -> None:
    answer = await Cli().ask("elicitation")

    assert answer["subtype"] == "error"
    assert answer["error"] == "elicitation is not supported"


async def test_a_server_that_fails_gives_an_error_and_is_logged_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def server(_message: Frame) -> Frame:
        raise ValueError("secret")

    cli = Cli({"neovim": Server(server)})
    with caplog.at_level(logging.ERROR):
        answer = await cli.ask("mcp_message", server_name="neovim", message={"id": 1})
        await until(lambda: caplog.records, "it is logged")

    assert answer["subtype"] == "error"
    assert "secret" not in str(answer)
    assert len(caplog.records) == 1


async def test_a_message_to_an_unknown_server_is_an_error() -> None:
    answer = await Cli().ask("mcp_message", server_name="other", message={"id": 7})

    assert answer["response"]["mcp_response"]["id"] == 7
    assert answer["response"]["mcp_response"]["error"]["code"] == -32601


async def test_a_slow_tool_delays_no_other_request() -> None:
    release = asyncio.Event()

    async def server(message: Frame) -> Frame:
        if message["id"] == 1:
            await release.wait()
        return {"id": message["id"]}

    cli = Cli({"neovim": Server(server)})
    cli.begin("slow", "mcp_message", server_name="neovim", message={"id": 1})
    answer = await cli.ask("mcp_message", server_name="neovim", message={"id": 2})
    assert answer["response"]["mcp_response"] == {"id": 2}
    assert "slow" not in cli.answers

    release.set()
    await until(lambda: "slow" in cli.answers, "the slow answer")


async def test_a_withdrawn_request_is_cancelled_and_not_answered() -> None:
    ended = asyncio.Event()

    async def server(_message: Frame) -> Frame:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return {}

    cli = Cli({"neovim": Server(server)})
    cli.begin("r1", "mcp_message", server_name="neovim", message={"id": 1})
    await asyncio.sleep(0)
    cli.callbacks.cancel("r1")
    cli.callbacks.cancel("unknown")

    async with asyncio.timeout(5):
        await ended.wait()
    await cli.callbacks.close()
    assert cli.answers == {}


async def test_an_answer_to_a_cli_that_has_ended_is_dropped(
    caplog: pytest.LogCaptureFixture,
) -> None:
    cli = Cli()
    cli.gone = True
    cli.begin("r1", "elicitation")
    await asyncio.sleep(0)

    await cli.callbacks.close()

    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_the_users_change_is_reported_once_for_its_own_tool_use() -> None:
    cli = Cli()
    cli.callbacks.proposal_changed("t2")

    assert (await cli.ask("hook_callback", **edit("t1")))["response"] == {}
    answer = (await cli.ask("hook_callback", **edit("t2")))["response"]["hookSpecificOutput"]
    assert answer["additionalContext"].startswith(CHANGED)
    assert (await cli.ask("hook_callback", **edit("t2")))["response"] == {}


async def test_the_users_change_of_a_new_file_is_reported_with_its_content() -> None:
    cli = Cli()
    cli.callbacks.proposal_changed("t1")
    created = {"type": "create", "content": "x = 1\n", "structuredPatch": []}

    answer = (await cli.ask("hook_callback", **edit("t1", created)))["response"]

    assert answer["hookSpecificOutput"]["additionalContext"].endswith(":\nx = 1\n")


async def test_a_very_long_change_is_cut() -> None:
    cli = Cli()
    cli.callbacks.proposal_changed("t1")
    patch = [{"oldStart": 1, "oldLines": 0, "newStart": 1, "newLines": 1, "lines": ["+x" * 30_000]}]

    answer = (await cli.ask("hook_callback", **edit("t1", {"structuredPatch": patch})))["response"]

    context = answer["hookSpecificOutput"]["additionalContext"]
    assert len(context) < LONGEST_PATCH + 300
    assert context.endswith("[…]")


async def test_the_users_change_and_new_diagnostics_are_reported_together() -> None:
    cli = Cli(edits=NewError())
    cli.callbacks.proposal_changed("t1")

    answer = (await cli.ask("hook_callback", **edit("t1")))["response"]["hookSpecificOutput"]

    assert answer["hookEventName"] == "PostToolUse"
    assert answer["additionalContext"].startswith(CHANGED)
    assert answer["additionalContext"].endswith("1 new error in /p/a.py")


async def test_late_diagnostics_are_added_to_the_next_prompt() -> None:
    cli = Cli(edits=NewError())
    assert "UserPromptSubmit" in cli.callbacks.fields()["hooks"]

    answer = (await cli.ask("hook_callback", callback_id="prompted", input={}))["response"]

    assert answer["hookSpecificOutput"] == {
        "hookEventName": "UserPromptSubmit",
        "additionalContext": "1 late error",
    }


async def test_restored_files_are_reported_once_with_the_next_prompt() -> None:
    cli = Cli(edits=NewError())
    cli.callbacks.files_restored(["/p/a.py", "/p/b.py"])
    cli.callbacks.files_restored(["/p/a.py"])

    answer = (await cli.ask("hook_callback", callback_id="prompted", input={}))["response"]

    note = answer["hookSpecificOutput"]["additionalContext"]
    assert note == f"{RESTORED}\n/p/a.py\n/p/b.py\n\n1 late error"
    again = (await cli.ask("hook_callback", callback_id="prompted", input={}))["response"]
    assert again["hookSpecificOutput"]["additionalContext"] == "1 late error"


async def test_a_tool_without_a_file_is_reported_too() -> None:
    cli = Cli(edits=NewError())

    answer = await cli.ask("hook_callback", callback_id="edited", input={"tool_use_id": "t1"})

    assert answer["response"]["hookSpecificOutput"]["additionalContext"] == "1 new error in "


async def test_without_an_editor_only_edits_are_reported() -> None:
    [hook] = Cli().callbacks.fields()["hooks"]["PostToolUse"]

    assert "Edit" in hook["matcher"]


async def test_the_editor_examines_a_file_before_it_is_changed() -> None:
    edits = NewError()
    cli = Cli(edits=edits)
    assert "PreToolUse" in cli.callbacks.fields()["hooks"]

    asked = edit("t1") | {"callback_id": "editing"}

    assert (await cli.ask("hook_callback", **asked))["response"] == {}
    assert edits.looked_at == [("t1", "/p/a.py")]


async def test_a_server_learns_which_uses_of_its_tools_are_allowed() -> None:
    server = Server(nothing)
    callbacks = Cli({"neovim": server}).callbacks
    given = {"updatedInput": {"code": "x"}}
    rule = {"rules": [{"toolName": "mcp__neovim__run"}], "type": "addRules"}
    of_another = {"rules": [{"toolName": "mcp__neovim__other"}], "type": "addRules"}

    callbacks.allowed("mcp__neovim__run", "t1", given)
    callbacks.allowed("mcp__neovim__run", "t2", given, "changed")
    callbacks.allowed("mcp__neovim__run", "t3", given | {"updatedPermissions": [rule]})
    callbacks.allowed("mcp__neovim__run", "t4", given | {"updatedPermissions": [of_another]})
    callbacks.allowed("mcp__other__run", "t5", given)
    callbacks.allowed("Bash", "t6", given)

    assert server.uses == [
        ("run", "t1", {"code": "x"}, False),
        ("run", "t2", {"code": "changed"}, False),
        ("run", "t3", {"code": "x"}, True),
        ("run", "t4", {"code": "x"}, False),
    ]


async def nothing(_message: Frame) -> None:
    """Answer nothing."""


async def test_a_hook_about_what_happens_beside_the_conversation_is_reported() -> None:
    cli = Cli()
    [hook] = cli.callbacks.fields()["hooks"]["PreCompact"]
    given = {"hook_event_name": "PreCompact", "trigger": "auto", "custom_instructions": None}

    answer = await cli.ask("hook_callback", callback_id=hook["hookCallbackIds"][0], input=given)

    assert answer["response"] == {}
    assert cli.events == [Happened("PreCompact", {"trigger": "auto"})]
