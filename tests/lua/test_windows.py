"""`file/open.lua`: files are shown and gone to; nothing is lost on the way."""

import os
from pathlib import Path
from typing import Any

import pytest

from support.neovim import Neovim, until
from support.typing_user import IN_THE_MIDDLE, Typing

TRICKY = [
    "plain.txt",
    "sp ace.txt",
    "br[ac]ket.txt",
    "st*r.txt",
    "qu?s.txt",
    "com,ma.txt",
    "#%.txt",
]
TEXT = "alpha\nbeta gamma\ndelta\nepsilon zeta\n"


async def open_file(nvim: Neovim, path: Path | str, **request: Any) -> Any:
    return await nvim.lua(
        "return require('claude_ide.file.open').open_file(...)", {"path": str(path), **request}
    )


def write(path: Path, text: str = TEXT) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


async def here(nvim: Neovim) -> str:
    """The name of the file in the current window."""
    return str(await nvim.eval("expand('%:t')"))


async def names(nvim: Neovim) -> list[str]:
    """What the windows of the current tabpage show."""
    shown = await nvim.eval("map(tabpagebuflist(), 'bufname(v:val)')")
    return [name.split("/")[-1].split(":")[-1] for name in shown]


async def selected(nvim: Neovim) -> str:
    """What is selected, as `y` takes it."""
    await until(lambda: nvim.lua("return vim.api.nvim_get_mode().mode == 'v'"))
    await nvim.keys("y")
    await until(lambda: nvim.lua("return vim.fn.mode() == 'n'"))
    return str(await nvim.eval("@0"))


@pytest.fixture
async def terminal(nvim: Neovim, project: Path) -> int:
    """A terminal at the right of `left.txt`, in terminal mode; the window's id."""
    await nvim.command(f"edit {write(project / 'left.txt')}")
    await nvim.command("botright vsplit | terminal cat")
    await nvim.keys("i")
    await until(lambda: nvim.lua("return vim.fn.mode() == 't'"))
    return int(await nvim.eval("win_getid()"))


# Opening


@pytest.mark.parametrize("name", TRICKY)
async def test_open_file_shows_a_file_whatever_its_name(
    nvim: Neovim, project: Path, name: str
) -> None:
    for other in TRICKY:
        write(project / other, other)

    result = await open_file(nvim, project / name)

    assert result == {
        "path": str(project / name),
        "languageId": "text",
        "lineCount": 1,
        "wasOpen": False,
        "isShown": True,
    }
    assert await nvim.eval("getline(1)") == name
    assert await nvim.eval("&buflisted") == 1
    assert len(await names(nvim)) == 1


async def test_open_file_tells_that_a_file_was_open(nvim: Neovim, project: Path) -> None:
    await nvim.command(f"edit {write(project / 'a.txt')}")

    assert (await open_file(nvim, project / "a.txt"))["wasOpen"] is True


async def test_open_file_goes_to_the_window_that_shows_the_file(
    nvim: Neovim, project: Path
) -> None:
    await nvim.command(f"edit {write(project / 'a.txt')} | vsplit {write(project / 'b.txt')}")
    await nvim.command("vsplit c.txt")

    await open_file(nvim, project / "a.txt")

    assert await here(nvim) == "a.txt"
    assert await names(nvim) == ["c.txt", "b.txt", "a.txt"]


async def test_open_file_goes_to_another_tabpage_that_shows_the_file(
    nvim: Neovim, project: Path
) -> None:
    await nvim.command(f"edit {write(project / 'a.txt')} | tabnew | tabnew b.txt")

    await open_file(nvim, project / "a.txt")

    assert await here(nvim) == "a.txt"
    assert await nvim.eval("[tabpagenr(), tabpagenr('$')]") == [1, 3]


async def test_open_file_sees_through_symlinks(nvim: Neovim, project: Path) -> None:
    write(project / "a.txt")
    (project / "link.txt").symlink_to(project / "a.txt")
    await nvim.command("edit a.txt | vsplit b.txt")

    await open_file(nvim, project / "link.txt")

    assert await here(nvim) == "a.txt"
    assert await names(nvim) == ["b.txt", "a.txt"]


