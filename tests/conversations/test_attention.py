"""An agent calls the user who is elsewhere: once, when it waits for them or ends a long turn."""

import asyncio
import contextlib
import json
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from support.acp import script as acp
from support.acp.chatting import begin_chat
from support.acp.script import Make, Script
from support.claude_code import ClaudeCode
from support.either_editor import BOTH, Editor, configure, shows_a_diff, status_line
from support.happenings import HookedCli, follow, recorder, the
from support.neovim import ROOT, Neovim, clean_environment, nvim_binary, until
from support.permissions import entered, shown
from support.terminal import Terminal
from support.vim import Vim

NOW = {"seconds": 0}
SHORT, LONG = 0.3, 3600
"""Seconds."""

Start = Callable[..., Awaitable[HookedCli]]


@pytest.fixture
async def start(nvim: Editor, tmp_path: Path, path: Path) -> Start:
    """Start a CLI in the terminal of `:Claude`; the user is in another window."""

    async def begin(attention: Any) -> HookedCli:
        program, record = recorder(tmp_path)
        await configure(nvim, cmd=str(program), attention=attention)
        await follow(nvim)
        await nvim.command("Claude")
        cli = await HookedCli.started(record)
        await nvim.keys(r"<C-\><C-n><C-w>p")
        await until(lambda: nvim.eval("&buftype == ''"), "the user is in the file")
        return cli

    return begin


@contextlib.asynccontextmanager
async def asking(cli: HookedCli, tool: str = "Bash", **given: Any) -> AsyncIterator[Any]:
    """Have the CLI ask for a permission."""
    words = given or {"command": "mkdir a"}
    work = cli.send(
        "PermissionRequest", tool_name=tool, tool_input=words, permission_suggestions=[]
    )
    task = asyncio.ensure_future(work)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def messages(nvim: Editor) -> list[str]:
    """Return the messages of agents that call."""
    lines = str(await nvim.eval("execute('messages')")).splitlines()
    found = re.compile(r"claude-ide: ((?:Claude|fake)[^:]*(?: asks)?: (?!to trust ).*)")
    return [match[1] for match in map(found.fullmatch, lines) if match]


async def called(nvim: Editor, *words: str) -> None:
    """Wait until exactly these messages were shown."""

    async def are_shown() -> bool:
        return await messages(nvim) == [*words]

    await until(are_shown, f"{words} is shown; there is {await messages(nvim)}")


async def look(nvim: Editor, event: str) -> None:
    """Have the terminal report that the editor has got or lost the focus."""
    await nvim.command(f"doautocmd {event}")
    await nvim.idle(100)


PERMISSION = "Claude asks: Bash mkdir a · :ClaudeAnswer"


@BOTH
async def test_a_permission_on_the_screen_calls_after_a_while(nvim: Editor, start: Start) -> None:
    cli = await start({"seconds": SHORT})

    async with asking(cli):
        await shown(nvim, "mkdir a")
        await called(nvim, PERMISSION)


@BOTH
async def test_without_the_focus_it_calls_at_once(nvim: Editor, start: Start) -> None:
    cli = await start({"seconds": LONG})
    await look(nvim, "FocusLost")

    async with asking(cli):
        await called(nvim, PERMISSION)


@BOTH
async def test_it_calls_when_the_user_leaves_the_editor(nvim: Editor, start: Start) -> None:
    cli = await start({"seconds": LONG})
    async with asking(cli):
        await shown(nvim, "mkdir a")
        assert await messages(nvim) == []

        await look(nvim, "FocusLost")

        await called(nvim, PERMISSION)


@BOTH
async def test_a_session_calls_once_until_the_user_comes(nvim: Editor, start: Start) -> None:
    cli = await start({"seconds": LONG})
    await look(nvim, "FocusLost")
    async with asking(cli):
        await called(nvim, PERMISSION)
    async with asking(cli, command="mkdir b"):
        await shown(nvim, "mkdir b")
        await nvim.idle(200)
        assert await messages(nvim) == [PERMISSION]

    await look(nvim, "FocusGained")
    await nvim.command("wincmd p")
    await nvim.command("wincmd p")
    await look(nvim, "FocusLost")

    async with asking(cli, command="mkdir c"):
        await called(nvim, PERMISSION, "Claude asks: Bash mkdir c · :ClaudeAnswer")


