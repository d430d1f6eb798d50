"""An editor without Neovim, for tests of what the server decides alone."""

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.editor.neovim import Neovim
from claude_ide.mcp.agent_endpoint import AgentEndpoint
from claude_ide.mcp.client import Client
from claude_ide.mcp.tool import IDE_TOOLS


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


@pytest.fixture
def endpoints(editor: Any) -> Callable[[str], AgentEndpoint]:
    """The endpoints of agents, by their names, with the editor of the test."""
    return partial(AgentEndpoint, editor, Config(), lambda: IDE_TOOLS)


@pytest.fixture
async def endpoint(endpoints: Callable[[str], AgentEndpoint]) -> AsyncIterator[AgentEndpoint]:
    """An endpoint that is closed when the test ends."""
    endpoint = endpoints("Otter")
    yield endpoint
    await endpoint.close()
