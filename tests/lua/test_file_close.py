"""`file/open.lua`: closes files, and keeps unsaved changes and windows."""

from pathlib import Path
from typing import Any

from support.neovim import Neovim, until


async def close_file(nvim: Neovim, path: Path) -> Any:
    return await nvim.lua("return require('claude_ide.file.open').close_file(...)", str(path))


def write(path: Path) -> Path:
    path.write_text("one\ntwo\n", encoding="utf-8")
    return path


async def names(nvim: Neovim) -> list[str]:
    """The names of the buffers that the current tabpage shows."""
    shown = await nvim.eval("map(tabpagebuflist(), 'bufname(v:val)')")
    return [name.split("/")[-1].split(":")[-1] for name in shown]


async def test_close_file_keeps_the_windows(nvim: Neovim, project: Path) -> None:
    await nvim.command(f"edit {write(project / 'b.txt')} | edit {write(project / 'a.txt')}")
    await nvim.command("vsplit | split")
    layout = await nvim.eval("winlayout()")

    assert await close_file(nvim, project / "a.txt") == {"closed": True}

    assert await nvim.eval("winlayout()") == layout
    assert await names(nvim) == ["b.txt", "b.txt", "b.txt"]
    assert await nvim.eval("[buflisted('a.txt'), bufloaded('a.txt')]") == [0, 0]


async def test_close_file_of_the_only_file_leaves_an_empty_buffer(
    nvim: Neovim, project: Path
) -> None:
    await nvim.command(f"edit {write(project / 'a.txt')} | split")

    assert await close_file(nvim, project / "a.txt") == {"closed": True}

    assert await names(nvim) == ["", ""]
    assert len(await nvim.eval("getbufinfo({'buflisted': 1})")) == 1


async def test_close_file_keeps_unsaved_changes(nvim: Neovim, project: Path) -> None:
    await nvim.command(f"edit {write(project / 'a.txt')} | call setline(1, 'mine')")

    result = await close_file(nvim, project / "a.txt")

    assert result == {
        "closed": False,
        "error": f"{project}/a.txt has unsaved changes; it stays open.",
    }
    assert await nvim.eval("getline(1)") == "mine"


async def test_close_file_of_a_file_that_is_not_open_is_an_error(
    nvim: Neovim, project: Path
) -> None:
    result = await close_file(nvim, write(project / "a.txt"))

    assert result == {"closed": False, "error": f"{project}/a.txt is not open in Neovim."}


async def test_close_file_leaves_a_diff_alone(nvim: Neovim, project: Path) -> None:
    await nvim.command(f"edit {write(project / 'a.txt')} | diffthis | vsplit b.txt | diffthis")

    result = await close_file(nvim, project / "a.txt")

    assert result == {
        "closed": False,
        "error": f"{project}/a.txt is part of a diff; it stays open.",
    }
    assert await names(nvim) == ["b.txt", "a.txt"]


async def test_close_file_does_not_close_a_file_that_the_user_is_typing_in(
    nvim: Neovim, project: Path
) -> None:
    await nvim.command(f"edit {write(project / 'a.txt')}")
    await nvim.keys("i")
    await until(lambda: nvim.lua("return vim.fn.mode() == 'i'"))

    result = await close_file(nvim, project / "a.txt")

    assert result == {
        "closed": False,
        "error": f"The user is typing in {project}/a.txt; it stays open.",
    }


async def test_close_file_closes_floats_and_windows_that_show_only_this_file(
    nvim: Neovim, project: Path
) -> None:
    await nvim.command(f"edit {write(project / 'b.txt')} | split {write(project / 'a.txt')}")
    await nvim.lua("""
      vim.wo.winfixbuf = true
      vim.api.nvim_open_win(0, false,
        { relative = 'editor', row = 2, col = 2, width = 20, height = 5 })
    """)

    assert await close_file(nvim, project / "a.txt") == {"closed": True}

    assert await names(nvim) == ["b.txt"]


async def test_close_file_works_from_terminal_mode(nvim: Neovim, project: Path) -> None:
    await nvim.command(f"edit {write(project / 'left.txt')} | botright vsplit | terminal cat")
    await nvim.keys("i")
    await until(lambda: nvim.lua("return vim.fn.mode() == 't'"))

    assert await close_file(nvim, project / "left.txt") == {"closed": True}

    assert await nvim.mode() == {"mode": "t", "blocking": False}
    assert await names(nvim) == ["", "cat"]
