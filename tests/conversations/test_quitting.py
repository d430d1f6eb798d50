"""The option `terminal.quit`, in a real Neovim and a real Vim: what becomes of a CLI that works."""

from pathlib import Path
from typing import Any

from support.either_editor import BOTH, Editor, configure, on_screen
from support.happenings import HookedCli, recorder, the
from support.happenings import follow as follow_events
from support.neovim import until
from support.vim import Vim

pytestmark = BOTH


async def start(nvim: Editor, folder: Path, how: str) -> HookedCli:
    """Start a CLI that begins a turn, and leave its terminal."""
    script, record = recorder(folder)
    await configure(nvim, cmd=str(script), terminal={"quit": how})
    await follow_events(nvim)
    await nvim.keys(":Claude<CR>")
    cli = await HookedCli.started(record)
    await nvim.command("ClaudeFocus")
    await until(lambda: nvim.eval("mode() ==# 'n'"), "Normal mode")
    await cli.send("UserPromptSubmit", prompt="do it")
    await the(nvim, "ClaudePrompt")
    return cli


async def refused(nvim: Editor) -> None:
    """Wait until the editor refuses to exit, and confirm its message."""
    await until(lambda: any(each in nvim.screen.text() for each in ("E162", "E947")), "a refusal")
    if not isinstance(nvim, Vim):
        await nvim.keys("<CR>")


async def exited(nvim: Editor) -> None:
    await until(lambda: nvim.process.returncode is not None, "the end")


async def test_quitting_is_refused_while_a_cli_works(nvim: Editor, tmp_path: Path) -> None:
    cli = await start(nvim, tmp_path, "ask")
    before: Any = await nvim.eval("[bufnr(), win_getid()]")

    await nvim.keys(":qa<CR>")

    await on_screen(nvim, "Claude works in terminal 1")
    await refused(nvim)
    if not isinstance(nvim, Vim):
        # Vim shows the terminal.
        await until(lambda: nvim.eval(f"[bufnr(), win_getid()] == {before}"), "the user's place")
        assert not await nvim.eval("bufexists('Claude works in terminal 1')")
    await cli.send("Stop")
    await the(nvim, "ClaudeTurnEnd")
    if isinstance(nvim, Vim):
        await nvim.keys("<C-w>:")
    await nvim.keys("qa<CR>" if isinstance(nvim, Vim) else ":qa<CR>")
    await exited(nvim)


async def test_a_bang_ends_it(nvim: Editor, tmp_path: Path) -> None:
    await start(nvim, tmp_path, "ask")

    await nvim.keys(":qa!<CR>")

    await exited(nvim)


async def test_by_default_it_ends(nvim: Editor, tmp_path: Path) -> None:
    await start(nvim, tmp_path, "end")

    await nvim.keys(":qa<CR>")

    await exited(nvim)


async def test_a_cli_without_a_prompt_box_is_not_sent_to_the_background(
    nvim: Editor, tmp_path: Path
) -> None:
    await start(nvim, tmp_path, "background")

    await nvim.keys(":qa<CR>")

    await on_screen(nvim, "Claude waits for you in terminal 1")
    await refused(nvim)


async def test_a_terminal_that_is_no_longer_drawn_is_left_alone(
    nvim: Editor, tmp_path: Path
) -> None:
    await start(nvim, tmp_path, "background")
    await nvim.command("only")

    await nvim.keys("ZZ")

    is_drawn = isinstance(nvim, Vim)
    await on_screen(nvim, "Claude waits for you" if is_drawn else "works in terminal 1: quit with")
    await refused(nvim)


async def test_a_changed_file_is_asked_for_first(nvim: Editor, tmp_path: Path) -> None:
    await start(nvim, tmp_path, "background")
    await nvim.command("call setline(1, 'changed')")

    await nvim.keys(":qa<CR>")

    await refused(nvim)
    assert "waits for you" not in nvim.screen.text()


async def test_a_cli_without_sessions_in_the_background_says_so_at_once(
    nvim: Editor, tmp_path: Path
) -> None:
    await start(nvim, tmp_path, "background")
    words = "'--bg' is disabled by the 'disableAgentView' setting"
    (tmp_path / "recorder").write_text(f'#!/bin/sh\necho "{words}"; exit 1\n')

    await nvim.command("ClaudeBackground")

    await on_screen(nvim, "'--bg' is disabled by")
