"""`lua/claude_ide/rebase.lua`: lines are found again after changes elsewhere."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.neovim import Neovim

BASE = ["a", "b", "c", "d", "e"]


async def place(nvim: Neovim, base: list[str], current: list[str], *rows: int) -> list[int] | None:
    found: list[int] = await nvim.lua(
        "return { require('claude_ide.rebase').place(...) }", base, current, *rows
    )
    return found or None


@pytest.mark.parametrize(
    ("current", "expected"),
    [
        ("a b c d e", [2, 4]),
        ("x a b c d e", [3, 5]),
        ("a b x y c d e", [4, 6]),
        ("b c d e", [1, 3]),
        ("c d", [0, 2]),
        ("A B c d e", [2, 4]),
        ("a b c d x e", [2, 4]),
        ("a b c d x", [2, 4]),
        ("x b x c d x e x", [3, 5]),
        ("a b c x d e", None),
        ("a b C d e", None),
        ("a b c e", None),
        ("a b e", None),
        ("", None),
    ],
)
async def test_lines_are_followed_unless_they_were_changed(
    nvim: Neovim, current: str, expected: list[int] | None
) -> None:
    assert await place(nvim, BASE, current.split(" "), 2, 4) == expected


TEXTS = st.lists(st.sampled_from("ab\xe4"), max_size=6)


async def test_what_is_found_is_what_was_there(nvim: Neovim) -> None:
    examples: list[tuple[list[str], list[str]]] = []

    @settings(max_examples=60, suppress_health_check=[HealthCheck.differing_executors])
    @given(TEXTS.filter(bool), TEXTS.filter(bool))
    def collect(base: list[str], current: list[str]) -> None:
        examples.append((base, current))

    collect()
    for base, current in examples:
        for first in range(len(base)):
            found = await place(nvim, base, current, first, len(base))
            assert not found or current[found[0] : found[1]] == base[first:]


@pytest.mark.parametrize(
    ("old", "new"),
    [("a b c", "a x c"), ("a b c", "a b c"), ("a a a", "a a"), ("a a", "a a a"), ("a", "b c")],
)
async def test_a_change_that_is_spliced_in_again_gives_the_new_text(
    nvim: Neovim, old: str, new: str
) -> None:
    spliced = await nvim.lua(
        """
        local rebase, old, new = require('claude_ide.rebase'), ...
        local first, last, lines = rebase.change(old, new)
        return rebase.splice(old, first, last, lines)
        """,
        old.split(" "),
        new.split(" "),
    )

    assert spliced == new.split(" ")
