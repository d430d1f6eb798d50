"""`file/borrowed_buffer.lua`: borrows a file's buffer, and restores it."""

import os
from pathlib import Path
from typing import Any

import pytest

from support.neovim import Neovim, NvimError

OLD = "one\ntwo\nthree\n"

BORROW = (
    "return require('claude_ide.file.borrowed_buffer').borrow(..., vim.api.nvim_get_current_win())"
)
GIVE_BACK = "require('claude_ide.file.borrowed_buffer').give_back(...)"


async def borrow(nvim: Neovim, path: Path) -> int:
    await nvim.command("new")
    bufnr: int = await nvim.lua(BORROW, str(path))
    return bufnr


async def give_back(nvim: Neovim, bufnr: int) -> None:
    await nvim.command("close")
    await nvim.lua(GIVE_BACK, bufnr)


async def info(nvim: Neovim, path: Path) -> Any:
    return await nvim.lua(
        "return vim.tbl_map(function(buffer)"
        " return { buffer.listed, buffer.loaded, vim.api.nvim_buf_get_mark(buffer.bufnr, '\"') }"
        " end, vim.fn.getbufinfo(...))",
        str(path),
    )


@pytest.mark.parametrize(
    "before",
    [
        [],
        ["badd a.txt"],
        ["call bufadd('a.txt')"],
        ["edit a.txt", "normal! 2G", "enew"],
        ["edit a.txt", "normal! 3G", "enew", "bunload a.txt"],
        ["edit a.txt", "normal! 3G", "enew", "bdelete a.txt"],
        ["call bufload(bufadd('a.txt'))"],
    ],
)
async def test_a_returned_buffer_is_as_before(nvim: Neovim, path: Path, before: list[str]) -> None:
    for command in before:
        await nvim.command(command)
    known = await info(nvim, path)
    bufnr = await borrow(nvim, path)
    assert await nvim.eval(f"getbufline({bufnr}, 1, '$')") == ["one", "two", "three"]
    await nvim.command("normal! G")

    await give_back(nvim, bufnr)

    assert await info(nvim, path) == known


async def test_a_buffer_borrowed_twice_is_restored_by_the_last_return(
    nvim: Neovim, path: Path
) -> None:
    bufnr = await borrow(nvim, path)
    await borrow(nvim, path)

    await give_back(nvim, bufnr)
    assert await nvim.eval(f"bufloaded({bufnr})")
    await give_back(nvim, bufnr)

    assert await info(nvim, path) == []


@pytest.mark.parametrize("adopt", ["normal! ddu", "normal! dd", "tab split | tabprevious"])
async def test_a_buffer_that_the_user_has_started_to_use_stays_loaded(
    nvim: Neovim, path: Path, adopt: str
) -> None:
    bufnr = await borrow(nvim, path)
    await nvim.command(adopt)

    await give_back(nvim, bufnr)

    assert await nvim.eval(f"[bufloaded({bufnr}), buflisted({bufnr})]") == [1, 1]


async def test_a_file_that_does_not_exist_is_shown_as_an_empty_buffer(
    nvim: Neovim, project: Path
) -> None:
    bufnr = await borrow(nvim, project / "new.txt")

    assert await nvim.eval("[bufnr(), bufname(), &buftype, &modifiable, getline(1, '$')]") == [
        bufnr,
        "",
        "nofile",
        0,
        [""],
    ]
    await give_back(nvim, bufnr)
    assert await nvim.eval(f"bufexists({bufnr})") == 0


async def test_the_text_on_disk_is_shown_instead_of_unsaved_changes(
    nvim: Neovim, path: Path
) -> None:
    await nvim.command("edit a.txt | set hidden | call setline(1, 'mine')")
    known = await nvim.eval("[bufnr(), changenr()]")

    bufnr = await borrow(nvim, path)

    assert await nvim.eval(f"getbufline({bufnr}, 1, '$')") == ["one", "two", "three"]
    assert await nvim.eval(f"[getbufvar({bufnr}, '&modifiable'), bufname({bufnr})]") == [0, ""]
    await give_back(nvim, bufnr)
    assert not await nvim.eval(f"bufexists({bufnr})")
    assert await nvim.eval("[bufnr(), changenr()]") == known
    assert await nvim.eval("getline(1)") == "mine"


async def rewrite(path: Path, text: str) -> None:
    """Write a file as another program does, with a newer modification time."""
    path.write_text(text)
    later = path.stat().st_mtime + 5
    os.utime(path, (later, later))


