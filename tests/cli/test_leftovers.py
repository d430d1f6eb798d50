"""All processes that Claude has started end with Neovim, the host or the chat.

The real CLI runs each command in a new session, which no signal to the CLI's group reaches.
"""

import contextlib
import json
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from support.claude_cli import CARET, environment
from support.either_editor import BOTH, Editor, configure, host_pid, start_editor
from support.fake_api import FakeApi, Turn, text, tool_use
from support.neovim import Neovim, until
from support.panel import Panel
from support.processes import alive, started_with
from support.vim import Vim

End = Callable[[Editor], Awaitable[None]]


def processes_of_test(tmp_path: Path) -> set[int]:
    """Return all processes of this test, which have its folder in their environment."""
    return started_with(str(tmp_path)) - {os.getpid()}


def clis(tmp_path: Path) -> set[int]:
    """Return the CLIs of this test."""
    return processes_of_test(tmp_path) & started_with("\0--output-format\0")


async def followers(mark: Path) -> set[int]:
    """Wait until processes follow a file with `tail -f`; return these."""
    found: set[int] = await until(
        lambda: started_with(f"tail\0-f\0{mark}"), f"{mark.name} is followed"
    )
    return found


async def have_ended(running: set[int]) -> None:
    """Wait until none of these processes is running."""
    await until(lambda: not any(map(alive, running)), f"{running} have ended")


@pytest.fixture
def marks(tmp_path: Path) -> dict[str, Path]:
    """Files that Claude's child processes follow with `tail -f`; this identifies the processes."""
    marks = {
        name: tmp_path / f"{name}-mark" for name in ("server", "hook", "front", "back", "left")
    }
    for mark in marks.values():
        mark.touch()
    return marks


@pytest.fixture
def settings(config_folder: Path, marks: dict[str, Path]) -> Path:
    """Settings that allow every command, and an MCP server that never answers."""
    state = json.loads((config_folder / ".claude.json").read_text())
    state["mcpServers"] = {"silent": {"command": "tail", "args": ["-f", str(marks["server"])]}}
    (config_folder / ".claude.json").write_text(json.dumps(state))
    settings = config_folder / "settings.json"
    settings.write_text(json.dumps({"permissions": {"allow": ["Bash"]}}))
    return settings


@pytest.fixture
async def nvim(
    request: pytest.FixtureRequest,
    cli: Path,
    api: FakeApi,
    project: Path,
    tmp_path: Path,
    config_folder: Path,
    settings: Path,
) -> AsyncIterator[Editor]:
    """A Neovim or a Vim whose child processes use the stand-in for the model."""
    home = tmp_path / "home"
    given = environment(api, home, config_folder)
    editor = await start_editor(request, cwd=project, home=home, env=given, columns=120, rows=40)
    await configure(editor, cmd=str(cli))
    yield editor
    await editor.stop()
    for pid in processes_of_test(tmp_path):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def follow(mark: Path, **how: Any) -> Turn:
    """Return a turn in which the model runs a command that does not end."""
    return [tool_use("Bash", command=f"tail -f {mark}", **how)]


@pytest.fixture
async def panel(nvim: Neovim, cli: Path, api: FakeApi, marks: dict[str, Path]) -> Panel:
    """A chat with a running command and two in the background; another chat is idle.

    The tool has started one of the background commands, a shell the other.
    """
    panel = await Panel.open(nvim, [cli], mode="default")
    await nvim.command("stopinsert | ClaudeChat new")
    await panel.wait_for_chats(2)
    api.script(
        follow(marks["back"], run_in_background=True),
        [tool_use("Bash", command=f"tail -f {marks['left']} >/dev/null 2>&1 &")],
        follow(marks["front"]),
    )
    await panel.send("Follow them")
    for name in ("server", "back", "left", "front"):
        await followers(marks[name])
    return panel


def send_command(editor: Editor, command: str) -> None:
    """Have the editor run an Ex command, which may end it before it answers."""
    if isinstance(editor, Vim):
        editor.send_request("TestCommand", command)
    else:
        editor.send_request("nvim_command", command)


async def quit_editor(nvim: Editor) -> None:
    send_command(nvim, "qa!")


async def quit_with_a_stopped_host(nvim: Editor) -> None:
    os.kill(await host_pid(nvim), signal.SIGSTOP)
    await quit_editor(nvim)


