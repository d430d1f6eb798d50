"""Vim started in an unusual way: `vim -R`."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.claude_code import claude_code
from support.vim import Vim
from support.vim_diffs import answer, is_closed, propose


@pytest.fixture
async def vim(vim_program: str, project: Path, tmp_path: Path) -> AsyncIterator[Vim]:
    """A Vim that only shows files."""
    vim = await Vim.start("-R", cwd=project, home=tmp_path / "home")
    yield vim
    await vim.stop()


async def test_a_viewer_of_files_can_accept_an_edit(
    serving_vim: Vim, config_folder: Path, project: Path
) -> None:
    (project / "a.txt").write_text("old\n")
    await serving_vim.command("edit a.txt")
    async with claude_code(config_folder) as client:
        asked = await propose(serving_vim, client, project / "a.txt", "new\n")

        await serving_vim.keys("Amine<Esc>:w<CR>")

        assert await answer(asked) == ["FILE_SAVED", "newmine\n"]
        await is_closed(serving_vim)
    assert await serving_vim.eval("&readonly")
