"""`review/list.lua`, `preview.lua`, `keys.lua`: the quickfix list of a review, and its window."""

from pathlib import Path

import pytest

from support.neovim import Neovim, until
from support.reviews import Review, change

MINUS = "\N{MINUS SIGN}"
OLD = "".join(f"line {number}\n" for number in range(1, 41))
CHANGED = OLD.replace("line 3\n", "LINE 3\nmore\n").replace("line 20\n", "").replace("line 38", "x")
ENTRIES = [f"+2 {MINUS}1  LINE 3", f"+0 {MINUS}1  line 20", f"+1 {MINUS}1  x"]


@pytest.fixture
async def review(nvim: Neovim, path: Path) -> Review:
    """A review of three hunks in a file that Neovim shows."""
    path.write_text(CHANGED)
    await nvim.command(f"edit {path}")
    review = Review(nvim)
    await review.show(change(path, OLD, CHANGED))
    return review


async def shows(review: Review, *lines: str) -> None:
    """Wait until the preview has these lines."""

    async def same() -> bool:
        return await review.preview() == list(lines)

    await until(same, f"the preview shows {lines}")


async def test_each_hunk_has_an_entry_at_its_line(nvim: Neovim, review: Review) -> None:
    assert await review.texts() == ENTRIES
    assert await review.lines() == [3, 21, 38]
    title = await nvim.eval("getqflist({'title': 1}).title")
    assert title == f"Claude: changes · 1 file +3 {MINUS}3 · g? keys"
    await nvim.command("cnext")
    assert await nvim.eval("[expand('%:t'), line('.')]") == ["a.txt", 21]


async def test_the_preview_follows_the_cursor_and_takes_no_focus(
    nvim: Neovim, review: Review
) -> None:
    context = [" line 1", " line 2", "-line 3", "+LINE 3", "+more", " line 4", " line 5", " line 6"]
    await shows(review, "@@ -1,6 +1,7 @@", *context)

    await nvim.keys("jj")

    around = [" line 35", " line 36", " line 37", "-line 38", "+x", " line 39", " line 40"]
    await shows(review, "@@ -35,6 +35,6 @@", *around)
    assert await nvim.eval("&buftype") == "quickfix"


async def test_the_preview_closes_with_the_window_and_when_the_user_leaves(
    nvim: Neovim, review: Review
) -> None:
    await until(review.preview)
    await nvim.command("wincmd p")
    assert await review.preview() == []

    await nvim.command("wincmd p")
    await until(review.preview)
    await nvim.command("cclose")
    assert await review.preview() == []

    await nvim.command("copen")
    await until(review.preview)
    await nvim.command("tabnew")
    assert await review.preview() == []


async def test_undo_in_the_file_shows_in_the_list(nvim: Neovim, review: Review) -> None:
    await nvim.keys("x")
    await review.has(f"reverted: {ENTRIES[0]}", *ENTRIES[1:])

    await nvim.command("wincmd p | silent undo | wincmd p")

    await review.has(*ENTRIES)


async def test_entries_follow_edits_of_the_file(nvim: Neovim, review: Review) -> None:
    await nvim.command("wincmd p | 1put! ='mine' | wincmd p")

    async def moved() -> bool:
        return await review.lines() == [4, 22, 39]

    await until(moved)
    assert await review.texts() == ENTRIES


async def test_the_keys_and_the_preview_are_gone_in_another_list(
    nvim: Neovim, review: Review
) -> None:
    await until(review.preview)
    assert await nvim.eval("maparg('x', 'n') != '' && maparg('u', 'x') != ''")

    await nvim.command("call setqflist([{'filename': 'b.txt', 'lnum': 1}])")
    await until(lambda: nvim.eval("maparg('x', 'n') == ''"))
    assert await review.preview() == []

    await nvim.command("silent colder")
    await until(lambda: nvim.eval("maparg('x', 'n') != ''"))
    await until(review.preview)


