"""Mentions of what the real plugins for files list: trees, pickers, lists.

The plugins are in `.cache/plugins`, or in the folder that `CLAUDE_IDE_TEST_PLUGINS` names. Each has
a folder with the name of its repository. A test whose plugin is not there is skipped.
"""

import os
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from support.mentions import listed, made
from support.neovim import ROOT, Neovim, until

PLUGINS = Path(os.environ.get("CLAUDE_IDE_TEST_PLUGINS") or ROOT / ".cache/plugins")

Load = Callable[..., Awaitable[Neovim]]


@pytest.fixture
def files(project: Path) -> Path:
    for name in ("a.py", "b.py"):
        (project / name).write_text("one\ntwo\nthree\n")
    (project / "sub").mkdir()
    (project / "sub/deep.py").write_text("1\n")
    return project


@pytest.fixture
def load(nvim: Neovim, files: Path) -> Load:
    """Load plugins by the names of their repositories, and run some Lua."""

    async def load(*names: str, setup: str) -> Neovim:
        for name in names:
            if not (PLUGINS / name).exists():
                pytest.skip(f"{name} is not in {PLUGINS}")
            await nvim.command(f"set runtimepath+={(PLUGINS / name).resolve()}")
        await nvim.command("edit a.py | filetype on")
        await nvim.command("runtime! plugin/*.lua plugin/*.vim")
        await nvim.lua(setup)
        return nvim

    return load


async def at(nvim: Neovim, text: str) -> int:
    """Wait for a text in the current buffer, and move the cursor there; return the line."""
    found = await until(lambda: nvim.eval(f"search('{text}', 'cw')"), text)
    return int(found)


async def check_tree(nvim: Neovim, files: Path, filetype: str) -> None:
    """Mention a file, a folder, and lines."""
    await until(lambda: nvim.eval(f"&filetype ==# '{filetype}'"), filetype)
    # Each entry that is still missing would move lines.
    for name in ("a.py", "b.py", "sub"):
        await at(nvim, name)
    first = await at(nvim, r"a\.py")
    assert await listed(nvim) == [{"filePath": str(files / "a.py")}]
    last = await at(nvim, r"b\.py")
    both = [{"filePath": str(files / name)} for name in ("a.py", "b.py")]
    assert await listed(nvim, min(first, last), max(first, last)) == both
    await at(nvim, "sub")
    assert await listed(nvim) == [{"filePath": str(files / "sub")}]


async def check_above(nvim: Neovim, files: Path, line: str) -> None:
    """Mention the folder above, but not among others."""
    above = await at(nvim, line)
    assert await listed(nvim) == [{"filePath": str(files.parent)}]
    found = await listed(nvim, above, int(await nvim.eval("line('$')")))
    assert {"filePath": str(files / "a.py")} in found
    assert {"filePath": str(files.parent)} not in found


async def test_oil(load: Load, files: Path) -> None:
    hidden = "{ view_options = { show_hidden = true } }"
    setup = f"require('oil').setup({hidden}) require('oil').open('.')"
    nvim = await load("oil.nvim", setup=setup)

    await check_tree(nvim, files, "oil")
    await check_above(nvim, files, r"\.\./")


async def test_mini_files(load: Load, files: Path) -> None:
    setup = "require('mini.files').setup({}) MiniFiles.open('.')"
    nvim = await load("mini.nvim", setup=setup)

    await check_tree(nvim, files, "minifiles")


async def test_nvim_tree(load: Load, files: Path) -> None:
    setup = "require('nvim-tree').setup({}) require('nvim-tree.api').tree.open()"
    nvim = await load("nvim-tree.lua", setup=setup)

    await check_tree(nvim, files, "NvimTree")
    await at(nvim, r"b\.py")
    await nvim.lua("require('nvim-tree.api').marks.toggle()")
    await at(nvim, r"a\.py")
    assert await listed(nvim) == [{"filePath": str(files / "b.py")}]


