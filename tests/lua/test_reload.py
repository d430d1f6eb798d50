"""`disk/reload.lua`: buffers follow what Claude writes to their files."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.diffs import Diffs
from support.disk_changes import WRITE_IN_PIECES
from support.neovim import Neovim, until

MODULE = "require('claude_ide.disk.reload')"
OLD = "one\ntwo\nthree\n"
NEW = "one\nTWO\nthree\n"


@pytest.fixture
async def path(nvim: Neovim, project: Path) -> Path:
    """A file that is edited, in a Neovim that would warn of every change."""
    file = project / "a.txt"
    file.write_text(OLD)
    await nvim.command("edit a.txt")
    return file


def write(path: Path, text: str) -> None:
    """Write as the CLI does: another file takes the name."""
    new = path.with_name("claude.tmp")
    new.write_text(text)
    new.replace(path)


async def expect(nvim: Neovim, path: Path) -> None:
    await nvim.lua(f"{MODULE}.expect(...)", str(path))


async def sync(nvim: Neovim) -> list[int]:
    bufnrs: list[int] = await nvim.lua(f"return {MODULE}.sync()")
    return bufnrs


async def text(nvim: Neovim, path: Path) -> str:
    lines = await nvim.lua("return vim.fn.getbufline(vim.fn.bufnr(...), 1, '$')", str(path))
    return "".join(f"{line}\n" for line in lines)


async def shows(nvim: Neovim, path: Path, wanted: str) -> None:
    async def is_shown() -> bool:
        return await text(nvim, path) == wanted

    await until(is_shown, f"the buffer of {path.name} follows")


async def state(nvim: Neovim) -> Any:
    """What is set up while a write is expected."""
    return await nvim.lua(
        "return { vim.fn.execute('setlocal autoread?'),"
        " #vim.api.nvim_get_autocmds({ event = { 'FileChangedShell', 'BufWriteCmd' } }) }"
    )


async def messages(nvim: Neovim) -> str:
    said: str = await nvim.eval("execute('messages')")
    return said


async def test_nothing_is_expected_of_a_path_that_no_file_can_have(nvim: Neovim) -> None:
    for path in ("", "a\0b", "x" * 5000):
        await nvim.lua(f"{MODULE}.expect(...)", path)


async def test_an_expected_write_is_shown(nvim: Neovim, path: Path) -> None:
    before = await state(nvim)
    await expect(nvim, path)

    write(path, NEW)

    await shows(nvim, path, NEW)
    assert await nvim.eval("&modified") == 0
    assert await state(nvim) == before
    assert "W1" not in await messages(nvim)


async def test_a_write_in_place_is_shown(nvim: Neovim, path: Path) -> None:
    await expect(nvim, path)

    path.write_text(NEW)

    await shows(nvim, path, NEW)


async def test_a_write_in_pieces_is_shown_whole(nvim: Neovim, path: Path) -> None:
    await expect(nvim, path)

    await nvim.lua(WRITE_IN_PIECES, str(path), list(NEW))

    await shows(nvim, path, NEW)
    await nvim.command("silent undo")
    assert await text(nvim, path) == OLD


async def test_half_a_file_is_not_shown_after_neovim_was_busy(nvim: Neovim, path: Path) -> None:
    await expect(nvim, path)
    busy = """
        local path, first, rest = ...
        local file = assert(io.open(path, 'w'))
        file:write(first)
        file:flush()
        vim.wait(300, function() end, 50, true)
        local timer = assert(vim.uv.new_timer())
        timer:start(20, 0, function()
          file:write(rest)
          file:close()
          timer:close()
        end)
    """

    await nvim.lua(busy, str(path), NEW[:5], NEW[5:])

    await shows(nvim, path, NEW)


async def test_one_undo_takes_claudes_edit_back(nvim: Neovim, path: Path) -> None:
    await expect(nvim, path)
    write(path, NEW)
    await shows(nvim, path, NEW)

    await nvim.keys("u")

    await shows(nvim, path, OLD)
    assert await nvim.eval("&modified") == 1


async def test_unsaved_changes_stay_on_top_of_the_write(nvim: Neovim, path: Path) -> None:
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))
    await expect(nvim, path)

    write(path, NEW)

    await shows(nvim, path, "mine\nTWO\nthree\n")
    assert path.read_text() == NEW
    assert await nvim.eval("&modified") == 1
    assert await messages(nvim) == ""
    await nvim.keys("u")
    await shows(nvim, path, "mine\ntwo\nthree\n")
    assert await nvim.eval("&modified") == 1
    await nvim.keys("<C-r>")
    await shows(nvim, path, "mine\nTWO\nthree\n")
    assert await nvim.eval("&modified") == 1


async def test_what_is_on_top_of_the_write_is_saved_without_a_question(
    nvim: Neovim, path: Path
) -> None:
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))
    await expect(nvim, path)
    write(path, NEW)
    await shows(nvim, path, "mine\nTWO\nthree\n")

    await nvim.keys(":checktime<CR>:write<CR>")

    await until(lambda: path.read_text() == "mine\nTWO\nthree\n")
    assert not (await nvim.mode())["blocking"]
    assert "W1" not in await messages(nvim)


async def test_unsaved_changes_to_the_same_lines_are_one_undo_away(
    nvim: Neovim, path: Path
) -> None:
    await nvim.keys("Gccmine<Esc>ggccmine, too<Esc>")
    await until(lambda: nvim.eval("getline(1) ==# 'mine, too'"))
    before = await text(nvim, path)
    await expect(nvim, path)

    write(path, "one\nTWO\nTHREE\n")

    await shows(nvim, path, "mine, too\nTWO\nTHREE\n")
    assert await nvim.eval("&modified") == 1
    await until(lambda: "a.txt: your unsaved changes to the same" in nvim.screen.text())
    await nvim.keys("u")
    await shows(nvim, path, before)


async def test_the_place_of_the_user_is_kept_with_unsaved_changes(nvim: Neovim, path: Path) -> None:
    lines = [f"line {number}" for number in range(1, 101)]
    path.write_text("".join(f"{line}\n" for line in lines))
    await nvim.command("edit!")
    await nvim.keys("Gounsaved<Esc>50Gma")
    await until(lambda: nvim.eval("line('.') == 50"))
    await nvim.command("setlocal foldmethod=manual | 60,70fold")
    await expect(nvim, path)

    write(path, "".join(f"{line}\n" for line in ["new", "newer", *lines]))

    await until(lambda: nvim.eval("getline(1) ==# 'new'"))
    assert await nvim.eval("[getline('.'), getline(\"'a\"), getline('$')]") == [
        "line 50",
        "line 50",
        "unsaved",
    ]
    assert await nvim.eval("[foldclosed(62), foldclosedend(62)]") == [62, 72]


async def test_unsaved_changes_of_a_hidden_buffer_stay_on_top(nvim: Neovim, path: Path) -> None:
    await nvim.keys("ccmine<Esc>:set hidden | enew<CR>")
    await until(lambda: nvim.eval("bufname() ==# ''"))
    await expect(nvim, path)

    write(path, NEW)

    await shows(nvim, path, "mine\nTWO\nthree\n")
    assert await nvim.eval(f"getbufvar('{path}', '&modified')") == 1


async def test_what_is_being_typed_stays_on_top(nvim: Neovim, path: Path) -> None:
    await expect(nvim, path)
    await nvim.keys("Gomi")
    await until(lambda: nvim.eval("getline('$') ==# 'mi'"))

    write(path, NEW)
    await nvim.keys("ne<Esc>")

    await shows(nvim, path, f"{NEW}mine\n")
    assert await nvim.eval("[getline('.'), &modified]") == ["mine", 1]


async def test_a_buffer_that_is_read_again_meanwhile_holds_what_is_on_disk(
    nvim: Neovim, path: Path
) -> None:
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))
    await expect(nvim, path)
    await nvim.command("edit!")
    await nvim.keys("Gomore<Esc>")
    await until(lambda: nvim.eval("&modified"))

    write(path, NEW)

    await shows(nvim, path, f"{NEW}more\n")


async def test_a_copy_that_is_written_meanwhile_hides_no_write(nvim: Neovim, path: Path) -> None:
    await expect(nvim, path)

    await nvim.lua(
        "vim.fn.writefile({ 'Claude' }, ...); vim.cmd('silent write! copy.txt')", str(path)
    )

    await shows(nvim, path, "Claude\n")


async def test_the_format_of_the_write_is_taken_over(nvim: Neovim, path: Path) -> None:
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))
    await expect(nvim, path)

    path.write_bytes(b"one\r\nTWO\r\nthree")

    await shows(nvim, path, "mine\nTWO\nthree\n")
    assert await nvim.eval("[&fileformat, &endofline, &modified]") == ["dos", 0, 1]


async def test_an_edit_that_the_user_has_made_too_leaves_nothing_unsaved(
    nvim: Neovim, path: Path
) -> None:
    await nvim.keys("jccTWO<Esc>")
    await until(lambda: nvim.eval("&modified"))
    await expect(nvim, path)

    write(path, NEW)

    await until(lambda: nvim.eval("!&modified"))
    assert await text(nvim, path) == NEW


async def test_no_line_of_either_side_is_lost(nvim: Neovim, path: Path) -> None:
    def texts(own: str) -> st.SearchStrategy[list[str]]:
        return st.lists(st.sampled_from(["", "a", "b", own]), min_size=1, max_size=7)

    examples: list[tuple[list[str], list[str], list[str]]] = []

    @settings(max_examples=60, suppress_health_check=[HealthCheck.differing_executors])
    @given(texts("a"), texts("mine"), texts("theirs"))
    def collect(base: list[str], ours: list[str], theirs: list[str]) -> None:
        examples.append((base, ours, theirs))

    collect()
    for base, ours, theirs in examples:
        path.write_text("".join(f"{line}\n" for line in base))
        await nvim.command("silent edit!")
        await nvim.request("nvim_buf_set_lines", 0, 0, -1, True, ours)
        await expect(nvim, path)
        write(path, "".join(f"{line}\n" for line in theirs))

        await sync(nvim)

        held: list[str] = await nvim.eval("getline(1, '$')")
        assert held.count("theirs") == theirs.count("theirs")
        assert await nvim.eval("&modified") == int(held != theirs)
        if held.count("mine") != ours.count("mine"):
            await nvim.command("silent undo")
            assert await nvim.eval("getline(1, '$')") == ours


async def test_unsaved_changes_to_an_older_text_are_left_as_they_are(
    nvim: Neovim, path: Path
) -> None:
    """What others wrote before would look like something that the user has taken out."""
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))
    write(path, "one\ntwo\nthree\nfour\n")
    await expect(nvim, path)

    write(path, "one\nTWO\nthree\nfour\n")

    await until(lambda: "a.txt: has unsaved changes to an older" in nvim.screen.text())
    assert await text(nvim, path) == "mine\ntwo\nthree\n"
    await nvim.keys(":write<CR>")
    await until(lambda: "really want to write" in nvim.screen.text())
    await nvim.keys("n")
    assert path.read_text() == "one\nTWO\nthree\nfour\n"


@pytest.mark.parametrize("unsaved", [False, True])
@pytest.mark.parametrize("autoread", ["autoread", "noautoread"])
async def test_nobody_else_reloads_or_warns_meanwhile(
    nvim: Neovim, path: Path, autoread: str, unsaved: bool
) -> None:
    """The focus comes back, or a timer of the user's runs `:checktime`, before we look."""
    await nvim.command(f"set {autoread}")
    if unsaved:
        await nvim.keys("ccmine<Esc>")
        await until(lambda: nvim.eval("&modified"))
    before = await text(nvim, path)
    await expect(nvim, path)

    write(path, NEW)
    await nvim.command("checktime")
    await nvim.request("nvim_ui_set_focus", True)

    await shows(nvim, path, before.replace("two", "TWO"))
    assert not (await nvim.mode())["blocking"]
    assert "W1" not in await messages(nvim)
    await nvim.command("silent undo")
    assert await text(nvim, path) == before


