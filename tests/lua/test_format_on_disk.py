"""`format/init.lua`: files that change on disk while they are reformatted."""

from pathlib import Path

from support.chunks import chunk
from support.formatting import (
    STRIP,
    UNTIL_GO,
    answer,
    fail,
    read,
    set_option,
    start,
    succeed,
    write,
)
from support.neovim import Neovim, until


async def test_formatting_starts_from_the_text_on_disk(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await set_option(nvim, "formatprg", STRIP)
    await nvim.command("edit a.txt")
    write(path, "new  \nlines  \nfrom elsewhere\n")

    await succeed(nvim, path)

    assert read(path) == "new\nlines\nfrom elsewhere\n"
    assert await nvim.eval("[getline(1, '$'), &modified]") == [
        ["new", "lines", "from elsewhere"],
        0,
    ]


async def start_and_hold_formatter(nvim: Neovim, project: Path, path: Path) -> None:
    """Start a formatter that waits until there is a file `go`, and wait until it runs."""
    await nvim.command("edit a.txt")
    await set_option(nvim, "formatprg", f"touch runs; {STRIP}; {UNTIL_GO}")
    await start(nvim, path)
    await until(lambda: (project / "runs").exists(), "the formatter runs")


async def test_a_file_that_changes_during_formatting_is_reloaded_and_not_formatted(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await start_and_hold_formatter(nvim, project, path)

    write(path, "new  \n")
    (project / "go").touch()

    assert await answer(nvim) == {
        "ok": False,
        "error": f"{path} was changed while it was being reformatted; the changes were kept.",
    }
    assert read(path) == "new  \n"
    assert await nvim.eval("[getline(1, '$'), &modified]") == [["new  "], 0]


async def test_a_file_that_changes_just_before_it_is_saved_leaves_no_conflict(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await set_option(nvim, "formatprg", STRIP)
    await nvim.lua("require('claude_ide.file.disk')")
    await nvim.command("edit a.txt")
    await nvim.lua(chunk("format_on_disk/change_before_write"), str(path))

    assert "has changed on disk" in await fail(nvim, path)

    assert read(path) == "new  \n"
    assert await nvim.eval("[getline(1, '$'), &modified]") == [["new  "], 0]
    assert not (await nvim.mode())["blocking"]


async def test_unsaved_changes_to_an_older_text_are_not_formatted(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await set_option(nvim, "formatprg", STRIP)
    await nvim.command("edit a.txt | call setline(2, 'mine  ')")
    write(path, "new  \n")

    assert await fail(nvim, path) == (
        f"{path} has unsaved changes in Neovim and has changed on disk, too; "
        "it was not reformatted."
    )

    assert read(path) == "new  \n"
    assert await nvim.eval("[getline(1, '$'), &modified]") == [["one  ", "mine  ", "three \t"], 1]
