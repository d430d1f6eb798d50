"""`hooks/endpoint.py` on a real socket: what is answered, how fast, and what is ignored."""

import asyncio
import json
import os
import stat
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from claude_ide.base.trust import Trust
from claude_ide.config import Config, ReviewConfig
from claude_ide.editor.attention import Attention, CallingSession
from claude_ide.editor.port.events import Activity
from claude_ide.hooks import Links, permissions, sessions
from claude_ide.hooks.endpoint import Hooks
from claude_ide.mcp.client import Readings
from claude_ide.review.service import ReviewService
from claude_ide.ui import request
from support.happenings import HookedCli, run_command
from support.neovim import until
from support.pocket import pocket_port


class Diffs(list[Any]):
    """The open diffs."""

    def subscribe(self, _: object) -> None:
        """None is opened later."""


class Listener:
    """An editor that hears announcements; it answers nothing while it is busy."""

    def __init__(self) -> None:
        self.state = SimpleNamespace(paths=list[str]())
        self.terminals = self.status = self
        self.diffs = Diffs()
        self.heard: list[tuple[str, dict[str, Any]]] = []
        self.notices: list[str] = []
        self.activities: list[tuple[str, Activity | None]] = []
        self.free = asyncio.Event()
        self.free.set()
        self.port = pocket_port(self.run, self.tell)
        diffs: Any = self.diffs
        self.attention = Attention(self.port, diffs, None)

    def tell(self, function: str, *arguments: Any) -> None:
        if function == "messages.announce.event":
            self.heard.append((arguments[0], arguments[1]))

    async def run(self, function: str, *_: Any) -> Any:
        if function.startswith("review."):
            await self.free.wait()
            return []
        return "/p"

    def notify(self, text: str, _level: str = "info") -> None:
        self.notices.append(text)

    def session(self, agent: str, launch: str) -> CallingSession:
        return CallingSession(launch, agent)

    def agent_does(self, source: str, activity: Activity | None) -> None:
        self.activities.append((source, activity))

    @property
    def names(self) -> list[str]:
        return [event.removeprefix("Claude") for event, _ in self.heard]


@pytest.fixture
def editor() -> Listener:
    return Listener()


def made(editor: Listener, folder: Path, readings: Readings | None = None) -> Hooks:
    """Return the hooks of an editor whose files are in a folder."""
    given: Any = editor
    trust = Trust(folder / "trust.json", {"CLAUDE_CONFIG_DIR": str(folder)}, print)
    links = Links(folder / "hooks", f"{folder}/s.{os.getpid()}")
    review = ReviewService(given, folder / "review", ReviewConfig())
    run = asyncio.ensure_future
    return Hooks(
        given, Config(), links, os.getpid(), run, trust, lambda: review, readings or Readings()
    )


@pytest.fixture
def readings() -> Readings:
    return Readings()


@pytest.fixture
async def hooks(editor: Listener, readings: Readings, tmp_path: Path) -> AsyncIterator[Hooks]:
    hooks = made(editor, tmp_path, readings)
    yield hooks
    await hooks.close()


@pytest.fixture
async def cli(hooks: Hooks) -> HookedCli:
    launch = await hooks.for_a_terminal(["claude"])
    return HookedCli(launch.options)


async def test_a_hook_gets_an_empty_answer(cli: HookedCli, editor: Listener) -> None:
    assert await cli.send("UserPromptSubmit", prompt="swim") == b""

    assert editor.names == ["SessionStart", "Prompt"]


