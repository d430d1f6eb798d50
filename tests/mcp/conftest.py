"""An editor without Neovim: for what the server decides alone."""

import asyncio
from types import SimpleNamespace

import pytest

from claude_ide.config import Config
from claude_ide.editor.bridge import Bridge
from claude_ide.editor.editor import Editor
from claude_ide.mcp.client import Client


@pytest.fixture
async def editor() -> Editor:
    """The editor of a Neovim that has ended, of which only the loop is left: asking it fails."""
    bridge = Bridge(SimpleNamespace(loop=asyncio.get_running_loop()))
    bridge.close()
    return Editor(bridge)


@pytest.fixture
def client(editor: Editor) -> Client:
    """A client that has not said anything yet."""
    return Client(editor, Config())
