"""Fixtures for the tests with a real Vim."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.claude_code import ClaudeCode, claude_code, the_lock
from support.mcp_stdio import McpStdio, mcp_stdio
from support.model_tools import ModelTools
from support.neovim import until
from support.pushed_rules import push
from support.vim import Vim


@pytest.fixture
async def vim(vim_program: str, project: Path, tmp_path: Path) -> AsyncIterator[Vim]:
    """A real Vim in a terminal, in `project`, killed when the test ends."""
    vim = await Vim.start(cwd=project, home=tmp_path / "home")
    # It knows which files are private, although it may have no host.
    await push(vim)
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


@pytest.fixture
async def config(request: pytest.FixtureRequest, vim: Vim) -> str:
    """The layout of diffs, given by the parameter."""
    await vim.command(f"let g:claude_ide.diff = {{'layout': '{request.param}'}}")
    return str(request.param)


@pytest.fixture
async def client(serving_vim: Vim, config_folder: Path, project: Path) -> AsyncIterator[McpStdio]:
    """A program that has found the server by its own folder."""
    async with mcp_stdio({"CLAUDE_CONFIG_DIR": str(config_folder)}, project) as client:
        await client.initialize()
        yield client


@pytest.fixture
def tools(client: McpStdio) -> ModelTools:
    """The model's tools."""
    return ModelTools(client)