async def hang_up(nvim: Editor) -> None:
    nvim.process.send_signal(signal.SIGHUP)


async def terminate(nvim: Editor) -> None:
    nvim.process.terminate()


async def kill(nvim: Editor) -> None:
    nvim.process.kill()


async def kill_with_the_host(nvim: Editor) -> None:
    host = await host_pid(nvim)
    nvim.process.kill()
    os.kill(host, signal.SIGKILL)


ENDS: list[End] = [
    quit_editor,
    quit_with_a_stopped_host,
    hang_up,
    terminate,
    kill,
    kill_with_the_host,
]


@pytest.mark.parametrize("end", ENDS)
async def test_no_process_outlives_neovim(panel: Panel, tmp_path: Path, end: End) -> None:
    await end(panel.nvim)

    await panel.nvim.process.wait()
    await until(lambda: not processes_of_test(tmp_path), "all processes have ended")


@pytest.mark.parametrize("end", [quit_editor, kill_with_the_host])
async def test_no_process_outlives_neovim_if_a_cli_hangs(
    panel: Panel, tmp_path: Path, end: End
) -> None:
    for pid in clis(tmp_path):
        os.kill(pid, signal.SIGSTOP)

    await end(panel.nvim)

    await panel.nvim.process.wait()
    await until(lambda: not processes_of_test(tmp_path), "all processes have ended")


@pytest.mark.parametrize("end", [quit_editor, kill_with_the_host])
async def test_no_process_outlives_neovim_if_a_cli_is_still_starting(
    nvim: Neovim, tmp_path: Path, settings: Path, marks: dict[str, Path], end: End
) -> None:
    hook = {"hooks": [{"type": "command", "command": f"tail -f {marks['hook']}"}]}
    settings.write_text(json.dumps({"hooks": {"SessionStart": [hook]}}))
    await nvim.command("ClaudeChat")
    await followers(marks["hook"])

    await end(nvim)

    await nvim.process.wait()
    await until(lambda: not processes_of_test(tmp_path), "all processes have ended")


@BOTH
@pytest.mark.parametrize("end", [quit_editor, kill_with_the_host])
async def test_no_process_of_the_terminal_outlives_the_editor(
    nvim: Editor, api: FakeApi, tmp_path: Path, marks: dict[str, Path], end: End
) -> None:
    api.script(follow(marks["front"]))
    await nvim.command("Claude --permission-mode default")
    await until(lambda: CARET in nvim.screen.text(), "the prompt box")
    await nvim.keys("Follow it")
    await until(lambda: "Follow it" in nvim.screen.text(), "it is typed")
    await nvim.keys("<CR>")
    await followers(marks["front"])

    await end(nvim)

    await nvim.process.wait()
    await until(lambda: not processes_of_test(tmp_path), "all processes have ended")


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM])
async def test_no_process_outlives_the_host(
    panel: Panel, tmp_path: Path, sent: signal.Signals
) -> None:
    running = processes_of_test(tmp_path) - {panel.nvim.process.pid}

    os.kill(await host_pid(panel.nvim), sent)

    await have_ended(running)


async def test_no_process_of_a_chat_outlives_the_chat(
    panel: Panel, tmp_path: Path, marks: dict[str, Path]
) -> None:
    commands = set().union(*[await followers(marks[name]) for name in ("back", "left", "front")])

    await panel.nvim.command("stopinsert | ClaudeChat end")

    await have_ended(commands)
    await until(lambda: len(clis(tmp_path)) == 1, "only the idle chat's CLI is running")
    await until(lambda: len(started_with(f"tail\0-f\0{marks['server']}")) == 1, "and its server")


@BOTH
@pytest.mark.parametrize("end", ["ClaudeAsk!", "qa!"])
async def test_no_cli_outlives_a_cancelled_question(
    nvim: Editor, api: FakeApi, tmp_path: Path, end: str
) -> None:
    api.hold = True
    api.script([text("a very long story " * 50)])
    await nvim.command("ClaudeAsk Tell me")
    await until(lambda: "a very" in nvim.screen.text(), "the answer begins")
    assert clis(tmp_path)

    send_command(nvim, end)

    await until(lambda: not clis(tmp_path), "the CLI has ended")
