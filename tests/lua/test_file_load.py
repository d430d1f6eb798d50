"""`file/load.lua`: files are loaded into buffers without a dialog."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from support.chunks import chunk
from support.neovim import Neovim, until

OLD = "one\n"


async def load(nvim: Neovim, path: Path) -> Any:
    """Load a file into a hidden buffer; return the refusal, the note and the error."""
    return await nvim.lua(chunk("file_load/load"), str(path))


@pytest.fixture
async def other(nvim: Neovim, project: Path, tmp_path: Path, path: Path) -> AsyncIterator[Neovim]:
    """Another Neovim that is editing the file; the one under test uses swap files, too."""
    other = await Neovim.start(cwd=project, home=tmp_path / "other")
    for neovim in (other, nvim):
        await neovim.command("set updatecount=200 directory=. swapfile")
    await other.command("edit a.txt | call setline(1, 'theirs') | preserve")
    yield other
    await other.stop()


async def test_hidden_loads_a_file_without_a_window(nvim: Neovim, path: Path) -> None:
    layout = await nvim.eval("[winlayout(), bufnr()]")

    assert await load(nvim, path) == [None, None, None]

    assert await nvim.eval("[winlayout(), bufnr()]") == layout
    assert await nvim.eval("getbufline('a.txt', 1, '$')") == ["one"]
    assert await nvim.eval("getbufvar('a.txt', '&filetype')") == "text"


async def test_hidden_fires_buffer_events_but_no_window_events(nvim: Neovim, path: Path) -> None:
    await nvim.command("let g:seen = []")
    for event in ("BufReadPost", "FileType", "BufEnter", "BufWinEnter", "WinNew", "WinEnter"):
        await nvim.command(f"autocmd {event} * call add(g:seen, '{event}')")

    await load(nvim, path)

    assert await nvim.eval("sort(g:seen)") == ["BufReadPost", "FileType"]
    assert await nvim.eval("&eventignore") == ""


async def test_the_first_window_of_a_hidden_buffer_gets_the_filetypes_options(
    nvim: Neovim, path: Path
) -> None:
    await nvim.command("autocmd FileType text setlocal foldmethod=marker")
    await load(nvim, path)

    await nvim.command("buffer a.txt")

    assert await nvim.eval("&foldmethod") == "marker"


async def test_an_option_that_the_user_sets_in_the_window_is_kept(nvim: Neovim, path: Path) -> None:
    await nvim.command("autocmd FileType text setlocal foldmethod=marker")
    await load(nvim, path)

    await nvim.command("buffer a.txt | setlocal foldmethod=indent | enew | buffer a.txt")

    assert await nvim.eval("&foldmethod") == "indent"


async def test_a_file_that_a_running_neovim_edits_opens_without_a_dialog(
    nvim: Neovim, path: Path, other: Neovim
) -> None:
    _, note, _ = await load(nvim, path)

    assert note == f"Opened anyway: process {other.process.pid} is editing the file, too."
    assert await nvim.mode() == {"mode": "n", "blocking": False}
    assert await nvim.eval("getbufline('a.txt', 1)") == ["one"]


async def test_a_file_with_a_left_over_swap_file_opens_read_only(
    nvim: Neovim, path: Path, other: Neovim
) -> None:
    other.process.kill()
    await other.process.wait()

    _, note, _ = await load(nvim, path)

    assert note == (
        "Opened read-only: a crashed editor left a swap file of it (see :help recovery)."
    )
    assert await nvim.eval("getbufvar('a.txt', '&readonly')") == 1
    assert (path.parent / ".a.txt.swp").exists()
    assert await nvim.mode() == {"mode": "n", "blocking": False}


async def test_the_users_own_choice_for_a_swap_file_is_respected(
    nvim: Neovim, path: Path, other: Neovim
) -> None:
    other.process.kill()
    await other.process.wait()
    await nvim.command("autocmd SwapExists * let v:swapchoice = 'e'")

    await load(nvim, path)

    assert await nvim.eval("getbufvar('a.txt', '&readonly')") == 0


async def test_a_load_that_the_user_has_forbidden_is_an_error(
    nvim: Neovim, path: Path, other: Neovim
) -> None:
    await nvim.command("autocmd SwapExists * let v:swapchoice = 'q'")

    result = await asyncio.wait_for(load(nvim, path), 5)

    assert result[2]
    assert await nvim.mode() == {"mode": "n", "blocking": False}


async def test_neovim_asks_about_swap_files_again_after_a_hidden_load(
    nvim: Neovim, path: Path, other: Neovim
) -> None:
    other.process.kill()
    await other.process.wait()
    await load(nvim, path)
    await nvim.command("bwipeout a.txt")

    await nvim.keys(":edit a.txt<CR>")

    await until(lambda: "E325" in nvim.screen.text())


SHOW = """
local loading = require('claude_ide.file.load')
local note, err = loading.in_window(0, vim.fn.bufnr('a.txt'))
return { note or vim.NIL, err or vim.NIL }
"""


async def load_and_rewrite(nvim: Neovim, path: Path, how: str) -> None:
    """Load the file into a hidden buffer, and write it as another program would."""
    await nvim.command(f"{how} | set hidden | edit a.txt | enew")
    path.write_text("theirs\n")
    later = path.stat().st_mtime + 5
    os.utime(path, (later, later))


async def test_a_file_that_another_program_has_written_is_shown_without_a_dialog(
    nvim: Neovim, path: Path
) -> None:
    await load_and_rewrite(nvim, path, "set noautoread")

    note, err = await asyncio.wait_for(nvim.lua(SHOW), 5)

    assert note == "a.txt has changed on disk since Neovim read it; the older text is shown."
    assert err is None
    assert await nvim.eval("[bufname(), getline(1), &modified]") == ["a.txt", "one", 0]
    await until(lambda: "a.txt has changed on disk; `:edit` reads it" in nvim.screen.text())
    assert await nvim.mode() == {"mode": "n", "blocking": False}


async def test_the_users_own_choice_for_a_changed_file_is_respected(
    nvim: Neovim, path: Path
) -> None:
    await load_and_rewrite(nvim, path, "set noautoread")
    await nvim.command("autocmd FileChangedShell * let v:fcs_choice = 'reload'")

    assert await asyncio.wait_for(nvim.lua(SHOW), 5) == [None, None]

    assert await nvim.eval("getline(1)") == "theirs"


async def test_showing_a_changed_file_leaves_no_autocommand_behind(
    nvim: Neovim, path: Path
) -> None:
    await load_and_rewrite(nvim, path, "set noautoread")
    await nvim.lua(SHOW)

    assert await nvim.eval("len(nvim_get_autocmds({'event': 'FileChangedShell'}))") == 0
