"""`disk_changes/reload.lua`: buffers follow Claude's writes to their files."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.chunks import chunk
from support.disk_changes import WRITE_IN_PIECES, watch
from support.neovim import Neovim, until
from support.reloading import (
    MODULE,
    expect,
    expect_briefly,
    messages,
    shows,
    state,
    sync,
    text,
    write,
)

OLD = "one\ntwo\nthree\n"


NEW = "one\nTWO\nthree\n"


async def test_nothing_is_expected_of_a_path_that_no_file_can_have(nvim: Neovim) -> None:
    before = await state(nvim)
    for path in ("", "a\0b", "x" * 5000):
        await nvim.lua(f"{MODULE}.expect(...)", path)

    assert await state(nvim) == before


async def test_an_expected_write_is_shown(nvim: Neovim, path: Path) -> None:
    before = await state(nvim)
    await expect(nvim, path)

    write(path, NEW)

    await shows(nvim, path, NEW)
    assert await nvim.eval("&modified") == 0
    assert await state(nvim) == before
    assert "W1" not in await messages(nvim)


async def test_neovim_is_back_in_control_although_something_has_removed_our_autocommands(
    nvim: Neovim, path: Path
) -> None:
    before = await state(nvim)
    await expect(nvim, path)
    await nvim.lua(
        "local events = { 'FileChangedShell', 'BufReadPost', 'BufWritePost' }"
        " local wanted = { event = events, buffer = 0 }"
        " for _, each in ipairs(vim.api.nvim_get_autocmds(wanted)) do"
        " vim.api.nvim_del_autocmd(each.id) end"
    )

    write(path, NEW)

    await shows(nvim, path, NEW)
    assert await state(nvim) == before
    assert "Invalid" not in await messages(nvim)


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
    busy = chunk("reload/write_in_two_parts")

    await nvim.lua(busy, str(path), NEW[:5], NEW[5:])

    await shows(nvim, path, NEW)


async def test_one_undo_reverts_claudes_edit(nvim: Neovim, path: Path) -> None:
    await expect(nvim, path)
    write(path, NEW)
    await shows(nvim, path, NEW)

    await nvim.keys("u")

    await shows(nvim, path, OLD)
    assert await nvim.eval("&modified") == 1


async def test_a_copy_that_neovim_writes_hides_no_expected_write(nvim: Neovim, path: Path) -> None:
    await expect(nvim, path)

    await nvim.lua(
        "vim.fn.writefile({ 'Claude' }, ...); vim.cmd('silent write! copy.txt')", str(path)
    )

    await shows(nvim, path, "Claude\n")


async def test_the_buffer_adopts_the_format_of_the_write(nvim: Neovim, path: Path) -> None:
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))
    await expect(nvim, path)

    path.write_bytes(b"one\r\nTWO\r\nthree")

    await shows(nvim, path, "mine\nTWO\nthree\n")
    assert await nvim.eval("[&fileformat, &endofline, &modified]") == ["dos", 0, 1]


async def test_an_edit_that_the_user_has_also_made_leaves_nothing_unsaved(
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


async def test_unsaved_changes_to_an_older_text_are_kept_unchanged(
    nvim: Neovim, path: Path
) -> None:
    """Lines that others added before would look as if the user had removed them."""
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
async def test_neovim_neither_reloads_nor_warns_about_an_expected_write_itself(
    nvim: Neovim, path: Path, autoread: str, unsaved: bool
) -> None:
    """Neovim regains the focus, or a user's timer runs `:checktime`, before we look."""
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


async def test_text_typed_after_the_accept_stays_on_top_of_the_write(
    nvim: Neovim, path: Path
) -> None:
    await expect(nvim, path)
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("getline(1) ==# 'mine'"))

    write(path, NEW)

    await shows(nvim, path, "mine\nTWO\nthree\n")
    assert await nvim.eval("&modified") == 1
    assert path.read_text() == NEW
    await nvim.keys("u")
    await shows(nvim, path, "mine\ntwo\nthree\n")


