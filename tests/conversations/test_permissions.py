"""The permissions of a CLI in a terminal, in a float of a real Neovim or a popup of Vim."""

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from support.claude_code import ClaudeCode, claude_code, the_lock
from support.either_editor import (
    BOTH,
    Editor,
    choose,
    configure,
    set_size,
    shows_a_diff,
    status_line,
    type_answer,
)
from support.happenings import HookedCli, recorder
from support.neovim import until
from support.permissions import (
    EDITS,
    NOTICED,
    RULE,
    counts,
    decision,
    enter,
    entered,
    follow,
    gone,
    look,
    shown,
)
from support.vim import Vim

pytestmark = BOTH

Ask = Callable[..., "asyncio.Task[bytes]"]


@pytest.fixture
async def cli(nvim: Editor, tmp_path: Path, path: Path) -> HookedCli:
    """A CLI in the terminal of `:Claude`; the user is in another window."""
    program, record = recorder(tmp_path)
    await configure(nvim, cmd=str(program))
    await follow(nvim)
    await nvim.command("Claude")
    cli = await HookedCli.started(record)
    await nvim.keys(r"<C-\><C-n><C-w>p")
    await until(lambda: nvim.eval("&buftype == ''"), "the user is in the file")
    return cli


@pytest.fixture
async def ask(cli: HookedCli) -> AsyncIterator[Ask]:
    """Have the CLI ask for a permission."""
    asked: list[asyncio.Task[bytes]] = []

    def ask(command: str = "mkdir a", *suggestions: Any, **fields: Any) -> "asyncio.Task[bytes]":
        given = {"command": command, "description": "Make it"}
        tool = {"tool_name": "Bash", "tool_input": given} | fields
        work = cli.send("PermissionRequest", **tool, permission_suggestions=[*suggestions])
        asked.append(asyncio.ensure_future(work))
        return asked[-1]

    yield ask
    for each in asked:
        each.cancel()
    await asyncio.gather(*asked, return_exceptions=True)


async def test_a_permission_is_shown_without_focus(nvim: Editor, ask: Ask) -> None:
    window = await nvim.eval("win_getid()")
    ask("mkdir a", EDITS)

    float_ = await shown(nvim, "mkdir a")

    assert "? Run this command?" in float_["text"]
    assert "Make it" in float_["text"]
    assert "switch to acceptEdits mode (this session)" in float_["text"]
    assert float_["title"] == " Claude asks "
    assert float_["footer"] == " :ClaudeAnswer "
    assert not float_["is_focusable"]
    assert await nvim.eval("win_getid()") == window
    assert counts(nvim) == [1]
    for _ in range(3):
        await nvim.keys("<C-w>w")
        assert await nvim.eval("&filetype") != "claude-permission"


async def test_the_status_line_counts_permissions(nvim: Editor, ask: Ask) -> None:
    first, second = ask("mkdir a"), ask("mkdir b")

    async def counted(number: int) -> bool:
        shown = await status_line(nvim)
        return f"{number}?" in shown if number else "?" not in shown

    await until(lambda: counted(2), "two permissions are counted")
    assert "wants you" in await status_line(nvim)
    first.cancel()
    await until(lambda: counted(1), "one permission is counted")
    second.cancel()
    await gone(nvim)
    await until(lambda: counted(0), "no permission is counted")


async def test_nothing_is_hidden(nvim: Editor, ask: Ask) -> None:
    ask("echo \x1b[2Jsafe\r; rm -rf \u202e/")

    float_ = await shown(nvim, "rm -rf")

    assert "^[[2Jsafe^M; rm -rf <202e>/" in float_["text"].replace("\n", "")


async def test_a_yes_allows_and_the_user_returns(nvim: Editor, ask: Ask) -> None:
    window = await nvim.eval("win_getid()")
    asked = ask()
    await entered(nvim, "mkdir a")

    await nvim.keys("y")

    assert await decision(asked) == {"behavior": "allow"}
    await gone(nvim)
    assert await nvim.eval("win_getid()") == window
    await until(lambda: counts(nvim) == [1, 0], "nothing waits")


async def test_a_no_carries_its_reason(nvim: Editor, ask: Ask) -> None:
    asked = ask()
    await entered(nvim, "mkdir a")

    await nvim.keys("N")
    await until(lambda: "Why not?" in nvim.screen.text(), "the question")
    await type_answer(nvim, "Not there<CR>")

    assert await decision(asked) == {"behavior": "deny", "message": "Not there"}


