"""The real CLI in a terminal asks for permission, and Neovim or the terminal answers."""

import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.claude_cli import CARET, environment
from support.claude_code import locks
from support.fake_api import FakeApi, edit, text, tool_use
from support.neovim import Neovim, until
from support.panel import CONFIGURE
from support.permissions import counts, enter, follow, gone, look, shown
from support.terminal import PATIENCE

from .conftest import serve

DIALOG = "Do you want to proceed?"
PRESS = "vim.fn.chansend(vim.bo[vim.fn.bufnr('Claude')].channel, ...)"


@pytest.fixture
async def nvim(
    each_cli: Path, api: FakeApi, project: Path, tmp_path: Path, config_folder: Path, path: Path
) -> AsyncIterator[Neovim]:
    """A Neovim that shows `path`, with a CLI in a terminal that asks before it changes a file."""
    home = tmp_path / "home"
    given = environment(api, home, config_folder)
    del given["PATH"]
    neovim = await Neovim.start(cwd=project, home=home, env=given, columns=160, rows=40)
    await neovim.lua(CONFIGURE, {"cmd": [str(each_cli)]})
    await serve(neovim, config_folder, path)
    await follow(neovim)
    await neovim.keys(":Claude --permission-mode default<CR>")
    await until(lambda: CARET in neovim.screen.text(), "the prompt box", PATIENCE)
    await until(lambda: "⧉ In a.py" in neovim.screen.text(), "the CLI is connected", PATIENCE)
    yield neovim
    await neovim.stop()


async def prompt(nvim: Neovim, words: str) -> None:
    """Type a prompt into the CLI, and return to the file."""
    await nvim.keys(words)
    await until(lambda: words in nvim.screen.text(), "the prompt is typed", PATIENCE)
    await nvim.keys(r"<CR><C-\><C-n><C-w>p")
    await until(lambda: nvim.eval("&buftype == ''"), "the user is in the file")


async def ask(nvim: Neovim, api: FakeApi, command: str) -> None:
    """Have the CLI ask whether it may run a command."""
    use = tool_use("Bash", command=command, description="Do it")
    api.script([use], [text("All done.")])
    await prompt(nvim, "Go on")
    await shown(nvim, command, PATIENCE)
    await until(lambda: DIALOG in nvim.screen.text(), "the dialog in the terminal", PATIENCE)


async def done(nvim: Neovim) -> None:
    await until(lambda: "All done." in nvim.screen.text(), "the turn ends", PATIENCE)
    await gone(nvim, PATIENCE)


async def test_neovim_allows(nvim: Neovim, api: FakeApi, project: Path) -> None:
    await ask(nvim, api, "touch made")
    await enter(nvim)

    await nvim.keys("y")

    await done(nvim)
    assert (project / "made").exists()
    assert counts(nvim) == [1, 0]


async def test_neovim_denies_with_a_reason(nvim: Neovim, api: FakeApi, project: Path) -> None:
    await ask(nvim, api, "touch made")
    await enter(nvim)

    await nvim.keys("N")
    await until(lambda: "Why not?" in nvim.screen.text(), "the question", PATIENCE)
    await nvim.keys("Use another name<CR>")

    await done(nvim)
    assert not (project / "made").exists()
    assert "Use another name" in api.requests[-1].new_text


async def test_neovim_allows_always(nvim: Neovim, api: FakeApi, project: Path) -> None:
    await ask(nvim, api, "mkdir -p one")
    await enter(nvim)
    await nvim.keys("a")
    await until(lambda: "by a rule, for this session" in nvim.screen.text(), "the ways", PATIENCE)
    await nvim.keys("1<CR>")
    await until(lambda: "Rule for this session: " in nvim.screen.text(), "the rule", PATIENCE)
    await nvim.keys("<C-u>Bash(mkdir *)<CR>")
    await done(nvim)

    again = tool_use("Bash", command="mkdir -p two", description="Do it")
    api.script([again], [text("Twice.")])
    await nvim.keys("<C-w>pi")
    await prompt(nvim, "Once more")

    await until(lambda: "Twice." in nvim.screen.text(), "the turn ends", PATIENCE)
    assert (project / "two").is_dir()
    assert counts(nvim) == [1, 0]


async def test_the_terminal_allows(nvim: Neovim, api: FakeApi, project: Path) -> None:
    await ask(nvim, api, "touch made")
    await nvim.idle(1000)

    await nvim.lua(PRESS, "\r")

    await done(nvim)
    assert (project / "made").exists()


async def test_a_key_in_the_terminal_allows(nvim: Neovim, api: FakeApi, project: Path) -> None:
    await ask(nvim, api, "touch made; sleep 5; touch late")
    await nvim.keys("<C-w>pi")
    await nvim.idle(1000)

    await nvim.keys("<CR>")

    await until((project / "made").exists, "the command runs", PATIENCE)
    await until(lambda: counts(nvim) == [1, 0], "nothing waits", PATIENCE)
    assert not (project / "late").exists()
    assert "PermissionRequest" not in nvim.screen.text()
    await done(nvim)


async def test_the_terminal_denies(nvim: Neovim, api: FakeApi, project: Path) -> None:
    await ask(nvim, api, "touch made")
    await nvim.idle(1000)

    await nvim.lua(PRESS, "\x1b")

    await gone(nvim, PATIENCE)
    assert not (project / "made").exists()


async def test_the_dialog_outlives_the_host(
    nvim: Neovim, api: FakeApi, project: Path, config_folder: Path
) -> None:
    await ask(nvim, api, "touch made")
    (lock,) = [lock for _, lock in locks(config_folder)]

    os.kill(lock["hostPid"], signal.SIGKILL)
    await gone(nvim, PATIENCE)
    await nvim.idle(1000)
    assert DIALOG in nvim.screen.text()
    await nvim.lua(PRESS, "\r")

    await until((project / "made").exists, "the command runs", PATIENCE)


async def test_an_edit_in_a_diff_has_no_float(nvim: Neovim, api: FakeApi, path: Path) -> None:
    api.script(*edit(path, "two", "TWO", then="All done."))
    await prompt(nvim, "Shout")
    await until(lambda: nvim.eval("tabpagenr('$') == 2"), "the diff", PATIENCE)
    await nvim.idle(1500)
    assert not await look(nvim)

    await nvim.keys(":w<CR>")

    await until(lambda: path.read_text() == "one\nTWO\n", "it is written", PATIENCE)
    assert counts(nvim) == []
