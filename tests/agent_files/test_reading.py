"""Files that an agent reads: buffers with their unsaved text, and files on disk."""

import os
from pathlib import Path

import pytest

from support.agent_files import NEW, OLD, Here, refused
from support.neovim import until


async def test_a_file_that_is_not_open_is_read_from_the_disk(here: Here, path: Path) -> None:
    assert await here.files.read(str(path)) == OLD
    assert await here.nvim.eval("len(getbufinfo())") == 1


async def test_unsaved_text_is_read(here: Here, unsaved: Path) -> None:
    assert await here.files.read(str(unsaved)) == f"{OLD}mine\n"


async def test_a_write_of_another_program_is_read_before_the_buffer_follows(
    here: Here, opened: Path
) -> None:
    opened.write_text(NEW)

    assert await here.files.read(str(opened)) == NEW

    # The user types in the buffer, which cannot follow now.
    await here.nvim.keys("i")
    await until(lambda: here.nvim.eval("mode() == 'i'"))
    opened.write_text("newest\n")
    assert await here.files.read(str(opened)) == "newest\n"


async def test_the_text_is_read_as_it_would_be_on_disk(here: Here, path: Path) -> None:
    for content in (b"\xef\xbb\xbfone\r\ntwo\r\n", b"one", b"", b"\n", b"a\rb\n", b"a\r\nb\n"):
        path.write_bytes(content)
        await here.nvim.command(f"edit {path} | setlocal nofixeol")
        assert (await here.files.read(str(path))).encode() == content
        await here.nvim.command("%bwipeout!")
        assert (await here.files.read(str(path))).encode() == content


async def test_a_file_in_another_encoding_is_read_only_if_neovim_has_read_it(
    here: Here, path: Path
) -> None:
    path.write_bytes(b"gr\xfcn\n")
    assert await refused(here.files.read(str(path))) == f"{path}: not text in UTF-8"

    await here.nvim.command(f"edit ++enc=latin1 {path}")

    assert await here.files.read(str(path)) == "grün\n"


async def test_a_missing_file_is_not_found(here: Here, project: Path) -> None:
    await here.nvim.command(f"edit {project}/new.txt")
    for path in (project / "new.txt", project / "no" / "such.txt"):
        with pytest.raises(FileNotFoundError):
            await here.files.read(str(path))

    await here.nvim.command("call setline(1, 'unsaved')")

    assert await here.files.read(f"{project}/new.txt") == "unsaved\n"


async def test_only_a_regular_file_on_a_disk_is_read_or_written(here: Here, project: Path) -> None:
    os.mkfifo(project / "pipe")
    (project / "loop").symlink_to("loop")
    (project / "endless").symlink_to("/dev/zero")
    (project / "folder").mkdir()
    (project / "large").touch()
    os.truncate(project / "large", 20_000_000)
    (project / "binary").write_bytes(b"a\0b")
    (project / "inner").symlink_to("/proc/self")
    reasons = {
        project / "pipe": "not a file but a pipe",
        project / "loop": "too many symbolic links encountered",
        project / "endless": "not a file on a disk",
        project / "folder": "not a file but a folder",
        project / "inner" / "environ": "not a file on a disk",
        Path("/dev/tty"): "not a file on a disk",
        Path("/proc/self/environ"): "not a file on a disk",
        Path("a.txt"): "not an absolute path",
        Path("~/a.txt"): "not an absolute path",
        Path("/a\0b"): "contains a NUL",
        Path("/" + "x/" * 3000): "the path is too long",
        Path("/a\ud800"): "no file can have this name",
    }
    for path, reason in reasons.items():
        assert (await refused(here.files.read(str(path)))).endswith(f": {reason}"), path
        assert (await refused(here.files.write(str(path), ""))).endswith(f": {reason}"), path
    assert "has 20,000,000 bytes" in await refused(here.files.read(str(project / "large")))
    assert "not text in UTF-8" in await refused(here.files.read(str(project / "binary")))
