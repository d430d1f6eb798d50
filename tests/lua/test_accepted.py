"""`diff/accepted.lua`: an accepted text with user edits is written, or kept in a buffer."""

from pathlib import Path
from typing import Any

import pytest

from support.diffs import Diffs
from support.neovim import Neovim, until

OLD = "one\ntwo\n"
NEW = "one\nTWO\n"
MINE = "one\nTWO\nmine\n"
KEPT = "filter(getbufinfo({'buflisted': 1}), 'v:val.name =~ \"/claude-kept/\"')"


async def accept(nvim: Neovim, diffs: Diffs, path: Path, keys: str = "Gomine<Esc>:w<CR>") -> int:
    """Accept a proposal, by default with an added line, as a host that reports writes."""
    id_ = await diffs.open(path, NEW, is_reported=True)
    await nvim.keys(keys)
    await diffs.decision(id_)
    await diffs.closed(id_)
    return id_


async def settle(nvim: Neovim, id_: int, *is_written: bool) -> None:
    await nvim.lua("require('claude_ide.diff.accepted').settle(...)", id_, *is_written)


async def kept(nvim: Neovim) -> list[Any]:
    """The texts in the buffers that keep edits."""
    found = await nvim.eval(KEPT)
    return ["\n".join(await nvim.eval(f"getbufline({info['bufnr']}, 1, '$')")) for info in found]


async def test_an_accepted_text_with_user_edits_is_kept_when_it_was_not_written(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    id_ = await accept(nvim, diffs, path)

    await settle(nvim, id_, False)

    assert await kept(nvim) == [MINE.strip()]
    [info] = await nvim.eval(KEPT)
    message = f"a.txt: not written; your edits are kept in buffer {info['bufnr']}"
    await until(lambda: message in nvim.screen.text())


async def test_an_accepted_text_that_was_written_is_not_kept(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    id_ = await accept(nvim, diffs, path)

    await settle(nvim, id_, True)
    await settle(nvim, id_, False)

    assert await kept(nvim) == []


async def test_an_unwritten_text_without_user_edits_is_not_kept(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    id_ = await accept(nvim, diffs, path, ":w<CR>")

    await settle(nvim, id_, False)

    assert await kept(nvim) == []


async def test_a_text_that_is_already_on_disk_is_not_kept(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    id_ = await accept(nvim, diffs, path)
    path.write_text(MINE)

    await settle(nvim, id_, False)

    assert await kept(nvim) == []


@pytest.mark.parametrize("is_written", [True, False])
async def test_settle_all_keeps_a_text_unless_its_file_was_written(
    nvim: Neovim, diffs: Diffs, path: Path, is_written: bool
) -> None:
    await accept(nvim, diffs, path)
    if is_written:
        path.write_text(MINE + "and what a formatter adds\n")

    await nvim.lua("require('claude_ide.diff.accepted').settle_all()")

    assert await kept(nvim) == ([] if is_written else [MINE.strip()])


async def test_without_reports_the_file_is_checked_after_a_delay(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.lua("require('claude_ide.diff.accepted').writes_within = 2000")
    written = path.with_name("written.txt")
    # The delay of the first one ends first.
    for file in (written, path):
        id_ = await diffs.open(file, NEW)
        await nvim.keys("Gomine<Esc>:w<CR>")
        await diffs.decision(id_)
        await diffs.closed(id_)
        if file == written:
            written.write_text("what a formatter makes of it\n")

    await until(lambda: kept(nvim), "the text is kept")

    assert await kept(nvim) == [MINE.strip()]