async def test_what_the_user_types_after_the_accept_stays_on_top(nvim: Neovim, path: Path) -> None:
    await expect(nvim, path)
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("getline(1) ==# 'mine'"))

    write(path, NEW)

    await shows(nvim, path, "mine\nTWO\nthree\n")
    assert await nvim.eval("&modified") == 1
    assert path.read_text() == NEW
    await nvim.keys("u")
    await shows(nvim, path, "mine\ntwo\nthree\n")


async def test_what_the_user_types_before_we_look_stays_on_top(nvim: Neovim, path: Path) -> None:
    await expect(nvim, path)
    other = path.with_name("other.txt")
    other.write_text(NEW)

    await nvim.lua(
        "vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'mine' });"
        " vim.uv.fs_rename(...);"
        " vim.cmd.checktime()",
        str(other),
        str(path),
    )

    await shows(nvim, path, "mine\nTWO\nthree\n")
    assert not (await nvim.mode())["blocking"]
    assert "W1" not in await messages(nvim)


async def test_what_the_user_saves_after_the_accept_is_not_overwritten(
    nvim: Neovim, path: Path
) -> None:
    await expect(nvim, path)
    await nvim.keys("ccmine<Esc>:write<CR>")
    await until(lambda: path.read_text() == "mine\ntwo\nthree\n")
    await nvim.keys("Gomore<Esc>")
    await until(lambda: nvim.eval("line('$') == 4"))

    write(path, "mine\nTWO\nthree\n")

    await shows(nvim, path, "mine\nTWO\nthree\nmore\n")


