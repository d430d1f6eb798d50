"""Vim opens files for clients, and keeps what the user has there."""

import os
from pathlib import Path
from typing import Any

import pytest

from claude_ide.mcp.ide_tools import open_passage
from support.claude_code import ClaudeCode
from support.neovim import until
from support.ports import port_of
from support.vim import Vim

TEXT = "one\nzwei ä😀 drei\nthree\n"


@pytest.fixture
def file(project: Path) -> Path:
    """A file that is not open."""
    path = project / "a b.py"
    path.write_text(TEXT)
    return path


async def open_file(vim: Vim, path: Path, **request: Any) -> dict[str, Any]:
    """Open a file as the host does."""
    if "start_text" in request:
        async with port_of(vim) as port:
            return await open_passage(port, str(path), **request)
    opened = await vim.call("claude_ide#file#open#OpenFile", {"path": str(path), **request})
    return dict(opened)


async def edit(vim: Vim, path: Path) -> None:
    """Edit a file as the user does."""
    name = str(path).replace(" ", "\\ ")
    await vim.keys(f":edit {name}<CR>")
    await in_normal_mode(vim)


async def typed(vim: Vim, keys: str) -> None:
    """Type keys, and wait until Vim has handled them."""
    await vim.keys(keys)
    await vim.eval("1")


async def in_normal_mode(vim: Vim) -> None:
    """Wait until Vim has handled an `<Esc>`: until then it may begin another key."""
    await until(lambda: vim.eval("claude_ide#timing#moment#Obstacle() ==# ''"), "Normal mode")


async def shown(vim: Vim) -> list[str]:
    """Return the names of the files in the windows of the tabpage."""
    names = await vim.eval("map(tabpagebuflist(), 'fnamemodify(bufname(v:val), \":t\")')")
    return list(names)


@pytest.mark.parametrize("selection", ["inclusive", "exclusive", "old"])
@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("one", "ä😀", "one\nzwei ä😀"),
        ("😀", "", "😀"),
        ("one\n", "", "one\n"),
        ("drei\r\nthree", "", "drei\nthree"),
        ("zwei", "ä", "zwei ä"),
    ],
)
async def test_the_text_from_start_to_end_is_selected(
    vim: Vim, file: Path, selection: str, start: str, end: str, expected: str
) -> None:
    if selection == "old" and expected.endswith("\n"):
        pytest.skip("this setting cannot select a line end")
    await vim.command(f"set selection={selection} selectmode=mouse,key,cmd")

    opened = await open_file(vim, file, start_text=start, end_text=end)

    assert opened["found"] is True
    assert await vim.eval("mode()") == "v"
    await vim.keys("y")
    assert await vim.eval('@"') == expected
    assert await vim.eval("&selectmode") == "mouse,key,cmd"


async def test_whole_lines_are_selected_by_their_numbers(vim: Vim, file: Path) -> None:
    await open_file(vim, file, line=2, end_line=99)
    await vim.keys("y")

    assert await vim.eval('@"') == "zwei ä😀 drei\nthree"


async def test_a_line_alone_is_gone_to_and_nothing_selected(vim: Vim, file: Path) -> None:
    await open_file(vim, file, line=3)

    assert await vim.eval("[mode(), line('.')]") == ["n", 3]


async def test_a_text_that_is_missing_is_named(vim: Vim, file: Path) -> None:
    neither = await open_file(vim, file, start_text="none")
    half = await open_file(vim, file, start_text="zwei", end_text="one")

    assert neither["note"] == "The file does not contain the start text."
    assert half["note"] == "The file does not contain the end text after the start text."
    assert neither["found"] is half["found"] is False


