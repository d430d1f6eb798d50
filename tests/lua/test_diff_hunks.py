"""The hunks of a proposal are dropped and taken one by one (`diff/hunks.lua`, `diff/keys.lua`)."""

from pathlib import Path

import pytest

from support.diffs import Diffs
from support.hunks import (
    ADDED,
    FIRST,
    LAST,
    NEW,
    OLD,
    REMOVED,
    counts,
    has_text,
    lines,
    row,
    without,
)
from support.neovim import Neovim, until


@pytest.fixture(autouse=True)
async def wide(nvim: Neovim) -> None:
    await nvim.command("set columns=180 lines=40")


async def test_bracket_c_goes_from_hunk_to_hunk(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    await diffs.open(path, NEW)
    assert await row(nvim) == 1

    rows = []
    for keys in ("]c", "]c", "]c", "]c", "[c", "3[c", "2]c", "gg99]c"):
        await nvim.keys(keys)
        rows.append(await row(nvim))

    # The third one has no lines: the cursor is on the line below it.
    assert rows == [21, 42, 61, 61, 42, 1, 42, 61]


async def test_the_cursor_reaches_lines_that_are_added_at_the_end(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await diffs.open(path, NEW.replace(*LAST) + "more\n")

    await nvim.keys("9]c")

    assert await row(nvim) == 62
    await nvim.keys("gX")
    await has_text(nvim, without(LAST))
    await nvim.keys("gg9]cgY")
    await has_text(nvim, without(LAST) + "more\n")


async def test_a_jump_between_hunks_can_be_undone_and_completes_an_operator(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await diffs.open(path, NEW)

    await nvim.keys("]c``")
    assert await row(nvim) == 1
    await nvim.keys("V]c<Esc>")
    assert await nvim.eval('[line("\'<"), line("\'>")]') == [1, 21]
    await nvim.keys("ggd]c")
    assert (await lines(nvim))[0] == "added a"


@pytest.mark.parametrize("layout", ["tab", "vertical", "horizontal"])
async def test_a_dropped_hunk_has_the_old_lines_and_the_rest_is_accepted(
    nvim: Neovim, diffs: Diffs, path: Path, layout: str
) -> None:
    id_ = await diffs.open(path, NEW, layout)

    await nvim.keys("]cgX")

    await has_text(nvim, without(ADDED))
    await nvim.keys(":w<CR>")
    decision = await diffs.decision(id_)
    assert decision["accepted"]
    assert decision["text"] == without(ADDED)
    await diffs.closed(id_)


@pytest.mark.parametrize(
    ("keys", "changes"),
    [
        ("gX", [FIRST]),
        ("]cgX", [ADDED]),
        ("]cjgX", [ADDED]),
        ("2]cgX", [REMOVED]),
        ("2]ckgX", [REMOVED]),
        ("3]cgX", [LAST]),
        ("GgX", [LAST]),
        ("3gX", [FIRST, ADDED, REMOVED]),
        ("]c9gX", [ADDED, REMOVED, LAST]),
        ("ggVGgX", [FIRST, ADDED, REMOVED, LAST]),
        ("21GVGgX", [ADDED, REMOVED, LAST]),
        ("gX]c.", [FIRST, ADDED]),
        ("gX2]c2.", [FIRST, REMOVED, LAST]),
        ("ggVGgX3]cgY", [FIRST, ADDED, REMOVED]),
        ("ggVGgX]cgY", [FIRST, REMOVED, LAST]),
        ("ggVGgX2]cgY", [FIRST, ADDED, LAST]),
        ("ggVGgXgg2gY", [REMOVED, LAST]),
        ("ggVGgXggVGgY", []),
        ("]cgXgY", []),
        ("2]cgXgY", []),
        ("2]cgXgX", [REMOVED]),
        ("]cdo", [ADDED]),
        ("]cdogY", []),
    ],
)
async def test_keys_decide_hunks(
    nvim: Neovim, diffs: Diffs, path: Path, keys: str, changes: list[tuple[str, str]]
) -> None:
    await diffs.open(path, NEW)

    await nvim.keys(keys)

    await has_text(nvim, without(*changes))


async def test_u_undoes_each_decision_in_one_step(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    await diffs.open(path, NEW)
    await nvim.keys("]cgX]cgX")
    await has_text(nvim, without(ADDED, REMOVED))
    await nvim.keys("ggVGgX")
    await has_text(nvim, OLD)
    await nvim.keys("ggVGgY")
    await has_text(nvim, NEW)

    for changes in ([FIRST, ADDED, REMOVED, LAST], [ADDED, REMOVED], [ADDED], []):
        await nvim.keys("u")
        await has_text(nvim, without(*changes))
    await nvim.keys("u")
    await has_text(nvim, NEW)
    for changes in ([ADDED], [ADDED, REMOVED], [FIRST, ADDED, REMOVED, LAST]):
        await nvim.keys("<C-r>")
        await has_text(nvim, without(*changes))
    await nvim.keys("gg]cgY")
    await has_text(nvim, without(FIRST, REMOVED, LAST))


@pytest.mark.parametrize("command", [":w<CR>", ":wq<CR>", "ZZ", ":ClaudeAccept<CR>"])
async def test_accepting_with_every_hunk_dropped_rejects(
    nvim: Neovim, diffs: Diffs, path: Path, command: str
) -> None:
    id_ = await diffs.open(path, NEW)
    await nvim.keys("ggVGgX")
    await has_text(nvim, OLD)

    await nvim.keys(command)

    decision = await diffs.decision(id_)
    assert decision["accepted"] is False
    assert "text" not in decision
    await diffs.closed(id_)
    await until(lambda: "every hunk was dropped" in nvim.screen.text(), "the message")


async def test_the_window_bar_counts_hunks_and_diffs(
    nvim: Neovim, diffs: Diffs, path: Path, project: Path
) -> None:
    await diffs.open(path, NEW)
    await counts(nvim, "hunk 1/4")
    await nvim.keys("5j")
    await counts(nvim, "4 hunks")
    await nvim.keys("]cgX")
    await counts(nvim, "hunk 2/4 dropped")
    await until(lambda: "2 lines dropped above" in nvim.screen.text(), "the mark")
    await nvim.keys("u")
    await counts(nvim, "hunk 2/4")
    await until(lambda: "dropped" not in nvim.screen.text(), "no mark")

    second = await diffs.open(project / "b.txt", "new\n")
    await counts(nvim, "hunk 1/1 · diff 2/2")
    await nvim.keys(":q<CR>")
    await diffs.closed(second)
    await counts(nvim, "hunk 2/4")


async def test_the_old_lines_of_a_dropped_hunk_are_not_folded_away(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await diffs.open(path, NEW)

    await nvim.keys("2]cgX")

    await until(lambda: nvim.screen.text().count("line 40") == 2, "line 40 on both sides")
    await nvim.keys("gg2]c")
    assert await nvim.eval("[line('.'), foldclosed('.')]") == [42, -1]


async def test_changes_of_the_user_are_hunks_that_can_be_dropped(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    id_ = await diffs.open(path, NEW)

    await nvim.keys("5Gccmine<Esc>")
    await counts(nvim, "hunk 2/5")
    await nvim.keys("gg]c")
    assert await row(nvim) == 5
    await nvim.keys("gX")
    await counts(nvim, "4 hunks")
    await nvim.keys("u21Gccedited<Esc>gX")
    await has_text(nvim, without(ADDED).replace("line 5\n", "mine\n"))
    await nvim.keys(":w<CR>")

    assert (await diffs.decision(id_))["text"] == without(ADDED).replace("line 5\n", "mine\n")


@pytest.mark.parametrize(
    "keys", ["ggdG", ":%s/^/> /<CR>", ":g/^/m0<CR>", "ggVGJ", "ggVGp", "gg30dd"]
)
async def test_whatever_the_user_does_to_the_text_dropping_all_restores_the_old_one(
    nvim: Neovim, diffs: Diffs, path: Path, keys: str
) -> None:
    await diffs.open(path, NEW)
    await nvim.keys("]cgX")
    await has_text(nvim, without(ADDED))

    await nvim.keys(keys)
    await nvim.keys("ggVGgX")
    await has_text(nvim, OLD)

    await nvim.keys("uu")
    await has_text(nvim, without(ADDED))
    await nvim.keys("gg]cgY")
    await has_text(nvim, NEW)


async def test_edit_bang_takes_everything_again(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    await diffs.open(path, NEW)
    await nvim.keys("ggVGgX:e!<CR>")
    await has_text(nvim, NEW)
    await counts(nvim, "hunk 1/4")

    await nvim.keys("gg3]cgX")

    await has_text(nvim, without(LAST))


async def test_deciding_again_or_elsewhere_says_so(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    await diffs.open(path, NEW)
    await nvim.keys("gY")
    await until(lambda: "this hunk is already taken" in nvim.screen.text(), "taken")
    await nvim.keys("5jgX")
    await until(lambda: "no hunk is here" in nvim.screen.text(), "none")
    await nvim.keys("<C-w>h")
    await nvim.lua("vim.keymap.set('n', '<F2>', '<Plug>(claude-hunk-drop)')")
    await nvim.keys("<F2>")
    await until(lambda: "no proposed edit is here" in nvim.screen.text(), "not here")


async def test_the_users_own_keys_replace_the_default_ones(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.lua("vim.keymap.set({ 'n', 'x' }, '<F2>', '<Plug>(claude-hunk-drop)')")
    await diffs.open(path, NEW)

    await nvim.keys("<F2>")

    await has_text(nvim, without(FIRST))
    assert await nvim.eval("[maparg('gX', 'n'), maparg('gX', 'x')]") == ["", ""]
    await nvim.keys("g?")
    await until(lambda: "<F2>" in nvim.screen.text(), "the keys")
    assert "gY" in nvim.screen.text()
    await nvim.keys("q")
    await until(lambda: nvim.eval("&diff"), "back in the proposal")
