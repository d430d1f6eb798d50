"""Text that is slow to parse: Neovim must never be blocked for long."""

from typing import Any

import pytest

from support.chats import Chats, edit
from support.chunks import chunk
from support.hostile import EAGER
from support.neovim import Neovim, until

LONGEST = 0.2
"""Seconds of Neovim's own CPU time, which a busy machine hardly lengthens."""

WATCH = chunk("stalls/watch")
SHOW_ANSWER = chunk("stalls/show_answer")
SIZE = 90_000
FENCES = {
    "stars": ("c", "int " + "*" * SIZE + "x;"),
    "stars over lines": ("c", "int\n" + ("*" * 200 + "\n") * 75 + "x;"),
    "open brackets": ("lua", "{" * SIZE),
    "open brackets over lines": ("lua", ("{" * 30 + "\n") * 400),
    "negations": ("vim", "let x = " + "!" * SIZE + "1"),
    "negations over lines": ("lua", "x =\n" + ("- " * 19 + "\n") * 400 + "1"),
    "concatenation": ("lua", "x = 1\n" + ("..1" * 10 + "\n") * 400),
    "query": ("query", ("(" * 30 + "\n") * 400),
    "emphasis": ("markdown", "*a_" * (SIZE // 3)),
    "emphasis over lines": ("markdown", ("*a_ *b " * 10 + "\n") * 450),
    "links": ("markdown", ("![a](" * 10 + "\n") * 450),
    "table": ("markdown", "|a" * (SIZE // 4) + "\n" + "|-" * (SIZE // 4)),
    "many paragraphs": ("markdown", ("*a_ **b** [c](d) `e`\n" * 20 + "\n") * 200),
    "many blocks": ("markdown", "* a\n\n  > b\n" * (SIZE // 11)),
    "nothing": ("markdown", "hello"),
    "short": ("markdown", ("*a_ *b " * 10 + "\n") * 60),
}
fences = pytest.mark.parametrize(("language", "text"), FENCES.values(), ids=FENCES.keys())


async def longest(nvim: Neovim) -> float:
    """The longest time that Neovim was blocked, in seconds."""
    # Give work that is done in slices time for several slices.
    await nvim.lua("_G.is_late = false; vim.defer_fn(function() _G.is_late = true end, 500)")
    await until(lambda: nvim.lua("return _G.is_late"))
    seconds = await nvim.lua("_G.look(); return _G.longest")
    print(f"{seconds * 1000:.0f} ms")  # shown if the test fails
    return float(seconds)


async def frame(nvim: Neovim, text: str, language: str) -> tuple[Chats, dict[str, Any], int]:
    chats = await Chats.start(nvim)
    await chats.open()
    lines = text.split("\n")
    return chats, edit(0, 0, lines), len(lines)


@fences
async def test_highlighting_a_slow_code_block_does_not_block_neovim(
    nvim: Neovim, language: str, text: str
) -> None:
    chats, drawn, count = await frame(nvim, text, language)
    await nvim.lua(WATCH)

    await chats.draw(drawn, code=[[0, count, language]])

    assert await longest(nvim) < LONGEST


@fences
async def test_highlighting_a_slow_answer_does_not_block_neovim(
    nvim: Neovim, language: str, text: str
) -> None:
    await nvim.lua(EAGER)
    await nvim.lua(WATCH)

    await nvim.lua(SHOW_ANSWER, text)

    assert await longest(nvim) < LONGEST


async def test_highlighting_many_code_blocks_does_not_block_neovim(nvim: Neovim) -> None:
    lines = [f"x{number} = {'{' * 20}{'}' * 20}" for number in range(100)]
    chats = await Chats.start(nvim)
    await chats.open()
    await nvim.lua(WATCH)

    code = [[first, first + 100, "lua"] for first in range(0, 4000, 100)]
    await chats.draw(edit(0, 0, lines * 40), code=code)

    assert await longest(nvim) < LONGEST
