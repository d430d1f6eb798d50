"""`hooks/endpoint.py` on a real socket: what is answered, how fast, and what is refused."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from claude_ide.config import Config
from claude_ide.hooks import sessions
from claude_ide.hooks.endpoint import Hooks
from claude_ide.hooks.registration import TOKEN
from claude_ide.trust.trust import Trust
from support.handshake import tcp
from support.happenings import HookedCli
from support.neovim import until
from support.raw_http import answer, request


class Listener:
    """An editor that hears announcements; it answers nothing while it is busy."""

    def __init__(self) -> None:
        self.state = SimpleNamespace(paths=list[str]())
        self.terminals = self
        self.diffs = SimpleNamespace(subscribe=lambda _: None)
        self.heard: list[tuple[str, dict[str, Any]]] = []
        self.activities: list[tuple[str, dict[str, Any] | None]] = []
        self.free = asyncio.Event()
        self.free.set()

    async def run(self, function: str, *_: Any) -> Any:
        if function.startswith("review."):
            await self.free.wait()
        return "/p"

    def agent_does(self, source: str, activity: dict[str, Any]) -> None:
        self.activities.append((source, activity))

    def agent_ended(self, source: str) -> None:
        self.activities.append((source, None))

    def announce(self, event: str, data: dict[str, Any]) -> None:
        self.heard.append((event, data))

    def explain(self, launch: str, path: str, words: str) -> None:
        """The window bar of a diff; `test_reasons.py` tests the words."""

    @property
    def names(self) -> list[str]:
        return [event.removeprefix("Claude") for event, _ in self.heard]


@pytest.fixture
def editor() -> Listener:
    return Listener()


@pytest.fixture
async def hooks(editor: Listener, tmp_path: Path) -> AsyncIterator[Hooks]:
    environment = {"CLAUDE_CONFIG_DIR": str(tmp_path)}
    trust = Trust(tmp_path / "trust.json", environment, print)
    hooks = Hooks(editor, Config(), {}, asyncio.ensure_future, trust)  # type: ignore[arg-type]
    yield hooks
    await hooks.close()


@pytest.fixture
async def cli(hooks: Hooks) -> HookedCli:
    launch = await hooks.for_a_terminal(["claude"])
    return HookedCli(launch.options, launch.environment[TOKEN])


async def test_a_hook_gets_an_empty_answer(cli: HookedCli, editor: Listener) -> None:
    got = await cli.send("UserPromptSubmit", prompt="swim")

    assert (got.status, got.body) == (200, b"{}")
    assert got.headers["content-type"] == "application/json"
    assert editor.names == ["SessionStart", "Prompt"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b"{}",
        b'{"hook_event_name": 1, "session_id": "s"}',
        b'{"hook_event_name": "Stop", "session_id": ' + b"[" * 100_000,
    ],
)
async def test_a_body_that_is_no_hook_is_refused(
    cli: HookedCli, editor: Listener, body: bytes
) -> None:
    assert (await cli.post(body)).status == 400
    assert editor.heard == []
    assert (await cli.send("Stop")).status == 200


@pytest.mark.parametrize(
    "fields",
    [
        {"tool_input": [], "tool_response": "text"},
        {"tool_response": {"filePath": 1, "structuredPatch": {}}},
        {"tool_response": {"filePath": "/a", "structuredPatch": [{"lines": [1], "oldStart": "x"}]}},
        {"tool_input": {"file_path": "/a\0b", "command": 1}},
        {"tool_input": {"file_path": "/dev/zero"}},
    ],
)
async def test_odd_reports_of_a_tool_end_it_all_the_same(
    cli: HookedCli, editor: Listener, fields: dict[str, Any]
) -> None:
    for event in ("PreToolUse", "PostToolUse"):
        assert (await cli.send(event, tool_name="Edit", tool_use_id="t", **fields)).status == 200

    assert editor.names == ["SessionStart", "ToolStart", "ToolEnd"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": None}, 401),
        ({"Origin": "http://127.0.0.1"}, 403),
        ({"Host": "evil.example"}, 403),
        ({"Content-Length": str(2**40)}, 413),
    ],
)
async def test_a_request_that_is_not_the_clis_is_refused_before_its_body(
    cli: HookedCli, editor: Listener, headers: dict[str, str | None], status: int
) -> None:
    assert (await cli.post(b"{}", **headers)).status == status
    assert editor.heard == []


async def test_only_post_to_one_path_is_served(cli: HookedCli) -> None:
    for method, path, status in (("GET", "/hooks", 405), ("POST", "/mcp", 404)):
        async with tcp(cli.port) as (reader, writer):
            writer.write(request(cli.port, cli.token, method=method, path=path))
            assert (await answer(reader)).status == status


async def test_the_cli_does_not_wait_for_a_busy_neovim(cli: HookedCli, editor: Listener) -> None:
    editor.free.clear()
    clock = asyncio.get_running_loop().time
    begun = clock()

    assert (await cli.send("UserPromptSubmit", prompt="swim")).status == 200
    assert (await cli.send("Stop")).status == 200

    assert clock() - begun < 2 * sessions.WAIT_SECONDS + 1
    editor.free.set()
    await until(lambda: editor.names == ["SessionStart", "Prompt", "TurnEnd"])


async def test_hooks_of_one_session_are_handled_in_their_order(
    cli: HookedCli, editor: Listener
) -> None:
    editor.free.clear()
    first = asyncio.create_task(cli.send("UserPromptSubmit", prompt="swim"))
    await until(lambda: editor.names == ["SessionStart"])
    second = asyncio.create_task(cli.send("SessionEnd"))
    await asyncio.gather(first, second)
    editor.free.set()

    await until(lambda: len(editor.heard) == 4)
    assert editor.names == ["SessionStart", "Prompt", "TurnEnd", "SessionEnd"]


async def test_the_sessions_of_invented_ids_are_few(
    cli: HookedCli, editor: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "MOST_SESSIONS", 3)
    for number in range(5):
        cli.session = f"s{number}"
        await cli.send("UserPromptSubmit", prompt="swim")

    ended = [data["session"] for event, data in editor.heard if event == "ClaudeSessionEnd"]
    assert ended == ["s0", "s1"]


async def test_the_end_of_a_terminal_ends_only_its_sessions(
    hooks: Hooks, cli: HookedCli, editor: Listener
) -> None:
    other = await hooks.for_a_terminal(["claude"])
    await cli.send("UserPromptSubmit", prompt="swim")
    await HookedCli(other.options, cli.token, "s-2").send("UserPromptSubmit", prompt="dive")

    hooks.terminal_ended(other.id)

    await until(lambda: "SessionEnd" in editor.names)
    assert [data["session"] for event, data in editor.heard if "End" in event] == ["s-2", "s-2"]


async def test_a_failed_and_a_denied_tool_have_their_status(
    cli: HookedCli, editor: Listener
) -> None:
    failed = "PostToolUseFailure"
    for number, (event, is_interrupt) in enumerate(
        [(failed, False), (failed, True), ("PermissionDenied", False)]
    ):
        tool = {"tool_name": "Bash", "tool_use_id": str(number), "tool_input": {"command": "x"}}
        await cli.send("PreToolUse", **tool)
        await cli.send(event, **tool, is_interrupt=is_interrupt)

    ends = [data["status"] for event, data in editor.heard if event == "ClaudeToolEnd"]
    assert ends == ["failed", "interrupted", "rejected"]


async def test_many_hooks_on_one_connection_are_answered_quickly(
    cli: HookedCli, editor: Listener
) -> None:
    async with tcp(cli.port) as (reader, writer):
        for number in range(100):
            tool = {"tool_name": "Read", "tool_use_id": str(number), "tool_input": {}}
            body = {"session_id": "s", "hook_event_name": "PreToolUse"} | tool
            sent = json.dumps(body).encode()
            writer.write(request(cli.port, cli.token, path="/hooks", body=sent))
            assert (await answer(reader)).status == 200
    assert editor.names == ["SessionStart", *["ToolStart"] * 100]


async def test_an_interruption_in_the_record_ends_the_turn(
    cli: HookedCli, editor: Listener, tmp_path: Path
) -> None:
    record = tmp_path / "record.jsonl"
    await cli.send("UserPromptSubmit", prompt_id="p", transcript_path=str(record))
    content = [{"type": "text", "text": "[Request interrupted by user]"}]

    def is_over() -> bool:
        for prompt in ("q", "p"):
            line = {"type": "user", "promptId": prompt, "message": {"content": content}}
            with record.open("a") as file:
                file.write(json.dumps(line) + "\n")
        return "TurnEnd" in editor.names

    await until(is_over, "the turn ends")
    assert editor.heard[-1][1]["reason"] == "interrupted"
    assert editor.activities[-1][1] == {"is_working": False}