async def test_it_waits_for_the_end_of_a_command_line(nvim: Editor, ask: Ask) -> None:
    await nvim.keys(":echo")
    asked = ask()
    await until(lambda: counts(nvim) == [1], "it waits")
    await nvim.idle(200)
    assert not await look(nvim)
    assert await nvim.eval("getcmdline()") == "echo"

    await nvim.keys("<Esc>")

    await shown(nvim, "mkdir a")
    assert not asked.done()


async def test_a_plain_no_is_a_rejection(nvim: Editor, ask: Ask) -> None:
    asked = ask()
    await entered(nvim, "mkdir a")

    await nvim.keys("n")

    answer = await decision(asked)
    assert (answer["behavior"], bool(answer["message"])) == ("deny", True)


async def test_always_adds_the_rule_that_the_user_edits(nvim: Editor, ask: Ask) -> None:
    asked = ask("mkdir a", RULE)
    await entered(nvim, "always: Bash(mkdir *)")

    await nvim.keys("a")
    await until(lambda: "for this project, for you" in nvim.screen.text(), "the scopes")
    await choose(nvim, 2)
    await until(lambda: "Rule for this project, for you: " in nvim.screen.text(), "the rule")
    await type_answer(nvim, "<C-u>Bash(mkdir b)<CR>")

    rule = {"toolName": "Bash", "ruleContent": "mkdir b"}
    update = {"type": "addRules", "rules": [rule], "behavior": "allow"}
    update |= {"destination": "localSettings"}
    assert await decision(asked) == {"behavior": "allow", "updatedPermissions": [update]}


async def test_always_sends_a_suggestion_back_unchanged(nvim: Editor, ask: Ask) -> None:
    asked = ask("mkdir a", EDITS)
    await entered(nvim, "acceptEdits")

    await nvim.keys("a")
    await until(lambda: "by a rule, for this session" in nvim.screen.text(), "the ways")
    await choose(nvim, 5)

    assert await decision(asked) == {"behavior": "allow", "updatedPermissions": [EDITS]}


async def test_a_long_command_is_read_before_it_is_allowed(nvim: Editor, ask: Ask) -> None:
    asked = ask("\n".join(f"echo {number}" for number in range(100)))
    await entered(nvim, "more lines")

    await nvim.keys("y")
    await shown(nvim, "echo 99")
    await nvim.keys("y")
    await until(lambda: "scroll to the end" in nvim.screen.text(), "the reason")
    assert not asked.done()
    for _ in range(20):
        await nvim.keys("<C-d>")
        await nvim.idle(20)
    await nvim.idle(NOTICED)
    assert "echo 99" in nvim.screen.text()
    await nvim.keys("y")

    assert await decision(asked) == {"behavior": "allow"}


async def test_a_key_typed_too_early_does_not_answer(nvim: Editor, ask: Ask) -> None:
    first, second = ask("mkdir a"), None
    await shown(nvim, "mkdir a")
    second = ask("mkdir b", tool_use_id="other")
    await until(lambda: counts(nvim) == [1, 2], "two wait")
    assert (await look(nvim))["title"] == " Claude asks · 1 of 2 "
    await enter(nvim)

    await nvim.keys("yy")

    assert await decision(first) == {"behavior": "allow"}
    float_ = await shown(nvim, "mkdir b")
    assert float_["is_inside"]
    await nvim.idle(100)
    assert not second.done()


async def test_an_answer_in_the_terminal_closes_the_float(
    nvim: Editor, cli: HookedCli, ask: Ask
) -> None:
    tool = {"tool_name": "Bash", "tool_input": {"command": "mkdir a", "description": "Make it"}}
    other = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
    await cli.send("PreToolUse", **other, tool_use_id="t0")
    await cli.send("PreToolUse", **tool, tool_use_id="t1")
    asked = ask()
    await shown(nvim, "mkdir a")

    await cli.send("PostToolUse", **other, tool_use_id="t0", tool_response={})
    assert not asked.done()
    await cli.send("PostToolUse", **tool, tool_use_id="t1", tool_response={})

    assert await decision(asked) == {}
    await gone(nvim)


@pytest.mark.parametrize("event", ["UserPromptSubmit", "Stop", "SessionEnd"])
async def test_the_end_of_a_turn_closes_the_float(
    nvim: Editor, cli: HookedCli, ask: Ask, event: str
) -> None:
    asked = ask()
    await shown(nvim, "mkdir a")

    await cli.send(event)

    assert await decision(asked) == {}
    await gone(nvim)


