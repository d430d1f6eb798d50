"""Writes to a full disk: what the disk no longer has stays in the buffer as an unsaved change."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.claude_code import ClaudeCode
from support.either_editor import BOTH, Editor, edit, shows_a_diff
from support.model_tools import ModelTools
from support.neovim import until

pytestmark = BOTH

LINES = [f"line {number}" for number in range(4000)]


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    """A file on a disk that has no room for it after it is formatted."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("this user may not mount a disk")
    file = disk / "a.txt"
    file.write_text("".join(f"{line}\n" for line in LINES))
    yield file
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


@pytest.mark.parametrize("tool", ["format", "reformat_file"])
async def test_a_file_that_the_disk_has_lost_is_unsaved(
    serving: Editor, claude: ClaudeCode, tools: ModelTools, path: Path, tool: str
) -> None:
    await serving.command("set hidden nobackup nowritebackup formatprg=sed\\ s/$/xxxxxxxx/")
    await edit(serving, path)

    if tool == "format":
        await tools.client.begin("format", file=str(path))
        await until(lambda: shows_a_diff(serving), "a diff")
        await serving.keys(":w<CR>")
        answer = await tools.client.read()
    else:
        answer = await claude.call("reformat_file", {"file_path": str(path)})
    assert "full" in str(answer) or "E514" in str(answer), answer

    assert len(path.read_text().splitlines()) < len(LINES) or "x" in path.read_text()
    bufnr = await serving.eval(f"bufnr('{path}')")
    assert await serving.eval(f"getbufline({bufnr}, 1, '$')") == LINES
    assert await serving.eval(f"getbufvar({bufnr}, '&modified')") == 1
