"""Random selections in random text: what is reported is compared with what `y` yanks."""

import random
from pathlib import Path
from typing import Any

import pytest

from support.chunks import chunk
from support.either_editor import BOTH, Editor
from support.fuzzed_selections import Case, check_block, check_characters, check_lines
from support.pushed_rules import push
from support.vim import Vim

CASES = 500
SELECT = Path(__file__).parent.parent / "support" / "select.vim"


@BOTH
@pytest.mark.parametrize("seed", range(3))
async def test_the_text_of_a_random_selection_is_what_y_yanks(
    nvim: Editor, project: Path, seed: int
) -> None:
    chance = random.Random(seed)
    cases = [Case.random(chance) for _ in range(CASES)]
    await push(nvim)
    await nvim.command("edit fuzz.txt")

    answers = await selections(nvim, [case.arguments() for case in cases])

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


async def selections(nvim: Editor, cases: list[Any]) -> list[Any]:
    """Return the mode, the selection, and what `y` yanks of each case."""
    if not isinstance(nvim, Vim):
        return list(await nvim.lua(chunk("selection_fuzz/select"), cases))
    await nvim.command(f"source {SELECT}")
    answers = await nvim.call("TestSelect", cases)
    for _, now, _ in answers:
        now["text"] = "\n".join(now["text"])
    return list(answers)