async def test_open_file_takes_the_window_that_was_used_last(nvim: Neovim, project: Path) -> None:
    await nvim.lua("require('claude_ide.file.buffers').watch(true)")
    for name in ("a.txt", "b.txt", "c.txt"):
        await nvim.command(f"vsplit {write(project / name)}")
    await nvim.command("wincmd l | botright new | setlocal buftype=nofile | file tree")
    await nvim.command("split | terminal")
    write(project / "new.txt")

    await open_file(nvim, project / "new.txt")

    assert (await names(nvim))[:3] == ["c.txt", "new.txt", "a.txt"]


async def test_open_file_spares_special_windows(nvim: Neovim, project: Path) -> None:
    await nvim.command("edit preview.txt | setlocal previewwindow")
    await nvim.command("split fixed.txt | setlocal winfixbuf")
    await nvim.command("split diff.txt | diffthis | split other.txt | diffthis")
    await nvim.command("tabnew | copen | wincmd p | close")
    await nvim.command("split | terminal")
    write(project / "a.txt")
    kept = await nvim.lua("return vim.tbl_map(vim.api.nvim_win_get_buf, vim.api.nvim_list_wins())")

    await open_file(nvim, project / "a.txt")

    assert await here(nvim) == "a.txt"
    assert await nvim.eval("[tabpagenr(), tabpagenr('$')]") == [2, 2]
    still = await nvim.lua("return vim.tbl_map(vim.api.nvim_win_get_buf, vim.api.nvim_list_wins())")
    assert sorted([*kept, await nvim.eval("bufnr()")]) == sorted(still)


async def test_open_file_does_not_come_between_a_diff(nvim: Neovim, project: Path) -> None:
    await nvim.command("edit one.txt | diffthis | vsplit two.txt | diffthis")
    layout = await nvim.eval("winlayout()")
    write(project / "a.txt")

    await open_file(nvim, project / "a.txt")

    assert await here(nvim) == "a.txt"
    assert await nvim.eval("winlayout(1)") == layout
    assert await nvim.eval("tabpagenr('$')") == 2
    assert await nvim.eval("len(getbufinfo({'buflisted': 1}))") == 3


async def test_open_file_leaves_a_diff_for_the_tabpage_before(nvim: Neovim, project: Path) -> None:
    await nvim.command("edit file.txt | tabnew one.txt | diffthis | vsplit two.txt | diffthis")
    write(project / "a.txt")

    await open_file(nvim, project / "a.txt")

    assert await nvim.eval("[tabpagenr(), tabpagenr('$')]") == [1, 2]
    assert await names(nvim) == ["a.txt"]


async def test_open_file_splits_when_an_unsaved_buffer_cannot_be_hidden(
    nvim: Neovim, project: Path
) -> None:
    await nvim.command("set nohidden confirm autowrite | edit mine.txt | call setline(1, 'mine')")
    write(project / "a.txt")

    await open_file(nvim, project / "a.txt")

    assert await here(nvim) == "a.txt"
    assert await names(nvim) == ["a.txt", "mine.txt"]
    assert await nvim.eval("getbufline('mine.txt', 1)") == ["mine"]
    assert not (project / "mine.txt").exists()


async def test_open_file_splits_when_leaving_a_buffer_would_wipe_it(
    nvim: Neovim, project: Path
) -> None:
    await nvim.command("edit message.txt | setlocal bufhidden=wipe | call setline(1, 'mine')")
    write(project / "a.txt")

    await open_file(nvim, project / "a.txt")

    assert await names(nvim) == ["a.txt", "message.txt"]


async def test_open_file_leaves_an_unsaved_buffer_that_can_be_hidden(
    nvim: Neovim, project: Path
) -> None:
    await nvim.command("edit mine.txt | call setline(1, 'mine')")
    write(project / "a.txt")

    await open_file(nvim, project / "a.txt")

    assert await names(nvim) == ["a.txt"]
    assert await nvim.eval("getbufline('mine.txt', 1)") == ["mine"]


async def test_open_file_leaves_terminal_mode_and_the_terminal(
    nvim: Neovim, project: Path, terminal: int
) -> None:
    write(project / "a.txt")

    await open_file(nvim, project / "a.txt")
    await nvim.keys("x")

    await until(lambda: nvim.lua("return vim.fn.getline(1) == 'lpha'"))
    assert await names(nvim) == ["a.txt", "cat"]
    assert await nvim.mode() == {"mode": "n", "blocking": False}


