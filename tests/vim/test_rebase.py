"""`file/rebase.vim`: two texts are compared, and two changes are merged."""

import random

import pytest

from support.merges import BASE, CONFLICTS, SEPARATE
from support.vim import Vim


async def test_the_areas_turn_the_old_text_into_the_new_one(vim: Vim) -> None:
    chance = random.Random(1)
    for _ in range(200):
        old, new = (chance.choices("abcd\xe4", k=chance.randrange(9)) for _ in range(2))

        areas = await vim.call("claude_ide#file#rebase#Areas", old, new)

        text: list[str] = []
        row = 0
        for first, last, start, stop in areas:
            assert old[row:first] == new[len(text) : start]
            text += old[row:first] + new[start:stop]
            row = last
        assert text + old[row:] == new


async def test_separate_changes_stay_separate(vim: Vim) -> None:
    old = [f"line {row % 40}" for row in range(5000)]
    new = ["first", *old[1:2500], "more", *old[2500:4990], *old[4995:]]

    areas = await vim.call("claude_ide#file#rebase#Areas", old, new)

    assert [0, 1, 0, 1] in areas
    assert [2500, 2500, 2500, 2501] in areas
    assert sum(last - first for first, last, _, _ in areas) == 6


async def test_texts_with_little_in_common_are_compared_fast(vim: Vim) -> None:
    old = [f"old {row}" for row in range(20_000)]
    new = [f"new {row}" for row in range(20_000)]

    await vim.command("let g:began = reltime()")
    areas = await vim.call("claude_ide#file#rebase#Areas", old, new)

    assert areas == [[0, 20_000, 0, 20_000]]
    assert await vim.eval("reltimefloat(reltime(g:began))") < 3


@pytest.mark.parametrize(
    ("ours", "theirs", "expected", "has_conflict"),
    [*((*case, False) for case in SEPARATE), *((*case, True) for case in CONFLICTS)],
)
async def test_changes_are_merged(
    vim: Vim, ours: str, theirs: str, expected: str, has_conflict: bool
) -> None:
    texts = BASE, ours.split(" "), theirs.split(" ")

    merged = await vim.call("claude_ide#file#rebase#Merge", *texts)

    assert merged == {"lines": expected.split(" "), "conflict": has_conflict}