async def test_a_subagent_waits_longer_than_the_turn(
    nvim: Editor, cli: HookedCli, ask: Ask
) -> None:
    agent = {"agent_id": "a1", "agent_type": "Explore"}
    tool = {"tool_name": "Bash", "tool_input": {"command": "mkdir a", "description": "Make it"}}
    await cli.send("PreToolUse", **tool, **agent, tool_use_id="t1")
    await cli.send("Stop")
    asked = ask(**agent)
    await shown(nvim, "A subagent (Explore) asks: run this command?")

    await cli.send("Stop")
    await cli.use("Read", "t2", {"file_path": "/a"})
    assert not asked.done()
    await cli.send("PostToolUse", **tool, **agent, tool_use_id="t1")

    assert await decision(asked) == {}
    await gone(nvim)


async def test_a_cli_that_disconnects_closes_the_float(nvim: Editor, ask: Ask) -> None:
    asked = ask()
    await entered(nvim, "mkdir a")

    asked.cancel()

    await gone(nvim)
    assert await nvim.eval("&buftype") == ""


async def test_a_diff_that_opens_later_closes_the_float(
    nvim: Editor, ask: Ask, path: Path, config_folder: Path
) -> None:
    change = {"file_path": str(path), "old_string": "a", "new_string": "b"}
    asked = ask(tool_name="Edit", tool_input=change)
    await shown(nvim, path.name)

    async with claude_code(config_folder) as claude:
        diff = {"old_file_path": str(path), "new_file_path": str(path), "tab_name": "t"}
        claude.start_call("openDiff", {**diff, "new_file_contents": "b"})
        await gone(nvim)

        assert await decision(asked) == {}


Proposed = tuple["asyncio.Task[bytes]", ClaudeCode, "asyncio.Future[Any]"]


@contextlib.asynccontextmanager
async def proposed(
    nvim: Editor, ask: Ask, folder: Path, path: Path, *suggestions: Any, **more: str
) -> AsyncIterator[Proposed]:
    """An edit for which the CLI asks and which a diff shows: hook, client, and its call."""
    path.write_text(more.get("old", "a"))
    change = {"file_path": str(path), "old_string": "a", "new_string": more.get("new", "b")}
    asked = ask("", *suggestions, tool_name="Edit", tool_input=change)
    await set_size(nvim, 180, 40)
    async with claude_code(folder) as claude:
        diff = {"old_file_path": str(path), "new_file_path": str(path), "tab_name": "t"}
        _, call = claude.start_call(
            "openDiff", {**diff, "new_file_contents": more.get("text", "b")}
        )
        await until(lambda: shows_a_diff(nvim), "the diff")
        await nvim.idle(NOTICED)
        assert not await look(nvim)
        assert asked.done() != ("gA always" in nvim.screen.text())
        yield asked, claude, call


async def test_a_diff_answers_the_hook_together_with_a_mode(
    nvim: Editor, ask: Ask, path: Path, config_folder: Path
) -> None:
    async with proposed(nvim, ask, config_folder, path, EDITS) as (asked, claude, call):
        await nvim.keys("gA")

        assert await decision(asked) == {"behavior": "allow", "updatedPermissions": [EDITS]}
        assert [call.done(), await nvim.eval("v:errmsg")] == [False, ""]
        await claude.call("close_tab", {"tab_name": "t"})
        await call


async def test_the_diff_of_a_deleted_line_holds_the_hook(
    nvim: Editor, ask: Ask, path: Path, config_folder: Path
) -> None:
    change = {"old": "a\nc", "new": "", "text": "c"}
    async with proposed(nvim, ask, config_folder, path, EDITS, **change) as (asked, *_):
        assert not asked.done()


async def test_an_edit_is_accepted_alone_if_the_hooks_answer_has_no_effect(
    nvim: Editor, ask: Ask, path: Path, config_folder: Path
) -> None:
    async with proposed(nvim, ask, config_folder, path, EDITS) as (_, _, call):
        await nvim.keys("gA")

        assert [block["text"] for block in (await call)["content"]] == ["FILE_SAVED", "b"]
        await until(lambda: "Claude still asks" in nvim.screen.text(), "the message")


@pytest.mark.parametrize("keys", [":w<CR>", ":q!<CR>"])
async def test_the_hook_ends_with_its_diff(
    nvim: Editor, ask: Ask, path: Path, config_folder: Path, keys: str
) -> None:
    async with proposed(nvim, ask, config_folder, path, EDITS) as (asked, _, call):
        await nvim.keys(keys)

        await call
        assert await decision(asked) == {}


