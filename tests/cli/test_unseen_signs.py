"""Signs at the lines that the real CLI has written, in a terminal."""

from pathlib import Path

import pytest

from support.fake_api import FakeApi, edit, text, tool_use
from support.happenings import follow, names
from support.neovim import Neovim, until
from support.terminal import PATIENCE
from support.unseen import ON, has_signs

from .conftest import accept_in_the_terminal, begin, diff_opened


async def prompt(nvim: Neovim, words: str) -> None:
    await nvim.keys(words)
    await until(lambda: words in nvim.screen.text(), "the prompt is typed", PATIENCE)
    await nvim.keys("<CR>")


async def is_over(nvim: Neovim) -> None:
    """Wait until the turn has ended, and go to the window with the file."""
    await until(lambda: "ClaudeTurnEnd" in names(nvim), "the turn ends", PATIENCE)
    await nvim.command("stopinsert | wincmd t")


@pytest.mark.parametrize("mode", ["acceptEdits", "auto"])
async def test_lines_have_signs_until_the_cursor_was_in_them(
    nvim_with_cli: Neovim, api: FakeApi, path: Path, mode: str
) -> None:
    nvim = nvim_with_cli
    made, long = path.with_name("made.txt"), path.with_name("long.py")
    long.write_text("".join(f"{number}\n" for number in range(40)))
    await nvim.lua(ON)
    await follow(nvim)
    await begin(nvim, mode)
    api.script(
        *edit(path, "two", "TWO", then="")[:-1],
        *edit(long, "30\n31\n", "thirty\n", then="")[:-1],
        *edit(long, "10\n", "ten\neleven\n", then="")[:-1],
        [tool_use("Write", file_path=str(made), content="a\nb\n")],
        [tool_use("Bash", command=f"echo three >> {path.name}", description="Append")],
        [text("All done.")],
    )
    await prompt(nvim, "Change everything")
    await is_over(nvim)

    await has_signs(nvim, "2 3")
    await nvim.keys("j")
    await has_signs(nvim, "3")
    await nvim.keys("j")
    await has_signs(nvim, "")
    await nvim.command(f"edit {made}")
    await has_signs(nvim, "2")
    await nvim.command(f"edit {long}")
    await has_signs(nvim, "11 12 32")


async def test_an_edit_that_the_user_accepts_has_no_signs_and_the_next_one_has(
    nvim_with_cli: Neovim, api: FakeApi, path: Path
) -> None:
    nvim = nvim_with_cli
    await nvim.lua(ON)
    await follow(nvim)
    await begin(nvim, "default")
    accepted = tool_use("Edit", file_path=str(path), old_string="two", new_string="TWO\nthree")
    allowed = tool_use("Edit", file_path=str(path), old_string="three", new_string="three\nfour")
    read = tool_use("Read", file_path=str(path))
    api.script([read], [accepted, allowed], [text("All done.")])
    await prompt(nvim, "Shout")
    await diff_opened(nvim)

    # The dialog of the CLI: yes, and allow all edits during this session.
    await nvim.command("stopinsert | ClaudeFocus")
    await accept_in_the_terminal(nvim, path, "2")
    await is_over(nvim)

    assert path.read_text() == "one\nTWO\nthree\nfour\n"
    await until(lambda: nvim.eval("line('$') == 4"), "the buffer follows", PATIENCE)
    await has_signs(nvim, "4")
