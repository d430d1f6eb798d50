"""`file/rebase.lua`: lines are located in a changed text, and two changes are merged."""

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.chunks import chunk
from support.merges import BASE, CONFLICTS, SEPARATE
from support.neovim import Neovim

HUNKS = """
local function hunks_of(lines)
  local old = vim.split(('a line that is rather long\\n'):rep(lines), '\\n')
  old[2] = 'another one'
  local new = vim.list_slice(old)
  EDIT
  return require('claude_ide.file.rebase').hunks(old, new)
end
return { hunks_of(100000), hunks_of(10) }
"""


TEXTS = st.lists(st.sampled_from("ab\xe4"), max_size=6)


async def merge(
    nvim: Neovim, base: list[str], ours: list[str], theirs: list[str]
) -> tuple[list[str], bool]:
    merged, has_conflict = await nvim.lua(
        "return { require('claude_ide.file.rebase').merge(...) }", base, ours, theirs
    )
    return merged, has_conflict


@pytest.mark.parametrize(("ours", "theirs", "expected"), SEPARATE)
async def test_changes_to_different_lines_are_merged(
    nvim: Neovim, ours: str, theirs: str, expected: str
) -> None:
    merged = await merge(nvim, BASE, ours.split(" "), theirs.split(" "))

    assert merged == (expected.split(" "), False)


@pytest.mark.parametrize(("ours", "theirs", "expected"), CONFLICTS)
async def test_in_a_conflict_their_lines_prevail_and_the_conflict_is_reported(
    nvim: Neovim, ours: str, theirs: str, expected: str
) -> None:
    merged = await merge(nvim, BASE, ours.split(" "), theirs.split(" "))

    assert merged == (expected.split(" "), True)


async def test_no_line_of_either_side_is_lost_without_a_conflict(nvim: Neovim) -> None:
    def texts(*own: str) -> st.SearchStrategy[list[str]]:
        return st.lists(st.sampled_from(["", "a", "\xe4", *own]), min_size=1, max_size=7)

    examples: list[tuple[list[str], list[str], list[str]]] = []

    @settings(max_examples=200, suppress_health_check=[HealthCheck.differing_executors])
    @given(texts(), texts("mine", "my\nNUL"), texts("theirs", "their\nNUL"))
    def collect(base: list[str], ours: list[str], theirs: list[str]) -> None:
        examples.append((base, ours, theirs))

    collect()
    for base, ours, theirs in examples:
        merged, has_conflict = await merge(nvim, base, ours, theirs)
        kept = Counter(merged)
        assert all(kept[line] == theirs.count(line) for line in ("theirs", "their\nNUL"))
        assert has_conflict or all(kept[line] == ours.count(line) for line in ("mine", "my\nNUL"))
        assert await merge(nvim, base, base, theirs) == (theirs, False)
        assert await merge(nvim, base, ours, base) == (ours, False)
        assert await merge(nvim, base, ours, ours) == (ours, False)


async def test_large_texts_are_merged_by_their_common_lines(nvim: Neovim) -> None:
    merged, has_conflict = await nvim.lua(chunk("rebase/merge_large_texts"))

    line = "line {} of a text that is rather long".format
    assert merged == [line(10), "mine", line(11), "theirs", 60001]
    assert not has_conflict


@pytest.mark.parametrize(
    "edit", ["table.remove(new, 2)", "table.insert(new, 2, 'x')", "new[2] = 'x'"]
)
async def test_the_hunk_of_large_texts_is_that_of_small_ones(nvim: Neovim, edit: str) -> None:
    large, small = await nvim.lua(HUNKS.replace("EDIT", edit))

    assert large == small