@BOTH
async def test_after_an_answer_it_may_call_again(nvim: Editor, start: Start) -> None:
    cli = await start({"seconds": SHORT})
    async with asking(cli) as asked:
        await called(nvim, PERMISSION)
        await entered(nvim, "mkdir a")
        await nvim.keys("y")
        await asked

    async with asking(cli, command="mkdir b"):
        await called(nvim, PERMISSION, "Claude asks: Bash mkdir b · :ClaudeAnswer")


@BOTH
async def test_what_was_answered_in_time_calls_nobody(nvim: Editor, start: Start) -> None:
    cli = await start({"seconds": 1})
    async with asking(cli) as asked:
        await entered(nvim, "mkdir a")
        await nvim.keys("y")
        await asked

    await nvim.idle(1200)
    assert await messages(nvim) == []


@BOTH
async def test_a_question_in_a_terminal_that_is_not_on_the_screen_calls_at_once(
    nvim: Editor, start: Start
) -> None:
    cli = await start({"seconds": LONG})
    await nvim.command("tabnew")
    option = {"label": "Otter", "description": ""}
    question = {"question": "Which animal?", "header": "Animal", "options": [option, option]}

    await cli.send(
        "PermissionRequest",
        tool_name="AskUserQuestion",
        tool_input={"questions": [question | {"multiSelect": False}]},
        permission_suggestions=[],
    )

    await called(nvim, "Claude asks: Which animal? · :ClaudeFocus")
    for event, text in (None, "Claude: wants you 1?"), ("Stop", "Claude: ready"):
        if event:
            await cli.send(event)

        async def is_shown(wanted: str = text) -> bool:
            return await status_line(nvim) == wanted

        await until(is_shown, text)


@BOTH
async def test_a_dialog_that_only_a_notification_tells_of_calls_once(
    nvim: Editor, start: Start
) -> None:
    cli = await start({"seconds": LONG})
    await nvim.command("tabnew")
    await cli.send("UserPromptSubmit", prompt="do it")

    for kind in ("permission_prompt", "agent_needs_input", "elicitation_dialog"):
        await cli.send("Notification", message="Choose a mode", notification_type=kind)

    await called(nvim, "Claude asks: Choose a mode · :ClaudeFocus")
    assert await status_line(nvim) == "Claude: wants you 1?"
    await cli.send("Stop")
    await until(lambda: nvim.eval("getbufvar(bufnr('Claude'), 'claude_ide').state == 'idle'"))


@BOTH
async def test_a_plan_in_a_terminal_that_is_left_calls_after_a_while(
    nvim: Editor, start: Start
) -> None:
    cli = await start({"seconds": SHORT})
    given = {"tool_name": "ExitPlanMode", "tool_input": {"plan": "Swim"}}

    await cli.send("PermissionRequest", **given, permission_suggestions=[])

    await called(nvim, "Claude asks: the plan · :ClaudeFocus")


@BOTH
async def test_what_the_dialog_was_answered_calls_nobody(nvim: Editor, start: Start) -> None:
    cli = await start({"seconds": 1})
    given = {"tool_name": "ExitPlanMode", "tool_input": {"plan": "Swim"}}
    await cli.send("PermissionRequest", **given, permission_suggestions=[])

    await cli.send("PostToolUse", **given, tool_use_id="t1")

    await nvim.idle(1200)
    assert await messages(nvim) == []


@BOTH
async def test_the_end_of_a_long_turn_is_told_once(nvim: Editor, start: Start, path: Path) -> None:
    cli = await start({"seconds": 0})
    folder = str(path.parent)
    await cli.send("UserPromptSubmit", prompt="do it", cwd=folder)
    given = {"file_path": str(path)}
    tool = {"tool_name": "Edit", "tool_use_id": "t1", "tool_input": given, "cwd": folder}
    await cli.send("PreToolUse", **tool)
    path.write_text("one\n2\nthree\n")
    await cli.send("PostToolUse", **tool)

    await cli.send("Stop", cwd=folder)

    await called(nvim, "Claude: done, 1 file +1 \N{MINUS SIGN}1 · :ClaudeReview")


@BOTH
async def test_the_end_of_a_turn_that_has_changed_nothing_is_told_if_it_was_long(
    nvim: Editor, start: Start
) -> None:
    cli = await start({"seconds": 0})
    await cli.send("UserPromptSubmit", prompt="do it")

    await cli.send("StopFailure")

    await called(nvim, "Claude: failed")


@BOTH
@pytest.mark.parametrize("attention", [{"seconds": LONG}, False])
async def test_a_short_turn_calls_nobody(nvim: Editor, start: Start, attention: Any) -> None:
    cli = await start(attention)
    await cli.send("UserPromptSubmit", prompt="do it")

    await cli.send("Stop")

    await the(nvim, "ClaudeTurnEnd")
    await nvim.idle(300)
    assert await messages(nvim) == []