async def test_open_file_splits_above_when_there_is_only_a_terminal(
    nvim: Neovim, project: Path
) -> None:
    await nvim.command("terminal cat")
    await nvim.command("only")
    write(project / "a.txt")

    await open_file(nvim, project / "a.txt")

    assert await names(nvim) == ["a.txt", "cat"]
    assert await nvim.eval("winlayout()[0]") == "col"
    assert await nvim.eval("[&number, &winfixbuf]") == [0, 0]


async def test_open_file_stays_in_the_tabpage_of_the_user(nvim: Neovim, project: Path) -> None:
    await nvim.command("edit b.txt | tabnew | terminal cat")
    write(project / "a.txt")

    await open_file(nvim, project / "a.txt")

    assert await nvim.eval("tabpagenr()") == 2
    assert await names(nvim) == ["a.txt", "cat"]


async def test_open_file_from_a_float_uses_a_window_of_the_layout(
    nvim: Neovim, project: Path
) -> None:
    await nvim.lua("""
      vim.api.nvim_open_win(vim.api.nvim_create_buf(true, false), true,
        { relative = 'editor', row = 2, col = 2, width = 20, height = 5 })
    """)
    write(project / "a.txt")

    await open_file(nvim, project / "a.txt")

    assert await here(nvim) == "a.txt"
    assert await nvim.eval("nvim_win_get_config(0).relative") == ""


async def test_open_file_opens_a_new_tabpage_where_there_is_no_room(
    nvim: Neovim, project: Path
) -> None:
    await nvim.command("terminal cat")
    await nvim.command("only | set winminheight=1 lines=3 laststatus=0")
    write(project / "a.txt")

    await open_file(nvim, project / "a.txt")

    assert await here(nvim) == "a.txt"
    assert await names(nvim) == ["a.txt"]


async def test_what_the_filetype_sets_for_the_window_is_set(nvim: Neovim, project: Path) -> None:
    await nvim.command("autocmd FileType text setlocal foldmethod=marker")
    write(project / "a.txt")

    await open_file(nvim, project / "a.txt")

    assert await nvim.eval("&foldmethod") == "marker"


@pytest.mark.parametrize("event", ["BufReadPre", "BufReadPost", "BufEnter", "WinEnter", "FileType"])
@pytest.mark.parametrize("make_frontmost", [True, False])
async def test_an_autocommand_that_fails_does_not_keep_a_file_from_being_opened(
    nvim: Neovim, project: Path, event: str, make_frontmost: bool
) -> None:
    await nvim.command(f"autocmd {event} * call Missing() | echo repeat('long ', 100)")
    await nvim.command("silent! vnew | setlocal buftype=nofile")
    write(project / "a.txt")

    result = await open_file(nvim, project / "a.txt", make_frontmost=make_frontmost)

    assert (result["lineCount"], result["isShown"]) == (4, True)
    assert result["languageId"] == "text"
    assert await nvim.mode() == {"mode": "n", "blocking": False}


# What cannot be opened


async def test_a_missing_file_is_an_error_and_opens_nothing(nvim: Neovim, project: Path) -> None:
    before = await nvim.eval("len(getbufinfo())")

    assert await open_file(nvim, project / "no.txt") == {"error": f"{project}/no.txt: no such file"}
    assert await open_file(nvim, write(project / "a.txt") / "b.txt") == {
        "error": f"{project}/a.txt/b.txt: {project}/a.txt is not a folder"
    }
    assert await nvim.eval("len(getbufinfo())") == before


async def test_a_file_that_is_open_but_not_written_yet_can_be_opened(
    nvim: Neovim, project: Path
) -> None:
    await nvim.command("edit new.txt | split other.txt")

    assert (await open_file(nvim, project / "new.txt"))["wasOpen"] is True
    assert await here(nvim) == "new.txt"


async def test_folders_and_pipes_are_errors(nvim: Neovim, project: Path) -> None:
    os.mkfifo(project / "pipe")

    assert await open_file(nvim, project) == {"error": f"{project}: not a file but a folder"}
    assert await open_file(nvim, project / "pipe") == {
        "error": f"{project}/pipe: not a file but a pipe"
    }


async def test_a_loop_of_symlinks_is_an_error(nvim: Neovim, project: Path) -> None:
    (project / "loop").symlink_to(project / "loop")

    error = (await open_file(nvim, project / "loop"))["error"]

    assert error == f"{project}/loop: too many symbolic links encountered"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