async def test_a_mapping_of_the_user_is_back_in_another_list(nvim: Neovim, review: Review) -> None:
    await nvim.command("call setqflist([{'filename': 'b.txt', 'lnum': 1}])")
    await until(lambda: nvim.eval("maparg('x', 'n') == ''"))
    await nvim.command("nnoremap <buffer> x <Cmd>let g:mine = 1<CR>")

    await nvim.command("silent colder")
    await until(lambda: nvim.eval("maparg('x', 'n') =~ 'claude'"))
    await nvim.command("silent cnewer")

    await until(lambda: nvim.eval("maparg('x', 'n') =~ 'mine'"))


async def test_a_file_has_none_of_the_keys(nvim: Neovim, review: Review) -> None:
    await nvim.command("wincmd p")

    assert await nvim.eval("maparg('x', 'n') .. maparg('u', 'n')") == ""
    assert await review.texts() == ENTRIES


async def test_the_same_review_again_replaces_its_list(review: Review, path: Path) -> None:
    nvim = review.nvim
    count = await nvim.eval("getqflist({'nr': '$'}).nr")

    await review.show(change(path, OLD, CHANGED))
    assert await nvim.eval("getqflist({'nr': '$'}).nr") == count

    await review.show(change(path, OLD, CHANGED), turn="2")
    assert await nvim.eval("getqflist({'nr': '$'}).nr") == count + 1


async def test_closing_the_help_returns_to_the_list(nvim: Neovim, review: Review) -> None:
    await nvim.keys("g?")
    await until(lambda: "Restore a reverted change" in nvim.screen.text())
    await nvim.keys("q")

    await until(lambda: nvim.eval("&buftype == 'quickfix'"))
    await until(review.preview)


async def test_an_entry_that_the_user_has_removed_stays_removed(
    nvim: Neovim, review: Review
) -> None:
    await nvim.command("call setqflist([], 'r', {'items': getqflist()[1:]})")
    await nvim.keys("ggx")

    await review.has(f"reverted: {ENTRIES[1]}", ENTRIES[2])


async def test_a_review_opens_over_a_float_and_in_insert_mode(
    nvim: Neovim, review: Review, path: Path
) -> None:
    await nvim.command("cclose")
    await nvim.lua("require('claude_ide.window.float').show({ 'text' }, { title = 'float' })")

    await review.show(change(path, OLD, CHANGED), turn="2")

    assert await nvim.eval("winnr('$')") >= 2
    await until(review.preview)


@pytest.mark.parametrize("size", ["10x40", "24x80"])
async def test_a_small_screen_shows_the_list(
    nvim: Neovim, review: Review, path: Path, size: str
) -> None:
    rows, columns = map(int, size.split("x"))
    await nvim.request("nvim_ui_try_resize", columns, rows)
    await review.show(change(path, OLD, CHANGED))

    await nvim.keys("jx")
    await review.has(ENTRIES[0], f"reverted: {ENTRIES[1]}", ENTRIES[2])


async def test_a_file_that_a_plugin_would_run_cannot_be_opened(nvim: Neovim, project: Path) -> None:
    path = project / "tarfile::a::b"
    path.write_text("two\n")
    review = Review(nvim)

    await nvim.command("autocmd BufReadCmd tarfile::* let g:ran = 1")
    await review.show(change(path, "one\n", "two\n"))

    [item] = await nvim.eval("getqflist()")
    assert (item["valid"], item["bufnr"]) == (0, 0)
    assert item["text"].endswith("a plugin handles such names itself (tarfile::*)")
    await nvim.keys("x")
    await until(lambda: nvim.eval("execute('messages') =~ 'handles such names itself'"))
    assert path.read_text() == "two\n"
    assert await nvim.eval("exists('g:ran')") == 0


async def test_a_file_with_very_many_hunks_is_one_entry(nvim: Neovim, path: Path) -> None:
    old = [f"line {number}" for number in range(4000)]
    new = [f"LINE {n}" if n % 2 else line for n, line in enumerate(old)]
    before, after = ("".join(f"{line}\n" for line in lines) for lines in (old, new))
    review = Review(nvim)
    path.write_text(after)

    await review.show(change(path, before, after))
    assert await review.texts() == [f"+4000 {MINUS}4000  line 0"]
    assert (await review.preview())[-1].startswith("…")
    await nvim.keys("x")

    await until(lambda: path.read_text() == before)