@pytest.mark.parametrize("when", ["meanwhile", "afterwards"])
async def test_a_write_of_somebody_else_is_noticed_as_ever(
    nvim: Neovim, path: Path, when: str
) -> None:
    """The file had changed before the accept, and Claude does not write it then."""
    before = await state(nvim)
    write(path, NEW)
    await expect(nvim, path)

    async def is_given_up() -> bool:
        return bool(await state(nvim) == before)

    if when == "afterwards":
        await until(is_given_up, seconds=20)
    await nvim.command("checktime")

    await shows(nvim, path, NEW)
    assert await nvim.eval("&modified") == 0


async def test_a_write_after_that_of_somebody_else_is_shown(nvim: Neovim, path: Path) -> None:
    write(path, NEW)
    await expect(nvim, path)
    await nvim.command("checktime")
    await shows(nvim, path, NEW)

    write(path, "Claude's\n")

    await shows(nvim, path, "Claude's\n")
    await nvim.keys("u")
    await shows(nvim, path, NEW)


@pytest.mark.parametrize(
    ("setting", "change", "warning"),
    [("set noautoread", "", "W11"), ("set autoread", "ccmine<Esc>", "W12")],
)
async def test_what_somebody_else_wrote_is_asked_about_as_ever(
    nvim: Neovim, path: Path, setting: str, change: str, warning: str
) -> None:
    await nvim.command(setting)
    write(path, NEW)
    await expect(nvim, path)

    await nvim.keys(f"{change}:checktime<CR>")

    await until(lambda: warning in nvim.screen.text())