async def test_neo_tree(load: Load, files: Path) -> None:
    setup = "require('neo-tree').setup({ enable_git_status = false }) vim.cmd('Neotree')"
    nvim = await load("plenary.nvim", "nui.nvim", "neo-tree.nvim", setup=setup)

    await check_tree(nvim, files, "neo-tree")
    await at(nvim, r"b\.py")
    await nvim.keys("<Tab>")
    await at(nvim, r"a\.py")
    assert await listed(nvim) == [{"filePath": str(files / "b.py")}]


async def test_snacks_explorer(load: Load, files: Path) -> None:
    setup = "require('snacks').setup({ explorer = {}, picker = {} }) Snacks.explorer()"
    nvim = await load("snacks.nvim", setup=setup)

    await check_tree(nvim, files, "snacks_picker_list")


PICKER = """
require('snacks').setup({ picker = {} })
Snacks.picker({ items = {
  { text = 'a', file = 'a.py', pos = { 2, 0 } },
  { text = 'b', file = 'b.py' },
} })
"""


async def test_a_snacks_picker(load: Load, files: Path) -> None:
    nvim = await load("snacks.nvim", setup=PICKER)
    await until(lambda: nvim.eval("&filetype ==# 'snacks_picker_input'"), "the picker")
    first = {"filePath": str(files / "a.py"), "lineStart": 1, "lineEnd": 1}
    second = {"filePath": str(files / "b.py")}

    await until(lambda: nvim.lua("return Snacks.picker.get()[1]:current() ~= nil"), "an item")
    assert await listed(nvim) == [first]
    await nvim.keys("<Tab><Tab>")
    await until(lambda: nvim.lua("return #Snacks.picker.get()[1]:selected() == 2"), "marked")
    assert await listed(nvim) == [first, second]
    await nvim.keys("<Esc>")
    await nvim.lua("Snacks.picker.get()[1]:focus('list')")
    await until(lambda: nvim.eval("&filetype ==# 'snacks_picker_list'"), "the list")
    assert len(await listed(nvim, 1, 1)) == 1


async def test_a_buffer_in_a_snacks_picker_is_mentioned_as_a_whole(load: Load, files: Path) -> None:
    setup = "require('snacks').setup({ picker = {} }) Snacks.picker.buffers()"
    nvim = await load("snacks.nvim", setup=setup)
    await until(lambda: nvim.eval("&filetype ==# 'snacks_picker_input'"), "the picker")
    await until(lambda: nvim.lua("return Snacks.picker.get()[1]:current() ~= nil"), "an item")

    assert await listed(nvim) == [{"filePath": str(files / "a.py")}]


# It reads each key itself, so that nothing else runs until it is closed.
MINI_PICK = """
vim.g.got = {}
require('mini.pick').setup({ mappings = { claude = { char = '<C-q>', func = function()
  local got = vim.g.got
  got[#got + 1] = require('claude_ide.selection.sources').listed()
  vim.g.got = got
end } } })
vim.schedule(function()
  MiniPick.start({ source = { items = {
    'first\\0002\\0003\\0x', { path = 'b.py', text = 'second' },
    { text = 'none' }, { bufnr = 1, text = 'd' },
  }, cwd = 'sub' } })
end)
"""


async def test_mini_pick(load: Load, files: Path) -> None:
    (files / "sub/first").write_text("1\n2\n")
    (files / "sub/b.py").write_text("1\n")
    nvim = await load("mini.nvim", setup=MINI_PICK)
    await until(lambda: "second" in nvim.screen.text(), "the picker")

    await nvim.keys("<C-q><C-n><C-q><C-n><C-q><C-n><C-q><C-x><C-p><C-p><C-x><C-q><Esc>")
    first = {"filePath": str(files / "sub/first"), "lineStart": 1, "lineEnd": 1}
    second = {"filePath": str(files / "sub/b.py")}
    buffer = {"filePath": str(files / "a.py")}
    none = {"error": "there is no file under the cursor"}
    got = [await made(nvim, entries) for entries in await nvim.eval("g:got")]
    assert got == [[first], [second], [none], [buffer], [second, buffer]]


