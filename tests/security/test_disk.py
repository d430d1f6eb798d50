"""Open files that are replaced on disk by something that could block Neovim."""

import os
from pathlib import Path

import pytest

from support.either_editor import BOTH, Editor, run
from support.neovim import until

pytestmark = BOTH

OLD = "one\n"


@pytest.fixture
async def path(serving: Editor, project: Path) -> Path:
    """A file that is open in an editor that follows it."""
    file = project / "a.txt"
    file.write_text(OLD)
    await serving.command("edit a.txt")
    file.write_text("followed\n")
    await _shows(serving, "followed")
    file.write_text(OLD)
    await _shows(serving, OLD.strip())
    return file


async def _shows(nvim: Editor, line: str) -> None:
    await until(lambda: nvim.eval(f"getline(1) ==# '{line}'"))


async def test_unreadable_replacements_of_a_file_do_not_stop_the_reloading(
    nvim: Editor, path: Path
) -> None:
    other = path.with_name("other.txt")
    other.write_text(OLD)
    await nvim.command("split other.txt")

    for become in (_pipe, _endless, _folder, _huge, _loop):
        become(path)
        other.write_text(f"{become.__name__}\n")
        await _shows(nvim, become.__name__)
        _remove(path)

    assert await nvim.eval(f"getbufline('{path}', 1, '$')") == ["one"]
    path.write_text("two\n")
    await until(lambda: nvim.eval(f"getbufline('{path}', 1, '$') == ['two']"))


async def test_a_file_that_is_too_large_is_not_read_for_diagnostics(
    nvim: Editor, path: Path
) -> None:
    os.truncate(path, 65 * 1024**2)

    synced = await run(nvim, "disk_changes.reload.sync")

    assert not synced
    assert await nvim.eval("getline(1, '$')") == ["one"]


async def test_a_file_that_grows_too_large_before_the_reload_is_not_read(
    nvim: Editor, path: Path
) -> None:
    path.write_text("two\n")
    os.truncate(path, 65 * 1024**2)
    other = path.with_name("other.txt")
    other.write_text(OLD)
    await nvim.command("split other.txt")

    other.write_text("later\n")

    await _shows(nvim, "later")
    assert await nvim.eval(f"getbufline('{path}', 1, '$')") in (["one"], ["two"])


async def test_neovim_handles_keys_after_thousands_of_writes(nvim: Editor, path: Path) -> None:
    for number in range(3000):
        path.write_text(f"{number}\n")
        path.with_name(f"{number % 50}.tmp").write_text("noise")

    await nvim.keys("ix<Esc>")

    await until(lambda: nvim.eval("&modified"))
    assert (await nvim.mode())["blocking"] is False


def _pipe(path: Path) -> None:
    _remove(path)
    os.mkfifo(path)


def _endless(path: Path) -> None:
    _remove(path)
    path.symlink_to("/dev/zero")


def _folder(path: Path) -> None:
    _remove(path)
    path.mkdir()


def _huge(path: Path) -> None:
    path.touch()
    os.truncate(path, 3 * 1024**3)


def _loop(path: Path) -> None:
    _remove(path)
    path.symlink_to(path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink(missing_ok=True)