async def test_a_write_that_never_comes_leaves_everything_as_it_was(
    nvim: Neovim, path: Path
) -> None:
    before = await state(nvim)
    await expect(nvim, path)
    assert await state(nvim) != before

    async def is_given_up() -> bool:
        return bool(await state(nvim) == before)

    await until(is_given_up, seconds=15)
    assert await text(nvim, path) == OLD


async def test_a_local_autoread_of_the_users_is_kept(nvim: Neovim, path: Path) -> None:
    await nvim.command("set noautoread | setlocal autoread")
    before = await state(nvim)
    await expect(nvim, path)

    write(path, NEW)

    await shows(nvim, path, NEW)
    assert await state(nvim) == before


async def test_a_write_before_it_was_expected_is_shown(nvim: Neovim, path: Path) -> None:
    """The CLI was answered in its terminal: the write may come before its message."""
    saved = await nvim.lua(f"return {MODULE}.saved(...)", str(path))
    write(path, NEW)

    await nvim.lua(f"{MODULE}.follow(...)", str(path), saved)

    await shows(nvim, path, NEW)


async def test_a_second_expectation_waits_on(nvim: Neovim, path: Path) -> None:
    before = await state(nvim)
    await expect(nvim, path)
    await expect(nvim, path)

    write(path, NEW)

    await shows(nvim, path, NEW)
    assert await state(nvim) == before


