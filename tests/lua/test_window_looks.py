"""`window/looks.lua`: new windows look like windows of files."""

from support.neovim import Neovim

LOOKS = "require('claude_ide.window.looks')"


async def test_a_window_can_copy_the_looks_of_another(nvim: Neovim) -> None:
    await nvim.command("set number list | vsplit | setlocal nonumber nolist signcolumn=no")
    win, other = await nvim.eval("map(range(1, 2), 'win_getid(v:val)')")

    await nvim.lua(f"{LOOKS}.copy(...)", win, other)

    assert await nvim.eval("[&number, &list, &signcolumn]") == [1, 1, "auto"]


async def test_a_twin_is_a_window_of_the_same_file_outside_any_diff(nvim: Neovim) -> None:
    await nvim.command("edit a.txt | split | diffthis")
    win, other = await nvim.eval("map(range(1, 2), 'win_getid(v:val)')")

    assert await nvim.lua(f"return {LOOKS}.twin(...)", win) == other
    assert await nvim.lua(f"return {LOOKS}.twin(...)", other) is None