async def test_telescope(load: Load, files: Path) -> None:
    setup = """
    require('telescope').setup({})
    vim.cmd.badd('b.py')
    vim.cmd('Telescope buffers')
    """
    nvim = await load("plenary.nvim", "telescope.nvim", setup=setup)
    await until(lambda: nvim.eval("&filetype ==# 'TelescopePrompt'"), "the picker")
    selected = "return require('telescope.actions.state').get_selected_entry() ~= nil"
    await until(lambda: nvim.lua(selected), "an item")

    (only,) = await listed(nvim)
    assert Path(only["filePath"]).parent == files
    assert "lineStart" not in only
    await nvim.keys("<Tab><Tab>")
    marked = "require('telescope.actions.state').get_current_picker(vim.api.nvim_get_current_buf())"
    await until(lambda: nvim.lua(f"return #{marked}:get_multi_selection() == 2"), "marked")
    names = {Path(mention["filePath"]).name for mention in await listed(nvim)}
    assert names == {"a.py", "b.py"}


async def test_trouble(load: Load, files: Path) -> None:
    setup = """
    require('trouble').setup({})
    vim.fn.setqflist({
      { filename = 'a.py', lnum = 2, end_lnum = 3, text = 'first' },
      { filename = 'a.py', lnum = 1, text = 'second' },
      { filename = 'b.py', lnum = 1, text = 'third' },
    })
    vim.cmd('Trouble qflist open focus=true')
    """
    nvim = await load("trouble.nvim", setup=setup)
    await until(lambda: nvim.eval("&filetype ==# 'trouble'"), "the list")

    def starts(found: Any) -> Any:
        return [(Path(mention["filePath"]).name, mention["lineStart"]) for mention in found]

    line = await at(nvim, "first")
    assert starts(await listed(nvim)) == [("a.py", 1)]
    assert starts(await listed(nvim, 1, line)) == [("a.py", 0), ("a.py", 1)]
    await at(nvim, r"a\.py")
    assert starts(await listed(nvim)) == [("a.py", 0), ("a.py", 1)]
    await nvim.keys("zc")
    await until(lambda: nvim.eval("search('first', 'n') == 0"), "folded")
    assert starts(await listed(nvim)) == [("a.py", 0), ("a.py", 1)]


async def test_nerdtree(load: Load, files: Path) -> None:
    nvim = await load("nerdtree", setup="vim.cmd('NERDTree')")

    await check_tree(nvim, files, "nerdtree")
    await nvim.keys("o")
    await at(nvim, r"deep\.py")
    assert await listed(nvim) == [{"filePath": str(files / "sub/deep.py")}]
    await check_above(nvim, files, "up a dir")
    await nvim.command("1")
    assert "no file under the cursor" in (await listed(nvim))[0]["error"]


# It does this itself when Neovim starts.
DIRVISH = "vim.cmd('autocmd! FileExplorer') "


async def test_dirvish(load: Load, files: Path) -> None:
    nvim = await load("vim-dirvish", setup=DIRVISH + "vim.cmd('Dirvish')")

    await check_tree(nvim, files, "dirvish")
    await at(nvim, r"b\.py")
    await nvim.keys("x")
    await at(nvim, r"a\.py")
    assert await listed(nvim) == [{"filePath": str(files / "b.py")}]
    await at(nvim, r"b\.py")
    await nvim.keys("x")
    await at(nvim, r"a\.py")
    assert await listed(nvim) == [{"filePath": str(files / "a.py")}]


async def test_the_arguments_of_neovim_are_no_marks_of_dirvish(load: Load, files: Path) -> None:
    nvim = await load("vim-dirvish", setup=DIRVISH + "vim.cmd('args b.py | Dirvish')")

    await check_tree(nvim, files, "dirvish")