async def test_a_second_accept_covers_what_was_typed_since_the_first(
    nvim: Neovim, path: Path
) -> None:
    saved = await nvim.lua(f"return {MODULE}.saved(...)", str(path))
    await nvim.lua(f"{MODULE}.expect(...)", str(path), saved)
    await nvim.lua(
        f"vim.api.nvim_buf_set_lines(0, 0, 1, true, {{ 'mine' }});{MODULE}.expect(...)",
        str(path),
        saved,
    )

    write(path, NEW)

    await shows(nvim, path, "mine\nTWO\nthree\n")
    await nvim.keys("u")
    await shows(nvim, path, "mine\ntwo\nthree\n")


async def test_a_file_that_did_not_exist_is_shown(nvim: Neovim, project: Path) -> None:
    """Where Neovim would ask about a file that was created after editing started (W13)."""
    path = project / "new.txt"
    await nvim.command("edit new.txt")
    await expect(nvim, path)

    path.write_text(NEW)

    await shows(nvim, path, NEW)
    await nvim.command("checktime")
    await nvim.keys("Gomine<Esc>:write<CR>")
    await until(lambda: path.read_text() == NEW + "mine\n")
    assert not (await nvim.mode())["blocking"]


async def test_nothing_is_expected_of_a_file_that_is_not_loaded(
    nvim: Neovim, path: Path, project: Path
) -> None:
    before = await state(nvim)

    await expect(nvim, project / "other.txt")

    assert await state(nvim) == before
    assert len(await nvim.eval("getbufinfo()")) == 1


async def test_a_symbolic_link_is_followed(nvim: Neovim, path: Path, project: Path) -> None:
    (project / "link.txt").symlink_to(path)
    await expect(nvim, project / "link.txt")

    path.write_text(NEW)

    await shows(nvim, path, NEW)


@pytest.mark.parametrize("gone", ["file", "buffer", "folder"])
async def test_what_goes_away_meanwhile_costs_nothing(nvim: Neovim, path: Path, gone: str) -> None:
    await expect(nvim, path)
    if gone == "buffer":
        await nvim.command("bwipeout!")
    else:
        path.unlink()
        if gone == "folder":
            path.mkdir()

    await asyncio.sleep(0.3)

    assert await sync(nvim) == []
    assert not (await nvim.mode())["blocking"]
    assert await messages(nvim) == ""


async def test_it_is_shown_while_the_user_types_in_another_window(nvim: Neovim, path: Path) -> None:
    await nvim.command("botright new")
    await nvim.keys("itypi")
    await until(lambda: nvim.eval("mode() == 'i'"))
    await expect(nvim, path)

    write(path, NEW)

    await shows(nvim, path, NEW)
    await nvim.keys("ng")
    await until(lambda: nvim.eval("getline(1) ==# 'typing' && mode() ==# 'i'"))


async def test_it_is_shown_while_the_user_is_in_a_terminal(nvim: Neovim, path: Path) -> None:
    await nvim.command("botright split")
    await nvim.command("terminal cat")
    await nvim.keys("i")
    await until(lambda: nvim.eval("mode() == 't'"))
    await expect(nvim, path)

    write(path, NEW)

    await shows(nvim, path, NEW)
    assert await nvim.eval("mode()") == "t"


