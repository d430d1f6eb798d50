"""`chat/placement.lua`: files opened in the panel move to a window for files."""

from pathlib import Path
from typing import Any

import pytest

from support.chats import Chats, edit
from support.chunks import chunk
from support.neovim import Neovim, until

LINES = [f"line {number}" for number in range(1, 61)]
PANEL = ["claude-chat", "claude-prompt"]
# What the user runs in the prompt, and the line of b.txt on which they arrive.
WAYS = {
    "edit": ("edit b.txt", 1),
    "edit at a line": ("edit +20 b.txt", 20),
    "buffer": ("badd b.txt | buffer b.txt", 1),
    "vimgrep": ("vimgrep /line 33/ b.txt", 33),
    "quickfix": ("call setqflist([{'filename': 'b.txt', 'lnum': 12}]) | cc", 12),
    "tag": ("set tags=tags | tag wanted", 44),
    "a mark": ("call setpos(\"'B\", [bufadd('b.txt'), 8, 1, 0]) | normal! 'B", 8),
    "a plugin by number": (
        "lua local b = vim.fn.bufadd('b.txt'); vim.bo[b].buflisted = true; "
        "vim.api.nvim_win_set_buf(0, b); vim.api.nvim_win_set_cursor(0, { 15, 2 })",
        15,
    ),
    "a plugin from elsewhere": (
        "lua local w = vim.api.nvim_get_current_win(); vim.cmd('topleft vnew'); "
        "vim.bo.buftype = 'nofile'; vim.api.nvim_set_current_win(w); vim.cmd.edit('b.txt')",
        1,
    ),
}


@pytest.fixture
async def chats(nvim: Neovim, project: Path) -> Chats:
    for name in ("a.txt", "b.txt"):
        (project / name).write_text("\n".join(LINES) + "\n")
    (project / "tags").write_text("wanted\tb.txt\t44\n")
    await nvim.command("set number | edit a.txt | 30")
    return await Chats.start(nvim)


async def shown(nvim: Neovim) -> list[str]:
    """The names of the buffers that the windows of this tabpage show."""
    names: list[str] = await nvim.lua(chunk("chat_protected_windows/names"))
    return names


async def settled(nvim: Neovim, name: str) -> None:
    """Wait until the user is in the file's window, and the panel shows its own buffers."""

    async def is_there() -> Any:
        is_in = await nvim.eval(f"bufname() == '{name}'")
        windows = await shown(nvim)
        return is_in and windows.count(name) == 1 and await panel(nvim) == PANEL

    await until(is_there, f"{name} is in the file's window")


async def panel(nvim: Neovim) -> list[str]:
    found: list[str] = await nvim.lua(chunk("chat_protected_windows/filetypes"))
    return found


async def to_prompt(nvim: Neovim, typed: str) -> None:
    await nvim.keys(f"{typed}<Esc>")
    await until(lambda: nvim.eval("mode() == 'n'"))


@pytest.mark.parametrize("way", WAYS)
async def test_a_file_opened_in_the_prompt_moves_to_the_file_window(
    nvim: Neovim, chats: Chats, way: str
) -> None:
    command, line = WAYS[way]
    await chats.open()
    await to_prompt(nvim, "half<CR>typed, and<Left><Left>")
    cursor = await nvim.eval("getcurpos()[1:2]")

    await nvim.command(command)

    await settled(nvim, "b.txt")
    assert await nvim.eval("[line('.'), &number, &winbar, &winfixheight]") == [line, 1, "", 0]
    assert await chats.lines("prompt") == ["half", "typed, and"]
    await nvim.command("wincmd p")
    assert await nvim.eval("[&filetype, getcurpos()[1:2], &number, &winfixheight]") == [
        "claude-prompt",
        cursor,
        0,
        1,
    ]
    assert await nvim.eval("v:errmsg") == ""


@pytest.mark.parametrize("side", ["right", "above", "float"])
async def test_a_file_opened_in_the_transcript_moves_to_the_file_window(
    nvim: Neovim, chats: Chats, side: str
) -> None:
    await chats.open(side=side)
    await chats.draw(edit(0, 0, LINES))
    await chats.enter_transcript(17)

    await nvim.command("edit b.txt")

    if side == "float":
        # The float would cover the file.
        await chats.hidden()
        assert await nvim.eval("bufname()") == "b.txt"
        return
    await settled(nvim, "b.txt")
    assert (await chats.windows())["transcript"]["cursor"] == [17, 0]


