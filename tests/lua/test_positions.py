"""`file/text.lua`: bytes and UTF-16 code units."""

import random

from support.chunks import chunk
from support.neovim import Neovim

# é is one unit of two bytes, 漢 one of three, 😀 two of four; "e" + U+0301 are two characters.
LINE = "aé漢😀e\u0301\tz"


async def test_character_counts_utf16_code_units(nvim: Neovim) -> None:
    characters = await nvim.lua(chunk("positions/characters"), LINE)

    assert characters == [0, 1, 2, 3, 5, 6, 7, 8, 9]


async def test_a_column_inside_a_character_means_its_end(nvim: Neovim) -> None:
    assert await nvim.lua("return require('claude_ide.file.text').character('😀z', 2)") == 2


async def test_a_column_past_the_end_of_a_line_means_its_end(nvim: Neovim) -> None:
    assert await nvim.lua(
        """local p = require('claude_ide.file.text')
        return {p.character('é', 99), p.character('', 1)}"""
    ) == [1, 0]


async def test_bytes_that_are_not_utf8_count_as_one_unit_each(nvim: Neovim) -> None:
    assert (
        await nvim.lua(
            r"""local p = require('claude_ide.file.text')
        return p.character('a\255\254b', 3)"""
        )
        == 3
    )


async def test_random_positions_in_a_buffer_are_converted_exactly(nvim: Neovim) -> None:
    chance = random.Random(1)
    lines = ["".join(chance.choices(LINE, k=chance.randrange(12))) for _ in range(60)]
    cases = [
        (row, len(line[:end].encode()), len(line[:end].encode("utf-16-le")) // 2)
        for row, line in enumerate(lines)
        for end in range(len(line) + 1)
    ]

    got = await nvim.lua(chunk("positions/to_lsp"), lines, cases)

    assert got == [{"line": row, "character": character} for row, _, character in cases]


async def test_a_row_past_the_last_one_has_no_characters(nvim: Neovim) -> None:
    assert await nvim.lua("return require('claude_ide.file.text').to_lsp(0, 7, 3)") == {
        "line": 7,
        "character": 0,
    }
