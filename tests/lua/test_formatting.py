"""`lua/claude_ide/formatting.lua`: files are reformatted by the user's own formatter."""

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from support.language_client import attach, attach_to_every_text_file
from support.neovim import Neovim, until
from support.typing_user import IN_THE_MIDDLE, Typing

UNTIDY = "one  \ntwo\nthree \t\n"
TIDY = "one\ntwo\nthree\n"
STRIP = r"sed 's/[ \t]*$//'"


def write(path: Path, text: str = UNTIDY) -> Path:
    path.write_bytes(text.encode())
    return path


def read(path: Path) -> str:
    return path.read_bytes().decode()


async def set_option(nvim: Neovim, name: str, value: str) -> None:
    await nvim.lua("vim.o[...] = select(2, ...)", name, value)


async def reformat(nvim: Neovim, path: Path, token: str = "it") -> Any:
    """Ask for a file to be reformatted, and wait for the answer."""
    await start(nvim, path, token)
    return await answer(nvim, token)


async def start(nvim: Neovim, path: Path, token: str = "it") -> None:
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())
    await nvim.lua("require('claude_ide.formatting').reformat(...)", token, str(path))


async def answer(nvim: Neovim, token: str = "it") -> Any:
    def answers() -> list[Any]:
        return [event for event in nvim.events("reformatted") if event["token"] == token]

    [event] = await until(answers)
    return {key: value for key, value in event.items() if key != "token"}


# With a language server


@pytest.mark.parametrize("edits", ["lines", "document"])
async def test_the_language_server_formats_an_open_file(
    nvim: Neovim, project: Path, edits: str
) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt")
    await attach(nvim, f"--format={edits}")

    assert await reformat(nvim, path) == {"ok": True}

    assert await nvim.eval("getline(1, '$')") == ["one", "two", "three"]
    assert read(path) == TIDY
    assert await nvim.eval("&modified") == 0


