"""`file/path.lua`: which buffers hold a file."""

from pathlib import Path

import pytest

from support.neovim import Neovim


async def path(nvim: Neovim) -> str | None:
    found: str | None = await nvim.lua("return require('claude_ide.file.path').path(0)")
    return found


async def test_a_file_has_an_absolute_path(nvim: Neovim, project: Path) -> None:
    (project / "a b é.py").touch()
    await nvim.command(r"edit a\ b\ é.py")

    assert await path(nvim) == str(project / "a b é.py")


async def test_a_file_that_is_not_written_yet_has_a_path(nvim: Neovim, project: Path) -> None:
    await nvim.command("edit new.py")

    assert await path(nvim) == str(project / "new.py")


async def test_a_path_stays_absolute_after_a_change_of_folder(nvim: Neovim, project: Path) -> None:
    (project / "sub").mkdir()
    await nvim.command("edit a.py | cd sub")

    assert await path(nvim) == str(project / "a.py")


@pytest.mark.parametrize(
    "command",
    [
        pytest.param("enew", id="a buffer without a name"),
        pytest.param("terminal cat", id="a terminal"),
        pytest.param("copen", id="the quickfix list"),
        pytest.param("help", id="a help file"),
        pytest.param("edit .", id="a folder in netrw"),
        pytest.param("let g:netrw_liststyle = 3 | Explore", id="a tree in netrw"),
        pytest.param("autocmd! FileExplorer | noautocmd edit .", id="a folder without netrw"),
        pytest.param("edit fugitive:///x//0/a.py", id="a name that is an address"),
        pytest.param("edit a.py | setlocal buftype=acwrite", id="a proposal"),
        pytest.param("edit a.py | setlocal buftype=nofile", id="a scratch buffer with a name"),
    ],
)
async def test_a_buffer_that_is_not_a_file_has_no_path(nvim: Neovim, command: str) -> None:
    await nvim.command("runtime plugin/netrwPlugin.vim")
    await nvim.command(command)

    assert await path(nvim) is None


async def test_a_buffer_that_does_not_exist_has_no_path(nvim: Neovim) -> None:
    assert await nvim.lua("return require('claude_ide.file.path').path(99)") is None
