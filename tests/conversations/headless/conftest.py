"""Fixtures for one-off questions: a real editor whose CLI is played by the test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.either_editor import Editor, configure, edit
from support.fake_headless import FakeHeadless
from support.headless import TEXT


@pytest.fixture
async def claude() -> AsyncIterator[FakeHeadless]:
    """The CLI, played by the test."""
    async with FakeHeadless.serve() as claude:
        yield claude


@pytest.fixture
async def nvim(nvim: Editor, claude: FakeHeadless) -> Editor:
    """An editor that starts that CLI."""
    await configure(nvim, cmd=claude.command)
    return nvim


@pytest.fixture
async def file(nvim: Editor, project: Path) -> Path:
    """A file of four lines, open in the editor."""
    path = project / "a.py"
    path.write_text("\n".join(TEXT) + "\n")
    await edit(nvim, path)
    return path
