"""Writes to a full disk: what the disk no longer has stays in the buffer as an unsaved change."""

import contextlib
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from support.claude_code import ClaudeCode
from support.either_editor import BOTH, Editor, edit, run, shows_a_diff
from support.model_tools import ModelTools
from support.neovim import until
from support.vim import Vim

pytestmark = BOTH

LINES = [f"line {number}" for number in range(4000)]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 kB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("this user may not mount a disk")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


@pytest.fixture
def path(disk: Path) -> Path:
    """A file for which there is no room after it is formatted."""
    file = disk / "a.txt"
    file.write_text("".join(f"{line}\n" for line in LINES))
    return file


async def is_line(editor: Editor, text: str) -> bool:
    return bool(await editor.eval("getline(1)") == text)


@pytest.mark.parametrize("tool", ["format", "reformat_file"])
async def test_a_file_that_the_disk_has_lost_is_unsaved(
    serving: Editor, claude: ClaudeCode, tools: ModelTools, path: Path, project: Path, tool: str
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
    # The damaged file is not followed either, as others are.
    other = project / "other.txt"
    other.write_text("one\n")
    await edit(serving, other)
    for content in ("two", "three"):
        other.write_text(f"{content}\n")
        await until(partial(is_line, serving, content), content)
    assert await serving.eval(f"getbufline({bufnr}, 1, '$')") == LINES
    assert await serving.eval(f"getbufvar({bufnr}, '&modified')") == 1


async def test_a_kept_text_stays_unsaved_if_its_copy_does_not_fit(nvim: Editor, disk: Path) -> None:
    with contextlib.suppress(OSError):
        (disk / "filler").write_bytes(bytes(1_000_000))
    text = "precious\n"
    lines = text.split("\n") if isinstance(nvim, Vim) else text
    await run(nvim, "file.command_buffer.keep", "a.txt", lines, "your edits are")
    number = await nvim.eval("bufnr('$')")
    await nvim.command(f"buffer {number}")

    await nvim.keys(f":write {disk}/b.txt<CR>")

    await until(lambda: "cannot write" in nvim.screen.text(), "a message")
    assert await nvim.eval("[getline(1), &modified]") == ["precious", 1]
