"""An agent that reads and writes files and runs commands through the editor."""

import asyncio
import uuid
from pathlib import Path
from typing import Any

import pytest

from claude_ide.agents.acp.connection import REQUEST_CANCELLED
from claude_ide.agents.acp.files import CHANGED
from claude_ide.agents.editor_services import EditorServices, WrittenText
from claude_ide.agents.events import Change, Dead, Notice, ToolEnded, ToolOutput, TurnEnded
from claude_ide.agents.requests import Allow, PermissionAsked, Replacement
from support.acp import script as acp
from support.acp.script import Script
from support.acp.talk import AcpTalk, Begin
from support.neovim import until
from support.processes import started_with

SHOWN = [{"type": "terminal", "terminalId": "term_0"}]
OVER = acp.ask("terminal/wait_for_exit", terminalId="term_0")
RELEASED = acp.ask("terminal/release", terminalId="term_0")


class Disk:
    """Implements `Files` with files on disk. With `waits`, each write waits for ever."""

    def __init__(self, *, waits: bool = False) -> None:
        self.waits = waits
        self.cancelled = 0
        self.allowed: list[bool] = []

    async def read(self, path: str) -> str:
        return Path(path).read_text()

    async def saved(self, path: str) -> str:
        return await self.read(path)

    async def write(
        self, path: str, text: str, *, is_allowed: bool = False, over: str | None = None
    ) -> WrittenText:
        self.allowed.append(is_allowed)
        if self.waits:
            try:
                await asyncio.get_running_loop().create_future()
            except asyncio.CancelledError:
                self.cancelled += 1
                raise
        Path(path).write_text(text)
        return WrittenText(text, text)


def command(line: str) -> list[acp.Step]:
    """Return the steps of an agent that begins to run a command."""
    return [acp.tool("t1", "Run", kind="execute"), acp.ask("terminal/create", command=line)]


def write(text: str, path: str = "$FOLDER/a.txt") -> acp.Step:
    return acp.ask("fs/write_text_file", path=path, content=text)


async def outputs(talk: AcpTalk) -> list[str]:
    await talk.until(ToolEnded)
    return [event.text for event in talk.of(ToolOutput) if event.replaces]


async def test_the_agent_learns_what_the_editor_does(begin: Begin) -> None:
    for files in (Disk(), None):
        talk = await begin(Script(), services=EditorServices(files=files))

        told = talk.fake.received("initialize")[-1]["clientCapabilities"]

        has = files is not None
        assert told["fs"] == {"readTextFile": has, "writeTextFile": has}
        assert told["terminal"] is True


