"""Programs are found on PATH, but never in the current folder."""

from pathlib import Path

import pytest

from support.checkout import program
from support.either_editor import BOTH, Editor, run

pytestmark = BOTH


@pytest.mark.parametrize("path", ["", ".", "bin", "./bin"])
async def test_an_entry_of_path_that_is_not_absolute_is_skipped(
    nvim: Editor, project: Path, tmp_path: Path, path: str
) -> None:
    program(project / "claude", "true")
    program(project / "bin/claude", "true")
    real = program(tmp_path / "real/claude", "true")

    await nvim.command(f"let $PATH = '{path}:/nowhere'")
    assert not await run(nvim, "system.program.find", "claude")

    await nvim.command(f"let $PATH = '{path}:{real.parent}'")
    assert await run(nvim, "system.program.find", "claude") == str(real)
