"""A command without a Python environment offers an installation, and runs after it."""

import sys
from pathlib import Path

import pytest

from support.checkout import arguments, copy_plugin, program
from support.either_editor import BOTH, Editor, choose, noticed
from support.installations import MINUTE, StartEditor, wait_for_message
from support.neovim import Neovim, until
from support.vim import Vim
from support.wheels import run

OFFER = "Python packages are missing. Run :ClaudeInstall now?"
REFUSAL = "claude-ide: Python packages are missing. Run :ClaudeInstall"


@pytest.fixture
def bare(tmp_path: Path, environment: dict[str, str]) -> Path:
    """A Python on PATH without the packages of the host."""
    assert environment["PATH"] == str(tmp_path / "bin")
    return program(tmp_path / "bin/python3", f"exec '{sys.base_prefix}/bin/python3' \"$@\"")


@pytest.fixture
async def nvim(start_editor: StartEditor, bare: Path, tmp_path: Path) -> Editor:
    """An editor with a copy of the plugin, which has no `.venv`."""
    return await start_editor(*arguments(copy_plugin(tmp_path / "checkout")))


async def offered(nvim: Editor) -> None:
    """Wait until the offer is on the screen and accepts keys."""
    await until(lambda: OFFER in nvim.screen.text(), "the offer")
    await noticed(nvim)


async def accept(nvim: Editor) -> None:
    """Choose the first of the answers."""
    await choose(nvim, 1)


@BOTH
async def test_a_command_runs_after_the_installation_that_the_user_accepts(nvim: Editor) -> None:
    await nvim.keys(":ClaudeStart<CR>")
    await offered(nvim)

    await accept(nvim)

    assert await wait_for_message(nvim, "is ready") == (
        "claude-ide: Python is ready for :ClaudeStart"
    )
    assert await wait_for_message(nvim, "ready (127.0.0.1:")


async def test_a_chat_opens_after_the_installation(nvim: Neovim) -> None:
    await nvim.keys(":ClaudeChat<CR>")
    await offered(nvim)
    assert await nvim.lua("return #require('claude_ide.chat.state').list() == 0")

    await accept(nvim)

    await until(lambda: nvim.eval("&filetype == 'claude-prompt'"), "the chat", MINUTE)


@pytest.mark.parametrize(
    ("nvim", "key"),
    [
        *[("neovim", "2<CR>"), ("neovim", "q"), ("neovim", "<CR>")],
        *[("vim", "j<CR>"), ("vim", "x"), ("vim", "<Esc>"), ("vim", "<C-c>")],
    ],
    indirect=["nvim"],
)
async def test_nothing_is_installed_or_run_if_the_user_declines(
    nvim: Editor, own: Path, key: str
) -> None:
    await nvim.keys(":ClaudeStart<CR>")
    await offered(nvim)

    await nvim.keys(key)

    assert await wait_for_message(nvim, "are missing") == REFUSAL
    assert not own.exists()
    assert await nvim.eval("claude_ide#ready#Waiting()") == ""


@BOTH
async def test_an_environment_without_the_packages_is_offered_to_be_repaired(
    nvim: Editor, bare: Path, own: Path
) -> None:
    run(bare, "-I", "-m", "venv", "--without-pip", own)

    await nvim.keys(":ClaudeStart<CR>")
    await offered(nvim)
    await accept(nvim)

    assert await wait_for_message(nvim, "ready (127.0.0.1:")


@BOTH
async def test_a_server_that_starts_by_itself_asks_nothing(nvim: Editor, own: Path) -> None:
    await nvim.command("ClaudeStart!")

    assert await wait_for_message(nvim, "are missing") == REFUSAL
    await nvim.idle(600)
    assert OFFER not in nvim.screen.text()
    assert not own.exists()


@BOTH
async def test_no_installation_is_offered_instead_of_the_configured_python(
    nvim: Editor, bare: Path
) -> None:
    await nvim.command(f"let g:claude_ide = {{'python': '{bare}'}}")

    await nvim.command("ClaudeStart")

    assert await wait_for_message(nvim, "are missing") == (
        "claude-ide: Python packages are missing. Correct or remove g:claude_ide.python"
    )
    await nvim.idle(600)
    assert OFFER not in nvim.screen.text()


@BOTH
async def test_the_offer_waits_until_the_user_has_stopped_typing(nvim: Editor) -> None:
    await nvim.command("inoremap <F2> <Cmd>ClaudeStart<CR>")

    await nvim.keys("ione<F2> two")
    await nvim.idle(600)
    assert OFFER not in nvim.screen.text()
    await nvim.keys("<Esc>")

    await offered(nvim)
    await nvim.keys("x" if isinstance(nvim, Vim) else "q")
    assert await nvim.eval("getline(1)") == "one two"


@BOTH
async def test_two_commands_cause_one_offer_and_both_run(nvim: Editor) -> None:
    await nvim.keys(":ClaudeStart | ClaudeAdd nothing<CR>")
    await offered(nvim)

    await accept(nvim)

    assert await wait_for_message(nvim, "is ready") == (
        "claude-ide: Python is ready for :ClaudeStart, :ClaudeAdd"
    )
    assert await wait_for_message(nvim, "ready (127.0.0.1:")
    assert "nothing" in await wait_for_message(nvim, "nothing")