async def test_a_modified_buffer_keeps_its_window_without_hidden(vim: Vim, file: Path) -> None:
    await vim.keys("iunsaved<Esc>")
    await in_normal_mode(vim)
    assert not await vim.eval("&hidden")

    opened = await open_file(vim, file)

    assert opened["isShown"] is True
    assert "error" not in opened
    assert await shown(vim) == ["a b.py", ""]
    assert await vim.eval("getbufline(1, 1, '$') + [getbufvar(1, '&modified')]") == ["unsaved", 1]
    assert await vim.eval("fnamemodify(bufname(), ':t')") == "a b.py"
    assert await vim.eval("filter(getbufinfo(), 'v:val.listed && v:val.name ==# \"\"')->len()") == 1
    assert (await vim.mode())["mode"] == "n"


async def test_a_modified_buffer_that_is_shown_twice_may_be_left(vim: Vim, file: Path) -> None:
    await vim.keys("iunsaved<Esc>:split<CR>")
    await in_normal_mode(vim)

    await open_file(vim, file)

    assert await shown(vim) == ["a b.py", ""]
    assert await vim.eval("winnr()") == 1


async def test_a_user_who_types_stays_where_they_are(vim: Vim, file: Path) -> None:
    await vim.keys("ityped")

    opened = await open_file(vim, file)
    await vim.keys(" on")

    assert "without focus" in opened["note"]
    assert opened["isShown"] is False
    assert await vim.eval("[mode(), getline(1), bufloaded(bufnr('a b.py'))]") == [
        *("i", "typed on"),
        1,
    ]


@pytest.mark.parametrize("begun", ["3", '"', "d", "f", "q:", ":", "ia", "Ra", "gh", "<C-w>"])
async def test_a_half_typed_command_is_not_taken_elsewhere(
    vim: Vim, file: Path, begun: str
) -> None:
    await vim.keys("ityped<Esc>:set nomodified<CR>")
    await in_normal_mode(vim)
    await typed(vim, begun)

    opened = await open_file(vim, file)

    assert "without focus" in opened["note"]
    assert (await vim.eval("getbufline(1, 1)"))[0][:3] == "typ"
    assert await vim.eval("bufnr('a b.py') != bufnr()")


async def test_the_user_leaves_visual_mode_for_the_file(vim: Vim, file: Path) -> None:
    await vim.keys("ityped<Esc>:set nomodified<CR>")
    await in_normal_mode(vim)
    await typed(vim, "v")

    opened = await open_file(vim, file)

    assert "note" not in opened
    assert await vim.eval("[mode(), expand('%:t')]") == ["n", "a b.py"]


async def test_keys_typed_afterwards_are_mapped(vim: Vim, file: Path) -> None:
    await vim.command("nnoremap x :let g:mapped = 1<CR>")

    await open_file(vim, file)
    await vim.keys("x")

    assert await vim.eval("get(g:, 'mapped')") == 1


async def test_a_file_that_is_shown_elsewhere_is_gone_to(vim: Vim, file: Path) -> None:
    await edit(vim, file)
    await vim.keys(":tabnew<CR>")
    await in_normal_mode(vim)

    opened = await open_file(vim, file)

    assert opened["wasOpen"] is True
    assert await vim.eval("[tabpagenr(), tabpagenr('$'), expand('%:t')]") == [1, 2, "a b.py"]


async def test_a_file_in_the_background_takes_another_window(vim: Vim, file: Path) -> None:
    await vim.keys(":vsplit<CR>")
    await in_normal_mode(vim)

    opened = await open_file(vim, file, make_frontmost=False, line=3)

    assert opened["isShown"] is True
    assert await shown(vim) == ["", "a b.py"]
    assert await vim.eval("[winnr(), line('.', win_getid(2))]") == [1, 3]
    assert await vim.eval("getbufvar('a b.py', '&filetype')") == opened["languageId"]


async def test_a_diff_is_not_resized(vim: Vim, file: Path, project: Path) -> None:
    (project / "left").write_text("1\n")
    await edit(vim, project / "left")
    await vim.keys(":diffthis<CR>:vnew<CR>:diffthis<CR>")
    await in_normal_mode(vim)

    await open_file(vim, file)

    assert await vim.eval("[tabpagenr('$'), tabpagewinnr(1, '$'), expand('%:t')]") == [
        2,
        2,
        "a b.py",
    ]


