"""A tmux of a test's own, in one of whose panes an editor seems to run."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from support.either_editor import Editor

Tmux = Callable[..., Awaitable[str]]

needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


@asynccontextmanager
async def tmux_around(nvim: Editor, folder: Path) -> AsyncIterator[Tmux]:
    """Start a tmux, and yield a function that runs its commands."""
    socket = f"/tmp/claude-ide-test-{os.getpid()}/{folder.name}"
    Path(socket).parent.mkdir(mode=0o700, exist_ok=True)

    async def run(*words: str) -> str:
        process = await asyncio.create_subprocess_exec(
            *("tmux", "-S", socket, "-f", "/dev/null", *words),
            stdout=asyncio.subprocess.PIPE,
            env={"PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "xterm-256color"},
        )
        out, _ = await process.communicate()
        return out.decode().strip()

    await run("new-session", "-d", "-x", "120", "-y", "30", "cat")
    pane = await run("display-message", "-p", "#{pane_id}")
    await nvim.command(f"let $TMUX = '{socket},1,0' | let $TMUX_PANE = '{pane}'")
    try:
        yield run
    finally:
        await run("kill-server")
        shutil.rmtree(Path(socket).parent, ignore_errors=True)
