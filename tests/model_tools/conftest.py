"""A program that calls the model's tools, and a project of two files."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from real.installed import search_path
from support.mcp_stdio import McpStdio, mcp_stdio
from support.model_tools import ModelTools, Reviewed
from support.neovim import Neovim

GREETER = """class Greeter:
    def __init__(self, name: str) -> None:
        self.name = name

    def greet(self, times: int = 1) -> str:
        return ", ".join([self.name] * times)
"""
MAIN = """from greeter import Greeter

é = Greeter("x"); print("𝄞", é.greet(2))
print(é.greet())
"""


@pytest.fixture
def greeter(project: Path) -> Path:
    """A project in which `main.py` uses the class of this file."""
    (project / "pyrightconfig.json").write_text("{}")
    (project / "main.py").write_text(MAIN)
    path = project / "greeter.py"
    path.write_text(GREETER)
    return path


@pytest.fixture
async def client(serving: Neovim, config_folder: Path, project: Path) -> AsyncIterator[McpStdio]:
    """A program that has found the server by its own folder."""
    async with mcp_stdio({"CLAUDE_CONFIG_DIR": str(config_folder)}, project) as client:
        await client.initialize()
        yield client


@pytest.fixture
def tools(client: McpStdio) -> ModelTools:
    """The model's tools."""
    return ModelTools(client)


@pytest.fixture
async def basedpyright(serving: Neovim) -> None:
    """Neovim starts a real language server for Python files."""
    import shutil

    program = shutil.which("basedpyright-langserver", path=search_path())
    if program is None:
        pytest.skip("basedpyright is not installed (make real SHORT=1 installs it)")
    await serving.lua(
        "vim.lsp.config('basedpyright', { cmd = { ..., '--stdio' }, filetypes = { 'python' },"
        " root_markers = { 'pyrightconfig.json' } }) vim.lsp.enable('basedpyright')",
        program,
    )


@pytest.fixture
def reviewed(tools: ModelTools, serving: Neovim) -> Reviewed:
    """A call whose changes the user reviews."""
    return Reviewed(tools, serving)
