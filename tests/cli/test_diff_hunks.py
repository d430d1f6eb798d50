"""Hunks that the user drops in Neovim: the real CLI writes what stands."""

from pathlib import Path

import pytest

from support.claude_cli import ClaudeCli
from support.fake_api import FakeApi, edit
from support.neovim import Neovim

from .conftest import StartClaude, diff_opened, diffs_closed

OLD = "".join(f"line {number}\n" for number in range(1, 31))
NEW = (
    OLD.replace("line 2\n", "LINE 2\n")
    .replace("line 15\n", "line 15\nadded\n")
    .replace("line 30\n", "LINE 30\n")
)
MERGED = NEW.replace("added\n", "")


@pytest.fixture(autouse=True)
async def layout(request: pytest.FixtureRequest, nvim: Neovim) -> None:
    """The layout of the diffs, set before the host starts; indirect."""
    chosen = getattr(request, "param", "tab")
    await nvim.command(f"let g:claude_ide = #{{diff: #{{layout: '{chosen}'}}}}")


@pytest.fixture
async def claude(start_claude: StartClaude, ide_port: int, each_cli: Path) -> ClaudeCli:
    """Each of the two CLIs, connected to `nvim`."""
    arguments = ("--permission-mode", "default")
    claude = await start_claude(*arguments, ide_port=ide_port, program=each_cli)
    await claude.shows("⧉ In a.py")
    return claude


@pytest.mark.parametrize(
    ("old", "merged"),
    [
        (OLD, MERGED),
        (OLD.removesuffix("\n"), MERGED.removesuffix("\n")),
        (OLD.replace("\n", "\r\n"), MERGED.replace("\n", "\r\n")),
    ],
    ids=["lf", "no line end", "crlf"],
)
async def test_the_hunks_that_stand_are_on_disk(
    nvim: Neovim, claude: ClaudeCli, api: FakeApi, path: Path, old: str, merged: str
) -> None:
    path.write_bytes(old.encode())
    # The CLI keeps the line ends of a file that it edits, but not of one that it writes as a whole.
    api.script(*edit(path, OLD.rstrip(), NEW.rstrip(), then="All done."))

    await claude.prompt("Shout")
    await diff_opened(nvim)
    await nvim.keys("gg2]cgX:w<CR>")

    await claude.shows("● All done.")
    assert path.read_bytes() == merged.encode()
    await diffs_closed(nvim)


@pytest.mark.parametrize("layout", ["inline"], indirect=True)
async def test_the_hunks_that_stand_in_the_window_of_the_file_are_on_disk(
    nvim: Neovim, claude: ClaudeCli, api: FakeApi, path: Path
) -> None:
    path.write_text(OLD)
    await nvim.command(f"edit! {path}")
    await nvim.lua("_G.inline_window = vim.api.nvim_get_current_win()")
    api.script(*edit(path, OLD.rstrip(), NEW.rstrip(), then="All done."))

    await claude.prompt("Shout")
    await diff_opened(nvim)
    assert await nvim.eval("[tabpagenr('$'), win_getid()]") == [
        1,
        await nvim.lua("return _G.inline_window"),
    ]
    await nvim.keys("gg2]cgX:w<CR>")

    await claude.shows("● All done.")
    assert path.read_text() == MERGED
    await diffs_closed(nvim)
    assert await nvim.eval("getline(1, '$')") == MERGED.splitlines()


async def test_an_edit_without_any_hunk_is_rejected(
    nvim: Neovim, claude: ClaudeCli, api: FakeApi, path: Path
) -> None:
    path.write_text(OLD)
    api.script(*edit(path, OLD.rstrip(), NEW.rstrip(), then="All done."))

    await claude.prompt("Shout")
    await diff_opened(nvim)
    await nvim.keys("ggVGgX:w<CR>")

    await claude.shows("ejected")
    assert path.read_text() == OLD
    await diffs_closed(nvim)
    assert len(api.requests) == 2
