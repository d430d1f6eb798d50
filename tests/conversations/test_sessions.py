"""`:ClaudeSessions` in a real Neovim and a real Vim, with records as the CLI writes them."""

import asyncio
import json
import os
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from claude_ide.hooks import registration
from support import checkout
from support.claude_code import claude_code
from support.claude_terminal import open_claude
from support.either_editor import (
    BOTH,
    Editor,
    choose,
    choose_item,
    configure,
    hidden,
    on_screen,
    pid_of,
    status_line,
)
from support.happenings import HookedCli, recorder
from support.neovim import Neovim, until
from support.permissions import NOTICED
from support.session_records import Records
from support.vim import Vim

pytestmark = BOTH


@pytest.fixture
def records(config_folder: Path) -> Records:
    return Records(config_folder)


@pytest.fixture
def other() -> Iterator[int]:
    """The id of another process that runs."""
    with subprocess.Popen(["sleep", "1000"]) as process:
        yield process.pid
        process.kill()


async def sessions(nvim: Editor) -> list[dict[str, Any]]:
    """What the editor's own function returns."""
    if isinstance(nvim, Vim):
        return list(await nvim.eval("claude_ide#sessions()"))
    return list(await nvim.lua("return require('claude_ide').sessions()"))


@asynccontextmanager
async def started(folder: Path, home: Path) -> AsyncIterator[Neovim]:
    """A Neovim in a folder, beside the editor of the test."""
    editor = await Neovim.start(cwd=folder, home=home)
    try:
        yield editor
    finally:
        await editor.stop()


async def lines(nvim: Editor) -> list[str]:
    return list(await nvim.eval("getline(1, '$')"))


async def open_list(nvim: Editor, words: str = "") -> None:
    await nvim.command(f"ClaudeSessions {words}")
    await until(lambda: nvim.eval("&filetype == 'claude-list'"), "the list")


async def test_sessions_of_all_folders_are_below_their_projects(
    nvim: Editor, records: Records, project: Path, tmp_path: Path, other: int
) -> None:
    (tmp_path / "elsewhere").mkdir()
    records.job("old", cwd=str(project), updatedAt="2026-01-01T00:00:00Z")
    records.running_job(
        *("fish", "waiting", other), cwd=str(tmp_path / "elsewhere"), needs="approve Bash: make"
    )
    records.process("s", name="proj-43", cwd=str(project), status="busy")

    await open_list(nvim)

    await on_screen(nvim, "background  fish · approve Bash: make")
    await on_screen(nvim, "Sessions · 1 waiting")
    assert "y allow" not in nvim.screen.text()
    shown = await lines(nvim)
    assert [line.split("  ")[0] for line in shown] == [
        *(str(project), "works", "ended"),
        *(str(tmp_path / "elsewhere"), "waits"),
    ]
    assert "elsewhere  proj-43" in shown[1]


async def test_the_list_follows_the_records_within_half_a_second(
    nvim: Editor, records: Records, other: int
) -> None:
    records.running_job("fish", "busy", other)
    await open_list(nvim)
    await on_screen(nvim, "works ")

    began = time.monotonic()
    records.running_job("fish", "waiting", other, needs="approve Bash: make")
    await on_screen(nvim, "approve Bash: make")
    taken = time.monotonic() - began

    assert taken < 2
    os.kill(other, 9)
    await on_screen(nvim, "ended ")


async def test_the_status_line_counts_what_waits_in_the_background(
    nvim: Editor, records: Records, other: int
) -> None:
    await nvim.command("ClaudeStart")
    records.running_job("fish", "waiting", other)

    async def counts() -> bool:
        return "1 in the background waits" in await status_line(nvim)

    await until(counts, "the count", 10)
    records.running_job("fish", "busy", other)

    async def counts_none() -> bool:
        return "background" not in await status_line(nvim)

    await until(counts_none, "no count", 10)


async def test_others_are_told_of_changes(nvim: Editor, records: Records, other: int) -> None:
    await nvim.command("let g:told = 0")
    await nvim.command("autocmd User ClaudeSessionsChanged let g:told += 1")
    await nvim.command("ClaudeStart")
    assert await sessions(nvim) == []

    records.running_job("fish", "waiting", other, needs="approve Bash: make")

    await until(lambda: nvim.eval("g:told > 0"), "the event", 10)
    (found,) = await sessions(nvim)
    assert found == {
        "id": "fish-1",
        "name": "fish",
        "kind": "background",
        "state": "waits",
        "needs": "approve Bash: make",
        "folder": "/p",
        "worktree": "/p",
        "branch": "",
        "agent": "Claude",
        "pid": other,
    }


