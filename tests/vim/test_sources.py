"""Mentions of what the real plugins for files list in Vim."""

import subprocess
from pathlib import Path

import pytest

from support.mentions import listed
from support.neovim import until
from support.vim import Vim
from support.vim_plugins import folder_of


@pytest.fixture
def files(project: Path) -> Path:
    """A repository with a few files."""
    (project / "sub").mkdir()
    for name in ("a.py", "b.py", "sub/c.py"):
        (project / name).write_text("one\n")
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    return project


@pytest.mark.parametrize(
    ("plugin", "command", "filetype", "folders"),
    [
        ("nerdtree", "NERDTree", "nerdtree", ["", "sub"]),
        ("vim-dirvish", "Dirvish .", "dirvish", ["sub", ".git"]),
        ("fern.vim", "Fern .", "fern", ["", "sub"]),
        ("vim-fugitive", "Git", "fugitive", ["sub"]),
    ],
)
async def test_the_files_of_a_plugin_are_mentioned(
    vim_program: str,
    files: Path,
    tmp_path: Path,
    plugin: str,
    command: str,
    filetype: str,
    folders: list[str],
) -> None:
    vim = await Vim.start(
        *["--cmd", f"set runtimepath+={folder_of(plugin)}"], cwd=files, home=tmp_path / "home"
    )
    try:
        await vim.keys(f":{command}<CR>")
        await until(lambda: vim.eval(f"&filetype == '{filetype}'"), "the list")
        await until(lambda: vim.eval("search('b.py', 'cw')"), "its files")
        before = await vim.eval("getcurpos()")

        one = await listed(vim)
        several = await listed(vim, 1, await vim.eval("line('$')"))

        assert one == [{"filePath": str(files / "b.py")}]
        paths = {each["filePath"] for each in several}
        assert paths == {str(files / name) for name in ("a.py", "b.py", *folders)}
        assert await vim.eval("getcurpos()") == before
    finally:
        await vim.stop()