@BOTH
async def test_the_end_of_a_turn_calls_nobody_who_is_in_its_window(
    nvim: Editor, start: Start
) -> None:
    cli = await start({"seconds": 0})
    await cli.send("UserPromptSubmit", prompt="do it")
    await nvim.keys("<C-w>p")
    await until(lambda: nvim.eval("&buftype == 'terminal'"), "the user is in the terminal")
    await nvim.idle(100)

    await cli.send("Stop")

    await the(nvim, "ClaudeTurnEnd")
    await nvim.idle(300)
    assert await messages(nvim) == []


@BOTH
async def test_the_option_ends_all_calls(nvim: Editor, start: Start) -> None:
    cli = await start(False)
    await look(nvim, "FocusLost")

    async with asking(cli):
        await shown(nvim, "mkdir a")
        await nvim.idle(300)
        assert await messages(nvim) == []


@BOTH
async def test_a_diff_that_opens_calls_after_a_while(
    serving: Editor, claude: ClaudeCode, project: Path
) -> None:
    path = str(project / "a.py")
    _, asked = claude.start_call("openDiff", {"old_file_path": path, "new_file_contents": "x\n"})
    await until(lambda: shows_a_diff(serving), "the diff is shown")
    assert await messages(serving) == []

    await look(serving, "FocusLost")
    await serving.idle(200)
    assert await messages(serving) == []

    await serving.keys(":w<CR>")
    await asked
    _, asked = claude.start_call("openDiff", {"old_file_path": path, "new_file_contents": "x\n"})

    await called(serving, "Claude Code asks: edit of a.py")


async def end_a_turn(cli: HookedCli) -> None:
    await cli.send("UserPromptSubmit", prompt="do it")
    await cli.send("Stop")


@pytest.fixture
async def in_terminal(project: Path, tmp_path: Path) -> AsyncIterator[Callable[..., Any]]:
    """Start a Neovim as a user does, with a CLI; returns its terminal and the CLI."""
    started: list[Terminal] = []

    async def start(**environment: str) -> tuple[Terminal, HookedCli]:
        program, record = recorder(tmp_path)
        options = {"python": sys.executable, "cmd": str(program), "attention": NOW | {"bell": True}}
        terminal = await Terminal.start(
            *[nvim_binary(), "-u", "NORC", "-i", "NONE", "-n", "--cmd", f"set rtp^={ROOT}"],
            *["--cmd", f"let g:claude_ide = json_decode('{json.dumps(options)}')", "-c", "Claude"],
            cwd=project,
            env=clean_environment(tmp_path / "home") | environment,
        )
        started.append(terminal)
        cli = await HookedCli.started(record)
        await terminal.type_and_wait(b"\x1c\x0e\x17p:echo 'be' .. 'side'\r")
        await terminal.shows("beside")
        return terminal, cli

    yield start
    for terminal in started:
        await terminal.stop()


OSC = re.compile(rb"\x1b\](9;|777;)?([^\x07\x1b]*)(?:\x07|\x1b\\)")


def notified(terminal: Terminal) -> list[str]:
    """Return the notifications that were written to a terminal, and its bells."""
    written = bytes(terminal.received)
    shown = [(found[1] + found[2]).decode() for found in OSC.finditer(written) if found[1]]
    return shown + ["bell"] * OSC.sub(b"", written).count(b"\x07")


NOTIFIED = [
    ({"TERM_PROGRAM": "iTerm.app"}, "9;Claude: done"),
    ({"TERM_PROGRAM": "WezTerm"}, "777;notify;Claude;Claude: done"),
    ({"TERM_PROGRAM": "WezTerm", "TMUX": "/tmp/x,1,0"}, "bell"),
    ({"TERM_PROGRAM": "WezTerm", "NVIM": "/tmp/x"}, "bell"),
]


@pytest.mark.parametrize(("environment", "shown"), NOTIFIED)
async def test_neovims_terminal_gets_a_notification_or_the_bell(
    in_terminal: Callable[..., Any], environment: dict[str, str], shown: str
) -> None:
    terminal, cli = await in_terminal(**environment)

    await end_a_turn(cli)

    await terminal.until(lambda: notified(terminal) == [shown], "it is written")


