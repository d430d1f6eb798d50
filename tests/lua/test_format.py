"""`format/init.lua`: files are reformatted by the user's own formatters."""

import stat
from pathlib import Path

import pytest

from support.chunks import chunk
from support.formatting import (
    STRIP,
    TIDY,
    UNTIDY,
    UNTIL_GO,
    answer,
    fail,
    read,
    reformat,
    report,
    set_option,
    start,
    succeed,
    write,
)
from support.neovim import Neovim, until
from support.typing_user import IN_THE_MIDDLE, Typing


async def test_closing_the_file_before_the_formatter_answers_is_an_error(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit b.txt | edit a.txt")
    await set_option(nvim, "formatprg", f"cat; {UNTIL_GO}")
    await start(nvim, path)

    await nvim.command("bdelete a.txt")
    (project / "go").touch()

    assert await answer(nvim) == {
        "ok": False,
        "error": f"{path} was closed while it was being reformatted.",
    }


async def test_closing_the_file_before_a_server_attaches_is_an_error(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await start(nvim, path)

    await nvim.command("bwipeout a.txt")

    assert await answer(nvim) == {
        "ok": False,
        "error": f"{path} was closed while it was being reformatted.",
    }
    assert await nvim.mode() == {"mode": "n", "blocking": False}


async def test_unsaved_changes_are_formatted_but_not_saved(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await set_option(nvim, "formatprg", STRIP)
    await nvim.command("edit a.txt | call setline(2, 'mine  ')")

    await succeed(nvim, path)

    assert await nvim.eval("getline(1, '$')") == ["one", "mine", "three"]
    assert await nvim.eval("&modified") == 1
    assert read(path) == UNTIDY


async def test_one_undo_reverts_the_formatting_and_nothing_else(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await set_option(nvim, "formatprg", STRIP)
    await nvim.command("edit a.txt")
    await nvim.lua("vim.api.nvim_buf_set_lines(0, 1, 2, true, { 'mine  ' })")
    await reformat(nvim, path)
    assert await nvim.eval("getline(1, '$')") == ["one", "mine", "three"]

    await nvim.keys("u")

    await until(lambda: nvim.lua("return vim.fn.getline(1) == 'one  '"))
    assert await nvim.eval("getline(1, '$')") == ["one  ", "mine  ", "three \t"]


async def test_formatting_while_the_user_inserts_is_a_separate_undo_step(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await set_option(nvim, "formatprg", STRIP)
    await nvim.command("edit a.txt | 2")
    await nvim.keys("Amine")
    await until(lambda: nvim.lua("return vim.fn.getline(2) == 'twomine'"))
    await reformat(nvim, path)
    assert await nvim.eval("getline(1, '$')") == ["one", "twomine", "three"]

    await nvim.keys("<Esc>u")

    await until(lambda: nvim.lua("return vim.fn.getline(1) == 'one  '"))
    assert await nvim.eval("getline(1, '$')") == ["one  ", "twomine", "three \t"]


@pytest.mark.parametrize("place", ["zt", "zz", "zb"])
async def test_formatting_keeps_cursors_views_marks_and_folds(
    nvim: Neovim, project: Path, place: str
) -> None:
    lines = [f"line {number}" + "  " * (number in (2, 190)) for number in range(1, 201)]
    path = write(project / "a.txt", "\n".join(lines) + "\n")
    await set_option(nvim, "formatprg", f"{STRIP} | sed -e '2d' -e '5a added' -e '5a added'")
    await nvim.command("edit a.txt | 120,130fold | 100mark a | 50 | normal! zz")
    await nvim.command(f"tabnew a.txt | 70 | split | 150 | normal! {place}3|")
    await nvim.command("redraw!")
    views = chunk("format/views")
    before = await nvim.lua(views)

    await succeed(nvim, path)
    await nvim.command("redraw!")

    assert await nvim.eval("getline(4, 7)") == ["line 5", "added", "added", "line 6"]
    assert await nvim.lua(views) == before
    assert await nvim.eval('getline("\'a")') == "line 100"
    await nvim.command("tabfirst")
    assert await nvim.eval("map([120, 121, 131, 132], 'foldclosed(v:val)')") == [-1, 121, 121, -1]


async def test_formatting_keeps_line_ends_byte_order_mark_and_missing_final_newline(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt", "\ufeffone  \r\ntwo \r\nthree")
    await set_option(nvim, "formatprg", STRIP)
    await nvim.command("set nofixendofline")

    await succeed(nvim, path)

    assert read(path) == "\ufeffone\r\ntwo\r\nthree"


async def test_nul_bytes_survive_formatting(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt", "o\0ne  \ntwo\n")
    await set_option(nvim, "formatprg", STRIP)
    await nvim.command("edit a.txt")

    await succeed(nvim, path)

    assert read(path) == "o\0ne\ntwo\n"


async def test_a_tidy_file_is_not_written(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt", TIDY)
    await set_option(nvim, "formatprg", STRIP)
    await nvim.command("edit a.txt | let g:writes = 0 | autocmd BufWritePre * let g:writes += 1")

    await succeed(nvim, path)

    assert await nvim.eval("[g:writes, undotree().seq_last]") == [0, 0]


async def test_an_empty_file_stays_empty(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt", "")
    await set_option(nvim, "formatprg", "cat")

    await succeed(nvim, path)

    assert read(path) == ""


async def test_a_file_without_a_formatter_is_an_error(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt")

    assert await reformat(nvim, path) == {
        "ok": False,
        "error": f"{path} has no formatter: no conform.nvim, language server, "
        "'formatexpr', 'formatprg' or 'equalprg' formats it.",
    }


async def test_a_missing_file_is_not_found(nvim: Neovim, project: Path) -> None:
    assert await reformat(nvim, project / "no.txt") == {"ok": False, "error": "File not found"}


async def test_a_folder_is_refused(nvim: Neovim, project: Path) -> None:
    assert await reformat(nvim, project) == {
        "ok": False,
        "error": f"{project}: not a file but a folder",
    }


async def test_a_read_only_file_is_refused(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await set_option(nvim, "formatprg", STRIP)
    await nvim.command("edit a.txt | setlocal readonly")

    assert await reformat(nvim, path) == {"ok": False, "error": f"{path} is read-only."}


@pytest.mark.parametrize("was_open", [True, False])
async def test_formatting_is_undone_when_the_file_cannot_be_saved(
    nvim: Neovim, project: Path, was_open: bool
) -> None:
    path = write(project / "a.txt")
    await set_option(nvim, "formatprg", STRIP)
    await nvim.command("autocmd BufWritePre * throw 'not now'")
    if was_open:
        await nvim.command("edit a.txt | 3mark a | 2")

    error = await fail(nvim, path)

    assert error.startswith(f"{path} was not reformatted, as it could not be saved: ")
    assert "not now" in error
    assert read(path) == UNTIDY
    if was_open:
        assert await nvim.eval("[getline(1, '$'), &modified]") == [["one  ", "two", "three \t"], 0]
        assert await nvim.eval("[line('.'), line(\"'a\")]") == [2, 3]


async def test_formatting_that_cannot_be_saved_is_undone_without_an_undo_history(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await set_option(nvim, "formatprg", STRIP)
    await nvim.command("edit a.txt | setlocal undolevels=-1")
    await nvim.command("autocmd BufWritePre * throw 'not now'")

    await fail(nvim, path)

    assert await nvim.eval("[getline(1, '$'), &modified]") == [["one  ", "two", "three \t"], 0]


async def test_two_files_can_be_formatted_at_the_same_time(nvim: Neovim, project: Path) -> None:
    paths = {name: write(project / f"{name}.txt") for name in ("a", "b")}
    await set_option(nvim, "formatprg", STRIP)

    for name, path in paths.items():
        await start(nvim, path, name)

    for name, path in paths.items():
        await report(nvim, name)
        assert read(path) == TIDY


@pytest.mark.parametrize("was_open", [True, False])
@pytest.mark.parametrize("typing", IN_THE_MIDDLE)
async def test_half_typed_input_survives_the_formatting_of_another_file(
    nvim: Neovim, project: Path, typing: Typing, was_open: bool
) -> None:
    path = write(project / "a.txt")
    await set_option(nvim, "formatprg", STRIP)
    await nvim.command("edit a.txt | vsplit mine.txt" if was_open else "edit mine.txt")
    await typing.begin(nvim)

    await succeed(nvim, path)

    await typing.finish(nvim)
    assert read(path) == TIDY


async def test_a_file_keeps_its_mode(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    path.chmod(0o755)
    await set_option(nvim, "formatprg", STRIP)

    await reformat(nvim, path)

    assert stat.S_IMODE(path.stat().st_mode) == 0o755


# What the answer reports


async def test_the_answer_names_the_formatter_and_the_number_of_changed_lines(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await set_option(nvim, "formatprg", "sed 1d")
    await nvim.command("edit a.txt")

    assert await succeed(nvim, path) == "Reformatted with sed 1d: 1 line changed, saved."


async def test_the_answer_reports_that_unsaved_changes_prevented_saving(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await set_option(nvim, "formatprg", "sed 1d")
    await nvim.command("edit a.txt | call setline(2, 'mine')")

    assert await succeed(nvim, path) == (
        "Reformatted with sed 1d: 1 line changed, not saved, "
        "as the file had unsaved changes before."
    )


async def test_the_answer_reports_that_nothing_needed_to_change(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await set_option(nvim, "formatprg", "cat")
    await nvim.command("edit a.txt")

    assert await succeed(nvim, path) == "Nothing to change (asked cat)."


async def test_the_answer_also_counts_lines_changed_by_autocommands(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await set_option(nvim, "formatprg", STRIP)
    await nvim.command("edit a.txt | autocmd BufWritePre * call setline(2, 'TWO')")

    assert "3 lines changed" in await succeed(nvim, path)