async def test_the_transcript_keeps_following_its_end(nvim: Neovim, chats: Chats) -> None:
    await chats.open()
    await chats.draw(edit(0, 0, LINES))
    await chats.enter_transcript(60)
    await nvim.command("edit b.txt")
    await settled(nvim, "b.txt")

    await chats.draw(edit(60, 60, ["the end"]))

    await nvim.command("redraw")
    assert (await chats.windows())["transcript"]["bottom"] == 61


async def test_the_jump_list_stays_with_the_file_window(nvim: Neovim, chats: Chats) -> None:
    await chats.open()
    await to_prompt(nvim, "x")
    await nvim.command("edit b.txt")
    await settled(nvim, "b.txt")

    await nvim.keys("<C-o>")

    await settled(nvim, "a.txt")
    assert await nvim.eval("line('.')") == 30
    await nvim.command("wincmd p")
    await nvim.keys("<C-o><C-o>:let g:done = 1<CR>")
    await until(lambda: nvim.eval("exists('g:done')"))
    assert await nvim.eval("&filetype") == "claude-prompt"


async def test_opening_a_file_that_is_shown_enters_its_window(nvim: Neovim, chats: Chats) -> None:
    await chats.open()
    await to_prompt(nvim, "x")

    await nvim.command("edit a.txt")

    await settled(nvim, "a.txt")
    assert await nvim.eval("line('.')") == 30


async def test_unsaved_text_is_kept_with_nohidden(nvim: Neovim, chats: Chats) -> None:
    await nvim.command("set nohidden")
    await nvim.command("call setline(1, 'changed')")
    await chats.open()
    await to_prompt(nvim, "x")

    await nvim.command("edit b.txt")

    await settled(nvim, "b.txt")
    assert await nvim.eval("getbufline('a.txt', 1)") == ["changed"]
    assert await nvim.eval("len(win_findbuf(bufnr('a.txt')))") == 1


async def test_a_buffer_with_bufhidden_wipe_survives_the_move(nvim: Neovim, chats: Chats) -> None:
    await chats.open()
    await to_prompt(nvim, "x")

    await nvim.command("enew | setlocal bufhidden=wipe | file new.txt | call setline(1, 'new')")

    await settled(nvim, "new.txt")
    assert await nvim.eval("[getline(1), &bufhidden]") == ["new", "wipe"]


async def test_a_buffer_shown_in_the_panel_from_another_window_takes_no_focus(
    nvim: Neovim, chats: Chats
) -> None:
    await nvim.command("vsplit b.txt")
    await chats.open()
    win = (await chats.windows())["prompt"]["win"]
    await to_prompt(nvim, "x")
    await nvim.command("1wincmd w")

    await nvim.lua("vim.api.nvim_win_set_buf(..., vim.fn.bufadd('c.txt'))", win)

    async def is_there() -> bool:
        return await panel(nvim) == PANEL and "c.txt" in await shown(nvim)

    await until(is_there, "the panel shows its own buffers again")
    assert await nvim.eval("bufname()") == "b.txt"


KEPT = (
    "getbufinfo({'buflisted': 1})->filter({_, each -> each.name =~ 'kept'})"
    "->map({_, each -> getbufline(each.bufnr, 1, '$')})"
)
BUFDELETE = chunk("chat_protected_windows/bufdelete")


async def test_a_prompt_deleted_by_a_plugin_leaves_no_window(nvim: Neovim, chats: Chats) -> None:
    await chats.open()
    await to_prompt(nvim, "half typed")

    await nvim.lua(BUFDELETE)

    async def is_gone() -> bool:
        return await shown(nvim) == ["a.txt"]

    await until(is_gone, "the panel is closed")
    assert await nvim.eval("v:errmsg") == ""
    assert await nvim.eval(KEPT) == [["half typed"]]


@pytest.mark.parametrize("wiped", ["claude-chat", "claude-prompt", "both"])
async def test_unsent_text_outlives_the_buffers_of_the_panel(
    nvim: Neovim, chats: Chats, wiped: str
) -> None:
    await chats.open()
    await to_prompt(nvim, "half<CR>typed")

    kinds = ["claude-chat", "claude-prompt"] if wiped == "both" else [wiped]
    await nvim.command("bwipeout! " + " ".join(f"*/{kind}/*" for kind in kinds))

    await chats.hidden()
    assert await nvim.eval(KEPT) == [["half", "typed"]]
    assert "prompt: your text is kept in buffer" in await nvim.eval("execute('messages')")


async def test_unsent_text_outlives_the_chat(nvim: Neovim, chats: Chats) -> None:
    await chats.open()
    await to_prompt(nvim, "half typed")

    await nvim.lua("require('claude_ide.chat.panel').close(...)", 1)

    await chats.hidden()
    assert await nvim.eval(KEPT) == [["half typed"]]