@pytest.mark.parametrize(("environment", "shown"), NOTIFIED[:3])
@pytest.mark.parametrize("nvim", ["vim"], indirect=True)
async def test_vims_terminal_gets_a_notification_or_the_bell(
    nvim: Vim, start: Start, environment: dict[str, str], shown: str
) -> None:
    for name, value in environment.items():
        await nvim.command(f"let ${name} = '{value}'")
    cli = await start(NOW | {"bell": True})

    await end_a_turn(cli)

    await nvim.screen.until(lambda: notified(nvim.screen) == [shown], "it is written")


ALLOW = acp.option("o1", "allow_once", "Yes"), acp.option("o2", "reject_once", "No")


async def test_a_request_in_a_chat_that_is_not_on_the_screen_calls_at_once(
    nvim: Neovim, fake_agent: Make, tmp_path: Path
) -> None:
    request = acp.permission("t1", *ALLOW, title="swim", kind="execute")
    fake = fake_agent(Script(prompt=[acp.until(tmp_path / "now"), request, acp.say("Swum")]))
    panel = await begin_chat(nvim, fake, attention={"seconds": LONG})
    await panel.send("swim")
    await nvim.command("stopinsert | tabnew")

    (tmp_path / "now").touch()

    await called(nvim, "fake asks: swim · :ClaudeChat answer")


async def test_a_request_in_a_chat_on_the_screen_calls_after_a_while(
    nvim: Neovim, fake_agent: Make
) -> None:
    request = acp.permission("t1", *ALLOW, title="swim", kind="execute")
    fake = fake_agent(Script(prompt=[request, acp.say("Swum")]))
    panel = await begin_chat(nvim, fake, attention={"seconds": SHORT})
    await panel.send("swim")
    await nvim.command("stopinsert | wincmd h")

    await called(nvim, "fake asks: swim · :ClaudeChat answer")


async def test_a_diff_of_a_chat_calls_when_it_is_on_the_screen(
    nvim: Neovim, fake_agent: Make, project: Path
) -> None:
    path = project / "a.py"
    path.write_text("one\n")
    content = [acp.diff(str(path), "one\n", "two\n")]
    request = acp.permission("t1", *ALLOW, title="Edit", kind="edit", content=content)
    fake = fake_agent(Script(prompt=[request, acp.say("Done")]))
    panel = await begin_chat(nvim, fake, attention={"seconds": SHORT})

    await panel.send("edit")

    await until(lambda: shows_a_diff(nvim), "the diff is shown")
    await called(nvim, "fake asks: Edit a.py · :ClaudeChat answer")
    await nvim.keys(":w<CR>")
    await panel.shows("Done")


async def test_the_end_of_a_long_turn_of_a_chat_is_told_elsewhere(
    nvim: Neovim, fake_agent: Make, tmp_path: Path
) -> None:
    fake = fake_agent(Script(prompt=[acp.until(tmp_path / "now"), acp.say("Done")]))
    panel = await begin_chat(nvim, fake, attention={"seconds": 0})
    await panel.send("swim")
    await nvim.command("stopinsert | wincmd h")
    await nvim.idle(100)

    (tmp_path / "now").touch()

    await called(nvim, "fake: done")


async def test_the_end_of_a_turn_of_a_chat_is_told_nobody_who_is_there(
    nvim: Neovim, fake_agent: Make
) -> None:
    panel = await begin_chat(nvim, fake_agent(Script(prompt=[acp.say("Done")])), attention=NOW)
    await panel.send("swim")
    await panel.shows("Done")

    await nvim.idle(300)
    assert await messages(nvim) == []


@BOTH
async def test_the_terminal_says_what_its_cli_does(
    nvim: Editor, start: Start, project: Path
) -> None:
    await nvim.command("autocmd FileType claude-terminal let g:described = b:claude_ide")
    cli = await start({"seconds": LONG})
    terminal = {"name": "1", "folder": await nvim.eval("getcwd()")}

    async def is_described(state: str) -> None:
        async def described() -> Any:
            return await nvim.eval("getbufvar(bufnr('Claude'), 'claude_ide')")

        async def matches() -> bool:
            return bool(await described() == terminal | {"state": state})

        await until(matches, f"it is {state}")

    assert await nvim.eval("g:described") == terminal | {"state": "idle"}
    await cli.send("UserPromptSubmit", prompt="do it")
    await is_described("working")
    async with asking(cli):
        await is_described("wants you")
    await is_described("working")
    await cli.send("Stop")
    await is_described("idle")
    await cli.send("Notification", message="waits", notification_type="idle_prompt")
    await cli.send("SubagentStop", agent_id="a0", agent_type="")
    await nvim.idle(300)
    await is_described("idle")
