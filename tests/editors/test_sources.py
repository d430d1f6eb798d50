"""Mentions of what the real plugins for files list: trees, pickers, lists.

The plugins are in `.cache/plugins`, or in the folder that `CLAUDE_IDE_TEST_PLUGINS` names. Each has
a folder with the name of its repository. A test whose plugin is not there is skipped.
"""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from support.neovim import ROOT, Neovim, until

PLUGINS = Path(os.environ.get("CLAUDE_IDE_TEST_PLUGINS") or ROOT / ".cache/plugins")
LISTED = "return require('claude_ide.selection.mention').listed(...)"

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


async def listed(nvim: Neovim, *lines: int) -> Any:
    return await nvim.lua(LISTED, *lines)


async def at(nvim: Neovim, text: str) -> int:
    """Wait for a text in the current buffer, and move the cursor there; return the line."""
    found = await until(lambda: nvim.eval(f"search('{text}', 'cw')"), text)
    return int(found)


async def check_tree(nvim: Neovim, files: Path, filetype: str) -> None:
    """Mention a file, a folder, and lines."""
    await until(lambda: nvim.eval(f"&filetype ==# '{filetype}'"), filetype)
    first = await at(nvim, r"a\.py")
    assert await listed(nvim) == [{"filePath": str(files / "a.py")}]
    last = await at(nvim, r"b\.py")
    both = [{"filePath": str(files / name)} for name in ("a.py", "b.py")]
    assert await listed(nvim, min(first, last), max(first, last)) == both
    await at(nvim, "sub")
    assert await listed(nvim) == [{"filePath": str(files / "sub")}]


async def test_oil(load: Load, files: Path) -> None:
    nvim = await load("oil.nvim", setup="require('oil').setup({}) require('oil').open('.')")

    await check_tree(nvim, files, "oil")


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
    await nvim.keys("<Tab><Tab>")
    marked = "require('telescope.actions.state').get_current_picker(vim.api.nvim_get_current_buf())"
    await until(lambda: nvim.lua(f"return #{marked}:get_multi_selection() == 2"), "marked")
    names = {Path(mention["filePath"]).name for mention in await listed(nvim)}
    assert names == {"a.py", "b.py"}


async def test_trouble(load: Load, files: Path) -> None:
    setup = """
    require('trouble').setup({})
    vim.fn.setqflist({ { filename = 'a.py', lnum = 2, end_lnum = 3, text = 'first' } })
    vim.cmd('Trouble qflist open focus=true')
    """
    nvim = await load("trouble.nvim", setup=setup)
    await until(lambda: nvim.eval("&filetype ==# 'trouble'"), "the list")
    line = await at(nvim, "first")

    mention = {"filePath": str(files / "a.py"), "lineStart": 1}
    assert [found | {"lineEnd": 0} for found in await listed(nvim)] == [mention | {"lineEnd": 0}]
    assert len(await listed(nvim, 1, line)) == 1