@pytest.mark.parametrize(("enter", "leave"), [("v", "<Esc>"), ("i", "<Esc>"), ("d", "<Esc>")])
async def test_in_the_users_own_window_it_waits_for_the_mode_to_end(
    nvim: Neovim, path: Path, enter: str, leave: str
) -> None:
    await nvim.keys(enter)
    await until(lambda: nvim.lua("return vim.api.nvim_get_mode().mode ~= 'n'"))
    await expect(nvim, path)

    write(path, NEW)
    await asyncio.sleep(0.3)

    assert await text(nvim, path) == OLD
    await nvim.keys(leave)
    await shows(nvim, path, NEW)


async def test_textlock_is_waited_out(nvim: Neovim, path: Path) -> None:
    await nvim.command("nnoremap <expr> Q getchar() > 0 ? '' : ''")
    await nvim.keys("Q")
    await until(lambda: nvim.lua("return not pcall(vim.api.nvim_buf_set_lines, 0, 0, 0, true, {})"))
    await expect(nvim, path)

    write(path, NEW)
    await asyncio.sleep(0.3)

    assert await text(nvim, path) == OLD
    await nvim.keys("x")
    await shows(nvim, path, NEW)


async def test_sync_takes_an_expected_write_at_once(nvim: Neovim, path: Path) -> None:
    before = await state(nvim)
    await expect(nvim, path)
    write(path, NEW)

    assert await sync(nvim) == [await nvim.eval("bufnr()")]

    assert await text(nvim, path) == NEW
    assert await state(nvim) == before


async def test_sync_takes_what_nobody_has_announced(nvim: Neovim, path: Path) -> None:
    before = await state(nvim)
    write(path, NEW)

    assert await sync(nvim) == [await nvim.eval("bufnr()")]

    assert await text(nvim, path) == NEW
    assert await state(nvim) == before
    assert await sync(nvim) == []
    await nvim.command("silent undo")
    assert await text(nvim, path) == OLD


async def test_sync_of_unchanged_files_changes_nothing(nvim: Neovim, path: Path) -> None:
    before = [await state(nvim), await nvim.eval("b:changedtick")]

    assert await sync(nvim) == []

    assert [await state(nvim), await nvim.eval("b:changedtick")] == before


async def test_sync_leaves_unsaved_changes_to_neovim(nvim: Neovim, path: Path) -> None:
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))
    write(path, NEW)

    assert await sync(nvim) == []

    assert await text(nvim, path) == "mine\ntwo\nthree\n"
    await nvim.keys(":checktime<CR>")
    await until(lambda: "W12" in nvim.screen.text())


async def test_sync_of_an_empty_buffer_whose_file_has_come(nvim: Neovim, project: Path) -> None:
    await nvim.command("edit new.txt")
    (project / "new.txt").write_text(NEW)

    assert await sync(nvim) == [await nvim.eval("bufnr()")]

    assert await text(nvim, project / "new.txt") == NEW
    assert not (await nvim.mode())["blocking"]


async def test_sync_ignores_what_is_no_file(nvim: Neovim, project: Path) -> None:
    await nvim.command("enew | setlocal buftype=nofile | file a.txt")
    await nvim.command("split | terminal cat")
    await nvim.command("split scheme://host/a.txt")
    (project / "a.txt").write_text(NEW)

    assert await sync(nvim) == []


async def test_sync_under_textlock_waits_for_the_next(nvim: Neovim, path: Path) -> None:
    await nvim.command("nnoremap <expr> Q getchar() > 0 ? '' : ''")
    write(path, NEW)
    await nvim.keys("Q")
    await until(lambda: nvim.lua("return not require('claude_ide.when.moment').is_possible()"))

    assert await sync(nvim) == []

    await nvim.keys("x")
    await until(lambda: nvim.lua("return require('claude_ide.when.moment').is_possible()"))
    assert await sync(nvim) == [await nvim.eval("bufnr()")]
    assert await text(nvim, path) == NEW