async def test_fern(load: Load, files: Path) -> None:
    nvim = await load("vim-fern", setup="vim.cmd('Fern .')")

    await check_tree(nvim, files, "fern")
    await at(nvim, r"b\.py")
    await nvim.keys("-")
    await until(lambda: nvim.eval("len(b:fern.marks)"), "marked")
    await at(nvim, r"a\.py")
    assert await listed(nvim) == [{"filePath": str(files / "b.py")}]


@pytest.fixture
def changed(files: Path) -> Path:
    """A repository with changed, deleted and new files."""

    def git(*arguments: str) -> None:
        names = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", *names, *arguments], cwd=files, check=True, capture_output=True)

    (files / "s p").mkdir()
    (files / "s p/c d.py").write_text("1\n")
    (files / "gone.py").write_text("1\n")
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "the first")
    for name in ("a.py", "b.py", "sub/deep.py", "s p/c d.py"):
        (files / name).write_text("one\nchanged\n")
    git("add", "b.py")
    (files / "gone.py").unlink()
    (files / "new").mkdir()
    (files / "new/e.py").write_text("1\n")
    return files


def mentions(folder: Path, *names: str) -> list[dict[str, str]]:
    return [{"filePath": f'"{folder / n}"' if " " in n else str(folder / n)} for n in names]


async def test_fugitive(load: Load, changed: Path) -> None:
    nvim = await load("vim-fugitive", setup="vim.cmd('Git')")
    await until(lambda: nvim.eval("&filetype ==# 'fugitive'"), "fugitive")

    first = await at(nvim, r"M a\.py")
    assert await listed(nvim) == mentions(changed, "a.py")
    await nvim.keys("=")
    last = await at(nvim, "^+changed")
    assert last > first
    assert await listed(nvim) == mentions(changed, "a.py")
    assert await listed(nvim, first, last) == mentions(changed, "a.py")
    await at(nvim, "s p")
    assert await listed(nvim) == mentions(changed, "s p/c d.py")
    await at(nvim, "new/")
    assert await listed(nvim) == mentions(changed, "new")
    await at(nvim, "gone")
    assert await listed(nvim) == [{"error": f"no such file: {changed / 'gone.py'}"}]
    for heading in ("Head:", "Unstaged"):
        await at(nvim, heading)
        assert "no file under the cursor" in (await listed(nvim))[0]["error"]


async def test_the_files_of_diffview(load: Load, changed: Path) -> None:
    setup = "require('diffview').setup({ use_icons = false }) vim.cmd('DiffviewOpen')"
    nvim = await load("diffview.nvim", setup=setup)
    focused = "&filetype ==# 'DiffviewFiles' && search('deep', 'n')"
    await until(lambda: nvim.eval(focused), "the panel")

    first = await at(nvim, r" a\.py")
    assert await listed(nvim) == mentions(changed, "a.py")
    await at(nvim, "sub$")
    assert await listed(nvim) == mentions(changed, "sub")
    last = await at(nvim, r" b\.py")
    a, gone, b = await listed(nvim, first, last)
    assert [a, b] == mentions(changed, "a.py", "b.py")
    assert "no such file" in gone["error"]
    await nvim.command("1")
    assert "no file under the cursor" in (await listed(nvim))[0]["error"]


async def test_the_history_of_diffview(load: Load, changed: Path) -> None:
    setup = "require('diffview').setup({ use_icons = false }) vim.cmd('DiffviewFileHistory')"
    nvim = await load("diffview.nvim", setup=setup)
    focused = "&filetype ==# 'DiffviewFileHistory' && search('the first', 'n')"
    await until(lambda: nvim.eval(focused), "the panel")

    await at(nvim, "the first")
    found = await listed(nvim)
    assert {"filePath": str(changed / "a.py")} in found
    assert len(found) == 5
    await at(nvim, "deep")
    assert await listed(nvim) == mentions(changed, "sub/deep.py")
