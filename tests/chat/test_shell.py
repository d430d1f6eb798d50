"""The user's shell commands: bounded, ended with everything they have started, and shown."""

import asyncio
import os
import stat
import subprocess
import uuid
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from claude_ide.agents import events
from claude_ide.agents.agent import ShellResult
from claude_ide.base.errors import UserError
from claude_ide.chat.chat_context import ChatContext, ChatPart, Phase
from claude_ide.chat.sending import Shell, is_command, unescaped
from claude_ide.chat.transcript.prompts import KEPT_BYTES, PREVIEW, CommandOutput, Ran
from claude_ide.transport import process
from claude_ide.ui.sheet import OpenOutput, Sheet
from support.chat_parts import PocketChat
from support.frames import Clock, Drawn, Panel
from support.neovim import until
from support.processes import started_with


class Drawing(ChatPart):
    """Draws at once what has changed."""

    def __init__(self, chat: ChatContext, draw: Callable[[], None]) -> None:
        super().__init__(chat)
        self._draw = draw

    def refresh(self) -> None:
        self._draw()


class Shown:
    """A shell in a folder, and the lines that it shows."""

    def __init__(self, folder: Path, *, trusted: bool = True) -> None:
        chat = PocketChat(root=folder).context
        self.sheet = chat.sheet
        self.clock = Clock()
        self.drawn = Drawn()
        chat.phases = {Phase.SHOW: [Drawing(chat, self._draw)]}
        trust: Any = SimpleNamespace(is_trusted=trusted)
        self.shell = Shell(chat, trust, clock=self.clock)

    def _draw(self) -> None:
        while (frame := self.sheet.frame()) is not None:
            self.drawn.apply(frame)

    async def run(self, prompt: str) -> list[str]:
        """Run a command to its end; return what is shown."""
        await self.shell.run(prompt)
        return self.drawn.text


@pytest.fixture
def shown(tmp_path: Path) -> Shown:
    return Shown(tmp_path)


def git(*arguments: str | Path) -> None:
    subprocess.run(["git", *arguments], check=True)


def ran(*lines: str) -> tuple[Ran, Drawn]:
    """Return the view of a command that has printed these lines, and what it draws."""
    sheet = Sheet()
    view = sheet.add("shell", lambda part: Ran(part, "make", Clock()))
    view.output.add("".join(f"{line}\n" for line in lines).encode())
    view.end("")
    drawn = Drawn()
    drawn.apply(sheet.frame() or {})
    return view, drawn


async def test_a_command_runs_in_the_project_and_its_output_is_shown(
    shown: Shown, tmp_path: Path
) -> None:
    lines = await shown.run("!pwd; echo bad >&2")

    assert lines == ["! pwd; echo bad >&2  0 ms", f"    {tmp_path.resolve()}", "    bad"]
    assert shown.shell.take() == [ShellResult("pwd; echo bad >&2", f"{tmp_path.resolve()}\nbad\n")]


@pytest.mark.parametrize(
    ("command", "outcome"), [("exit 3", "exit 3"), ("kill -9 $$", "ended by signal 9")]
)
async def test_a_failure_is_shown(shown: Shown, command: str, outcome: str) -> None:
    assert await shown.run(f"!{command}") == [f"! {command}  {outcome}  0 ms"]
    assert shown.shell.take() == [ShellResult(command, "", failed=True)]


async def test_colours_and_overwritten_lines_are_not_shown(shown: Shown) -> None:
    await shown.run(r"!printf '\033[31mred\033[0m\n10%%\r100%%\n'")

    assert shown.drawn.text[1:] == ["    red", "    100%"]
    assert shown.shell.take()[0].output == "red\n100%\n"


async def test_the_output_is_shown_while_the_command_runs(shown: Shown) -> None:
    running = asyncio.create_task(shown.shell.run("!echo one; sleep 100"))

    await until(lambda: shown.drawn.text[1:] == ["    one"])

    assert shown.drawn.text[0].endswith("…")
    assert shown.shell.stop()
    await running


async def test_a_command_that_is_stopped_ends_with_everything_that_it_has_started(
    shown: Shown,
) -> None:
    name = uuid.uuid4().hex
    command = f"export NAME={name}; sleep 100 & (sleep 100) & echo on; sleep 100; sleep 100"
    running = asyncio.create_task(shown.shell.run(f"!{command}"))
    await until(lambda: len(started_with(name)) >= 3)

    assert shown.shell.stop()
    await running

    assert "interrupted" in shown.drawn.text[0]
    await until(lambda: not started_with(name), "all have ended")
    assert not shown.shell.stop()


async def test_a_command_that_ignores_an_interrupt_is_ended_by_force(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "GRACE_SECONDS", 0.1)
    running = asyncio.create_task(
        shown.shell.run("!trap '' INT TERM; echo on; while :; do sleep 0.1; done")
    )
    await until(lambda: shown.drawn.text[1:] == ["    on"])

    shown.shell.stop()
    await running

    assert "interrupted" in shown.drawn.text[0]


async def test_a_command_can_be_stopped_while_it_starts(shown: Shown) -> None:
    running = asyncio.create_task(shown.shell.run("!sleep 100"))
    await until(lambda: bool(shown.drawn.text))

    assert shown.shell.stop()
    await running

    assert "interrupted" in shown.drawn.text[0]


