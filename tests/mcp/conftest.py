"""An editor without Neovim, for tests of what the server decides alone."""

import asyncio
from types import SimpleNamespace

import pytest

from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.editor.neovim import Neovim
from claude_ide.mcp.client import Client


@pytest.fixture
async def editor() -> Editor:
    """The editor of a Neovim that has ended; every request to it fails."""
    neovim = Neovim(SimpleNamespace(loop=asyncio.get_running_loop()))
    neovim.close()
    return Editor(neovim)


@pytest.fixture
def client(editor: Editor) -> Client:
    """A client that has not sent anything yet."""
    return Client(editor, Config())
