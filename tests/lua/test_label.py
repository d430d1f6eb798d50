"""`window/label.lua`: the names of the plugin's buffers, in tab lines and status lines."""

from pathlib import Path

import pytest

from support.chats import Chats
from support.chunks import chunk
from support.diffs import Diffs
from support.neovim import Neovim, until

LABEL = "Claude: notes"
BUFFER = chunk("label/buffer")
FULL_NAME = "return vim.api.nvim_buf_get_name(...)"


@pytest.fixture
async def bufnr(nvim: Neovim) -> int:
    """A buffer with a label, in the current window."""
    made = int(await nvim.lua(BUFFER, LABEL, {"buftype": "acwrite"}))
    await nvim.command(f"buffer {made}")
    return made


async def test_the_tab_line_and_the_status_line_show_the_label(nvim: Neovim, bufnr: int) -> None:
    await nvim.command("set showtabline=2 laststatus=2 | tabnew | tabprevious")

    await until(lambda: LABEL in nvim.screen.lines()[0], "the tab line")
    await until(lambda: nvim.screen.lines()[-2].startswith(LABEL), "the status line")


@pytest.mark.parametrize("command", ["cd /", "lcd /", "tcd /", "set autochdir"])
async def test_the_label_stays_when_the_folder_changes(
    nvim: Neovim, bufnr: int, command: str
) -> None:
    await nvim.command(command)

    assert await nvim.eval("expand('%')") == LABEL


@pytest.mark.parametrize("option", ["autochdir", "noautochdir"])
@pytest.mark.parametrize("folder", [".", "/"])
async def test_naming_a_buffer_leaves_the_folder_as_it_is(
    nvim: Neovim, option: str, folder: str
) -> None:
    await nvim.command("let g:events = 0 | autocmd DirChanged,BufFilePost * let g:events += 1")
    await nvim.command(f"edit a.txt | set {option} | cd {folder} | let g:events = 0")
    here = await nvim.eval("getcwd()")

    bufnr = await nvim.lua(BUFFER, LABEL)
    await nvim.command(f"buffer {bufnr}")

    assert await nvim.eval("getcwd()") == here
    assert await nvim.lua("return vim.uv.cwd()") == here
    assert await nvim.eval("g:events") == 0
    assert await nvim.eval("&autochdir") == (option == "autochdir")


async def test_the_full_name_is_a_path_that_cannot_exist(nvim: Neovim, bufnr: int) -> None:
    name = Path(await nvim.lua(FULL_NAME, bufnr))

    assert name.name == LABEL
    assert not name.parent.exists()
    assert not name.parent.parent.exists()


async def test_a_file_of_the_user_with_the_same_name_opens_in_its_own_buffer(
    nvim: Neovim, bufnr: int, project: Path
) -> None:
    (project / LABEL).write_text("mine\n")

    await nvim.command(f"edit {LABEL.replace(' ', chr(92) + ' ')}")

    assert await nvim.eval("bufnr()") != bufnr
    assert await nvim.eval("getline(1)") == "mine"


async def test_a_second_buffer_with_the_same_label_gets_a_number(nvim: Neovim, bufnr: int) -> None:
    second = await nvim.lua(BUFFER, LABEL)

    assert await nvim.eval(f"bufname({second})") == f"{LABEL} 2"


async def test_a_label_with_slashes_is_shown_whole(nvim: Neovim) -> None:
    bufnr = await nvim.lua(BUFFER, "Claude: make a/b")

    assert await nvim.eval(f"fnamemodify(bufname({bufnr}), ':t')") == "Claude: make a∕b"  # noqa: RUF001


async def test_a_buffer_gets_a_name_although_the_current_folder_is_deleted(
    nvim: Neovim, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    await nvim.command(f"cd {gone}")
    gone.rmdir()

    bufnr = await nvim.lua(BUFFER, LABEL)

    assert (await nvim.eval(f"bufname({bufnr})")).endswith(f"/{LABEL}")


async def test_the_windows_of_a_chat_have_readable_names(nvim: Neovim) -> None:
    await (await Chats.start(nvim)).open()

    names = await nvim.eval("map(range(1, winnr('$')), 'bufname(winbufnr(v:val))')")

    assert set(names) >= {"Claude chat", "Claude prompt"}


async def test_diffs_of_files_with_one_name_have_different_labels(
    nvim: Neovim, diffs: Diffs, project: Path
) -> None:
    for folder in ("a", "b"):
        (project / folder).mkdir()
        (project / folder / "shop.py").write_text("one\n")

    await diffs.open(project / "a" / "shop.py", "two\n")
    first = await nvim.eval("bufname()")
    await diffs.open(project / "b" / "shop.py", "two\n")

    assert [first, await nvim.eval("bufname()")] == ["Claude (shop.py)", "Claude (shop.py) 2"]


@pytest.mark.parametrize(
    "command",
    ["write %", "execute 'write' nvim_buf_get_name(0)->fnameescape()", "edit %", "file", "wall"],
)
async def test_a_command_that_names_a_proposal_creates_no_file(
    nvim: Neovim, diffs: Diffs, project: Path, command: str
) -> None:
    path = project / "shop.py"
    path.write_text("one\n")
    await diffs.open(path, "two\n")

    await nvim.keys(f":{command}<CR>:let g:typed = 1<CR>")
    await until(lambda: nvim.eval("get(g:, 'typed')"))

    assert [file.name for file in project.iterdir()] == ["shop.py"]
    assert path.read_text() == "one\n"
    assert "cannot write" not in await nvim.eval("execute('messages')")


async def test_a_new_label_leaves_no_buffer_with_the_old_one(nvim: Neovim, bufnr: int) -> None:
    give = "require('claude_ide.window.label').give(..., 'claude-text', 'Otter: notes')"
    before = await nvim.eval("len(getbufinfo())")

    await nvim.lua(give, bufnr)

    assert await nvim.eval("bufname()") == "Otter: notes"
    assert await nvim.eval("len(getbufinfo())") == before