async def test_after_an_accept_the_buffer_follows(nvim: Neovim, path: Path) -> None:
    diffs = await Diffs.start(nvim)
    id_ = await diffs.open(path, NEW)
    await nvim.keys("Gofour<Esc>:w<CR>")
    decision = await diffs.decision(id_)
    await diffs.closed(id_)
    assert await text(nvim, path) == OLD

    write(path, decision["text"])

    await shows(nvim, path, NEW + "four\n")
    assert await nvim.eval("[bufname(), &modified]") == ["a.txt", 0]
    await nvim.keys("u")
    await shows(nvim, path, OLD)


@pytest.mark.parametrize("layout", ["tab", "vertical"])
async def test_after_an_accept_unsaved_changes_stay_on_top(
    nvim: Neovim, path: Path, layout: str
) -> None:
    diffs = await Diffs.start(nvim)
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))
    id_ = await diffs.open(path, NEW, layout)
    await nvim.keys(":w<CR>")
    decision = await diffs.decision(id_)
    assert decision["text"] == NEW

    write(path, NEW)

    await shows(nvim, path, "mine\nTWO\nthree\n")
    await diffs.closed(id_)
    assert await nvim.eval("[bufname(), &modified]") == ["a.txt", 1]
    await nvim.keys("u")
    await shows(nvim, path, "mine\ntwo\nthree\n")
    assert await nvim.eval("&modified") == 1


async def test_after_an_accept_unsaved_changes_stay_on_top_of_what_others_wrote(
    nvim: Neovim, path: Path
) -> None:
    diffs = await Diffs.start(nvim)
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))
    id_ = await diffs.open(path, NEW)
    write(path, f"{OLD}theirs\n")
    await nvim.keys(":w<CR>")
    await diffs.decision(id_)

    write(path, f"{NEW}theirs\n")

    await shows(nvim, path, "mine\nTWO\nthree\ntheirs\n")
    await diffs.closed(id_)
    assert await nvim.eval("[bufname(), &modified]") == ["a.txt", 1]


@pytest.mark.parametrize("layout", ["tab", "vertical"])
async def test_what_is_typed_into_the_left_side_stays_on_top(
    nvim: Neovim, project: Path, layout: str
) -> None:
    path = project / "other.txt"
    path.write_text(OLD)
    diffs = await Diffs.start(nvim)
    id_ = await diffs.open(path, NEW, layout)
    await nvim.keys(":execute bufwinnr('other.txt') 'wincmd w'<CR>ggOmine<Esc><C-w>p:w<CR>")
    await diffs.decision(id_)

    write(path, NEW)

    await shows(nvim, path, f"mine\n{NEW}")
    await diffs.closed(id_)
    assert await nvim.eval(f"getbufvar('{path}', '&modified')") == 1


async def test_a_diff_answered_elsewhere_leaves_unsaved_changes_on_top(
    nvim: Neovim, path: Path
) -> None:
    diffs = await Diffs.start(nvim)
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))
    id_ = await diffs.open(path, NEW)
    write(path, NEW)

    await diffs.close(id_)

    await shows(nvim, path, "mine\nTWO\nthree\n")
    await diffs.closed(id_)
    assert "W1" not in await messages(nvim)


async def test_a_diff_that_was_answered_elsewhere_is_followed_too(nvim: Neovim, path: Path) -> None:
    diffs = await Diffs.start(nvim)
    id_ = await diffs.open(path, NEW)
    write(path, NEW)

    await diffs.close(id_)

    await shows(nvim, path, NEW)
    await diffs.closed(id_)
    assert "W1" not in await messages(nvim)


async def test_two_accepts_of_one_file_are_followed_one_after_the_other(
    nvim: Neovim, path: Path
) -> None:
    diffs = await Diffs.start(nvim)
    first = await diffs.open(path, NEW)
    second = await diffs.open(path, "second\n")
    for id_, new in ((first, NEW), (second, "second\n")):
        await nvim.lua("require('claude_ide.diff').accept(...)", id_)
        write(path, new)
        await shows(nvim, path, new)

    await diffs.closed(second)
    await nvim.command("tabfirst")
    await nvim.keys("u")
    await shows(nvim, path, NEW)
    await nvim.keys("u")
    await shows(nvim, path, OLD)
