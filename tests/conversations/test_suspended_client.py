"""Leaving the editor beside a client that does not answer."""

import asyncio
import time
from pathlib import Path

import pytest

from claude_ide.transport.websocket import CLOSE_SECONDS
from support.claude_code import locks
from support.either_editor import Editor, is_serving, start_editor
from support.neovim import WAIT_SECONDS, until
from support.suspended_client import suspended_client

ATTEMPTS = 4
"""How often a busy machine may delay the end; a wait that is built in delays each one."""


@pytest.mark.parametrize("nvim", ["neovim", "vim"])
async def test_a_suspended_client_does_not_delay_the_end_of_the_editor(
    request: pytest.FixtureRequest, nvim: str, project: Path, tmp_path: Path
) -> None:
    request.param = nvim
    for attempt in range(ATTEMPTS):
        home = tmp_path / f"home{attempt}"
        editor = await start_editor(request, cwd=project, home=home)
        try:
            if await end(editor, home / "claude") < CLOSE_SECONDS:
                return
        finally:
            await editor.stop()
    raise AssertionError("each end waited for the client")


async def end(editor: Editor, folder: Path) -> float:
    """Leave an editor beside a suspended client; return the seconds until it has ended."""
    await editor.command("ClaudeStart!")
    await until(lambda: is_serving(editor), "listening")
    async with suspended_client(folder):
        began = time.monotonic()
        await editor.keys(":qa!<CR>")
        await asyncio.wait_for(editor.process.wait(), WAIT_SECONDS)
        seconds = time.monotonic() - began
    await until(lambda: not locks(folder), "the lock is gone")
    return seconds