async def test_the_output_of_a_terminal_is_shown_at_its_tool_while_it_runs(
    begin: Begin, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    line = f"echo one; for i in $(seq 3000); do [ -e {gate} ] && break; sleep 0.02; done; echo two"
    done = acp.tool_update("t1", status="completed")
    named = acp.tool_update("t1", content=SHOWN)
    talk = await begin(Script(prompt=[*command(line), named, OVER, RELEASED, done]))
    await talk.prompt("hi")

    shown: ToolOutput = await talk.until(ToolOutput)
    assert (shown.tool, shown.text, shown.replaces) == ("t1", "one\n", True)

    gate.touch()
    assert (await outputs(talk))[-1] == "one\ntwo\n"
    assert talk.of(ToolEnded)[0].output == "one\ntwo\n"


async def test_a_terminal_that_is_named_only_after_its_end_is_shown(begin: Begin) -> None:
    done = acp.tool_update("t1", content=SHOWN)
    ended = acp.tool_update("t1", status="completed")
    talk = await begin(Script(prompt=[*command("echo one"), OVER, RELEASED, done, ended]))

    await talk.turn("hi")

    assert await outputs(talk) == ["one\n"]
    assert talk.of(ToolEnded)[0].output == "one\n"


async def test_a_terminal_that_no_tool_names_is_shown_at_the_tool_with_its_command(
    begin: Begin,
) -> None:
    run = acp.tool("t1", "Run", kind="execute", rawInput={"command": "echo one"})
    other = acp.tool("t2", "Run", kind="execute", rawInput={"command": "echo two"})
    made = acp.ask("terminal/create", command="/bin/sh", args=["-lc", "echo one"])
    talk = await begin(Script(prompt=[other, run, made, OVER, RELEASED]))

    await talk.turn("hi")

    assert [(event.tool, event.text) for event in talk.of(ToolOutput)] == [("t1", "one\n")]


async def test_commands_end_with_their_agent(begin: Begin) -> None:
    name = uuid.uuid4().hex
    line = f"export NAME={name}; sleep 100 & sleep 100; true"
    talk = await begin(Script(prompt=[*command(line), acp.cancelled(), acp.exit_()]))
    await talk.prompt("hi")
    await until(lambda: len(started_with(name)) >= 3)

    await talk.agent.interrupt()
    await talk.until(Dead)

    await until(lambda: not started_with(name), "they have ended")


def wait() -> acp.Step:
    """Begin to write a file, without waiting for the answer."""
    return acp.start("fs/write_text_file", path="$FOLDER/a.txt", content="new")


@pytest.mark.parametrize(
    "steps",
    [
        [wait(), acp.notify("$/cancel_request", requestId=0), acp.cancelled()],
        [wait(), acp.cancelled()],
        [wait()],
    ],
    ids=["by the agent", "by the user", "at the end of the turn"],
)
async def test_a_write_that_waits_for_the_user_can_be_withdrawn(
    begin: Begin, steps: list[acp.Step]
) -> None:
    disk = Disk(waits=True)
    talk = await begin(
        Script(prompt=[acp.say("Hello"), *steps]), services=EditorServices(files=disk)
    )
    await talk.prompt("hi")

    if len(steps) == 2:
        await until(lambda: talk.fake.received("session/prompt"))
        await talk.agent.interrupt()
    answers = await until(lambda: talk.fake.answers("fs/write_text_file"))

    assert [answer["error"]["code"] for answer in answers] == [REQUEST_CANCELLED]


async def test_a_write_that_waits_ends_with_the_agent(begin: Begin) -> None:
    disk = Disk(waits=True)
    steps = [wait(), acp.cancelled(), acp.exit_()]
    talk = await begin(Script(prompt=steps), services=EditorServices(files=disk))
    await talk.prompt("hi")
    await until(lambda: talk.fake.entries("out"))

    await talk.agent.stop(0.1)

    await talk.until(Dead)
    assert disk.cancelled == 1


async def edited(begin: Begin, folder: Path, *steps: acp.Step) -> AcpTalk:
    """Begin a turn whose proposal the user changes before they allow it."""
    path = folder / "a.txt"
    path.write_text("old\n")
    content = [acp.diff(str(path), "old\n", "theirs\n")]
    asked = acp.permission("t1", kind="edit", title="Edit", content=content)
    script = Script(prompt=[[asked, write("theirs\n"), *steps], []])
    talk = await begin(script, services=EditorServices(files=Disk()))
    await talk.prompt("hi")
    request: Any = await talk.until(PermissionAsked)
    answer = Allow(edits=(Replacement(str(path), "mine\n", "old\n"),))
    await talk.agent.answer(request.request, answer)
    await talk.until(TurnEnded)
    return talk


async def test_the_user_s_version_is_written_and_the_next_prompt_says_so(
    begin: Begin, tmp_path: Path
) -> None:
    talk = await edited(begin, tmp_path, acp.tool_update("t1", status="completed"))

    assert (tmp_path / "a.txt").read_text() == "mine\n"
    assert talk.agent.capabilities.change_proposal

    await talk.prompt("next")
    await talk.until(TurnEnded, count=2)
    blocks = talk.fake.received("session/prompt")[-1]["prompt"]
    assert CHANGED.format(tmp_path / "a.txt") in blocks[-1]["text"]


async def test_the_user_s_version_survives_an_agent_that_then_writes_the_disk(
    begin: Begin, tmp_path: Path
) -> None:
    itself = acp.write_file("$FOLDER/a.txt", "theirs\n")
    talk = await edited(begin, tmp_path, itself, acp.tool_update("t1", status="completed"))

    notice: Notice = await talk.until(Notice)

    assert (tmp_path / "a.txt").read_text() == "mine\n"
    assert notice.text == "your version of a.txt was overwritten by the agent, and is restored"


@pytest.mark.parametrize("is_turned", [True, False])
async def test_a_permission_is_for_the_file_to_which_the_path_led_when_it_was_asked_for(
    begin: Begin, tmp_path: Path, is_turned: bool
) -> None:
    path, disk = tmp_path / "a.txt", Disk()
    path.symlink_to("one.txt")
    asked = acp.permission("t1", kind="edit", content=[acp.diff(str(path), None, "new\n")])
    script = Script(prompt=[asked, write("new\n"), acp.tool_update("t1", status="completed")])
    talk = await begin(script, services=EditorServices(files=disk))
    await talk.prompt("hi")
    request: Any = await talk.until(PermissionAsked)
    if is_turned:
        path.unlink()
        path.symlink_to("two.txt")

    await talk.agent.answer(request.request, Allow())

    await talk.until(TurnEnded)
    assert disk.allowed == [not is_turned]


async def test_the_user_s_version_is_restored_through_no_link_that_was_made_since(
    begin: Begin, tmp_path: Path
) -> None:
    other = tmp_path / "other.txt"
    other.write_text("theirs\n")
    turn = acp.ask("terminal/create", command=f"cd {tmp_path}; mv a.txt b; ln -s other.txt a.txt")
    talk = await edited(begin, tmp_path, turn, OVER, acp.tool_update("t1", status="completed"))

    notice: Notice = await talk.until(Notice)

    assert notice.text == "a.txt: a link on its path has changed since it was shown"
    assert other.read_text() == "theirs\n"


class Watched:
    """Implements `Edits`: remembers which files are examined before a use of a tool, and after."""

    def __init__(self) -> None:
        self.before_: list[tuple[str, str]] = []
        self.ended_: list[tuple[str, str]] = []

    async def before(self, tool: str, path: str) -> None:
        self.before_.append((tool, path))

    async def ended(self, tool: str, path: str, after: str | None = None) -> None:
        self.ended_.append((tool, path))

    async def after(self, tool: str, path: str, change: Change | None) -> str:
        return ""

    async def prompted(self, *, is_command: bool = False) -> str:
        return ""


async def test_only_files_that_a_tool_may_write_are_examined_before(begin: Begin) -> None:
    edits, steps = Watched(), []
    for tool, kind in (("t1", "read"), ("t2", "edit"), ("t3", "search"), ("t4", "execute")):
        given = {"locations": [{"path": f"/p/{tool}"}], "rawInput": {"path": f"/p/{tool}"}}
        steps += [acp.tool(tool, kind=kind, **given), acp.tool_update(tool, status="completed")]
    talk = await begin(Script(prompt=steps), services=EditorServices(edits=edits))

    await talk.turn("hi")

    assert sorted(edits.before_) == [("t2", "/p/t2"), ("t4", "")]
    assert sorted(edits.ended_) == [("t1", "/p/t1"), ("t2", "/p/t2"), ("t4", "")]


@pytest.mark.parametrize("kind", ["read", "execute", "edit"])
async def test_only_a_request_for_a_change_allows_a_write(begin: Begin, kind: str) -> None:
    disk = Disk()
    asked = acp.permission("t1", kind=kind, locations=[{"path": "$FOLDER/a.txt"}])
    talk = await begin(Script(prompt=[asked, write("new")]), services=EditorServices(files=disk))
    await talk.prompt("hi")
    request: Any = await talk.until(PermissionAsked)

    await talk.agent.answer(request.request, Allow())

    await talk.until(TurnEnded)
    assert disk.allowed == [kind == "edit"]
