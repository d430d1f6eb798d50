"""Random selections in random text: `selection.current()` is compared with what `y` yanks."""

import random
from pathlib import Path

import pytest

from support.chunks import chunk
from support.fuzzed_selections import Case, check_block, check_characters, check_lines
from support.neovim import Neovim

CASES = 1800

SELECT = chunk("selection_fuzz/select")


@pytest.mark.parametrize("seed", range(3))
async def test_the_text_of_a_random_selection_is_what_y_yanks(
    nvim: Neovim, project: Path, seed: int
) -> None:
    chance = random.Random(seed)
    cases = [Case.random(chance) for _ in range(CASES // 3)]
    await nvim.command("edit fuzz.txt")

    answers = await nvim.lua(SELECT, [case.arguments() for case in cases])

    modes = set()
    for case, (mode, now, yanked) in zip(cases, answers, strict=True):
        print(case, now, yanked)  # shown when it fails
        modes.add(mode)
        text, selection = now["text"], now["selection"]
        assert now["filePath"] == str(project / "fuzz.txt")
        assert selection["isEmpty"] == (selection["start"] == selection["end"])
        if mode == "\x16":
            check_block(case, now, yanked)
            continue
        assert text == case.between(selection["start"], selection["end"])
        if mode == "V":
            check_lines(text, yanked)
        else:
            check_characters(case, text, yanked)
    assert modes == {"v", "V", "\x16"}