async def test_a_hook_that_fails_here_leaves_the_decision_to_the_cli(
    cli: HookedCli, editor: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It must not ask again and again, as it does when an editor has ended."""

    def fail(*_: Any) -> None:
        raise KeyError("path")

    await cli.send("UserPromptSubmit", prompt="swim")
    monkeypatch.setattr(request, "display_path", fail)
    monkeypatch.setattr(permissions, "REVIEW_SECONDS", 0)

    async with asyncio.timeout(10):
        given = {"file_path": "/a", "content": "x"}
        assert await cli.send("PermissionRequest", tool_name="Write", tool_input=given) == b""


@pytest.mark.parametrize(
    ("event", "tool", "is_read"),
    [
        ("PostToolUse", "Read", True),
        ("PostToolUse", "Edit", True),
        ("PostToolUse", "Write", True),
        ("PostToolUse", "Grep", False),
        ("PostToolUse", "Bash", False),
        ("PreToolUse", "Read", False),
        ("PostToolUseFailure", "Read", False),
        ("PermissionDenied", "Read", False),
    ],
)
async def test_what_a_cli_has_read_is_open_to_its_own_tools_only(
    hooks: Hooks, cli: HookedCli, readings: Readings, event: str, tool: str, is_read: bool
) -> None:
    other = await hooks.for_a_terminal(["claude"])
    path = "/letters/diary.txt"

    await cli.send(event, tool_name=tool, tool_use_id="t", tool_input={"file_path": path})

    own = readings.of(cli.link.name)
    assert own.covers(path) is is_read
    assert not own.covers("/letters/other.txt")
    assert not readings.of(other.id).covers(path)


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
async def test_a_body_that_is_no_hook_is_ignored(
    cli: HookedCli, editor: Listener, body: bytes
) -> None:
    assert await run_command(cli.command("Stop"), body) == b""
    assert editor.heard == []
    await cli.send("Stop")
    assert editor.names == ["SessionStart"]


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
        assert await cli.send(event, tool_name="Edit", tool_use_id="t", **fields) == b""

    assert editor.names == ["SessionStart", "ToolStart", "ToolEnd"]


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"\n",
        b"t1 begin\n",
        b"t1 begin x\n{}",
        b"t1 begin -1\n{}",
        b"t1 begin 99999999999\n{}",
        b"t1 begin 9\n{}",
        b"\xff begin 2\n{}",
        b"x" * 200_000,
    ],
)
async def test_what_is_no_report_is_not_answered(
    cli: HookedCli, editor: Listener, sent: bytes
) -> None:
    reader, writer = await asyncio.open_unix_connection(cli.link)
    writer.write(sent)
    writer.write_eof()

    assert await reader.read() == b""

    writer.close()
    await cli.send("Stop")
    assert editor.names == ["SessionStart"]


async def test_a_path_that_is_long_for_a_socket_is_bound(editor: Listener, tmp_path: Path) -> None:
    folder = tmp_path.joinpath(*["long"] * 30)
    folder.mkdir(parents=True)
    hooks = made(editor, folder)

    launch = await hooks.for_a_terminal(["claude"])
    await HookedCli(launch.options).send("Stop")

    assert editor.names == ["SessionStart"]
    await hooks.close()


async def test_a_cli_starts_also_if_it_cannot_report(editor: Listener, tmp_path: Path) -> None:
    (tmp_path / "hooks").touch()
    hooks = made(editor, tmp_path)

    assert (await hooks.for_a_terminal(["claude"])).options == []

    assert editor.notices == ["this CLI cannot report what it does: File exists"]


async def test_only_the_user_reaches_the_links(cli: HookedCli) -> None:
    assert cli.link.is_symlink()
    assert stat.S_IMODE(cli.link.parent.stat().st_mode) == 0o700


async def test_the_link_of_a_terminal_goes_with_it(hooks: Hooks, cli: HookedCli) -> None:
    hooks.terminal_ended(cli.link.name)

    assert not os.path.lexists(cli.link)


async def test_what_dead_editors_have_left_is_removed(hooks: Hooks, tmp_path: Path) -> None:
    dead = await asyncio.create_subprocess_exec("true")
    await dead.wait()
    folder = tmp_path / "hooks"
    folder.mkdir()
    for name, pid in (("left", dead.pid), ("other", os.getpid())):
        (folder / name).symlink_to(tmp_path / f"x.{pid}")
        (folder / f"{name}.{pid}").touch()

    await hooks.open()

    assert {path.name for path in folder.iterdir()} == {"other", f"other.{os.getpid()}"}


async def test_the_cli_does_not_wait_for_a_busy_neovim(cli: HookedCli, editor: Listener) -> None:
    editor.free.clear()
    clock = asyncio.get_running_loop().time
    begun = clock()

    assert await cli.send("UserPromptSubmit", prompt="swim") == b""
    assert await cli.send("Stop") == b""

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
    await HookedCli(other.options, "s-2").send("UserPromptSubmit", prompt="dive")

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


async def test_many_hooks_at_once_are_answered(cli: HookedCli, editor: Listener) -> None:
    body = {"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Read"}

    async def report(number: int) -> bytes:
        sent = json.dumps({**body, "tool_use_id": str(number)}).encode()
        reader, writer = await asyncio.open_unix_connection(cli.link)
        writer.write(f"{cli.link.name} begin {len(sent)}\n".encode() + sent)
        answer = await reader.read()
        writer.close()
        return answer

    assert set(await asyncio.gather(*map(report, range(100)))) == {b"ok\n"}
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
    assert editor.activities[-1][1] == Activity()