async def test_formatting_makes_no_buffer_that_anybody_could_see(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt | let g:seen = []")
    await attach(nvim)
    await nvim.command("autocmd BufAdd,BufNew,BufDelete,BufWipeout * call add(g:seen, bufnr())")

    assert await reformat(nvim, path) == {"ok": True}

    assert await nvim.eval("[g:seen, &eventignore]") == [[], ""]
    assert len(await nvim.eval("getbufinfo()")) == 1


async def test_the_language_server_comes_before_formatprg(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt")
    await set_option(nvim, "formatprg", "echo no")
    await attach(nvim)

    assert await reformat(nvim, path) == {"ok": True}

    assert read(path) == TIDY


async def test_a_language_server_that_does_not_format_is_passed_over(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt")
    await set_option(nvim, "formatprg", STRIP)
    await attach(nvim, "--format=missing")

    assert await reformat(nvim, path) == {"ok": True}

    assert read(path) == TIDY


async def test_a_file_that_is_not_open_is_formatted_by_the_server_that_attaches_to_it(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await attach_to_every_text_file(nvim)

    assert await reformat(nvim, path) == {"ok": True}

    assert read(path) == TIDY
    assert await nvim.eval("bufexists('a.txt')") == 0


async def test_an_error_of_the_server_is_passed_on(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt")
    await attach(nvim, "--format=error")

    assert await reformat(nvim, path) == {
        "ok": False,
        "error": f"words could not reformat {path}: cannot parse line 1",
    }
    assert read(path) == UNTIDY


async def test_what_the_user_changes_meanwhile_is_kept(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt")
    await attach(nvim, "--format=after-change")
    await start(nvim, path)

    await nvim.command("call setline(2, 'mine  ')")

    assert await answer(nvim) == {
        "ok": False,
        "error": f"{path} was changed while it was being reformatted; the changes were kept.",
    }
    assert await nvim.eval("getline(1, '$')") == ["one  ", "mine  ", "three \t"]


async def test_a_file_that_is_closed_meanwhile_is_an_error(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    os.mkfifo(project / "go")
    await nvim.command("edit b.txt | edit a.txt")
    await set_option(nvim, "formatprg", "cat; cat go")
    await start(nvim, path)

    await nvim.command("bdelete a.txt")
    (project / "go").write_text("on", encoding="utf-8")

    assert await answer(nvim) == {
        "ok": False,
        "error": f"{path} was closed while it was being reformatted.",
    }


async def test_a_file_that_is_closed_before_a_server_attaches_is_an_error(
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


async def test_neovim_goes_on_while_a_server_does_not_answer(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt")
    await attach(nvim, "--format=never")

    await start(nvim, path)

    await nvim.keys("Afast<Esc>")
    await until(lambda: nvim.lua("return vim.fn.getline(1) == 'one  fast'"))
    assert nvim.events("reformatted") == []


async def test_a_server_that_never_answers_is_given_up(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt")
    await attach(nvim, "--format=never")
    await nvim.lua("require('claude_ide.format_server').answers_within = 100")

    assert await reformat(nvim, path) == {
        "ok": False,
        "error": f"words could not reformat {path}: no answer within 0.1 s",
    }


# With a program


@pytest.mark.parametrize("option", ["formatprg", "equalprg"])
@pytest.mark.parametrize("scope", ["o", "bo"])
async def test_a_program_formats_an_open_file(
    nvim: Neovim, project: Path, option: str, scope: str
) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt")
    await nvim.lua("local scope, name, value = ...; vim[scope][name] = value", scope, option, STRIP)

    assert await reformat(nvim, path) == {"ok": True}

    assert read(path) == TIDY


async def test_a_file_that_is_not_open_is_formatted_and_leaves_no_trace(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await set_option(nvim, "formatprg", STRIP)
    await nvim.command("edit b.txt")
    before = await nvim.eval("[winlayout(), bufnr(), map(getbufinfo(), 'v:val.bufnr')]")

    assert await reformat(nvim, path) == {"ok": True}

    assert read(path) == TIDY
    assert await nvim.eval("[winlayout(), bufnr(), map(getbufinfo(), 'v:val.bufnr')]") == before


async def test_unsaved_changes_are_formatted_but_not_saved(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await set_option(nvim, "formatprg", STRIP)
    await nvim.command("edit a.txt | call setline(2, 'mine  ')")

    assert await reformat(nvim, path) == {"ok": True}

    assert await nvim.eval("getline(1, '$')") == ["one", "mine", "three"]
    assert await nvim.eval("&modified") == 1
    assert read(path) == UNTIDY


async def test_one_undo_takes_the_formatting_back_and_nothing_else(
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


async def test_formatting_while_the_user_inserts_is_a_step_of_its_own(
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
async def test_cursors_views_marks_and_folds_stay(nvim: Neovim, project: Path, place: str) -> None:
    lines = [f"line {number}" + "  " * (number in (2, 190)) for number in range(1, 201)]
    path = write(project / "a.txt", "\n".join(lines) + "\n")
    await set_option(nvim, "formatprg", f"{STRIP} | sed -e '2d' -e '5a added' -e '5a added'")
    await nvim.command("edit a.txt | 120,130fold | 100mark a | 50 | normal! zz")
    await nvim.command(f"tabnew a.txt | 70 | split | 150 | normal! {place}3|")
    await nvim.command("redraw!")
    views = """
      return vim.tbl_map(function(win)
        return vim.api.nvim_win_call(win, function()
          return { vim.fn.line('.') - vim.fn.line('w0'), vim.fn.col('.'), vim.fn.getline('.') }
        end)
      end, vim.api.nvim_list_wins())
    """
    before = await nvim.lua(views)

    assert await reformat(nvim, path) == {"ok": True}
    await nvim.command("redraw!")

    assert await nvim.eval("getline(4, 7)") == ["line 5", "added", "added", "line 6"]
    assert await nvim.lua(views) == before
    assert await nvim.eval('getline("\'a")') == "line 100"
    await nvim.command("tabfirst")
    assert await nvim.eval("map([120, 121, 131, 132], 'foldclosed(v:val)')") == [-1, 121, 121, -1]


@pytest.mark.parametrize("name", ["sp ace.txt", "it's.txt", "br[ac]ket.txt", "$HOME;%#!.txt"])
async def test_a_program_is_told_the_name_of_the_file(
    nvim: Neovim, project: Path, name: str
) -> None:
    path = write(project / name, "old\n")
    await set_option(nvim, "formatprg", r"echo %:t %:t:r % %:p:S 5\%; cat > /dev/null")

    assert await reformat(nvim, path) == {"ok": True}

    assert read(path) == f"{name} {path.stem} {path} {path} 5%\n"


@pytest.mark.parametrize(
    ("program", "error"),
    [
        ("echo not this; echo 'bad syntax' >&2; exit 3", "exit code 3: bad syntax"),
        ("cat > /dev/null", "no output"),
        ("exit 1", "exit code 1"),
        ("kill -9 $$", "ended by signal 9"),
    ],
)
async def test_a_program_that_fails_changes_nothing(
    nvim: Neovim, project: Path, program: str, error: str
) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt")
    await set_option(nvim, "formatprg", program)

    assert await reformat(nvim, path) == {
        "ok": False,
        "error": f"{program} could not reformat {path}: {error}",
    }
    assert await nvim.eval("getline(1, '$')") == ["one  ", "two", "three \t"]
    assert read(path) == UNTIDY


async def test_a_shell_that_is_missing_is_an_error(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await set_option(nvim, "formatprg", "cat")
    await set_option(nvim, "shell", "/no/such/shell")

    result = await reformat(nvim, path)

    assert result["error"].startswith("cat could not be started: ENOENT")


async def test_line_ends_byte_order_mark_and_missing_final_newline_stay(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt", "\ufeffone  \r\ntwo \r\nthree")
    await set_option(nvim, "formatprg", STRIP)
    await nvim.command("set nofixendofline")

    assert await reformat(nvim, path) == {"ok": True}

    assert read(path) == "\ufeffone\r\ntwo\r\nthree"


async def test_a_program_may_write_other_line_ends(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await set_option(nvim, "formatprg", rf"{STRIP} | sed 's/$/\r/'")

    assert await reformat(nvim, path) == {"ok": True}

    assert read(path) == TIDY


async def test_nul_bytes_survive(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt", "o\0ne  \ntwo\n")
    await set_option(nvim, "formatprg", STRIP)

    assert await reformat(nvim, path) == {"ok": True}

    assert read(path) == "o\0ne\ntwo\n"


async def test_a_tidy_file_is_not_written(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt", TIDY)
    await set_option(nvim, "formatprg", STRIP)
    await nvim.command("edit a.txt | let g:writes = 0 | autocmd BufWritePre * let g:writes += 1")

    assert await reformat(nvim, path) == {"ok": True}

    assert await nvim.eval("[g:writes, undotree().seq_last]") == [0, 0]


async def test_an_empty_file_stays_empty(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt", "")
    await set_option(nvim, "formatprg", "cat")

    assert await reformat(nvim, path) == {"ok": True}

    assert read(path) == ""


# Without


async def test_without_a_formatter_there_is_an_error_that_says_so(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await nvim.command("edit a.txt")

    assert await reformat(nvim, path) == {
        "ok": False,
        "error": f"{path} has no formatter: no language server that formats it is attached, "
        "and 'formatprg' and 'equalprg' are empty.",
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


async def test_what_cannot_be_saved_stays_in_the_buffer(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await set_option(nvim, "formatprg", STRIP)
    await nvim.command("autocmd BufWritePre * throw 'not now'")

    result = await reformat(nvim, path)

    assert result["error"].startswith(f"{path} was reformatted but not saved: ")
    assert "not now" in result["error"]
    assert read(path) == UNTIDY
    assert await nvim.eval("getbufline('a.txt', 1, '$')") == ["one", "two", "three"]
    assert await nvim.eval("buflisted('a.txt')") == 1


async def test_two_files_are_formatted_at_once(nvim: Neovim, project: Path) -> None:
    paths = {name: write(project / f"{name}.txt") for name in ("a", "b")}
    await set_option(nvim, "formatprg", STRIP)

    for name, path in paths.items():
        await start(nvim, path, name)

    for name, path in paths.items():
        assert await answer(nvim, name) == {"ok": True}
        assert read(path) == TIDY


@pytest.mark.parametrize("was_open", [True, False])
@pytest.mark.parametrize("typing", IN_THE_MIDDLE)
async def test_what_is_half_typed_goes_on_while_another_file_is_formatted(
    nvim: Neovim, project: Path, typing: Typing, was_open: bool
) -> None:
    path = write(project / "a.txt")
    await set_option(nvim, "formatprg", STRIP)
    await nvim.command("edit a.txt | vsplit mine.txt" if was_open else "edit mine.txt")
    await typing.begin(nvim)

    assert await reformat(nvim, path) == {"ok": True}

    await typing.finish(nvim)
    assert read(path) == TIDY


async def test_a_file_keeps_its_mode(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    path.chmod(0o755)
    await set_option(nvim, "formatprg", STRIP)

    await reformat(nvim, path)

    assert stat.S_IMODE(path.stat().st_mode) == 0o755
