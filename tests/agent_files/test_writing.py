"""Files that an agent writes on disk, and their format."""

import os
from pathlib import Path

import pytest

from support.agent_files import NEW, OLD, Here, refused


async def test_a_file_that_is_not_open_is_written_on_disk(here: Here, path: Path) -> None:
    path.chmod(0o750)

    assert (await here.files.write(str(path), NEW)).saved == NEW

    assert path.read_text() == NEW
    assert path.stat().st_mode & 0o777 == 0o750
    assert list(path.parent.iterdir()) == [path]
    assert here.announced == [str(path)]
    assert here.written == [(str(path), False)]
    assert await here.nvim.eval("len(getbufinfo())") == 1


async def test_a_new_file_is_written_with_its_folders(here: Here, project: Path) -> None:
    await here.files.write(f"{project}/some/inner/new.txt", "new\n")

    assert (project / "some" / "inner" / "new.txt").read_text() == "new\n"


async def test_a_link_stays_a_link(here: Here, path: Path) -> None:
    link = path.with_name("link.txt")
    link.symlink_to(path)

    await here.files.write(str(link), NEW)

    assert link.is_symlink()
    assert path.read_text() == NEW


async def test_a_read_only_file_is_not_written(here: Here, path: Path) -> None:
    path.chmod(0o444)
    if os.access(path, os.W_OK):
        pytest.skip("this user may write everything")

    assert await refused(here.files.write(str(path), NEW)) == f"{path}: permission denied"

    assert path.read_text() == OLD


@pytest.mark.parametrize("is_open", [True, False])
@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        (b"one\r\ntwo\r\n", "one\nTWO\n", b"one\r\nTWO\r\n"),
        (b"one\r\ntwo\r\n", "one\r\nTWO\r\n", b"one\r\nTWO\r\n"),
        (b"one\ntwo\n", "one\r\nTWO\r\n", b"one\r\nTWO\r\n"),
        (b"\xef\xbb\xbfone\n", "two\n", b"\xef\xbb\xbftwo\n"),
        (b"\xef\xbb\xbfone\n", "\ufefftwo\n", b"\xef\xbb\xbftwo\n"),
        (b"one\n", "two", b"two"),
        (b"one", "two\n", b"two\n"),
        (b"one\n", "", b""),
        (b"", "one\n", b"one\n"),
        (b"one\n", "\n", b"\n"),
        (b"a\r\nb\n", "a\r\nc\n", b"a\r\nc\n"),
        (b"one\n", "gr\u00fcn \u2028 \U0001f600\n", "gr\u00fcn \u2028 \U0001f600\n".encode()),
    ],
)
async def test_the_format_of_the_file_is_kept(
    here: Here, path: Path, before: bytes, text: str, after: bytes, is_open: bool
) -> None:
    path.write_bytes(before)
    if is_open:
        await here.nvim.command(f"edit {path} | setlocal nofixeol")

    await here.files.write(str(path), text)

    assert path.read_bytes() == after
    assert await here.nvim.eval("&modified") == 0
    assert (await here.files.read(str(path))).encode() == after


ODD = (
    *("$(touch CANARY)", "`touch CANARY`", "+!touch CANARY", "=execute('!touch CANARY')"),
    *("| !touch CANARY", "%", "#", "~", "*", "[x].sh", "-c", "a\nb", "{x,y}", "term:\\\\sh x.sh"),
)


@pytest.mark.parametrize("is_open", [True, False])
async def test_no_name_runs_a_command(here: Here, project: Path, is_open: bool) -> None:
    for name in ODD:
        path = project / name
        path.write_text(OLD)
        if is_open:
            await here.nvim.lua("vim.fn.bufload(vim.fn.bufadd(...))", str(path))

        await here.files.write(str(path), NEW)

        assert await here.files.read(str(path)) == path.read_text() == NEW
    assert sorted(path.name for path in project.iterdir()) == sorted(ODD)


async def test_a_name_that_a_plugin_would_reinterpret_is_refused(here: Here, project: Path) -> None:
    path = project / "tarfile::x.sh::y"

    assert "a plugin handles such names itself" in await refused(here.files.read(str(path)))
    assert "a plugin handles such names itself" in await refused(here.write(path, NEW))
    assert not list(project.iterdir())
