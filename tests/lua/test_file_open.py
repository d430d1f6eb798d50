"""`file/open.lua`: files are shown and entered, and nothing is lost."""

import os
from pathlib import Path

import pytest

from support.buffers import TRICKY_NAMES, open_editors
from support.neovim import Neovim, until
from support.opening import here, names, open_file, selected, write

# Opening


@pytest.mark.parametrize("name", TRICKY_NAMES)
async def test_open_file_shows_a_file_whatever_its_name(
    nvim: Neovim, project: Path, name: str
) -> None:
    for other in TRICKY_NAMES:
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


async def test_open_file_reports_that_a_file_was_open(nvim: Neovim, project: Path) -> None:
    await nvim.command(f"edit {write(project / 'a.txt')}")

    assert (await open_file(nvim, project / "a.txt"))["wasOpen"] is True


async def test_open_file_enters_the_window_that_shows_the_file(nvim: Neovim, project: Path) -> None:
    await nvim.command(f"edit {write(project / 'a.txt')} | vsplit {write(project / 'b.txt')}")
    await nvim.command("vsplit c.txt")

    await open_file(nvim, project / "a.txt")

    assert await here(nvim) == "a.txt"
    assert await names(nvim) == ["c.txt", "b.txt", "a.txt"]


async def test_open_file_enters_another_tabpage_that_shows_the_file(
    nvim: Neovim, project: Path
) -> None:
    await nvim.command(f"edit {write(project / 'a.txt')} | tabnew | tabnew b.txt")

    await open_file(nvim, project / "a.txt")

    assert await here(nvim) == "a.txt"
    assert await nvim.eval("[tabpagenr(), tabpagenr('$')]") == [1, 3]


async def test_open_file_resolves_symlinks(nvim: Neovim, project: Path) -> None:
    write(project / "a.txt")
    (project / "link.txt").symlink_to(project / "a.txt")
    await nvim.command("edit a.txt | vsplit b.txt")

    await open_file(nvim, project / "link.txt")

    assert await here(nvim) == "a.txt"
    assert await names(nvim) == ["b.txt", "a.txt"]


async def test_open_file_uses_the_most_recent_window_of_a_file(nvim: Neovim, project: Path) -> None:
    await nvim.lua("require('claude_ide.window.recent')")
    for name in ("a.txt", "b.txt", "c.txt"):
        await nvim.command(f"vsplit {write(project / name)}")
    await nvim.command("wincmd l | botright new | setlocal buftype=nofile | file tree")
    await nvim.command("split | terminal")
    write(project / "new.txt")

    await open_file(nvim, project / "new.txt")

    assert (await names(nvim))[:3] == ["c.txt", "new.txt", "a.txt"]


async def test_open_file_does_not_use_special_windows(nvim: Neovim, project: Path) -> None:
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


async def test_open_file_does_not_split_the_windows_of_a_diff(nvim: Neovim, project: Path) -> None:
    await nvim.command("edit one.txt | diffthis | vsplit two.txt | diffthis")
    layout = await nvim.eval("winlayout()")
    write(project / "a.txt")

    await open_file(nvim, project / "a.txt")

    assert await here(nvim) == "a.txt"
    assert await nvim.eval("winlayout(1)") == layout
    assert await nvim.eval("tabpagenr('$')") == 2
    assert await nvim.eval("len(getbufinfo({'buflisted': 1}))") == 3


async def test_open_file_uses_the_previous_tabpage_rather_than_that_of_a_diff(
    nvim: Neovim, project: Path
) -> None:
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


async def test_open_file_hides_an_unsaved_buffer_that_can_be_hidden(
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


async def test_open_file_stays_in_the_users_tabpage(nvim: Neovim, project: Path) -> None:
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


async def test_open_file_opens_a_new_tabpage_if_there_is_no_room(
    nvim: Neovim, project: Path
) -> None:
    await nvim.command("terminal cat")
    await nvim.command("only | set winminheight=1 lines=3 laststatus=0")
    write(project / "a.txt")

    await open_file(nvim, project / "a.txt")

    assert await here(nvim) == "a.txt"
    assert await names(nvim) == ["a.txt"]


async def test_open_file_applies_the_window_options_of_the_filetype(
    nvim: Neovim, project: Path
) -> None:
    await nvim.command("autocmd FileType text setlocal foldmethod=marker")
    write(project / "a.txt")

    await open_file(nvim, project / "a.txt")

    assert await nvim.eval("&foldmethod") == "marker"


@pytest.mark.parametrize("event", ["BufReadPre", "BufReadPost", "BufEnter", "WinEnter", "FileType"])
@pytest.mark.parametrize("make_frontmost", [True, False])
async def test_a_failing_autocommand_does_not_keep_a_file_from_being_opened(
    nvim: Neovim, project: Path, event: str, make_frontmost: bool
) -> None:
    await nvim.command(f"autocmd {event} * call Missing() | echo repeat('long ', 100)")
    await nvim.command("silent! vnew | setlocal buftype=nofile")
    write(project / "a.txt")

    result = await open_file(nvim, project / "a.txt", make_frontmost=make_frontmost)

    assert (result["lineCount"], result["isShown"]) == (4, True)
    assert result["languageId"] == "text"
    assert await nvim.mode() == {"mode": "n", "blocking": False}


# Files that cannot be opened


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


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read everything")
async def test_a_file_that_cannot_be_read_is_an_error(nvim: Neovim, project: Path) -> None:
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
    assert result["note"].startswith("Opened read-only: a crashed editor")
    assert await selected(nvim) == "gamma"
    assert await nvim.eval("&readonly") == 1


async def test_a_window_change_that_neovim_forbids_is_an_error(nvim: Neovim, project: Path) -> None:
    write(project / "a.txt")
    await nvim.keys("q:")
    await until(lambda: nvim.eval("getcmdwintype()"))

    result = await open_file(nvim, project / "a.txt")

    assert result["error"].startswith("E11: Invalid in command-line window")


# Several files


async def test_a_file_that_is_to_be_unseen_is_only_loaded_and_listed(
    nvim: Neovim, project: Path
) -> None:
    paths = [str(write(project / name)) for name in TRICKY_NAMES]

    await open_file(nvim, paths[0])
    for path in paths[1:]:
        opened = await open_file(nvim, path, make_frontmost=False, is_unseen=True)
        assert not opened["isShown"] and "note" not in opened

    assert await here(nvim) == "plain.txt"
    assert await names(nvim) == ["plain.txt"]
    assert (await open_editors(nvim, "paths"))[0] == paths[0]
    assert len(await nvim.eval("filter(getbufinfo({'buflisted': 1}), 'v:val.loaded')")) >= len(
        paths
    )
