"""`file/buffers.lua`: finds the buffer of a file by its name, whatever has happened to either."""

from pathlib import Path
from typing import Any

import pytest

from support.neovim import Neovim


async def find(nvim: Neovim, path: Path) -> Any:
    """Return the number of the buffer that `buffers.find` finds; None without one."""
    found = await nvim.lua("return require('claude_ide.file.buffers').find(...)", str(path))
    return found and found["bufnr"]


async def number(nvim: Neovim) -> int:
    return int(await nvim.eval("bufnr()"))


def write(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("one\n", encoding="utf-8")
    return path


@pytest.fixture
async def known(nvim: Neovim, project: Path) -> Path:
    """A file that is open in a Neovim in which it has been searched before."""
    path = write(project / "a.txt")
    await nvim.command(f"edit {path}")
    assert await find(nvim, path) == await number(nvim)
    return path


async def test_a_buffer_that_is_opened_later_is_found(
    nvim: Neovim, known: Path, project: Path
) -> None:
    await nvim.command(f"edit {project}/b.txt")

    assert await find(nvim, project / "b.txt") == await number(nvim)


async def test_a_buffer_created_without_autocommands_is_found(
    nvim: Neovim, known: Path, project: Path
) -> None:
    await nvim.command(f"noautocmd edit {project}/b.txt")

    assert await find(nvim, project / "b.txt") == await number(nvim)


@pytest.mark.parametrize("modifier", ["", "noautocmd"])
async def test_a_renamed_buffer_is_found_only_by_its_new_name(
    nvim: Neovim, known: Path, project: Path, modifier: str
) -> None:
    await nvim.command(f"{modifier} file b.txt")

    assert await find(nvim, project / "b.txt") == await number(nvim)
    # `:file` leaves an alternate buffer with the old name.
    assert await find(nvim, known) != await number(nvim)


async def test_an_unnamed_buffer_is_found_once_it_gets_a_name(
    nvim: Neovim, known: Path, project: Path
) -> None:
    await nvim.command("enew | call setline(1, 'x')")
    assert await find(nvim, project / "new.txt") is None

    await nvim.command("write new.txt")

    assert await find(nvim, project / "new.txt") == await number(nvim)


async def test_a_wiped_buffer_is_not_found(nvim: Neovim, known: Path) -> None:
    await nvim.command("noautocmd bwipeout")

    assert await find(nvim, known) is None


async def test_a_buffer_is_found_through_a_folder_that_has_become_a_link(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "folder" / "a.txt")
    await nvim.command(f"edit {path}")
    assert await find(nvim, path)

    (project / "folder").rename(project / "moved")
    (project / "folder").symlink_to(project / "moved")

    assert await find(nvim, project / "moved" / "a.txt") == await number(nvim)


async def test_a_buffer_is_found_when_its_file_has_become_a_link(
    nvim: Neovim, known: Path, project: Path
) -> None:
    other = write(project / "other.txt")
    known.unlink()
    known.symlink_to(other)
    await nvim.command("edit!")

    assert await find(nvim, other) == await number(nvim)


async def test_a_linked_file_is_found_after_another_program_has_replaced_it(
    nvim: Neovim, known: Path, project: Path
) -> None:
    (project / "link.txt").symlink_to(known)
    await nvim.command("bwipeout | edit link.txt")
    write(project / "new.txt").rename(known)

    assert await find(nvim, known) == await number(nvim)