async def test_words_narrow_the_list(nvim: Editor, records: Records, other: int) -> None:
    records.job("fish")
    records.job("bird")

    await open_list(nvim, "BIRD")

    await on_screen(nvim, "background  bird")
    assert not any("fish" in line for line in await lines(nvim))


async def test_enter_goes_to_the_terminal(
    nvim: Editor, records: Records, program: Path, project: Path
) -> None:
    await nvim.command("Claude")
    await on_screen(nvim, "given:")
    await nvim.keys(r"<C-\><C-n><C-w>p")
    await nvim.command("ClaudeSessions")
    await on_screen(nvim, "terminal 1  Claude")
    await nvim.keys("/terminal 1<CR>")

    await nvim.keys("<CR>")

    await until(lambda: nvim.eval("[&buftype, mode()] == ['terminal', 't']"), "the terminal")


async def test_enter_attaches_to_one_in_the_background_once(
    nvim: Editor, records: Records, program: Path, other: int, tmp_path: Path
) -> None:
    link = tmp_path / "links/0a1b2c3d"
    link.parent.mkdir(0o700)
    records.running_job("fish", "idle", other, respawnFlags=registration.options(link, {}))
    await open_list(nvim)
    await on_screen(nvim, "background  fish")
    await nvim.keys("/fish<CR>")
    await nvim.keys("<CR>")
    await on_screen(nvim, "given: attach fish")
    # What it asks for is answered here, where its dialog is, and not in a float.
    assert await nvim.eval("b:claude_ide_launch") == "0a1b2c3d"

    await nvim.keys(r"<C-\><C-n><C-w>p")
    await open_list(nvim)
    await on_screen(nvim, "background, in terminal 1  fish")
    await nvim.keys("/fish<CR>")
    await nvim.keys("<CR>")

    await until(lambda: nvim.eval("[&buftype, mode()] == ['terminal', 't']"), "the terminal")
    assert (
        len(
            await nvim.eval(
                "filter(getbufinfo(), {_, b -> getbufvar(b.bufnr, '&buftype') == 'terminal'})"
            )
        )
        == 1
    )


async def test_the_status_says_whether_an_attached_session_is_connected(
    nvim: Editor, records: Records, program: Path, other: int, config_folder: Path
) -> None:
    records.running_job("fish", "idle", other)
    await nvim.command("ClaudeStart!")
    await until(lambda: sessions(nvim), "the session", 10)
    await nvim.command("Claude attach fish")
    await on_screen(nvim, "/ide connects it to ")
    await nvim.keys(r"<C-\><C-n><C-w>p")

    await nvim.command("ClaudeStatus")
    await on_screen(nvim, "fish · 1 · not connected (/ide there connects it)")
    await nvim.keys("q")
    async with claude_code(config_folder, other) as client:
        await client.texts("closeAllDiffTabs")
        await nvim.command("ClaudeStatus")
        await on_screen(nvim, "fish · 1 · connected")


@pytest.mark.parametrize("status", ["busy", "waiting"])
async def test_the_turn_of_a_terminal_is_stopped(
    nvim: Editor, records: Records, program: Path, status: str
) -> None:
    await open_claude(nvim)
    pid = await pid_of(nvim)
    # In its Normal mode, a terminal of Vim shows nothing new.
    await nvim.keys("<C-w>p" if isinstance(nvim, Vim) else r"<C-\><C-n><C-w>p")
    records.process("s", pid=pid, status=status)
    await open_list(nvim)
    await until(lambda: nvim.eval(r"search('^waits\|^works')"), "it is there")

    await nvim.keys("s")

    await on_screen(nvim, "^[")
    records.process("s", pid=pid, status="idle")
    await on_screen(nvim, "idle ")
    await nvim.keys("g?")
    await on_screen(nvim, "Close the list")
    assert "Stop the session" not in nvim.screen.text()


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("'--bg' is disabled by the 'disableAgentView' setting.", "'--bg' is disabled by"),
        ("", "has failed with 1"),
        (None, "no-claude-here"),
    ],
)
async def test_a_cli_that_refuses_or_is_missing_is_told_in_one_line(
    nvim: Editor, records: Records, tmp_path: Path, words: str | None, shown: str
) -> None:
    script = checkout.program(tmp_path / "claude-stand-in", f'echo "{words}" >&2\nexit 1')
    await configure(nvim, cmd="no-claude-here" if words is None else str(script))
    records.job("fish")
    await open_list(nvim)
    await on_screen(nvim, "background  fish")
    await nvim.keys("q")

    await nvim.command("ClaudeBackground Make a folder")

    await on_screen(nvim, shown)
    assert await nvim.eval("[mode(), winnr('$')]") == ["n", 1]


