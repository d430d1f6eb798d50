"""Writes a buffer, but never over a change by another program."""

import os
from pathlib import Path
from typing import Any

import pytest

from support.neovim import Neovim, until

OLD = "one\n"


async def write(nvim: Neovim, path: Path) -> Any:
    return await nvim.lua(
        "return require('claude_ide.file.disk').write(vim.fn.bufadd(...))", str(path)
    )


async def watch(nvim: Neovim) -> None:
    await nvim.lua("require('claude_ide.file.disk')")


@pytest.fixture
async def path(nvim: Neovim, path: Path) -> Path:
    """A file that is open in Neovim, with unsaved changes."""
    await nvim.command("edit a.txt | call setline(1, 'mine')")
    return path


def change(path: Path, text: str = "theirs\n") -> None:
    """Write as another program, a while after Neovim has read the file."""
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns + 1))


async def assert_refuses(nvim: Neovim, path: Path) -> None:
    refusal = await write(nvim, path)

    assert refusal == f"{path} has changed on disk since Neovim read it; it was not written."
    assert path.read_text(encoding="utf-8") == "theirs\n"
    assert await nvim.eval("[&modified, getline(1)]") == [1, "mine"]
    assert await nvim.mode() == {"mode": "n", "blocking": False}


async def test_write_puts_the_text_on_disk(nvim: Neovim, path: Path) -> None:
    assert await write(nvim, path) is None

    assert path.read_text(encoding="utf-8") == "mine\n"
    assert await nvim.eval("&modified") == 0


async def test_write_succeeds_when_an_autocommand_fails_after_it(nvim: Neovim, path: Path) -> None:
    await nvim.command("autocmd BufWritePost * throw 'too late'")

    assert await write(nvim, path) is None

    assert path.read_text(encoding="utf-8") == "mine\n"
    assert await nvim.mode() == {"mode": "n", "blocking": False}


async def test_write_refuses_when_the_file_changed_since_it_was_read(
    nvim: Neovim, path: Path
) -> None:
    change(path)

    await assert_refuses(nvim, path)


@pytest.mark.parametrize("is_watched", [False, True])
async def test_write_refuses_a_second_time(nvim: Neovim, path: Path, is_watched: bool) -> None:
    if is_watched:
        await watch(nvim)
    change(path)

    await assert_refuses(nvim, path)
    await assert_refuses(nvim, path)


async def test_write_refuses_even_after_neovim_has_warned_the_user(
    nvim: Neovim, path: Path
) -> None:
    await watch(nvim)
    await nvim.command("edit! a.txt | call setline(1, 'mine')")
    change(path)
    await nvim.keys(":checktime<CR>")
    await until(lambda: "W12" in nvim.screen.text())
    await nvim.keys("o")
    await until(lambda: nvim.lua("return vim.fn.mode() == 'n'"))

    await assert_refuses(nvim, path)


async def test_write_refuses_in_an_autocommand_that_is_not_nested(nvim: Neovim, path: Path) -> None:
    change(path)
    refusal = "require('claude_ide.file.disk').write(vim.api.nvim_get_current_buf())"
    await nvim.command(f'autocmd User Look let g:refusal = luaeval("{refusal}")')

    await nvim.command("doautocmd User Look")

    assert "has changed on disk" in await nvim.eval("g:refusal")
    assert await nvim.mode() == {"mode": "n", "blocking": False}


async def test_write_succeeds_after_the_user_reloads_the_file(nvim: Neovim, path: Path) -> None:
    await watch(nvim)
    change(path)
    await nvim.command("edit! | call setline(1, 'both')")

    assert await write(nvim, path) is None

    assert path.read_text(encoding="utf-8") == "both\n"


async def test_write_succeeds_twice_in_a_row(nvim: Neovim, path: Path) -> None:
    await watch(nvim)

    assert await write(nvim, path) is None
    await nvim.command("call setline(1, 'more')")
    assert await write(nvim, path) is None

    assert path.read_text(encoding="utf-8") == "more\n"


async def test_write_recreates_a_deleted_file(nvim: Neovim, path: Path) -> None:
    await watch(nvim)
    path.unlink()

    assert await write(nvim, path) is None

    assert path.read_text(encoding="utf-8") == "mine\n"


async def test_write_does_not_overwrite_an_existing_file_after_a_rename(
    nvim: Neovim, path: Path, project: Path
) -> None:
    await watch(nvim)
    other = project / "b.txt"
    other.write_text("theirs\n", encoding="utf-8")
    await nvim.command("file b.txt")

    refusal = await write(nvim, other)

    assert refusal == "E13: File exists (add ! to override)"
    assert other.read_text(encoding="utf-8") == "theirs\n"


async def test_write_refuses_despite_an_autocommand_that_would_reload_the_file(
    nvim: Neovim, path: Path
) -> None:
    await nvim.command("autocmd FileChangedShell * let v:fcs_choice = 'reload'")
    change(path)

    await assert_refuses(nvim, path)


async def test_write_refuses_when_the_file_changes_during_autocommands_before_it(
    nvim: Neovim, path: Path
) -> None:
    await nvim.command("autocmd BufWritePre * call writefile(['theirs'], expand('<afile>:p'))")

    await assert_refuses(nvim, path)

    assert await nvim.eval("execute('messages')") == ""
    await nvim.command("autocmd! BufWritePre *")
    await assert_refuses(nvim, path)
    assert await nvim.eval("execute('autocmd BufWritePre <buffer>')") == "\n--- Autocommands ---"