async def test_a_file_that_may_not_be_read_is_an_error(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    path.chmod(0)

    assert await open_file(nvim, path) == {"error": f"{path}: permission denied"}


async def test_a_file_with_a_left_over_swap_file_opens_without_a_question(
    nvim: Neovim, project: Path, tmp_path: Path
) -> None:
    path = write(project / "a.txt")
    other = await Neovim.start(cwd=project, home=tmp_path / "other")
    for neovim in (other, nvim):
        await neovim.command("set updatecount=200 directory=. swapfile")
    await other.command("edit a.txt | call setline(1, 'theirs') | preserve")
    await other.stop()

    result = await open_file(nvim, path, start_text="gamma")

    assert result["found"] is True
    assert result["note"].startswith("Opened read-only: an editor that crashed")
    assert await selected(nvim) == "gamma"
    assert await nvim.eval("&readonly") == 1


async def test_what_neovim_forbids_is_an_error(nvim: Neovim, project: Path) -> None:
    write(project / "a.txt")
    await nvim.keys("q:")
    await until(lambda: nvim.eval("getcmdwintype()"))

    result = await open_file(nvim, project / "a.txt")

    assert result["error"].startswith("E11: Invalid in command-line window")


# Selecting


async def test_a_passage_is_selected_from_the_start_text_to_the_end_text(
    nvim: Neovim, project: Path
) -> None:
    write(project / "a.txt")

    result = await open_file(nvim, project / "a.txt", start_text="gamma", end_text="epsi")

    assert result["found"] is True
    assert "note" not in result
    assert await selected(nvim) == "gamma\ndelta\nepsi"


async def test_the_start_text_alone_is_selected(nvim: Neovim, project: Path) -> None:
    write(project / "a.txt")

    await open_file(nvim, project / "a.txt", start_text="eta ga", end_text="")

    assert await selected(nvim) == "eta ga"


async def test_a_passage_is_selected_to_the_end_of_its_line(nvim: Neovim, project: Path) -> None:
    write(project / "a.txt")

    await open_file(
        nvim, project / "a.txt", start_text="gamma", end_text="eps", select_to_end_of_line=True
    )

    assert await selected(nvim) == "gamma\ndelta\nepsilon zeta"


async def test_text_that_is_not_found_still_opens_the_file(nvim: Neovim, project: Path) -> None:
    write(project / "a.txt")

    result = await open_file(nvim, project / "a.txt", start_text="omega", line=None)

    assert result["found"] is False
    assert result["note"] == "The file does not contain the start text."
    assert await here(nvim) == "a.txt"
    assert (await nvim.mode())["mode"] == "n"


async def test_a_missing_end_text_selects_the_start_text(nvim: Neovim, project: Path) -> None:
    write(project / "a.txt")

    result = await open_file(nvim, project / "a.txt", start_text="gamma", end_text="beta")

    assert result["found"] is False
    assert result["note"] == "The file does not contain the end text after the start text."
    assert await selected(nvim) == "gamma"


async def test_a_passage_is_selected_from_terminal_mode(
    nvim: Neovim, project: Path, terminal: int
) -> None:
    write(project / "a.txt")

    await open_file(nvim, project / "a.txt", start_text="gamma", end_text="delta")

    assert await selected(nvim) == "gamma\ndelta"


async def test_a_passage_is_selected_instead_of_what_was_selected(
    nvim: Neovim, project: Path
) -> None:
    await nvim.command(f"edit {write(project / 'a.txt')}")
    await nvim.keys("Vj")
    await until(lambda: nvim.lua("return vim.fn.mode() == 'V'"))

    await open_file(nvim, project / "a.txt", start_text="zeta")

    assert await selected(nvim) == "zeta"


async def test_lines_are_selected(nvim: Neovim, project: Path) -> None:
    write(project / "a.txt")

    await open_file(nvim, project / "a.txt", line=2, end_line=3)

    assert await selected(nvim) == "beta gamma\ndelta"


async def test_a_line_is_gone_to(nvim: Neovim, project: Path) -> None:
    write(project / "a.txt")

    await open_file(nvim, project / "a.txt", line=3)

    assert await nvim.eval("line('.')") == 3
    assert (await nvim.mode())["mode"] == "n"


async def test_ctrl_o_goes_back_within_the_file(nvim: Neovim, project: Path) -> None:
    await nvim.command(f"edit {write(project / 'a.txt')} | 4")
    await open_file(nvim, project / "a.txt", start_text="alpha")

    await nvim.keys("<Esc><C-o>")

    await until(lambda: nvim.lua("return vim.fn.line('.') == 4"))


async def test_ctrl_o_goes_back_to_the_file_before(nvim: Neovim, project: Path) -> None:
    write(project / "a.txt")
    await nvim.command(f"edit {write(project / 'b.txt')} | 3")
    await open_file(nvim, project / "a.txt", start_text="delta")

    await nvim.keys("<Esc><C-o>")

    await until(lambda: nvim.lua("return vim.fn.expand('%:t') == 'b.txt'"))
    assert await nvim.eval("line('.')") == 3


# Without the focus


async def test_without_the_focus_the_user_stays_in_terminal_mode(
    nvim: Neovim, project: Path, terminal: int
) -> None:
    write(project / "a.txt")

    result = await open_file(nvim, project / "a.txt", make_frontmost=False, start_text="epsilon")

    assert result["isShown"] is True
    assert await nvim.mode() == {"mode": "t", "blocking": False}
    assert await nvim.eval("win_getid()") == terminal
    assert await names(nvim) == ["a.txt", "cat"]
    assert await nvim.eval("line('.', win_getid(1))") == 4
    await nvim.keys("typed")
    await until(lambda: "typed" in nvim.screen.text())


async def test_without_the_focus_the_users_own_window_keeps_its_file(
    nvim: Neovim, project: Path
) -> None:
    await nvim.command(f"edit {write(project / 'mine.txt')}")
    await nvim.keys("ifirst ")
    write(project / "a.txt")

    result = await open_file(nvim, project / "a.txt", make_frontmost=False, start_text="alpha")
    await nvim.keys("second ")

    await until(lambda: nvim.lua("return vim.fn.getline(1) == 'first second alpha'"))
    assert result == {
        "path": str(project / "a.txt"),
        "languageId": "text",
        "lineCount": 4,
        "wasOpen": False,
        "isShown": False,
        "found": True,
    }
    assert await names(nvim) == ["mine.txt"]
    assert await nvim.eval("bufloaded('a.txt') && buflisted('a.txt')") == 1


async def test_without_the_focus_the_users_cursor_stays(nvim: Neovim, project: Path) -> None:
    await nvim.command(f"edit {write(project / 'a.txt')} | 2")

    result = await open_file(nvim, project / "a.txt", make_frontmost=False, start_text="epsilon")

    assert result["isShown"] is True
    assert await nvim.eval("line('.')") == 2


async def test_the_focus_is_not_taken_from_a_user_who_is_typing(
    nvim: Neovim, project: Path
) -> None:
    await nvim.command("edit mine.txt")
    await nvim.keys("ifirst ")
    write(project / "a.txt")

    result = await open_file(nvim, project / "a.txt", make_frontmost=True)
    await nvim.keys("second")

    await until(lambda: nvim.lua("return vim.fn.getline(1) == 'first second'"))
    assert result["note"] == "The user is typing elsewhere; the file was opened without the focus."
    assert (await nvim.mode())["mode"] == "i"


@pytest.mark.parametrize("beside", [True, False])
@pytest.mark.parametrize("typing", IN_THE_MIDDLE)
async def test_what_is_half_typed_goes_on_while_a_file_is_opened(
    nvim: Neovim, project: Path, typing: Typing, beside: bool
) -> None:
    write(project / "a.txt")
    await nvim.command("edit other.txt | vsplit mine.txt" if beside else "edit mine.txt")
    await typing.begin(nvim)

    # Only from Visual mode can the focus be taken: another file may have been opened there before.
    result = await open_file(nvim, project / "a.txt", make_frontmost=typing.mode != "v")

    assert result["isShown"] is beside
    await typing.finish(nvim)
    assert await here(nvim) == "mine.txt"


# Several


async def test_open_files_shows_the_first_and_loads_the_rest(nvim: Neovim, project: Path) -> None:
    paths = [str(write(project / name)) for name in TRICKY]
    missing = str(project / "missing.txt")

    result = await nvim.lua(
        "return require('claude_ide.file.open').open_files(...)", [missing, *paths]
    )

    assert result == {"opened": paths, "errors": [f"{missing}: no such file"]}
    assert await here(nvim) == "plain.txt"
    assert await names(nvim) == ["plain.txt"]
    assert (await nvim.lua("return require('claude_ide.file.buffers').paths()"))[0] == paths[0]
    assert len(await nvim.eval("filter(getbufinfo({'buflisted': 1}), 'v:val.loaded')")) >= len(
        paths
    )