async def test_one_that_ends_while_its_key_is_pressed_is_told(
    nvim: Editor, records: Records, tmp_path: Path, other: int
) -> None:
    script = checkout.program(tmp_path / "claude-stand-in", 'echo "No session $2 runs" >&2\nexit 1')
    await configure(nvim, cmd=str(script))
    records.running_job("fish", "busy", other)
    await open_list(nvim)
    await on_screen(nvim, "background  fish")

    await nvim.keys("/background  fish<CR>s")

    await on_screen(nvim, "No session fish runs")
    os.kill(other, 9)
    await on_screen(nvim, "ended ")


async def test_one_that_runs_elsewhere_is_not_continued(
    nvim: Editor, records: Records, project: Path
) -> None:
    records.process("s", name="proj-43")
    await open_list(nvim)
    await on_screen(nvim, "elsewhere  proj-43")
    await nvim.keys("/proj-43<CR>")

    await nvim.keys("<CR>")

    await on_screen(nvim, f"the session is running in process {os.getpid()}")


async def test_where_nothing_waits_n_searches(nvim: Editor, records: Records) -> None:
    for name in ("fish a", "fish b", "fish c"):
        records.job(name.replace(" ", "-"), name=name)
    await open_list(nvim)
    await on_screen(nvim, "fish c")
    await nvim.keys("gg/fish<CR>")
    first = await nvim.eval("line('.')")

    await nvim.keys("n")

    await until(lambda: nvim.eval(f"line('.') == {first + 1}"), "the next match")


async def test_the_keys_of_a_line_are_shown(nvim: Editor, records: Records) -> None:
    records.job("fish")
    await open_list(nvim)
    await on_screen(nvim, "background  fish")
    await nvim.keys("/fish<CR>")

    await nvim.keys("g?")

    await on_screen(nvim, "Delete the session")
    assert "Stop the session" not in nvim.screen.text()
    await nvim.keys("q")
    await hidden(nvim, "Delete the session")


@pytest.mark.parametrize("is_running", [True, False])
async def test_keys_typed_before_the_host_has_answered_are_for_the_list(
    nvim: Editor, records: Records, path: Path, is_running: bool
) -> None:
    if is_running:
        await nvim.command("ClaudeStart")
        await on_screen(nvim, "ready (")
    text = await lines(nvim)

    await nvim.keys(":ClaudeSessions<CR>jqjk")

    await until(lambda: nvim.eval("winnr('$') == 1 && reg_recording() ==# ''"), "the list is gone")
    await nvim.command("ClaudeSessions nothing")
    await on_screen(nvim, "nothing found")
    await nvim.keys("q")
    await until(lambda: nvim.eval("winnr('$') == 1"), "the list is gone")
    assert await lines(nvim) == text


async def test_closing_the_list_returns_the_user(
    nvim: Editor, records: Records, path: Path
) -> None:
    await open_list(nvim)

    await nvim.keys("qGotyped<Esc>")

    await until(lambda: nvim.eval("[winnr('$'), expand('%:t')] == [1, 'a.py']"), "the file")
    await until(lambda: nvim.eval("getline('$') ==# 'typed'"), "what was typed at once after it")


@pytest.fixture
async def cli(nvim: Editor, tmp_path: Path, path: Path) -> HookedCli:
    """A CLI in the terminal of `:Claude`; the user is in another window."""
    program, record = recorder(tmp_path)
    await configure(nvim, cmd=str(program))
    await nvim.command("Claude")
    cli = await HookedCli.started(record)
    await nvim.keys(r"<C-\><C-n><C-w>p")
    await until(lambda: nvim.eval("&buftype == ''"), "the user is in the file")
    return cli


async def press_until(nvim: Editor, key: str, asked: "asyncio.Task[bytes]") -> bytes:
    """Press a key until it counts: a permission must have been shown for a moment."""
    pressed = 0.0

    async def is_answered() -> bool:
        nonlocal pressed
        if time.monotonic() - pressed > 2 * NOTICED / 1000:
            pressed = time.monotonic()
            await nvim.keys(key)
        return asked.done()

    await until(is_answered, "the answer")
    return await asked