async def test_text_typed_before_the_write_is_noticed_stays_on_top_of_it(
    nvim: Neovim, path: Path
) -> None:
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


async def test_text_that_the_user_saves_after_the_accept_is_not_overwritten(
    nvim: Neovim, path: Path
) -> None:
    await expect(nvim, path)
    await nvim.keys("ccmine<Esc>:write<CR>")
    await until(lambda: path.read_text() == "mine\ntwo\nthree\n")
    await nvim.keys("Gomore<Esc>")
    await until(lambda: nvim.eval("line('$') == 4"))

    write(path, "mine\nTWO\nthree\n")

    await shows(nvim, path, "mine\nTWO\nthree\nmore\n")


@pytest.mark.parametrize("when", ["during the wait", "afterwards"])
async def test_a_write_by_another_program_is_noticed_as_usual(
    nvim: Neovim, path: Path, when: str
) -> None:
    """The file had changed before the accept, so Claude does not write it."""
    before = await state(nvim)
    write(path, NEW)
    await (expect_briefly if when == "afterwards" else expect)(nvim, path)

    async def is_given_up() -> bool:
        return bool(await state(nvim) == before)

    if when == "afterwards":
        await until(is_given_up)
    await nvim.command("checktime")

    await shows(nvim, path, NEW)
    assert await nvim.eval("&modified") == 0


async def test_a_write_that_follows_one_by_another_program_is_shown(
    nvim: Neovim, path: Path
) -> None:
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
async def test_neovim_warns_about_a_write_by_another_program_as_usual(
    nvim: Neovim, path: Path, setting: str, change: str, warning: str
) -> None:
    await nvim.command(setting)
    write(path, NEW)
    await expect(nvim, path)

    await nvim.keys(f"{change}:checktime<CR>")

    await until(lambda: warning in nvim.screen.text())


async def test_an_expected_write_that_never_happens_leaves_no_trace(
    nvim: Neovim, path: Path
) -> None:
    before = await state(nvim)
    await expect_briefly(nvim, path)
    assert await state(nvim) != before

    async def is_given_up() -> bool:
        return bool(await state(nvim) == before)

    await until(is_given_up)
    assert await text(nvim, path) == OLD


async def test_the_users_local_autoread_is_kept(nvim: Neovim, path: Path) -> None:
    await nvim.command("set noautoread | setlocal autoread")
    before = await state(nvim)
    await expect(nvim, path)

    write(path, NEW)

    await shows(nvim, path, NEW)
    assert await state(nvim) == before


async def test_a_write_that_precedes_its_expectation_is_shown(nvim: Neovim, path: Path) -> None:
    """When the CLI is answered in its terminal, the write can precede its message."""
    saved = await nvim.lua(f"return {MODULE}.saved(...)", str(path))
    write(path, NEW)

    await nvim.lua(f"{MODULE}.follow(...)", str(path), saved)
    await watch(nvim)

    await shows(nvim, path, NEW)


async def test_expecting_a_write_twice_has_no_further_effect(nvim: Neovim, path: Path) -> None:
    before = await state(nvim)
    await expect(nvim, path)
    await expect(nvim, path)

    write(path, NEW)

    await shows(nvim, path, NEW)
    assert await state(nvim) == before


async def test_a_write_that_creates_the_file_is_shown(nvim: Neovim, project: Path) -> None:
    """Neovim itself would ask about a file that was created after editing started (W13)."""
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
async def test_a_file_or_buffer_that_disappears_during_the_wait_causes_no_error(
    nvim: Neovim, path: Path, gone: str
) -> None:
    await expect(nvim, path)
    if gone == "buffer":
        await nvim.command("bwipeout!")
    else:
        path.unlink()
        if gone == "folder":
            path.mkdir()

    await nvim.idle(300)

    assert await sync(nvim) == []
    assert not (await nvim.mode())["blocking"]
    assert await messages(nvim) == ""