@pytest.mark.parametrize(
    ("suggestions", "text"), [((), "b"), ((EDITS,), "c")], ids=["no mode", "another edit"]
)
async def test_a_diff_holds_no_hook_that_it_must_not_answer(
    nvim: Editor, ask: Ask, path: Path, config_folder: Path, suggestions: Any, text: str
) -> None:
    found = proposed(nvim, ask, config_folder, path, *suggestions, text=text)
    async with found as (asked, _, call):
        assert await decision(asked) == {}
        await nvim.keys("gA")

        await until(lambda: "only this edit can be" in nvim.screen.text(), "the message")
        assert not call.done()


async def test_the_next_host_shows_the_float_again(
    nvim: Editor, ask: Ask, config_folder: Path
) -> None:
    asked = ask()
    await shown(nvim, "mkdir a")

    _, lock = await the_lock(config_folder)
    os.kill(lock["hostPid"], signal.SIGKILL)

    await until(lambda: counts(nvim) == [1, 0, 1], "it has gone and come")
    await entered(nvim, "mkdir a")
    await nvim.keys("y")
    assert await decision(asked) == {"behavior": "allow"}


@pytest.mark.parametrize("tool", ["AskUserQuestion", "ExitPlanMode"])
async def test_questions_and_plans_stay_in_the_terminal(ask: Ask, tool: str) -> None:
    assert await decision(ask(tool_name=tool, tool_input={})) == {}


async def test_the_float_follows_the_tab_page_and_the_screen(nvim: Editor, ask: Ask) -> None:
    asked = ask()
    await shown(nvim, "mkdir a")

    await nvim.command("tabnew")
    await shown(nvim, "mkdir a")
    assert await nvim.eval("tabpagewinnr(1, '$')") == 2
    await set_size(nvim, 40, 12)
    await until(lambda: nvim.eval("&columns == 40"), "the screen is small")

    async def fits() -> bool:
        float_ = await look(nvim)
        return bool(float_) and float_["last_row"] < 11 and float_["last_column"] < 40

    await until(fits, "it fits")
    await nvim.command("quit")
    await shown(nvim, "mkdir a")
    assert await nvim.eval("tabpagenr('$')") == 1
    assert not asked.done()


async def test_it_leaves_the_cursor_and_the_terminal_alone(nvim: Editor, ask: Ask) -> None:
    ask()
    width, height = await nvim.eval("winwidth(0)"), await nvim.eval("winheight(0)")

    below = await shown(nvim, "mkdir a")
    await nvim.keys(f"{height}o<Esc>")
    await until(lambda: nvim.eval(f"line('.') > {height}"), "the cursor is below")
    await nvim.command("doautocmd WinEnter")

    assert below["last_row"] == height - 1
    assert below["last_column"] == width - 1

    async def is_above() -> bool:
        return bool((await look(nvim))["last_row"] < height - 1)

    await until(is_above, "it is above the cursor")


async def test_a_float_that_the_user_closes_comes_back(nvim: Editor, ask: Ask) -> None:
    asked = ask()
    await entered(nvim, "mkdir a")

    await nvim.keys("<C-c>" if isinstance(nvim, Vim) else ":q<CR>")
    await gone(nvim)
    assert not asked.done()
    await enter(nvim)
    await nvim.keys("y")

    assert await decision(asked) == {"behavior": "allow"}


async def test_it_does_not_cover_the_dialog_in_the_terminal(nvim: Editor, ask: Ask) -> None:
    await nvim.keys("<C-w>p")
    await until(lambda: nvim.eval("&buftype == 'terminal'"), "the user is in the terminal")
    asked = ask()
    await until(lambda: counts(nvim) == [1], "it waits")
    await nvim.idle(100)
    assert not await look(nvim)

    await nvim.keys("<C-w>p")
    await shown(nvim, "mkdir a")
    await nvim.keys("<C-w>p")
    await gone(nvim)
    await enter(nvim)
    await nvim.keys("y")

    assert await decision(asked) == {"behavior": "allow"}


async def test_a_key_that_answers_the_dialog_ends_the_float(nvim: Editor, ask: Ask) -> None:
    asked = ask()
    await shown(nvim, "mkdir a")
    await nvim.keys("<C-w>pix")
    await gone(nvim)
    assert not asked.done()

    await nvim.keys("1")

    assert await decision(asked) == {}
    await until(lambda: counts(nvim) == [1, 0] and "x1" in nvim.screen.text(), "the CLI has it")


TAKES_TIME = 500
"""Milliseconds for which the next permission waits while the user types a command."""