@pytest.mark.parametrize(("key", "behavior"), [("y", "allow"), ("n", "deny")])
async def test_a_permission_of_a_terminal_is_answered_in_the_list(
    nvim: Editor, records: Records, cli: HookedCli, key: str, behavior: str
) -> None:
    given = {"command": "mkdir a", "description": "Make it"}
    asked = asyncio.ensure_future(cli.send("PermissionRequest", tool_name="Bash", tool_input=given))
    await open_list(nvim)
    await on_screen(nvim, "waits ")
    assert any("approve Bash mkdir a" in line for line in await lines(nvim))
    assert any("? Run this command?" in line for line in await lines(nvim))
    await nvim.command("call search('^waits')")

    answer = json.loads(await press_until(nvim, key, asked))

    assert answer["hookSpecificOutput"]["decision"]["behavior"] == behavior
    await until(lambda: nvim.eval("search('^waits') == 0"), "nothing waits")


async def test_an_open_list_grows_for_a_permission(
    nvim: Editor, records: Records, cli: HookedCli
) -> None:
    await open_list(nvim)
    await on_screen(nvim, "idle ")
    given = {"command": "\n".join(f"mkdir a{number}" for number in range(3))}

    asked = asyncio.ensure_future(cli.send("PermissionRequest", tool_name="Bash", tool_input=given))
    await on_screen(nvim, "waits ")
    await nvim.command("call search('^waits')")
    await until(lambda: nvim.eval("line('w0') == 1"), "its headings are shown")

    answer = json.loads(await press_until(nvim, "n", asked))
    assert answer["hookSpecificOutput"]["decision"]["behavior"] == "deny"


async def test_a_permission_that_is_not_all_on_the_screen_is_not_allowed(
    nvim: Editor, records: Records, cli: HookedCli
) -> None:
    given = {"command": "\n".join(f"mkdir a{number}" for number in range(12))}
    asked = asyncio.ensure_future(cli.send("PermissionRequest", tool_name="Bash", tool_input=given))
    await open_list(nvim)
    await on_screen(nvim, "waits ")
    await nvim.command("resize 3 | call search('^waits')")

    await nvim.keys("y")

    await on_screen(nvim, "there is more of it")
    assert not asked.done()
    asked.cancel()


async def test_switching_attaches_to_one_in_the_background(
    nvim: Editor, records: Records, program: Path, other: int
) -> None:
    if isinstance(nvim, Vim):
        pytest.skip("Vim has no :ClaudeSwitch")
    records.running_job("fish", "idle", other)
    records.running_job("other", "idle", os.getpid(), name="fish")
    await nvim.command("ClaudeStart")
    await until(lambda: sessions(nvim), "the session", 10)
    await nvim.keys(":ClaudeSwitch<CR>")
    await choose_item(nvim, "fish other")
    await on_screen(nvim, "given: attach other")
    await nvim.keys(r"<C-\><C-n>:ClaudeSwitch fi<Tab><CR>")
    await on_screen(nvim, "given: attach fish")


async def test_a_session_is_chosen_from_all(
    nvim: Editor, records: Records, program: Path, other: int
) -> None:
    records.running_job("fish", "waiting", other, needs="approve Bash: make")
    records.job("bird")

    await nvim.command("ClaudeSessions!")
    await on_screen(nvim, "waits · fish · approve Bash: make · background · Claude · /p")
    await on_screen(nvim, "ended · bird")
    await choose_item(nvim, "waits ")
    await on_screen(nvim, "given: attach fish")
    await nvim.keys(r"<C-\><C-n>")

    await nvim.command("ClaudeSessions! nothing")
    await on_screen(nvim, "nothing found")


def worktree_of(project: Path) -> Path:
    """Return a new worktree of the project, with a file that git ignores."""
    made = "git init -q; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first"
    made += "; git worktree add -q .claude/worktrees/fish; echo secret > .git/info/exclude"
    subprocess.run(["sh", "-c", f"{made}; touch .claude/worktrees/fish/secret"], cwd=project)
    return project / ".claude/worktrees/fish"


