"""Hunks at the ends of texts, with other line ends, and of no text at all (`diff/hunks.lua`)."""

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