@pytest.mark.parametrize("answer", [":ClaudeAnswer", "V"], ids=["command", "visual"])
@pytest.mark.parametrize("then", ["y", "a"])
async def test_a_key_never_allows_what_was_not_on_the_screen(
    nvim: Editor, ask: Ask, answer: str, then: str
) -> None:
    first = ask("mkdir a")
    await shown(nvim, "mkdir a")
    second = ask("rm -rf /", tool_use_id="other")
    await until(lambda: counts(nvim) == [1, 2], "two wait")
    if answer == "V" and not isinstance(nvim, Vim):
        await enter(nvim)
    await nvim.keys(answer)
    await until(lambda: nvim.eval("mode() =~# '[cvV]'"), "a half-typed command")
    first.cancel()
    await until(lambda: counts(nvim) == [1, 2, 1], "the second one has its place")
    await nvim.idle(TAKES_TIME)
    assert "rm -rf" not in nvim.screen.text()

    if answer != "V":
        await nvim.keys("<CR>")
    elif isinstance(nvim, Vim):
        await nvim.keys("<Esc>:ClaudeAnswer<CR>")
    else:
        await nvim.keys(f"<Esc>{then}")
    await until(lambda: _is_inside(nvim), "the user is in the float")
    await nvim.keys(then)
    await shown(nvim, "rm -rf")
    await nvim.idle(200)

    assert not second.done()


async def _is_inside(nvim: Editor) -> bool:
    return bool((await look(nvim)).get("is_inside"))


async def test_the_number_of_those_that_wait_delays_no_answer(nvim: Editor, ask: Ask) -> None:
    first = ask("mkdir a")
    await entered(nvim, "mkdir a")
    ask("mkdir b", tool_use_id="other")
    await until(lambda: counts(nvim) == [1, 2], "two wait")
    await until(lambda: "1 of 2" in nvim.screen.text(), "the number")

    await nvim.keys("y")

    assert await decision(first) == {"behavior": "allow"}


@pytest.mark.parametrize("said", ["yes", "no"])
async def test_the_commands_for_edits_answer_a_permission_from_elsewhere(
    nvim: Editor, ask: Ask, said: str
) -> None:
    asked = ask("mkdir a")
    await shown(nvim, "mkdir a")
    window = await nvim.eval("win_getid()")
    await nvim.command("ClaudeAccept")
    await nvim.idle(NOTICED)
    assert not asked.done(), "it had just appeared"

    await nvim.command("ClaudeAccept" if said == "yes" else "ClaudeReject use another folder")

    given = await decision(asked)
    expected = {"behavior": "deny", "message": "use another folder"}
    assert given == ({"behavior": "allow"} if said == "yes" else expected)
    await gone(nvim)
    assert await nvim.eval("win_getid()") == window


async def test_a_command_says_that_nothing_waits_for_an_answer(nvim: Editor) -> None:
    await nvim.command("ClaudeAccept")

    await until(lambda: "nothing on the screen waits for your" in nvim.screen.text(), "the message")


async def test_a_command_from_elsewhere_allows_nothing_that_was_not_shown_whole(
    nvim: Editor, ask: Ask
) -> None:
    asked = ask("\n".join(f"echo {number}" for number in range(10)), EDITS, RULE)
    await set_size(nvim, 90, 14)
    await shown(nvim, "echo 9")
    await nvim.idle(NOTICED)

    await nvim.command("ClaudeAccept")

    await until(lambda: ":ClaudeAnswer goes to it" in nvim.screen.text(), "the reason")
    assert not asked.done()


async def test_an_edit_in_the_current_window_goes_before_a_permission(
    nvim: Editor, ask: Ask, path: Path, config_folder: Path
) -> None:
    asked = ask("mkdir a")
    await shown(nvim, "mkdir a")
    async with claude_code(config_folder) as claude:
        diff = {"old_file_path": str(path), "new_file_path": str(path), "tab_name": "t"}
        _, call = claude.start_call("openDiff", {**diff, "new_file_contents": "b"})
        await until(lambda: shows_a_diff(nvim), "the diff")
        await nvim.idle(NOTICED)

        await nvim.command("ClaudeAccept")
        await call

        await until(lambda: nvim.eval("tabpagenr('$') == 1"), "the diff is closed")
        assert not asked.done()
        await shown(nvim, "mkdir a")
        await nvim.idle(NOTICED)
        await nvim.command("ClaudeAccept")
        assert await decision(asked) == {"behavior": "allow"}
