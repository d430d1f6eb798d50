"""`visual.vim`: text and range of Visual areas, case by case.

`test_selection_fuzz.py` compares random ones with what Neovim yanks.
"""

from typing import Any

import pytest

from support.chunks import chunk
from support.neovim import Neovim

AREA = chunk("visual/area")


async def area(nvim: Neovim, lines: list[str], keys: str, **options: str | int) -> tuple[Any, ...]:
    """Select with `keys`; return text, first and last point (row, byte column)."""
    got = await nvim.lua(AREA, lines, options or {"tabstop": 8}, keys)
    first, last = got["first"], got["last"]
    return "\n".join(got["text"]), (first["row"], first["col"]), (last["row"], last["col"])


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("v", ("a", (0, 0), (0, 1))),
        ("v2l", ("abc", (0, 0), (0, 3))),
        ("lvlj", ("bcd\nghi", (0, 1), (1, 3))),
        ("jllvk0", ("abcd\nghi", (0, 0), (1, 3))),
        ("v$", ("abcd\n", (0, 0), (1, 0))),
        ("Gv$", ("klm", (2, 0), (2, 3))),
        ("viwo", ("abcd", (0, 0), (0, 4))),
    ],
)
async def test_a_characterwise_area_ends_after_its_last_character(
    nvim: Neovim, keys: str, expected: tuple[Any, ...]
) -> None:
    assert await area(nvim, ["abcd", "ghi", "klm"], keys) == expected


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("v", ("é", (0, 0), (0, 2))),
        ("lv", ("漢", (0, 2), (0, 5))),
        ("llv", ("e\u0301\u0323", (0, 5), (0, 10))),
        ("3lv", ("😀", (0, 10), (0, 14))),
        ("4lv", ("👩\u200d👩\u200d👧", (0, 14), (0, 32))),
        ("v$h", ("é漢e\u0301\u0323😀👩\u200d👩\u200d👧", (0, 0), (0, 32))),
    ],
)
async def test_a_character_includes_all_its_composing_characters(
    nvim: Neovim, keys: str, expected: tuple[Any, ...]
) -> None:
    assert await area(nvim, ["é漢e\u0301\u0323😀👩\u200d👩\u200d👧"], keys) == expected


async def test_an_exclusive_area_ends_before_the_cursor(nvim: Neovim) -> None:
    got = await area(nvim, ["abcd"], "v2l", selection="exclusive")

    assert got == ("ab", (0, 0), (0, 2))


async def test_an_exclusive_area_without_extent_is_one_character(nvim: Neovim) -> None:
    """`y` yanks one character there, too."""
    assert await area(nvim, ["abcd"], "v", selection="exclusive") == ("a", (0, 0), (0, 1))


async def test_an_old_selection_does_not_extend_past_the_line(nvim: Neovim) -> None:
    assert await area(nvim, ["abcd", "e"], "v$", selection="old") == ("abcd", (0, 0), (0, 4))


async def test_a_linewise_area_is_whole_lines(nvim: Neovim) -> None:
    got = await area(nvim, ["abcd", "\té", "klm"], "3lVj")

    assert got == ("abcd\n\té", (0, 0), (1, 3))


async def test_a_linewise_area_that_ends_with_an_empty_line_counts_it(nvim: Neovim) -> None:
    """The CLI does not count the last line of a range that ends in column 0."""
    assert await area(nvim, ["a", "", "b"], "Vj") == ("a\n\n", (0, 0), (2, 0))
    assert await area(nvim, ["a", ""], "jV") == ("\n", (1, 0), (2, 0))


async def test_a_block_is_a_rectangle_on_the_screen(nvim: Neovim) -> None:
    got = await area(nvim, ["abcd", "e漢f", "ééé"], "l\x162jl")

    assert got == ("bc\n漢\néé", (0, 1), (2, 6))


async def test_a_block_includes_the_whole_of_a_character_that_it_covers_in_part(
    nvim: Neovim,
) -> None:
    lines = ["abcdef", "a漢bcd", "x\ty", "abcdef"]

    got = await area(nvim, lines, "ll\x163jl", tabstop=4)

    assert got == ("cd\n漢b\n\t\ncd", (0, 2), (3, 4))


async def test_a_block_contains_nothing_of_shorter_lines(nvim: Neovim) -> None:
    got = await area(nvim, ["abcdef", "a", "", "abcdef"], "3l\x163jl")

    assert got == ("de\n\n\nde", (0, 3), (3, 5))


async def test_a_block_that_ends_with_an_empty_line_counts_it(nvim: Neovim) -> None:
    assert await area(nvim, ["ab", ""], "\x16j") == ("a\n", (0, 0), (2, 0))


async def test_a_block_after_dollar_extends_to_the_end_of_every_line(nvim: Neovim) -> None:
    got = await area(nvim, ["abcd", "e", "fghijkl", "mn"], "l\x163j$")

    assert got == ("bcd\n\nghijkl\nn", (0, 1), (3, 2))


async def test_an_exclusive_block_ends_before_the_cursor(nvim: Neovim) -> None:
    got = await area(nvim, ["abcd", "efgh"], "\x16j2l", selection="exclusive")

    assert got == ("ab\nef", (0, 0), (1, 2))


async def test_a_block_in_virtual_space_contains_only_text(nvim: Neovim) -> None:
    got = await area(nvim, ["abc", "abcdefgh", "a"], "\x162j6l", virtualedit="block")

    assert got == ("abc\nabcdefg\na", (0, 0), (2, 1))


async def test_a_tab_that_is_covered_in_part_is_included_whole(nvim: Neovim) -> None:
    got = await area(nvim, ["\tab"], "v3l", virtualedit="all", selection="exclusive")

    assert got == ("\t", (0, 0), (0, 1))


async def test_an_area_wholly_in_virtual_space_is_empty(nvim: Neovim) -> None:
    got = await area(nvim, ["abc"], "9lv3l", virtualedit="all")

    assert got == ("", (0, 3), (0, 3))


async def test_inline_virtual_text_shifts_a_block_as_it_does_on_the_screen(nvim: Neovim) -> None:
    """Inlay hints are virtual text inside the line."""
    await nvim.lua(chunk("visual/select_block"))
    text = await nvim.lua(chunk("visual/area_and_yank"))

    assert text == ["bcd\nbcd\nbcd", "bcd\nbc \nbcd"]


async def test_text_is_cut_at_a_mebibyte_where_a_character_ends(nvim: Neovim) -> None:
    """The positions still describe the whole area."""
    got = await nvim.lua(chunk("visual/area_of_long_text"))

    text, last = got
    whole = ("漢" * 33 + "\n") * 50000
    assert 2**20 - 3 < len(text.encode()) <= 2**20
    assert whole.startswith(text)
    assert last == {"row": 49999, "col": 99}


async def test_text_is_cut_within_a_single_long_line(nvim: Neovim) -> None:
    got = await nvim.lua(chunk("visual/area_of_long_line"))

    assert got[:2] == [2**20, "😀😀"]
    assert got[2:] == [{"row": 0, "col": 4, "off": 0}, {"row": 1, "col": 1}]


async def test_a_block_of_very_many_rows_is_cut(nvim: Neovim) -> None:
    got = await nvim.lua(chunk("visual/area_of_long_block"))

    assert got == [2000, {"row": 29999, "col": 3}]


async def test_marks_past_the_end_of_the_text_are_moved_back_to_it(nvim: Neovim) -> None:
    got = await nvim.lua(chunk("visual/areas_past_the_text"))

    assert got[:2] == [["ab", "cd"], ["ab", "cd"]]