@pytest.mark.parametrize("watched", [False, True])
async def test_a_file_written_by_another_program_causes_no_prompt(
    nvim: Neovim, path: Path, watched: bool
) -> None:
    if watched:
        await nvim.lua("require('claude_ide.file.disk')")
    await nvim.command("set noautoread hidden | edit a.txt | enew")
    await rewrite(path, "theirs\n")

    bufnr = await borrow(nvim, path)

    assert await nvim.mode() == {"mode": "n", "blocking": False}
    assert await nvim.eval(f"getbufline({bufnr}, 1, '$')") == ["theirs"]
    await give_back(nvim, bufnr)
    assert await nvim.eval("getbufline('a.txt', 1, '$')") == ["one", "two", "three"]
    assert await nvim.eval("getbufvar('a.txt', '&modified')") == 0


async def test_a_buffer_with_autoread_is_reloaded_and_borrowed(nvim: Neovim, path: Path) -> None:
    await nvim.command("set autoread hidden | edit a.txt | enew")
    known = await nvim.eval("bufnr('a.txt')")
    await rewrite(path, "theirs\n")

    bufnr = await borrow(nvim, path)

    assert bufnr == known
    assert await nvim.eval(f"getbufline({bufnr}, 1, '$')") == ["theirs"]


async def test_a_buffer_that_follows_a_write_is_borrowed(nvim: Neovim, path: Path) -> None:
    """While it follows one, Neovim must not reload it, so 'autoread' is off."""
    await nvim.command("set autoread hidden | edit a.txt | enew")
    known = await nvim.eval("bufnr('a.txt')")
    await nvim.lua("require('claude_ide.file.disk').suspend_autoread(...)", known)
    await rewrite(path, "theirs\n")

    assert await borrow(nvim, path) == known


async def test_a_buffer_whose_file_does_not_exist_yet_is_borrowed(
    nvim: Neovim, project: Path
) -> None:
    await nvim.command("edit new.txt")
    await nvim.command("normal! ihello")
    known = await nvim.eval("bufnr()")

    bufnr = await borrow(nvim, project / "new.txt")

    assert bufnr == known
    await give_back(nvim, bufnr)
    assert await nvim.eval("[bufnr(), getline(1), &modified]") == [known, "hello", 1]


async def test_a_swap_file_raises_no_dialog(nvim: Neovim, path: Path) -> None:
    await nvim.command("set swapfile directory=.")
    (path.parent / ".a.txt.swp").write_bytes(b"not a swap file, but there")

    bufnr = await borrow(nvim, path)

    assert await nvim.eval(f"getbufline({bufnr}, 1)") == ["one"]
    assert not (await nvim.mode())["blocking"]


async def test_a_buffer_that_cannot_be_loaded_is_an_error(nvim: Neovim, path: Path) -> None:
    await nvim.command("autocmd BufReadPre a.txt bwipeout!")

    with pytest.raises(NvimError):
        await borrow(nvim, path)


async def test_a_path_that_looks_like_a_url_opens_the_file(nvim: Neovim, project: Path) -> None:
    path = project / "term:" / "touch CANARY"
    path.parent.mkdir()
    path.write_text("one\n")

    bufnr: int = await nvim.lua(BORROW, f"{project}/term://touch CANARY")

    assert await nvim.eval(f"getbufline({bufnr}, 1, '$')") == ["one"]
    assert await nvim.eval(f"[bufname({bufnr}), &buftype]") == [str(path), ""]
    assert not (project / "CANARY").exists()


async def test_a_named_pipe_is_refused(nvim: Neovim, project: Path) -> None:
    os.mkfifo(project / "pipe")

    with pytest.raises(NvimError, match=f"{project}/pipe: not a file but a pipe"):
        await borrow(nvim, project / "pipe")


async def test_a_file_that_a_plugin_handles_itself_is_refused(nvim: Neovim, project: Path) -> None:
    (project / "a.zip").write_text("not an archive\n")

    with pytest.raises(NvimError, match=r"a plugin handles such files itself \(\*.zip\)"):
        await borrow(nvim, project / "a.zip")


async def test_an_open_file_is_not_borrowed_if_a_plugin_makes_its_text(
    nvim: Neovim, project: Path
) -> None:
    (project / "a.zip").write_text("not an archive\n")
    await nvim.command("noautocmd edit a.zip")

    with pytest.raises(NvimError, match=r"a.zip: a plugin handles such files itself \(\*.zip\)"):
        await borrow(nvim, project / "a.zip")
