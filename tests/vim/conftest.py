"""Fixtures for the tests with a real Vim; without a Vim that is fit these tests are skipped."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.claude_code import ClaudeCode, claude_code, the_lock
from support.neovim import until
from support.vim import Vim, vim_binary, vim_version


@pytest.fixture(scope="session")
def vim_program() -> str:
    """Vim's path; without a fit one the test is skipped, or fails if `CLAUDE_IDE_REQUIRE_VIM=1`."""
    try:
        vim_version()
    except OSError as reason:
        if os.environ.get("CLAUDE_IDE_REQUIRE_VIM") == "1":
            pytest.fail(str(reason))
        pytest.skip(str(reason))
    return vim_binary()


@pytest.fixture
async def vim(vim_program: str, project: Path, tmp_path: Path) -> AsyncIterator[Vim]:
    """A real Vim in a terminal, in `project`, killed when the test ends."""
    vim = await Vim.start(cwd=project, home=tmp_path / "home")
    yield vim
    await vim.stop()


@pytest.fixture
async def serving_vim(vim: Vim, config_folder: Path) -> Vim:
    """A Vim whose server accepts clients."""
    await vim.command("ClaudeStart!")
    await the_lock(config_folder)
    await until(lambda: vim.eval("claude_ide#host#Server()"), "listening")
    return vim


@pytest.fixture
async def vim_client(serving_vim: Vim, config_folder: Path) -> AsyncIterator[ClaudeCode]:
    """A client that has connected and initialized the session."""
    async with claude_code(config_folder) as client:
        yield client
