"""In which window Vim opens a file for a client."""

from pathlib import Path
from typing import Any

import pytest

from support.claude_code import ClaudeCode
from support.neovim import until
from support.vim import Vim
from support.vim_diffs import propose

WINDOWS = "map(tabpagebuflist(), 'fnamemodify(bufname(v:val), \":t\")')"

COMPARED = """getwininfo()->filter("gettabwinvar(v:val.tabnr, v:val.winnr, '&diff')")->len()"""


@pytest.fixture
def file(project: Path) -> Path:
    """A file that is not open, next to others."""
    for name in ("a.txt", "b.txt", "c.txt"):
        (project / name).write_text(f"{name}\n")
    return project / "c.txt"


async def open_file(vim: Vim, path: Path, **request: Any) -> None:
    """Open a file as the host does."""
    await vim.call("claude_ide#file#open#OpenFile", {"path": str(path), **request})


async def here(vim: Vim) -> list[Any]:
    """Return the names in the windows of the tabpage, and that in the current one."""
    return [await vim.eval(WINDOWS), await vim.eval("expand('%:t')")]


async def test_the_window_that_was_used_last_takes_it(serving_vim: Vim, file: Path) -> None:
    vim = serving_vim  # Vim itself knows only the second in which a buffer was used.
    await vim.command("edit a.txt | split b.txt | 1wincmd w | 2wincmd w | copen")

    await open_file(vim, file)

    assert await here(vim) == [["b.txt", "c.txt", ""], "c.txt"]


async def test_special_windows_keep_what_they_show(vim: Vim, file: Path) -> None:
    await vim.command("edit a.txt | help | wincmd p | copen | pedit b.txt | 1wincmd w")
    before = set(await vim.eval(WINDOWS))

    await open_file(vim, file)

    assert set(await vim.eval(WINDOWS)) == before - {"a.txt"} | {"c.txt"}
    assert await vim.eval("expand('%:t')") == "c.txt"


async def test_a_window_with_a_fixed_buffer_keeps_it(vim: Vim, file: Path) -> None:
    if not await vim.eval("exists('+winfixbuf')"):
        pytest.skip("'winfixbuf' is of Vim 9.1")
    await vim.command("edit a.txt | split b.txt | set winfixbuf")

    await open_file(vim, file)

    assert await here(vim) == [["b.txt", "c.txt"], "c.txt"]


async def test_beside_a_terminal_alone_it_gets_a_window(vim: Vim, file: Path) -> None:
    await vim.command("terminal ++curwin cat")
    await until(lambda: vim.eval("mode() == 't'"), "in the terminal")

    await open_file(vim, file)

    assert await vim.eval("[expand('%:t'), mode()]") == ["c.txt", "n"]
    assert await vim.eval("winnr('$')") == 2
    assert await vim.eval("winnr()") == 1


@pytest.mark.parametrize("layout", ["tab", "vertical"])
async def test_the_windows_of_a_diff_are_left_alone(
    vim: Vim, vim_client: ClaudeCode, file: Path, project: Path, layout: str
) -> None:
    await vim.command(f"let g:claude_ide.diff = {{'layout': '{layout}'}} | edit a.txt")
    await propose(vim, vim_client, project / "a.txt", "new\n")
    windows = await vim.eval(COMPARED)

    await open_file(vim, file)

    assert await vim.eval("[expand('%:t'), &diff]") == ["c.txt", 0]
    assert await vim.eval(COMPARED) == windows == 2


async def test_without_room_it_gets_a_tabpage(vim: Vim, file: Path) -> None:
    await vim.command("terminal ++curwin cat")
    await vim.command("set winminheight=1 lines=3 laststatus=0")

    await open_file(vim, file)

    assert await vim.eval("[tabpagenr('$'), expand('%:t')]") == [2, "c.txt"]


async def test_options_of_the_filetype_apply(vim: Vim, file: Path, project: Path) -> None:
    (project / "d.py").write_text("pass\n")
    await vim.command("edit a.txt | autocmd FileType python setlocal nowrap shiftwidth=3")

    await open_file(vim, project / "d.py")

    assert await vim.eval("[&filetype, &wrap, &shiftwidth]") == ["python", 0, 3]


async def test_a_link_leads_to_the_window_of_its_file(vim: Vim, file: Path, project: Path) -> None:
    (project / "link.txt").symlink_to(file)
    await vim.command("edit c.txt | tabnew | edit a.txt")

    await open_file(vim, project / "link.txt")

    assert await vim.eval("[tabpagenr(), tabpagenr('$'), expand('%:t')]") == [1, 2, "c.txt"]
