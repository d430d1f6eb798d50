"""What an earlier session has left to review, in a file that is opened now."""

from pathlib import Path
from typing import Any

import pytest

from claude_ide.review.entry import Turn
from claude_ide.review.review import Review
from claude_ide.review.snapshot import ChangedFile
from claude_ide.review.store import Store
from support.either_editor import BOTH, Editor
from support.neovim import until

pytestmark = BOTH

BEFORE, AFTER = "one\ntwo\nthree\n", "one\nTWO\nthree\n"


def leave(folder: Path, home: Path, name: str = "a.py") -> Path:
    """Leave a file in which a hunk waits, as an agent of another editor does."""
    path = folder / name
    path.parent.mkdir(parents=True)
    path.write_text(AFTER)
    store = Store(str(folder), home / "state" / "claude_ide" / "review")
    found = ChangedFile(str(path), BEFORE.encode(), AFTER.encode())
    Review(str(folder), store).wrote(Turn("s", "1"), [found])
    return path


async def waits(nvim: Editor, *paths: Path) -> None:
    """Wait until the editor knows what waits in these files."""

    async def found() -> bool:
        review: Any = await nvim.eval("claude_ide#review()")
        return sorted(each["path"] for each in review["files"]) == sorted(map(str, paths))

    await until(found, f"{paths} wait")


@pytest.mark.parametrize("serves", [False, True])
async def test_a_file_that_is_opened_shows_what_waits(
    nvim: Editor, tmp_path: Path, *, serves: bool
) -> None:
    path = leave(tmp_path / "other", tmp_path / "home")
    if serves:
        await nvim.command("ClaudeStart!")

    await nvim.command(f"edit {path}")
    await waits(nvim, path)

    await nvim.command("2ClaudeRevert")
    await until(lambda: path.read_text() == BEFORE, "the hunk is reverted")


async def test_what_waits_in_two_folders_is_known(nvim: Editor, tmp_path: Path) -> None:
    home = tmp_path / "home"
    paths = [leave(tmp_path / "one", home), leave(tmp_path / "two", home, "deep/a.py")]
    for path in paths:
        await nvim.command(f"edit {path}")

    await waits(nvim, *paths)

    await nvim.command("ClaudeKeep!")
    await waits(nvim, paths[0])