async def test_removing_one_in_the_background_is_the_clis(
    nvim: Editor, records: Records, project: Path, tmp_path: Path, other: int
) -> None:
    script = checkout.program(
        tmp_path / "claude-stand-in",
        f'echo "kept $2: 1 uncommitted file"\necho "$@" >> {tmp_path}/ran\nexit 1',
    )
    await configure(nvim, cmd=str(script))
    records.job("fish", worktreePath=str(worktree_of(project)))
    await open_list(nvim)
    await on_screen(nvim, "background  fish")
    await nvim.keys("/fish<CR>d")
    await on_screen(nvim, "Remove it, also 1 ignored file (secret)")

    await choose(nvim, 1)

    await on_screen(nvim, "kept fish: 1 uncommitted file")
    assert (tmp_path / "ran").read_text() == "rm fish\n"


async def test_the_link_of_a_session_goes_with_it(
    nvim: Editor, records: Records, project: Path, tmp_path: Path
) -> None:
    link = tmp_path / "links/0a1b2c3d"
    link.parent.mkdir(0o700)
    given = {"cwd": str(project), "respawnFlags": registration.options(link, {})}
    process = await asyncio.create_subprocess_exec("sleep", "1000")
    records.running_job("fish", "idle", process.pid, **given)
    await nvim.command("ClaudeStart")
    await until(link.is_symlink, "the session reports to the editor")
    await sessions(nvim)

    # A process ends after its record.
    (records.folder / f"sessions/{process.pid}.json").unlink()

    async def has_ended() -> bool:
        return [each["state"] for each in await sessions(nvim)] == ["ended"]

    await until(has_ended, "the record is gone")
    process.kill()
    await process.wait()
    await until(lambda: not link.is_symlink(), "the link is gone")


async def test_two_editors_see_what_the_other_one_does(
    nvim: Editor, records: Records, project: Path, tmp_path: Path, other: int
) -> None:
    script = checkout.program(
        tmp_path / "claude-stand-in", f'rm -r {records.folder}/jobs/$2 && echo "removed $2"'
    )
    await configure(nvim, cmd=str(script))
    records.job("fish")
    records.running_job("bird", "idle", other)
    async with started(project, tmp_path / "home") as beside:
        for each in (nvim, beside):
            await open_list(each)
            await on_screen(each, "background  fish")
        await beside.keys("/fish<CR>")
        await nvim.keys("/fish<CR>d")
        await on_screen(nvim, "Remove “fish” with its worktree?")
        await choose(nvim, 1)

        await hidden(beside, "background  fish")
        await hidden(nvim, "background  fish")
        records.running_job("bird", "waiting", other, needs="approve Bash: make")
        for each in (nvim, beside):
            await on_screen(each, "background  bird · approve Bash: make")


async def test_a_cli_that_would_do_harm_unasked_is_not_run(
    nvim: Editor, records: Records, tmp_path: Path
) -> None:
    script = checkout.program(tmp_path / "claude-stand-in", f"echo $@ >> {tmp_path}/ran")
    description = {"name": "@anthropic-ai/claude-code", "version": "2.1.197"}
    (tmp_path / "package.json").write_text(json.dumps(description))
    await configure(nvim, cmd=str(script))
    records.job("fish")

    await nvim.command("ClaudeBackground Make a folder")
    await on_screen(nvim, "2.1.197 would run untrusted hooks: 2.1.330 or newer")
    await open_list(nvim)
    await on_screen(nvim, "background  fish")
    await nvim.keys("/fish<CR>d")
    await on_screen(nvim, "Remove “fish” with its worktree?")
    await choose(nvim, 1)

    await on_screen(nvim, "2.1.197 would remove the worktree unchecked: 2.1.330 or newer")
    assert not (tmp_path / "ran").exists()


async def test_what_attach_takes_is_completed(nvim: Editor, records: Records) -> None:
    records.job("aaa", name="fish")
    records.job("bbb", name="two words")
    records.job("ccc").write_text("{")

    completed = await nvim.eval("getcompletion('Claude attach ', 'cmdline')")

    assert sorted(completed) == ["bbb", "ccc", "fish"]
    assert await nvim.eval("getcompletion('Claude --wor', 'cmdline')") == ["--worktree"]


@pytest.mark.parametrize("is_known", [True, False])
async def test_attaching_by_a_name_with_blanks_is_one_argument(
    nvim: Editor, records: Records, tmp_path: Path, other: int, is_known: bool
) -> None:
    program, record = recorder(tmp_path)
    await configure(nvim, cmd=str(program))
    if is_known:
        records.running_job("fish", "idle", other, name="two words")
        await nvim.command("ClaudeStart")
        await until(lambda: sessions(nvim), "the session")

    await nvim.command("Claude attach two words")

    await until(record.exists, "the CLI has started")
    assert json.loads(record.read_text()) == ["attach", "fish" if is_known else "two words"]
