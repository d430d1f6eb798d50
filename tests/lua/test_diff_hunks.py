"""The hunks of a proposal are dropped and taken one by one (`diff/hunks.lua`, `diff/keys.lua`)."""

from pathlib import Path
from typing import Any

import pytest

from support.diffs import Diffs
from support.neovim import Neovim, until

OLD = "".join(f"line {number}\n" for number in range(1, 61))
NEW = (
    OLD.replace("line 1\n", "LINE 1\n")
    .replace("line 20\n", "line 20\nadded a\nadded b\n")
    .replace("line 40\n", "")
    .replace("line 60\n", "LINE 60\n")
)
COUNTS = """
trim(matchstr(nvim_eval_statusline(&winbar,
  {'winid': win_getid(), 'use_winbar': v:true, 'maxwidth': 200}).str,
  '\\v(hunk \\d|\\d+ hunk)[^:]*'))
""".replace("\n", " ")


@pytest.fixture(autouse=True)
async def wide(nvim: Neovim) -> None:
    await nvim.command("set columns=180 lines=40")


async def lines(nvim: Neovim) -> list[str]:
    """The lines of the current buffer."""
    text: list[str] = await nvim.eval("getline(1, '$')")
    return text


async def row(nvim: Neovim) -> int:
    """The cursor's line."""
    number: int = await nvim.eval("line('.')")
    return number


async def has_text(nvim: Neovim, text: str) -> None:
    """Wait until the current buffer has a text."""

    async def same() -> bool:
        return await lines(nvim) == text.splitlines()

    await until(same, "the text")


async def counts(nvim: Neovim, expected: str) -> None:
    """Wait for what the current window's bar counts."""

    async def same() -> bool:
        return bool(await nvim.eval(COUNTS) == expected)

    await until(same, expected)


def without(*changes: tuple[str, str]) -> str:
    """The proposal with some changes taken back."""
    text = NEW
    for new, old in changes:
        assert new in text
        text = text.replace(new, old)
    return text


FIRST = ("LINE 1\n", "line 1\n")
ADDED = ("added a\nadded b\n", "")
REMOVED = ("line 39\n", "line 39\nline 40\n")
LAST = ("LINE 60\n", "line 60\n")


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


EDGES: list[tuple[Any, Any]] = [
    ("a\nb\nc\n", "b\nc\n"),
    ("a\nb\nc\n", "a\nb\n"),
    ("a\nb\n", "x\na\nb\n"),
    ("a\nb\n", "a\nb\nx\n"),
    ("a\nb", "a\nB"),
    ("a\nb", "a\nB\n"),
    ("a\nb\n", "a\nB"),
    ("a\nb", "a\nb\nc\n"),
    ("a\nb\nc", "a\nb\n"),
    ("a\r\nb\r\n", "a\r\nB\r\n"),
    ("\ufeffa\nb\n", "\ufeffa\nB\n"),
    ("a\n", ""),
    ("", "a\n\nb\n"),
    ("a\n\nb\n", "\n"),
    ("\n", "a\n\n\n"),
    ("a\0b\nc\n", "a\0B\nc\n"),
    ("ä\n", "ö\n"),
]


@pytest.mark.parametrize(("old", "new"), EDGES)
async def test_dropping_restores_any_text_and_taking_the_proposal(
    nvim: Neovim, diffs: Diffs, path: Path, old: str, new: str
) -> None:
    path.write_bytes(old.encode())
    id_ = await diffs.open(path, new)
    proposed = await lines(nvim)
    await nvim.keys("ggVGgX")
    text = old.removeprefix("\ufeff").replace("\0", "\n").replace("\r", "")

    async def is_old() -> bool:
        original = await nvim.eval("getbufline(winbufnr(1), 1, '$')")
        return bool(await lines(nvim) == original and original != proposed)

    await until(is_old, f"the lines of {text!r}")
    await nvim.keys("ggVGgY")
    await until(lambda: nvim.eval("getline(1, '$')") if proposed else None)

    async def is_proposed() -> bool:
        return await lines(nvim) == proposed

    await until(is_proposed, "the lines of the proposal")
    await nvim.keys("ggVGgXu:w<CR>")

    decision = await diffs.decision(id_)
    assert decision["accepted"]
    assert decision["text"] == new


@pytest.mark.parametrize(
    ("old", "new", "merged"),
    [
        # Neither the last line nor its missing end is accepted.
        ("a\nb\nc", "A\nb\nC\n", "A\nb\nc"),
        ("a\nb\nc\n", "A\nb\nC", "A\nb\nc\n"),
        ("a\r\nb\r\nc\r\n", "A\r\nb\r\nC\r\n", "A\r\nb\r\nc\r\n"),
        # The CLI sends the text of such a file with LF, and writes CRLF.
        ("a\r\nb\r\nc\r\n", "A\nb\nC\n", "A\nb\nc\n"),
        ("a\nb\nc", "A\nb\nc\nd\n", "A\nb\nc"),
        ("a\nb\nc", "A\nb\n", "A\nb\nc"),
        ("\ufeffa\nb\nc\n", "\ufeffA\nb\nC\n", "\ufeffA\nb\nc\n"),
    ],
)
async def test_dropping_the_last_hunk_restores_the_end_of_the_text(
    nvim: Neovim, diffs: Diffs, path: Path, old: str, new: str, merged: str
) -> None:
    path.write_bytes(old.encode())
    id_ = await diffs.open(path, new)

    await nvim.keys("GgX:w<CR>")

    assert (await diffs.decision(id_))["text"] == merged


async def test_a_new_file_is_one_hunk_and_rejected_without_it(
    nvim: Neovim, diffs: Diffs, project: Path
) -> None:
    id_ = await diffs.open(project / "new.txt", "a\n\nb\n")
    await counts(nvim, "hunk 1/1")

    await nvim.keys("gX:w<CR>")

    assert (await diffs.decision(id_))["accepted"] is False


async def test_the_hunks_are_those_of_diffopt(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    await nvim.command("set diffopt+=iwhiteall")
    path.write_text("a b\nc\nd\n")
    id_ = await diffs.open(path, "ab\nc\nD\n")

    await counts(nvim, "hunk 1/1")
    assert await row(nvim) == 3
    await nvim.keys("gX:w<CR>")

    assert (await diffs.decision(id_))["accepted"] is False


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
