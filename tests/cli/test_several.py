"""Two real CLIs in the terminals of two tab pages: each has its diff and its mentions there."""

from pathlib import Path

import pytest

from support.claude_cli import CARET
from support.either_editor import Editor, on_screen
from support.fake_api import FakeApi, edit
from support.neovim import Neovim, until

from .conftest import StartWithCli, diff_opened


@pytest.fixture
async def nvim(
    request: pytest.FixtureRequest, start_with_cli: StartWithCli, cli: Path, path: Path
) -> Editor:
    """A Neovim that shows `path`; its CLIs use the stand-in for the model."""
    return await start_with_cli(request, cli, path=path)


async def prompt(nvim: Neovim, words: str) -> None:
    """Type a prompt into the CLI in the terminal."""
    await nvim.keys(words)
    await on_screen(nvim, words)
    await nvim.keys("<CR>")


async def leave(nvim: Neovim) -> None:
    await nvim.keys("<C-w>h")
    await until(lambda: nvim.eval("mode() == 'n'"))


async def test_each_has_its_diff_and_its_mentions_in_its_tab_page(
    nvim: Neovim, api: FakeApi, path: Path
) -> None:
    other = path.with_name("b.py")
    other.write_text("three\n")
    first, second = edit(path, "two", "TWO", then="One."), edit(other, "three", "3", then="Two.")
    await nvim.keys(":Claude<CR>")
    await on_screen(nvim, CARET)
    await on_screen(nvim, "⧉ In a.py")
    await leave(nvim)
    await nvim.command(f"tabnew {other}")
    await nvim.keys(":ClaudeNew tests<CR>")
    await on_screen(nvim, CARET)
    await on_screen(nvim, "⧉ In b.py")
    await on_screen(nvim, " tests ─")
    await leave(nvim)

    await nvim.command("1ClaudeSend")
    await on_screen(nvim, "@b.py#L1")
    await nvim.command("tabfirst")
    await until(lambda: "@b.py" not in nvim.screen.text(), "the first CLI was not told")
    await nvim.command("1ClaudeSend")
    await on_screen(nvim, "@a.py#L1")
    await nvim.keys("<C-w>l")
    api.script(*first[:2])
    await prompt(nvim, "Shout")
    await diff_opened(nvim)
    assert await nvim.eval("[tabpagenr(), tabpagenr('$')]") == [2, 3]

    # The diff of the first CLI is undecided, while the second one proposes its own.
    api.script(*second[:2])
    await nvim.command("tablast | wincmd l")
    await until(lambda: nvim.eval("bufname() == 'Claude (tests)'"))
    await nvim.command("startinsert")
    await prompt(nvim, "Count")
    await nvim.command("stopinsert | tabfirst | wincmd h")
    await diff_opened(nvim, 2)
    assert await nvim.eval("[tabpagenr(), tabpagenr('$')]") == [4, 4]

    api.script(*second[2:])
    await nvim.keys(":w<CR>")
    await until(lambda: other.read_text() == "3\n", "the second file is written")
    await until(lambda: nvim.eval("[tabpagenr(), expand('%:t')] == [1, 'a.py']"))
    api.script(*first[2:])
    await nvim.command("tabnext")
    await nvim.keys(":w<CR>")
    await until(lambda: path.read_text() == "one\nTWO\n", "the first file is written")
    await until(lambda: nvim.eval("tabpagenr('$') == 2"))