async def test_background_commands_end_with_their_command(shown: Shown) -> None:
    name = uuid.uuid4().hex

    await shown.run(f"!NAME={name} sleep 100 & echo started")

    assert shown.drawn.text[1:] == ["    started"]
    await until(lambda: not started_with(name), "it has ended")


async def test_endless_output_is_bounded_and_can_be_stopped(shown: Shown) -> None:
    running = asyncio.create_task(shown.shell.run("!yes"))
    view = await until(lambda: next(iter(shown.sheet.views()), None))
    await until(lambda: view.output.size > 2_000_000)

    shown.shell.stop()
    await running

    assert len(shown.shell.take()[0].output) < 2 * KEPT_BYTES + 100


async def test_one_command_runs_at_a_time(shown: Shown) -> None:
    running = asyncio.create_task(shown.shell.run("!sleep 100"))
    await until(lambda: bool(shown.drawn.text))

    with pytest.raises(UserError, match="still running"):
        await shown.shell.run("!ls")

    shown.shell.stop()
    await running


async def test_an_empty_command_is_refused(shown: Shown) -> None:
    with pytest.raises(UserError, match="no command after the !"):
        await shown.shell.run("!  ")

    assert shown.drawn.text == []


async def test_a_command_in_a_folder_that_is_gone_is_refused(tmp_path: Path) -> None:
    shown = Shown(tmp_path / "gone")

    with pytest.raises(UserError, match="the command cannot be run: No such file"):
        await shown.shell.run("!ls")

    assert shown.drawn.text == []


@pytest.mark.parametrize("trusted", [True, False])
async def test_git_obeys_the_repository_only_in_a_trusted_folder(
    tmp_path: Path, trusted: bool
) -> None:
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    repository = tmp_path / "repository"
    git("init", "-q", repository)
    git("-C", repository, "config", "core.fsmonitor", program)

    await Shown(repository, trusted=trusted).run("!git status")

    assert (tmp_path / "ran").exists() == trusted


async def test_a_result_is_sent_once_unless_its_prompt_is_withdrawn(shown: Shown) -> None:
    await shown.run("!echo one")
    taken = shown.shell.take()
    assert shown.shell.take() == []
    await shown.run("!echo two")

    shown.shell.give_back(taken)

    assert [result.command for result in shown.shell.take()] == ["echo one", "echo two"]


def test_a_long_output_keeps_its_beginning_and_its_end() -> None:
    output = CommandOutput()
    for number in range(100_000):
        output.add(f"{number}\n".encode())

    assert output.text.startswith("0\n1\n")
    assert output.text.endswith("\n99998\n99999\n")
    assert "\n… 558,890 bytes are missing here …\n" in output.text


def test_the_end_of_a_long_output_is_shown_and_all_of_it_on_request() -> None:
    lines = [f"line {number}" for number in range(PREVIEW + 2)]
    view, drawn = ran(*lines)
    assert drawn.text[1:] == ["    … 2 lines above", *(f"    {line}" for line in lines[2:])]

    assert view.press(1) is None
    assert [row.text for row in view.rows()][1:] == [f"    {line}" for line in lines]
    assert view.press(0) is None

    assert len(view.rows()) == PREVIEW + 2


def test_a_very_long_output_opens_in_a_window() -> None:
    view, _ = ran(*map(str, range(300)))
    view.press(0)
    shown = [row.text for row in view.rows()]

    assert shown[-1] == "    … 100 more lines"
    assert isinstance(view.press(len(shown) - 1), OpenOutput)


def test_a_command_is_exported_with_its_output() -> None:
    view, _ = ran("one", "```")

    assert view.markdown() == "````console\n$ make\none\n```\n````"


@pytest.mark.parametrize(
    ("prompt", "command", "words"),
    [
        ("!ls", True, "!ls"),
        (r"\!ls", False, "!ls"),
        (r"\\!ls", False, r"\\!ls"),
        (" !ls", False, " !ls"),
        ("wow!", False, "wow!"),
    ],
)
def test_a_prompt_is_a_command_if_it_begins_with_a_sign(
    prompt: str, command: bool, words: str
) -> None:
    assert is_command(prompt) == command
    assert unescaped(prompt) == words


@pytest.mark.parametrize(
    ("given", "used"), [("/bin/sh", "/bin/sh"), ("sh", "/bin/sh"), ("/nowhere/sh", "/bin/sh")]
)
def test_only_a_shell_that_exists_is_used(given: str, used: str) -> None:
    assert process.shell({"SHELL": given}) == used
    assert process.shell({}) == "/bin/sh"
    assert os.access(used, os.X_OK)


def test_a_command_of_an_earlier_session_is_shown_as_it_was() -> None:
    output = "\n".join(map(str, range(PREVIEW)))
    panel = Panel()

    panel.transcript.load_history(
        [events.ShellRan("ls", output), events.ShellRan("true", ""), events.UserMessage("Hm?")]
    )

    lines = [f"    {number}" for number in range(PREVIEW)]
    assert panel.text == ["! ls", *lines, "", "! true", "", "» Hm?"]
