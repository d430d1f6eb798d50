"""What a user of Vim can notice after a diff, in each layout."""

from typing import Any

import pytest

from support.neovim import until
from support.vim import Vim
from support.vim_diffs import BUFFERS

LAYOUTS = pytest.mark.parametrize("config", ["tab", "vertical", "horizontal"], indirect=True)
"""The fixture `config` is each layout."""

STATE = {
    "layout": "winlayout()",
    "tabs": "[tabpagenr(), tabpagenr('#'), tabpagenr('$')]",
    "windows": "[winnr(), winnr('#')]",
    "view": "winsaveview()",
    "sizes": "range(1, winnr('$'))->map('[winwidth(v:val), winheight(v:val)]')",
    "options": "range(1, winnr('$'))->map({_, n -> ['diff', 'wrap', 'foldmethod', 'foldcolumn',"
    " 'foldlevel', 'foldenable', 'scrollbind', 'cursorbind', 'number', 'statusline']"
    "->map({_, name -> getwinvar(n, '&' .. name)})})",
    "shown": "range(1, winnr('$'))->map('bufname(winbufnr(v:val))')",
    "jumps": "getjumplist()[0]->len()",
    "registers": '[@/, @", @a]',
    "buffers": "getbufinfo()->map('[v:val.name, v:val.loaded, v:val.listed, v:val.changed]')",
    "folds": "range(1, line('$'))->map('foldclosed(v:val)')->filter('v:val > 0')",
    "alternate": "bufnr('#')",
    "undo": "undotree().seq_last",
    "marks": '[getpos("\'m"), getpos("\'.")]',
    "global": "[&scrollopt, &diffopt, &cmdheight, &lines, &equalalways, getcwd()]",
}


async def state(vim: Vim) -> dict[str, Any]:
    """Return all that a user can notice."""
    return {name: await vim.eval(expression) for name, expression in STATE.items()}


async def arrange(vim: Vim) -> None:
    """Arrange windows of several sizes, with folds, marks and a second tabpage."""
    for command in (
        "set nostartofline",
        "call writefile(map(range(1, 200), {_, n -> 'line ' .. n}), 'b.txt')",
        "edit b.txt",
        "setlocal foldmethod=manual foldcolumn=2 number nowrap",
        "20,30fold",
        "50,60fold",
        "51foldopen",
        "normal! 70Gmm",
        "normal! 100Gzt",
        "vsplit",
        "new",
        "wincmd h",
        "vertical resize 33",
        "wincmd l",
        "tabnew",
        "tabfirst",
        "wincmd b",
        "call cursor(120, 3)",
        "let @/ = 'x'",
        "let @\" = 'reg'",
    ):
        await vim.command(command)
    # What a callback has changed is settled by the next key.
    await vim.keys("<C-l>")


async def gone(vim: Vim) -> None:
    """Wait until the diff is closed and the user is back."""
    await until(lambda: vim.eval(f"{BUFFERS} == 0 && tabpagenr('$') == 2"), "the diff is closed")
    await vim.idle(300)  # the guard has ended
