"""Edits of a buffer that make it equal to its file."""

from collections.abc import Sequence
from pathlib import Path

from support.chunks import chunk
from support.neovim import Neovim

ADOPT = chunk("edits/adopt")


OLD = [f"line {number}" for number in range(1, 101)]


def write(path: Path, lines: Sequence[str]) -> None:
    """Write as the CLI does: rename a new file."""
    new = path.with_suffix(".new")
    new.write_text("".join(f"{line}\n" for line in lines))
    new.replace(path)


async def adopt(nvim: Neovim, *bufnr: int) -> bool:
    return bool(await nvim.lua(ADOPT, *bufnr))


async def lines(nvim: Neovim) -> list[str]:
    text: list[str] = await nvim.eval("getline(1, '$')")
    return text
