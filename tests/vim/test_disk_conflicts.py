"""Vim never asks whether to overwrite a file, although it hides such a change from scripts."""

import os
from pathlib import Path

import pytest

from support.claude_code import ClaudeCode, claude_code, the_lock
from support.neovim import until
from support.vim import Vim

from .test_file_open import in_normal_mode

SECOND = 1_800_000_000 * 10**9
SWALLOW = "autocmd FileChangedShell * let g:swallowed = get(g:, 'swallowed', 0) + 1"


def write(path: Path, text: str, nanoseconds: int) -> None:
    """Write a file, with a time in the second `SECOND`."""
    path.write_text(text)
    os.utime(path, ns=(SECOND + nanoseconds, SECOND + nanoseconds))


@pytest.fixture
async def path(vim: Vim, project: Path) -> Path:
    """A file in Vim, whose user decides by an autocommand that no change matters."""
    file = project / "a.txt"
    write(file, "old\n", 1)
    await vim.command(SWALLOW)
    await vim.command(f"set noautoread | edit {file}")
    return file


async def swallow_change(vim: Vim, path: Path) -> None:
    """Change the file unseen by its stamp: in the same second, with the same size."""
    write(path, "new\n", 500)
    await vim.keys(":checktime<CR>")
    await until(lambda: vim.eval("get(g:, 'swallowed')"), "swallowed")


async def save(client: ClaudeCode, path: Path) -> str:
    """Have the client save a file; return the answer."""
    result = await client.call("saveDocument", {"filePath": str(path)})
    return str(result["content"][0]["text"])


async def test_a_change_that_an_autocommand_has_swallowed_is_not_overwritten(
    vim: Vim, vim_client: ClaudeCode, path: Path
) -> None:
    await swallow_change(vim, path)
    await vim.keys("ccmine<Esc>")
    await in_normal_mode(vim)

    assert "has changed on disk" in await save(vim_client, path)
    assert path.read_text() == "new\n"
    assert await vim.mode() == {"mode": "n", "blocking": False}


async def test_a_change_that_was_swallowed_before_the_server_ran_asks_nothing(
    vim: Vim, path: Path, config_folder: Path
) -> None:
    await swallow_change(vim, path)
    await vim.keys("ccmine<Esc>")
    await in_normal_mode(vim)
    await vim.command("ClaudeStart!")
    await the_lock(config_folder)

    async with claude_code(config_folder) as client:
        await save(client, path)

    assert path.read_text() == "mine\n"
    assert await vim.mode() == {"mode": "n", "blocking": False}


async def test_a_change_is_found_in_an_autocommand_that_is_not_nested(
    vim: Vim, project: Path
) -> None:
    file = project / "a.txt"
    file.write_text("old\n")
    await vim.command(f"set noautoread | edit {file}")
    await vim.command("autocmd User Look let g:found = claude_ide#file#disk#Probe(bufnr())")
    file.write_text("longer\n")

    await vim.command("doautocmd User Look")

    assert await vim.eval("g:found") is True
    assert await vim.mode() == {"mode": "n", "blocking": False}


async def test_a_change_that_waits_for_the_end_of_insert_mode_is_not_overwritten(
    vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    file = project / "a.txt"
    write(file, "old\n", 1)
    await vim.command(f"set autoread | edit {file}")
    await vim.keys("i")
    write(file, "new\n", 500)
    # Vim is kept from following the write itself.
    await until(lambda: vim.eval("&l:autoread == 0"), "noticed")
    await vim.keys("mine")

    assert "has changed on disk" in await save(vim_client, file)
    assert file.read_text() == "new\n"
    assert (await vim.mode())["mode"] == "i"


async def test_the_users_own_autocommand_still_decides(
    vim: Vim, vim_client: ClaudeCode, path: Path
) -> None:
    await vim.command("autocmd FileChangedShell a.txt let v:fcs_choice = 'reload'")
    write(path, "newer\n", 500)

    await vim.keys(":checktime<CR>")

    await until(lambda: vim.eval("getline(1) == 'newer'"), "reloaded")


async def test_without_an_autocommand_vim_warns_as_usual(
    vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    file = project / "a.txt"
    write(file, "old\n", 1)
    await vim.command(f"set noautoread | edit {file}")
    await vim.command("autocmd FileChangedShell *.c let g:swallowed = 1")
    write(file, "newer\n", 500)

    await vim.keys(":checktime<CR>")

    await until(lambda: "W11" in vim.screen.text(), "the warning")
