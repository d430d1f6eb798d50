"""Hunks at the ends of texts, with other line ends, and of no text at all (`diff/hunks.lua`)."""

from functools import partial
from pathlib import Path

import pytest

from support.diffs import Diffs
from support.hunks import counts, lines, row
from support.neovim import Neovim, until

EDGES = [
    ("a\nb\nc\n", "b\nc\n"),
    ("a\nb\nc\n", "a\nb\n"),
    ("a\nb\n", "x\na\nb\n"),
    ("a\nb\n", "a\nb\nx\n"),
    ("a\nb", "a\nB"),
    ("a\nb", "a\nB\n"),
    ("a\nb\n", "a\nB"),
    ("a\nb", "a\nb\nc\n"),
    ("a\nb\nc", "a\nb\n"),
    ("a\r\nb\r\n", "a\r\nB\r\n"),
    ("\ufeffa\nb\n", "\ufeffa\nB\n"),
    ("a\n", ""),
    ("", "a\n\nb\n"),
    ("a\n\nb\n", "\n"),
    ("\n", "a\n\n\n"),
    ("a\0b\nc\n", "a\0B\nc\n"),
    ("ä\n", "ö\n"),
]


@pytest.mark.parametrize(("old", "new"), EDGES)
async def test_dropping_restores_any_text_and_taking_the_proposal(
    nvim: Neovim, diffs: Diffs, path: Path, old: str, new: str
) -> None:
    path.write_bytes(old.encode())
    id_ = await diffs.open(path, new)
    proposed = await lines(nvim)
    await nvim.keys("ggVGgX")
    text = old.removeprefix("\ufeff").replace("\0", "\n").replace("\r", "")

    async def is_old() -> bool:
        original = await nvim.eval("getbufline(winbufnr(1), 1, '$')")
        return bool(await lines(nvim) == original and original != proposed)

    await until(is_old, f"the lines of {text!r}")
    await nvim.keys("ggVGgY")
    await until(lambda: nvim.eval("getline(1, '$')") if proposed else None)

    async def is_proposed() -> bool:
        return await lines(nvim) == proposed

    await until(is_proposed, "the lines of the proposal")
    await nvim.keys("ggVGgXu:w<CR>")

    decision = await diffs.decision(id_)
    assert decision["accepted"]
    assert decision["text"] == new


@pytest.mark.parametrize(
    ("old", "new", "merged"),
    [
        # Neither the last line nor its missing end is accepted.
        ("a\nb\nc", "A\nb\nC\n", "A\nb\nc"),
        ("a\nb\nc\n", "A\nb\nC", "A\nb\nc\n"),
        ("a\r\nb\r\nc\r\n", "A\r\nb\r\nC\r\n", "A\r\nb\r\nc\r\n"),
        # The CLI sends the text of such a file with LF, and writes CRLF.
        ("a\r\nb\r\nc\r\n", "A\nb\nC\n", "A\nb\nc\n"),
        ("a\nb\nc", "A\nb\nc\nd\n", "A\nb\nc"),
        ("a\nb\nc", "A\nb\n", "A\nb\nc"),
        ("\ufeffa\nb\nc\n", "\ufeffA\nb\nC\n", "\ufeffA\nb\nc\n"),
    ],
)
async def test_dropping_the_last_hunk_restores_the_end_of_the_text(
    nvim: Neovim, diffs: Diffs, path: Path, old: str, new: str, merged: str
) -> None:
    path.write_bytes(old.encode())
    id_ = await diffs.open(path, new)

    await nvim.keys("GgX:w<CR>")

    assert (await diffs.decision(id_))["text"] == merged


LARGE = [f"line {number}" for number in range(30_000)]
"""Lines that `padded` makes so long that two such texts have one hunk."""
LARGE[1400] = "line\0"
HUNKS = """
local list = require('claude_ide.diff.hunks').list(vim.api.nvim_get_current_buf())
return vim.tbl_map(function(hunk) return { hunk.old, hunk.new } end, list)
"""
HAS_TEXT = "return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\\n') .. '\\n' == ..."


def padded(lines: list[str]) -> str:
    """The text of these lines, each of at least 100 bytes."""
    return "".join(f"{line:.<100}\n" for line in lines)


@pytest.mark.parametrize(
    ("new", "hunk"),
    [
        ([*LARGE[:1500], "x", *LARGE[1501:2500], "y", *LARGE[2501:]], [[1500, 2501], [1500, 2501]]),
        ([*LARGE[:1500], *LARGE[1501:]], [[1500, 1501], [1500, 1500]]),
        ([*LARGE[:1500], "x", *LARGE[1500:]], [[1500, 1500], [1500, 1501]]),
        ([*LARGE, "x"], [[30_000, 30_000], [30_000, 30_001]]),
        ([line.upper() for line in LARGE], [[0, 30_000], [0, 30_000]]),
    ],
    ids=["two lines", "a line less", "a line more", "a line at the end", "all lines"],
)
async def test_large_texts_have_one_hunk_that_keeps_the_old_lines(
    nvim: Neovim, diffs: Diffs, path: Path, new: list[str], hunk: list[list[int]]
) -> None:
    """Also if the user changes the file's buffer meanwhile."""
    old, proposed = padded(LARGE), padded(new)
    await nvim.command("set columns=160")
    path.write_text(old)
    id_ = await diffs.open(path, proposed)
    await until(lambda: "hunk 1/1 " in nvim.screen.text(), "the count")
    assert await nvim.lua(HUNKS) == [hunk]
    await nvim.command("1windo 1,2delete")
    await nvim.command("2windo normal! gg")

    for keys, text in (("ggVGgX", old), ("ggVGgY", proposed)):
        await nvim.keys(keys)
        await until(partial(nvim.lua, HAS_TEXT, text), keys)
    await nvim.keys(":w<CR>")

    assert (await diffs.decision(id_))["text"] == proposed


async def test_a_new_file_is_one_hunk_and_rejected_without_it(
    nvim: Neovim, diffs: Diffs, project: Path
) -> None:
    await nvim.command("set columns=160")
    id_ = await diffs.open(project / "new.txt", "a\n\nb\n")
    await counts(nvim, "hunk 1/1")

    await nvim.keys("gX:w<CR>")

    assert (await diffs.decision(id_))["accepted"] is False


async def test_the_hunks_are_those_of_diffopt(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    await nvim.command("set diffopt+=iwhiteall columns=160")
    path.write_text("a b\nc\nd\n")
    id_ = await diffs.open(path, "ab\nc\nD\n")

    await counts(nvim, "hunk 1/1")
    assert await row(nvim) == 3
    await nvim.keys("gX:w<CR>")

    assert (await diffs.decision(id_))["accepted"] is False
