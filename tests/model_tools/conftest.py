"""A program that calls the model's tools, and a project of two files."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.kernels import use_environment
from support.mcp_stdio import McpStdio, mcp_stdio
from support.model_languages import GREETER, Scripted, enable_real
from support.model_tools import ModelTools, Reviewed
from support.neovim import Neovim

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
    await enable_real(serving, "basedpyright")


@pytest.fixture
def reviewed(tools: ModelTools, serving: Neovim) -> Reviewed:
    """A call whose changes the user reviews."""
    return Reviewed(tools, serving)


@pytest.fixture
def scripted(serving: Neovim, tmp_path: Path) -> Scripted:
    """Language servers that give the answers of a script."""
    folder = tmp_path / "servers"
    folder.mkdir()
    return Scripted(serving, folder)


@pytest.fixture
def main(greeter: Path) -> Path:
    """A file that uses the class."""
    return greeter.with_name("main.py")


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    """A pipe; a server that reads it waits until something writes to it."""
    path = tmp_path / "fifo"
    os.mkfifo(path)
    return path


@pytest.fixture
async def kernel(serving: Neovim, project: Path) -> Path:
    """A trusted project whose `.venv` has ipykernel; its folder."""
    use_environment(project)
    await serving.command("ClaudeTrust yes")
    return project
