"""`file/open.lua`: files are opened without focus."""

from pathlib import Path

import pytest

from support.neovim import Neovim, until
from support.opening import here, names, open_file, write
from support.typing_user import IN_THE_MIDDLE, Typing


async def test_without_the_focus_the_user_stays_in_terminal_mode(
    nvim: Neovim, project: Path, terminal: int
) -> None:
    write(project / "a.txt")

    result = await open_file(nvim, project / "a.txt", make_frontmost=False, start_text="epsilon")

    assert result["isShown"] is True
    assert await nvim.mode() == {"mode": "t", "blocking": False}
    assert await nvim.eval("win_getid()") == terminal
    assert await names(nvim) == ["a.txt", "cat"]
    assert await nvim.eval("line('.', win_getid(1))") == 4
    await nvim.keys("typed")
    await until(lambda: "typed" in nvim.screen.text())


async def test_without_the_focus_the_users_own_window_keeps_its_file(
    nvim: Neovim, project: Path
) -> None:
    await nvim.command(f"edit {write(project / 'mine.txt')}")
    await nvim.keys("ifirst ")
    write(project / "a.txt")

    result = await open_file(nvim, project / "a.txt", make_frontmost=False, start_text="alpha")
    await nvim.keys("second ")

    await until(lambda: nvim.lua("return vim.fn.getline(1) == 'first second alpha'"))
    assert result == {
        "path": str(project / "a.txt"),
        "languageId": "text",
        "lineCount": 4,
        "wasOpen": False,
        "isShown": False,
        "found": True,
    }
    assert await names(nvim) == ["mine.txt"]
    assert await nvim.eval("bufloaded('a.txt') && buflisted('a.txt')") == 1


async def test_without_the_focus_the_users_cursor_stays(nvim: Neovim, project: Path) -> None:
    await nvim.command(f"edit {write(project / 'a.txt')} | 2")

    result = await open_file(nvim, project / "a.txt", make_frontmost=False, start_text="epsilon")

    assert result["isShown"] is True
    assert await nvim.eval("line('.')") == 2


async def test_the_focus_is_not_taken_from_a_user_who_is_typing(
    nvim: Neovim, project: Path
) -> None:
    await nvim.command("edit mine.txt")
    await nvim.keys("ifirst ")
    write(project / "a.txt")

    result = await open_file(nvim, project / "a.txt", make_frontmost=True)
    await nvim.keys("second")

    await until(lambda: nvim.lua("return vim.fn.getline(1) == 'first second'"))
    assert result["note"] == "The user is typing elsewhere; the file was opened without focus."
    assert (await nvim.mode())["mode"] == "i"


@pytest.mark.parametrize("is_split", [True, False])
@pytest.mark.parametrize("typing", IN_THE_MIDDLE)
async def test_half_typed_input_survives_the_opening_of_a_file(
    nvim: Neovim, project: Path, typing: Typing, is_split: bool
) -> None:
    write(project / "a.txt")
    await nvim.command("edit other.txt | vsplit mine.txt" if is_split else "edit mine.txt")
    await typing.begin(nvim)

    # Visual mode does not protect the focus: an earlier `open_file` can have selected a passage.
    result = await open_file(nvim, project / "a.txt", make_frontmost=typing.mode != "v")

    assert result["isShown"] is is_split
    await typing.finish(nvim)
    assert await here(nvim) == "mine.txt"
