"""Random selections in random text: what Vim reports is compared with what `y` yanks."""

import random
from pathlib import Path

import pytest

from support.fuzzed_selections import Case, check_block, check_characters, check_lines
from support.vim import Vim

CASES = 1000
CHUNK = 250
SELECT = Path(__file__).parent.parent / "support" / "select.vim"


@pytest.mark.parametrize("seed", range(CASES // CHUNK))
async def test_the_text_of_a_random_selection_is_what_y_yanks(
    vim: Vim, project: Path, seed: int
) -> None:
    chance = random.Random(seed)
    cases = [Case.random(chance) for _ in range(CHUNK)]
    await vim.command(f"source {SELECT}")
    await vim.command("edit fuzz.txt")

    answers = await vim.call("TestSelect", [case.arguments() for case in cases])

    modes = set()
    for case, (mode, now, yanked) in zip(cases, answers, strict=True):
        print(case, now, yanked)  # shown when it fails
        modes.add(mode)
        now["text"] = "\n".join(now["text"])
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
