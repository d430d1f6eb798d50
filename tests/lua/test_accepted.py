"""`diff/accepted.lua`: what the user made of a proposal is written, or kept."""

from pathlib import Path
from typing import Any

import pytest

from support.diffs import Diffs
from support.neovim import Neovim, until

OLD = "one\ntwo\n"
NEW = "one\nTWO\n"
MINE = "one\nTWO\nmine\n"
KEPT = "filter(getbufinfo({'buflisted': 1}), 'v:val.name =~ \"^claude-ide://kept/\"')"


async def accept(nvim: Neovim, diffs: Diffs, path: Path, keys: str = "Gomine<Esc>:w<CR>") -> int:
    """Accept a proposal, by default with a line of the user's own, as a host that reports."""
    id_ = await diffs.open(path, NEW, is_reported=True)
    await nvim.keys(keys)
    await diffs.decision(id_)
    await diffs.closed(id_)
    return id_


async def settle(nvim: Neovim, id_: int, *is_written: bool) -> None:
    await nvim.lua("require('claude_ide.diff.accepted').settle(...)", id_, *is_written)


async def kept(nvim: Neovim) -> list[Any]:
    """The texts that are kept."""
    found = await nvim.eval(KEPT)
    return ["\n".join(await nvim.eval(f"getbufline({info['bufnr']}, 1, '$')")) for info in found]


async def test_what_was_refused_is_kept(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    id_ = await accept(nvim, diffs, path)

    await settle(nvim, id_, False)

    assert await kept(nvim) == [MINE.strip()]
    [info] = await nvim.eval(KEPT)
    said = f"a.txt: not written; your edits are kept in buffer {info['bufnr']}"
    await until(lambda: said in nvim.screen.text())


async def test_what_was_written_is_not(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    id_ = await accept(nvim, diffs, path)

    await settle(nvim, id_, True)
    await settle(nvim, id_, False)

    assert await kept(nvim) == []


async def test_what_the_user_has_not_changed_is_not(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    id_ = await accept(nvim, diffs, path, ":w<CR>")

    await settle(nvim, id_, False)

    assert await kept(nvim) == []


async def test_what_is_on_disk_all_the_same_is_not(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    id_ = await accept(nvim, diffs, path)
    path.write_text(MINE)

    await settle(nvim, id_, False)

    assert await kept(nvim) == []


@pytest.mark.parametrize("is_written", [True, False])
async def test_where_it_is_not_known_the_file_says(
    nvim: Neovim, diffs: Diffs, path: Path, is_written: bool
) -> None:
    await accept(nvim, diffs, path)
    if is_written:
        path.write_text(MINE + "and what a formatter adds\n")

    await nvim.lua("require('claude_ide.diff.accepted').settle_all()")

    assert await kept(nvim) == ([] if is_written else [MINE.strip()])


async def test_where_nothing_is_reported_the_file_says_so_after_a_while(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    written = path.with_name("written.txt")
    for file in (path, written):
        id_ = await diffs.open(file, NEW)
        await nvim.keys("Gomine<Esc>:w<CR>")
        await diffs.decision(id_)
        await diffs.closed(id_)
    written.write_text("what a formatter makes of it\n")

    await until(lambda: kept(nvim), "the text is kept", seconds=20)

    assert await kept(nvim) == [MINE.strip()]
