"""`diff/init.lua`: a diff is requested, shown, decided and announced once."""

import os
from pathlib import Path

import pytest

from support.chunks import chunk
from support.diffs import MODULE, Diffs, everything
from support.neovim import Neovim, until
from support.status_reports import reported

OLD = "one\ntwo\n"


NEW = "one\nTWO\n"


RECORD_DRAWN = """
local hunks, is_drawn = require('claude_ide.diff.hunks'), false
local track = hunks.track
hunks.track = function(...)
  _G.drawn_before_hunks = is_drawn
  return track(...)
end
vim.api.nvim_set_decoration_provider(vim.api.nvim_create_namespace('test'), {
  on_end = function()
    is_drawn = vim.wo.diff
  end,
})
"""
HEAP = "collectgarbage() collectgarbage() return collectgarbage('count')"
"""Kilobytes of memory of Lua, without garbage."""


async def shown_text(nvim: Neovim) -> list[list[str]]:
    """The lines of each window of the current tabpage."""
    text: list[list[str]] = await nvim.eval(
        "map(range(1, winnr('$')), 'getbufline(winbufnr(v:val), 1, \"$\")')"
    )
    return text


async def test_a_diff_shows_the_file_on_the_left_and_the_proposal_on_the_right(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await diffs.open(path, NEW)

    assert await shown_text(nvim) == [["one", "two"], ["one", "TWO"]]
    assert await nvim.eval("[tabpagenr(), tabpagenr('$'), winnr()]") == [2, 2, 2]
    assert await nvim.eval("map([1, 2], 'getwinvar(v:val, \"&diff\")')") == [1, 1]


async def test_opening_and_closing_are_announced(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    id_ = await diffs.open(path, NEW)
    bufnr = await nvim.eval("bufnr()")
    opened = await until(lambda: diffs.of("ClaudeDiffOpened", id_))
    assert opened == [{"id": id_, "path": str(path), "bufnr": bufnr}]

    await nvim.keys(":w<CR>")

    closed = {"id": id_, "path": str(path), "bufnr": bufnr, "accepted": True}
    assert await diffs.closed(id_) == closed


async def test_a_rejected_diff_is_announced_as_rejected(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    id_ = await diffs.open(path, NEW)

    await nvim.keys(":q<CR>")

    assert (await diffs.closed(id_))["accepted"] is False


async def test_a_configuration_that_is_sourced_again_leaves_a_diff_as_it_is(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    id_ = await diffs.open(path, NEW)
    await nvim.command("autocmd!")

    await nvim.keys(":w<CR>")

    decided = await until(lambda: diffs.of("diff_decided", id_))
    assert decided[0]["accepted"] is True


async def test_a_diff_closed_by_the_host_is_not_decided(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    id_ = await diffs.open(path, NEW)

    await diffs.close(id_)

    assert "accepted" not in await diffs.closed(id_)
    assert not diffs.of("diff_decided", id_)
    assert await nvim.eval("[tabpagenr('$'), winnr('$')]") == [1, 1]


async def test_closing_a_diff_again_does_nothing(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    id_ = await diffs.open(path, NEW)
    await diffs.close(id_)
    await diffs.close(id_)
    await diffs.closed(id_)

    await diffs.close(id_)
    await diffs.close(99)

    assert await diffs.list() == []


async def test_close_all_closes_every_diff(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    first = await diffs.open(path, NEW)
    second = await diffs.open(path, "other\n")

    await nvim.lua(f"{MODULE}.close_all()")

    assert await diffs.list() == []
    await diffs.closed(first)
    await diffs.closed(second)
    assert await nvim.eval("tabpagenr('$')") == 1


async def test_a_diff_that_waits_for_the_user_is_listed_as_not_shown(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.keys("i")
    await until(lambda: nvim.eval("mode() == 'i'"))
    id_ = await diffs.ask(path, NEW)

    assert await diffs.list() == [
        {"id": id_, "path": str(path), "title": "Claude Code", "shown": False}
    ]
    await nvim.keys("typed<Esc>")

    await diffs.ready(id_)
    assert (await diffs.list())[0]["shown"]
    assert await nvim.eval("getbufline(1, 1, '$')") == ["typed"]


async def test_a_diff_closed_before_it_appears_is_never_shown(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.keys("i")
    await until(lambda: nvim.eval("mode() == 'i'"))
    first = await diffs.ask(path, NEW)
    second = await diffs.ask(path, NEW)

    await diffs.close(first)
    await nvim.keys("<Esc>")

    await diffs.ready(second)
    assert not diffs.of("diff_shown", first)
    assert await nvim.eval("tabpagenr('$')") == 2


async def test_keys_typed_while_a_diff_appears_do_not_reach_it(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    id_ = await diffs.ask(path, NEW)
    await until(lambda: nvim.eval("tabpagenr('$') == 2"))

    await nvim.keys("dd:w<CR>ZZix")

    await diffs.ready(id_)
    assert await nvim.eval("getline(1, '$')") == ["one", "TWO"]
    assert not diffs.of("diff_decided", id_)


async def test_a_proposal_cannot_be_modified_while_it_appears(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    id_ = await diffs.ask(path, NEW)
    await until(lambda: nvim.eval("tabpagenr('$') == 2"))

    assert await nvim.eval("&modifiable") == 0

    await diffs.ready(id_)
    assert await nvim.eval("&modifiable") == 1


async def test_a_diff_does_not_appear_between_two_keys(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.lua("require('claude_ide.timing.moment').notice_typing(true)")
    await nvim.lua(chunk("diff/type_on"), "j", 1000)
    await until(lambda: nvim.lua("return #_G.tabpages > 0"), "a key")
    id_ = await diffs.ask(path, NEW)

    before = await nvim.lua("return #_G.tabpages")
    await until(lambda: nvim.lua("return #_G.tabpages > 5 + ...", before), "five keys")
    assert set(await nvim.lua("_G.times = 0; return _G.tabpages")) == {1}

    await diffs.ready(id_)


async def test_the_message_names_a_diff_that_waits(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    await nvim.keys("i")
    await until(lambda: nvim.eval("mode() == 'i'"))

    id_ = await diffs.ask(path, NEW)

    await until(lambda: "edit of a.txt waits: leave Insert mode" in nvim.screen.text())
    await reported(nvim, held=1, diffs=[""])
    await nvim.keys("<Esc>")
    await diffs.ready(id_)
    await reported(nvim, held=0, diffs=[""])


async def test_a_withdrawn_diff_no_longer_waits(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    await nvim.keys("i")
    await until(lambda: nvim.eval("mode() == 'i'"))
    id_ = await diffs.ask(path, NEW)
    await reported(nvim, held=1)

    await diffs.close(id_)

    await reported(nvim, held=0, diffs=[])


async def test_after_a_diff_the_user_is_back_in_a_floating_sidebar(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.command(f"edit {path} | topleft 20vnew | setlocal buftype=nofile")
    await nvim.lua(
        "vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), true,"
        " { relative = 'win', row = 0, col = 0, width = 20, height = 9 })"
    )
    before = await everything(nvim)
    id_ = await diffs.open(path, NEW)

    await nvim.keys(":w<CR>")

    await diffs.closed(id_)
    after = await everything(nvim)
    assert after["win"] == before["win"]
    assert after["tabpages"] == before["tabpages"]


@pytest.mark.parametrize("layout", ["tab", "vertical"])
async def test_a_file_written_by_another_program_is_shown_without_a_prompt(
    nvim: Neovim, diffs: Diffs, path: Path, layout: str
) -> None:
    """Under 'noautoread' Neovim asks what to do as soon as such a buffer is shown."""
    await nvim.command(f"set noautoread hidden | edit {path} | enew")
    path.write_text("one\nthree\n")
    os.utime(path, (path.stat().st_mtime + 5,) * 2)

    id_ = await diffs.open(path, NEW, layout)

    shown = await shown_text(nvim)
    assert ["one", "three"] in shown
    assert ["one", "TWO"] in shown
    await nvim.keys(":w<CR>")
    await diffs.closed(id_)
    path.write_text(NEW)
    await nvim.lua("return require('claude_ide.disk_changes.reload').sync()")  # as the host does
    await until(lambda: nvim.eval("getbufline('a.txt', 1, '$') == ['one', 'TWO']"))
    assert await nvim.mode() == {"mode": "n", "blocking": False}
    await nvim.command("buffer a.txt | undo")
    assert await nvim.eval("getline(1, '$')") == ["one", "two"]


async def test_a_diff_that_cannot_be_shown_reports_why(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    """It has no text, which is noticed only after the call has returned."""
    await nvim.keys("i")
    await until(lambda: nvim.eval("mode() == 'i'"))
    before = await nvim.eval("[tabpagenr('$'), winnr('$'), bufnr(), len(getbufinfo())]")
    await nvim.lua(f"{MODULE}.open(1, ...)", {"path": str(path), "layout": "tab"})

    await nvim.keys("<Esc>")

    [failed] = await until(lambda: diffs.of("diff_failed", 1))
    assert failed["message"]
    assert "\n" not in failed["message"]
    assert await diffs.list() == []
    assert not diffs.of("diff_decided", 1)
    assert await nvim.eval("[tabpagenr('$'), winnr('$'), bufnr(), len(getbufinfo())]") == before


async def test_accepting_a_diff_fails_when_its_text_cannot_be_read(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    id_ = await diffs.open(path, NEW)
    await nvim.command("setlocal bufhidden= | bunload!")

    await nvim.lua(f"{MODULE}.accept(...)", id_)

    assert await until(lambda: diffs.of("diff_failed", id_)) == [
        {"id": id_, "message": "the buffer is not loaded"}
    ]
    await until(lambda: nvim.eval("tabpagenr('$') == 1"))
    assert not diffs.of("diff_decided", id_)


async def test_ten_megabytes_are_shown_and_accepted(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    lines = [f"line {number} {'x' * 48}\n" for number in range(170_000)]
    path.write_text("".join(lines))
    lines[85_000] = "changed\n"
    text = "".join(lines)
    id_ = await diffs.open(path, text)

    await nvim.keys(":w<CR>")

    assert (await diffs.decision(id_))["text"] == text


async def test_a_closed_diff_of_ten_megabytes_leaves_nothing_in_memory(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    old = "".join(f"line {number}\n" for number in range(800_000))
    path.write_text(old)
    small = path.with_name("small.txt")
    small.write_text("one\n")
    first = await diffs.open(small, "two\n")
    await nvim.command("tabclose")
    await diffs.closed(first)
    before = await nvim.lua(HEAP)

    id_ = await diffs.open(path, old.replace("line 400000", "changed"))
    await nvim.command("tabclose")
    await diffs.closed(id_)

    async def is_free() -> bool:
        return bool(await nvim.lua(HEAP) - before < 5 * 1024)

    await until(is_free, "the texts are gone")


@pytest.mark.parametrize(("lines", "has_folds"), [(1000, True), (300_000, False)])
async def test_a_large_diff_differs_from_others_only_by_its_folds(
    nvim: Neovim, diffs: Diffs, path: Path, lines: int, has_folds: bool
) -> None:
    old = "".join(f"line {number}\n" for number in range(lines))
    path.write_text(old)
    await nvim.command("set diffopt=internal,filler,closeoff,context:3")
    changed = lines // 2

    id_ = await diffs.open(path, old.replace(f"line {changed}\n", "changed\n"))

    assert await nvim.eval("&diffopt") == "internal,filler,closeoff,context:3"
    assert await nvim.eval("line('.')") == changed + 1
    assert await nvim.eval(f"diff_hlID({changed + 1}, 1) > 0 && diff_hlID({changed}, 1) == 0")
    assert await nvim.eval("map(range(1, 2), 'getwinvar(v:val, \"&scrollbind\")')") == [True, True]
    assert await nvim.eval("foldclosed(1) > 0") == has_folds
    await nvim.command("tabclose")
    await diffs.closed(id_)
    await nvim.command(f"edit {path}")
    assert await nvim.eval("[&diff, &foldmethod, &scrollbind]") == [False, "manual", False]


async def test_a_large_diff_is_drawn_before_its_hunks_are_found(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    old = "".join(f"line {number}\n" for number in range(300_000))
    path.write_text(old)
    await nvim.lua(RECORD_DRAWN)

    await diffs.open(path, old.replace("line", "LINE"))

    assert await nvim.lua("return _G.drawn_before_hunks")


@pytest.mark.parametrize("layout", ["tab", "vertical"])
async def test_a_buffer_without_a_file_is_compared_directly(
    nvim: Neovim, diffs: Diffs, layout: str
) -> None:
    await nvim.command("call setline(1, ['one', 'two'])")
    before = await nvim.eval("[bufnr(), win_getid(), &modified]")

    id_ = await diffs.open("[No Name]", NEW, layout, original=before[0])
    assert await shown_text(nvim) == [["one", "two"], ["one", "TWO"]]
    await until(lambda: "new file" not in nvim.screen.text())
    await nvim.keys(":w<CR>")

    assert (await diffs.decision(id_))["text"] == NEW
    await diffs.closed(id_)
    assert await nvim.eval("[bufnr(), win_getid(), &modified]") == before
    assert await nvim.eval("getline(1, '$')") == ["one", "two"]


@pytest.mark.parametrize("accepts", [True, False])
async def test_a_diff_for_a_buffer_expects_no_write(
    nvim: Neovim, diffs: Diffs, path: Path, accepts: bool
) -> None:
    """Neovim still asks about writes of other programs, as it does without a diff."""
    await nvim.command(f"edit {path}")
    autoread = await nvim.eval("getbufvar('', '&autoread')")
    id_ = await diffs.open(path, NEW, original=await nvim.eval("bufnr()"))

    if accepts:
        await nvim.keys(":w<CR>")
        await diffs.decision(id_)
    else:
        await diffs.close(id_)
    await diffs.closed(id_)

    watching = "len(nvim_get_autocmds({'event': 'FileChangedShell', 'buffer': bufnr()}))"
    assert await nvim.eval(watching) == 0
    assert await nvim.eval("getbufvar('', '&autoread')") == autoread
