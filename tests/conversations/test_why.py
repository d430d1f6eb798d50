"""`:ClaudeWhy` on a line that a CLI in a terminal has written."""

from pathlib import Path

import pytest

from support.either_editor import BOTH, Editor, configure, float_text, on_screen
from support.happenings import TASK_ENDED, HookedCli, follow, recorder, the
from support.neovim import until

pytestmark = BOTH


@pytest.fixture
async def cli(nvim: Editor, tmp_path: Path, path: Path) -> HookedCli:
    """A CLI in the terminal of `:Claude`; the user is in a file."""
    program, record = recorder(tmp_path)
    await configure(nvim, cmd=str(program))
    await follow(nvim)
    await nvim.command("Claude")
    cli = await HookedCli.started(record)
    await nvim.keys(r"<C-\\><C-n><C-w>p")
    await until(lambda: nvim.eval("&buftype == ''"), "the user is in the file")
    return cli


@pytest.mark.parametrize("goes_on", [False, True])
async def test_the_prompt_of_a_line_is_shown(
    nvim: Editor, cli: HookedCli, path: Path, goes_on: bool
) -> None:
    folder = {"cwd": str(path.parent)}
    await cli.send("UserPromptSubmit", prompt="Shout it\nnow", **folder)
    if goes_on:
        await cli.send("Stop", **folder)
        await cli.send("UserPromptSubmit", prompt=TASK_ENDED, **folder)
    tool = {"tool_name": "Edit", "tool_use_id": "t1", "tool_input": {"file_path": str(path)}}
    await cli.send("PreToolUse", **tool, **folder)
    path.write_text("one\nTWO\nthree\n")
    await cli.send("PostToolUse", **tool, **folder)
    await the(nvim, "ClaudeToolEnd")
    await nvim.command("checktime")

    await nvim.keys(":1ClaudeWhy<CR>")
    await on_screen(nvim, "no agent is known to have written this line")
    await nvim.keys(":2ClaudeWhy<CR>")

    await on_screen(nvim, "Prompt: Shout it")
    assert "now" not in await float_text(nvim)


async def test_a_line_that_the_user_has_changed_is_theirs(
    nvim: Editor, cli: HookedCli, path: Path
) -> None:
    folder = {"cwd": str(path.parent)}
    await cli.send("UserPromptSubmit", prompt="Shout it", **folder)
    tool = {"tool_name": "Edit", "tool_use_id": "t1", "tool_input": {"file_path": str(path)}}
    await cli.send("PreToolUse", **tool, **folder)
    path.write_text("one\nTWO\nTHREE\n")
    await cli.send("PostToolUse", **tool, **folder)
    await the(nvim, "ClaudeToolEnd")
    await nvim.command("checktime")
    await until(lambda: nvim.eval("getline(2) ==# 'TWO'"), "the file is read again")
    await nvim.command("call append(0, 'new') | call setline(3, 'mine')")

    await nvim.keys(":3,4ClaudeWhy<CR>")
    await on_screen(nvim, "no agent is known to have written this line")
    await nvim.keys(":4ClaudeWhy<CR>")

    await on_screen(nvim, "Prompt: Shout it")


async def test_a_buffer_without_a_file_is_named(nvim: Editor, cli: HookedCli) -> None:
    await nvim.command("enew")

    await nvim.keys(":ClaudeWhy<CR>")

    await on_screen(nvim, "this buffer has no file")