async def test_a_swap_file_opens_no_dialog(
    vim: Vim, file: Path, project: Path, tmp_path: Path
) -> None:
    other = await Vim.start("a b.py", cwd=project, home=tmp_path / "other", swap_files=True)
    await other.keys("ix<Esc>:preserve<CR>")
    await until(lambda: bool([*project.glob(".*.sw?")]), "a swap file")
    await vim.command("set swapfile updatecount=200")

    opened = await open_file(vim, file)
    await other.stop()

    assert "is editing the file, too" in opened["note"]
    assert "Opened read-only" in opened["note"]
    assert await vim.eval("[&readonly, mode()]") == [1, "n"]


async def test_a_swap_file_of_a_hidden_file_opens_no_dialog(
    vim: Vim, file: Path, project: Path, tmp_path: Path
) -> None:
    other = await Vim.start("a b.py", cwd=project, home=tmp_path / "other", swap_files=True)
    await other.keys("ix<Esc>:preserve<CR>")
    await until(lambda: bool([*project.glob(".*.sw?")]), "a swap file")
    await vim.command("set swapfile updatecount=200")

    opened = await open_file(vim, file, make_frontmost=False)
    await other.stop()

    assert "Opened read-only" in opened["note"]
    assert await vim.eval("[bufloaded('a b.py'), getbufvar('a b.py', '&readonly')]") == [1, 1]


async def test_a_file_that_has_changed_on_disk_opens_no_dialog(vim: Vim, file: Path) -> None:
    await edit(vim, file)
    await vim.keys(":set hidden<CR>:enew<CR>")
    await in_normal_mode(vim)
    file.write_text(TEXT + "more\n")

    opened = await open_file(vim, file)

    assert opened["note"] == (
        "a b.py has changed on disk since Vim read it; the older text is shown."
    )
    assert await vim.eval("[line('$'), expand('%:t'), mode(1)]") == [3, "a b.py", "n"]


async def test_an_encrypted_file_asks_for_no_key(vim: Vim, project: Path) -> None:
    path = project / "secret"
    path.write_bytes(b"VimCrypt~03!\0\1\2\3")

    opened = await open_file(vim, path)

    assert opened["error"] == f"{path}: it is encrypted, and Vim would ask for its key"
    assert (await vim.mode())["mode"] == "n"


async def test_a_failing_autocommand_shows_no_error(vim: Vim, file: Path) -> None:
    await vim.command("autocmd BufReadPost * call Broken()")
    await vim.command("autocmd BufReadPost * let g:came = 1")

    opened = await open_file(vim, file)

    assert opened["isShown"] is True
    assert await vim.eval("[expand('%:t'), mode(1)]") == ["a b.py", "n"]
    assert not any("Broken" in line for line in vim.screen.lines())


@pytest.mark.parametrize("name", ["none.py", ".", "a b.py/x", "pipe"])
async def test_what_is_no_file_is_refused(vim: Vim, file: Path, name: str) -> None:
    path = file.parent / name
    if name == "pipe":
        os.mkfifo(path)

    opened = await open_file(vim, path)

    assert opened["error"].startswith(f"{path}: ")
    assert await shown(vim) == [""]


async def test_the_client_opens_several_files(
    serving_vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    paths = [project / f"{number}.py" for number in range(3)]
    for path in paths:
        path.write_text("1\n")
    await serving_vim.keys("iunsaved<Esc>")
    await in_normal_mode(serving_vim)

    opened = await vim_client.json("open_files", {"file_paths": [*map(str, paths), str(project)]})

    assert opened["opened_files"] == [*map(str, paths)]
    assert opened["errors"] == [f"{project}: not a file but a folder"]
    assert await serving_vim.eval("getbufline(1, 1)") == ["unsaved"]
