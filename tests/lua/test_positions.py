"""`lua/claude_ide/positions.lua`: bytes and UTF-16 code units."""

import random

from support.neovim import Neovim

# é is one unit of two bytes, 漢 one of three, 😀 two of four; "e" + U+0301 are two characters.
LINE = "aé漢😀e\u0301\tz"


async def test_character_counts_utf16_code_units(nvim: Neovim) -> None:
    characters = await nvim.lua(
        """local line = ...
        local p = require('claude_ide.positions')
        return vim.tbl_map(function(col) return p.character(line, col) end,
          {0, 1, 3, 6, 10, 11, 13, 14, 15})""",
        LINE,
    )

    assert characters == [0, 1, 2, 3, 5, 6, 7, 8, 9]


async def test_col_counts_bytes(nvim: Neovim) -> None:
    cols = await nvim.lua(
        """local line = ...
        local p = require('claude_ide.positions')
        return vim.tbl_map(function(character) return p.col(line, character) end,
          {0, 1, 2, 3, 5, 6, 7, 8, 9})""",
        LINE,
    )

    assert cols == [0, 1, 3, 6, 10, 11, 13, 14, 15]


async def test_what_lies_inside_a_character_means_its_end(nvim: Neovim) -> None:
    assert await nvim.lua(
        """local p = require('claude_ide.positions')
        return {p.character('😀z', 2), p.col('😀z', 1)}"""
    ) == [2, 4]


async def test_what_lies_past_the_end_of_a_line_means_its_end(nvim: Neovim) -> None:
    assert await nvim.lua(
        """local p = require('claude_ide.positions')
        return {p.character('é', 99), p.col('é', 99), p.character('', 1), p.col('', 1)}"""
    ) == [1, 2, 0, 0]


async def test_bytes_that_are_no_utf8_count_one_each(nvim: Neovim) -> None:
    assert await nvim.lua(
        r"""local p = require('claude_ide.positions')
        return {p.character('a\255\254b', 3), p.col('a\255\254b', 3)}"""
    ) == [3, 3]


async def test_random_positions_in_a_buffer_survive_the_round_trip(nvim: Neovim) -> None:
    chance = random.Random(1)
    lines = ["".join(chance.choices(LINE, k=chance.randrange(12))) for _ in range(60)]
    expected = [
        [row, len(line[:end].encode()), len(line[:end].encode("utf-16-le")) // 2]
        for row, line in enumerate(lines)
        for end in range(len(line) + 1)
    ]

    got = await nvim.lua(
        """local lines, expected = ...
        local p = require('claude_ide.positions')
        vim.api.nvim_buf_set_lines(0, 0, -1, true, lines)
        return vim.tbl_map(function(case)
          local position = p.to_lsp(0, case[1], case[2])
          local row, col = p.from_lsp(0, position)
          assert(position.line == case[1])
          return {row, col, position.character}
        end, expected)""",
        lines,
        expected,
    )

    assert got == expected


async def test_a_position_past_the_last_line_means_the_end_of_the_buffer(nvim: Neovim) -> None:
    await nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, {'a', 'bcd'})")

    assert await nvim.lua(
        "return {require('claude_ide.positions').from_lsp(0, {line = 2, character = 0})}"
    ) == [1, 3]


async def test_a_row_past_the_last_one_has_no_characters(nvim: Neovim) -> None:
    assert await nvim.lua("return require('claude_ide.positions').to_lsp(0, 7, 3)") == {
        "line": 7,
        "character": 0,
    }
