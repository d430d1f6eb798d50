"""`chat/panel.lua`: the panel among the user's windows, tabpages and modes."""

import pytest

from support.chats import PANEL, Chats, edit, options
from support.neovim import Neovim, until

pytestmark = pytest.mark.usefixtures("numbered_files")


SIDES = ["right", "left", "above", "below", "float", "tab"]


async def test_window_sizes_set_by_the_user_are_kept(nvim: Neovim, chats: Chats) -> None:
    await nvim.command("edit a.txt | split b.txt")
    await chats.open()
    await nvim.keys("<Esc><C-w>t5<C-w>_")
    await until(lambda: nvim.eval("winheight(1) == 5"))

    await chats.toggle()

    await chats.hidden()
    assert await nvim.eval("winheight(1)") == 5


@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize("keys", ["", "<C-w>k"], ids=["prompt", "transcript"])
@pytest.mark.parametrize("command", ["vsplit b.txt", "rightbelow vnew"])
async def test_a_window_that_is_split_off_the_panel_has_half_of_its_width(
    nvim: Neovim, chats: Chats, side: str, keys: str, command: str
) -> None:
    await nvim.command("edit a.txt")
    await chats.open(side=side)
    before = await chats.windows()
    await nvim.keys(f"<Esc>{keys}:{command}<CR>")
    await until(lambda: nvim.eval("winnr('$') == 4"))
    await nvim.idle(100)

    assert await nvim.eval("winwidth(0)") >= 19
    await nvim.command("close")
    await until(lambda: nvim.eval("winnr('$') == 3"))
    await nvim.idle(100)
    after = await chats.windows()
    assert {name: win["width"] for name, win in after.items()} == {
        name: win["width"] for name, win in before.items()
    }


async def test_hiding_the_panel_returns_to_the_previous_window(nvim: Neovim, chats: Chats) -> None:
    await nvim.command("edit a.txt | split b.txt")
    await chats.open()
    await nvim.keys("<Esc><C-w>t<C-w>j:let g:there = win_getid()<CR><C-w>b")
    await until(lambda: nvim.eval("exists('g:there') && &filetype == 'claude-prompt'"))

    await chats.toggle()

    await chats.hidden()
    assert await nvim.eval("win_getid() == g:there")


async def test_insert_mode_resumes_when_the_panel_hides(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("ione two<Left><Left><Left>")
    await until(lambda: nvim.eval("getline(1) == 'one two'"))
    await chats.open()
    await nvim.keys("to claude")

    await chats.toggle()
    await chats.hidden()
    await until(lambda: nvim.eval("mode() == 'i'"))
    await nvim.keys("and ")

    await until(lambda: nvim.eval("getline(1) == 'one and two'"))
    assert await chats.lines("prompt") == ["to claude"]


async def test_terminal_mode_resumes_when_the_panel_hides(nvim: Neovim, chats: Chats) -> None:
    await nvim.command("terminal cat")
    await nvim.keys("i")
    await until(lambda: nvim.eval("mode() == 't'"))
    await chats.open()

    await chats.toggle()

    await chats.hidden()
    await until(lambda: nvim.eval("mode() == 't'"))


async def test_visual_mode_ends_when_the_panel_opens(nvim: Neovim, chats: Chats) -> None:
    await nvim.command("edit a.txt")
    await nvim.keys("Vjj")
    await until(lambda: nvim.eval("mode() == 'V'"))

    await chats.open()

    assert await nvim.lua("return vim.api.nvim_buf_get_mark(vim.fn.bufnr('a.txt'), '>')[1]") == 3


async def test_the_panel_waits_for_a_command_that_is_being_typed(
    nvim: Neovim, chats: Chats
) -> None:
    await nvim.keys(":let g:typed = 'so")
    await until(lambda: nvim.eval("mode() == 'c'"))
    await nvim.lua(f"{PANEL}.open(...)", 1, options("right", 0.4))
    assert await chats.windows() == {}

    await nvim.keys("me text'<CR>")

    await until(chats.is_typing)
    assert await nvim.eval("g:typed") == "some text"


async def test_the_panel_waits_until_the_command_line_window_closes(
    nvim: Neovim, chats: Chats
) -> None:
    await nvim.keys("q:")
    await until(lambda: nvim.eval("getcmdwintype() == ':'"))
    await nvim.lua(f"{PANEL}.open(...)", 1, options("right", 0.4))

    await nvim.keys(":q<CR>")

    await until(chats.is_typing)


@pytest.mark.parametrize("side", SIDES)
async def test_the_panel_never_blocks_quitting_all(nvim: Neovim, chats: Chats, side: str) -> None:
    await chats.open(side=side)
    await chats.draw(edit(0, 0, ["text"]))

    await nvim.keys("unsent<Esc>:qa<CR>")

    await until(lambda: nvim.process.returncode is not None, "Neovim has quit")


async def test_ctrl_w_o_in_a_file_hides_the_panel(nvim: Neovim, chats: Chats) -> None:
    await nvim.command("edit a.txt")
    await chats.open()

    await nvim.keys("<Esc><C-w>h<C-w>o")

    await chats.hidden()
    assert await nvim.eval("winnr('$')") == 1
    assert await nvim.eval("bufname()") == "a.txt"
    await chats.open()
    assert set(await chats.windows()) == {"transcript", "prompt"}


@pytest.mark.parametrize("keys", ["<C-w>o", "<C-w>k<C-w>o"])
async def test_ctrl_w_o_in_the_panel_keeps_only_the_panel(
    nvim: Neovim, chats: Chats, keys: str
) -> None:
    await nvim.command("edit a.txt")
    await chats.open()
    await nvim.keys("<Esc>" + keys)

    await until(lambda: nvim.eval("winnr('$') == 2"))
    await until(lambda: nvim.eval("winlayout()[0] == 'col'"))
    windows = await chats.windows()
    assert windows["transcript"]["width"] == windows["prompt"]["width"] == 100
    assert windows["prompt"]["height"] == 6
    await chats.toggle()

    await chats.hidden()
    assert await nvim.eval("bufname()") == "a.txt"


async def test_the_last_window_shows_the_file_again(nvim: Neovim, chats: Chats) -> None:
    await nvim.command("edit a.txt | setlocal number")
    await chats.open()
    await nvim.keys("<Esc><C-w>h:q<CR>")
    await until(lambda: nvim.eval("winnr('$') == 2"))

    await nvim.keys(":q<CR>")

    await chats.hidden()
    assert await nvim.eval("[bufname(), &number, &winfixbuf, &winbar, &winfixheight]") == [
        "a.txt",
        1,
        0,
        "",
        0,
    ]


async def test_closing_a_tabpage_hides_its_panel(nvim: Neovim, chats: Chats) -> None:
    await nvim.command("edit a.txt | tabedit b.txt")
    await chats.open()

    await nvim.keys("<Esc>:tabclose<CR>")

    await until(lambda: chats.shown()[-1] is False)
    assert chats.events("closed") == []
    await chats.open()
    assert (await chats.windows())["prompt"]["tabpage"] == 1


async def test_each_tabpage_has_its_own_chat(nvim: Neovim, chats: Chats) -> None:
    here = f"return ({PANEL}.here() or {{}}).chat"
    assert await nvim.lua(here) is None
    await chats.open(1)
    await nvim.keys("<Esc>")
    await nvim.command("tabnew")
    assert await nvim.lua(here) == 1
    await chats.open(2)
    assert await nvim.lua(here) == 2
    await chats.toggle(2)
    await until(lambda: nvim.eval("winnr('$') == 1"))

    assert await nvim.lua(here) == 2
    await nvim.command("tabnext 1")
    assert await nvim.lua(here) == 1
    await nvim.command("tabnew")
    assert await nvim.lua(here) == 1


async def test_a_tabpage_has_no_chat_until_one_is_started_there(nvim: Neovim, chats: Chats) -> None:
    of_tabpage = f"return ({PANEL}.of_tabpage() or {{}}).chat"
    await chats.open(1)
    await nvim.command("stopinsert | tabnew")

    assert await nvim.lua(of_tabpage) is None
    await nvim.command("tabclose 1")
    assert await nvim.lua(of_tabpage) == 1


async def test_a_chat_with_its_own_tabpage_belongs_to_all(nvim: Neovim, chats: Chats) -> None:
    await chats.open(1, side="tab")
    await nvim.command("stopinsert | tabfirst")

    assert await nvim.lua(f"return ({PANEL}.of_tabpage() or {{}}).chat") == 1


async def test_a_chat_moves_to_the_tabpage_in_which_it_is_requested(
    nvim: Neovim, chats: Chats
) -> None:
    await chats.open()
    await nvim.keys("<Esc>")
    await nvim.command("tabnew")

    assert await chats.toggle() == "shown"

    windows = await nvim.lua("return #vim.api.nvim_list_wins()")
    assert windows == 4
    assert (await chats.windows())["prompt"]["tabpage"] == 2
    assert chats.shown() == [True, False, True]


async def test_opening_another_chat_replaces_the_one_that_is_shown(
    nvim: Neovim, chats: Chats
) -> None:
    await nvim.command("edit a.txt")
    await chats.open(1)
    await nvim.keys("first")
    await chats.open(2)
    await until(lambda: (chats.events("placed")[-1]["chat"], chats.shown()[-1]) == (2, True))

    await nvim.keys("second")
    await until(lambda: nvim.eval("getline(1) == 'second'"))
    assert await nvim.eval("winnr('$')") == 3
    await chats.toggle(2)
    await chats.hidden()

    assert await nvim.eval("bufname()") == "a.txt"
    assert await nvim.eval("getline(1)") == "line 1"
    await until(lambda: nvim.eval("mode() == 'n'"))


async def test_the_host_is_notified_of_the_transcript_width(nvim: Neovim, chats: Chats) -> None:
    await chats.open(1)
    win, width = [(await chats.windows())["transcript"][key] for key in ("win", "width")]
    event = await chats.wait_for_event("placed")
    columns = await nvim.eval("&columns")
    assert event == {"chat": 1, "shown": True, "width": width, "columns": columns}

    await nvim.request("nvim_win_set_width", win, width - 5)

    await until(lambda: chats.events("placed")[-1]["width"] == width - 5, "the new width")


@pytest.mark.parametrize("kind", ["chat", "prompt"])
async def test_wiping_a_chat_buffer_ends_the_chat(nvim: Neovim, chats: Chats, kind: str) -> None:
    await nvim.command("edit a.txt")
    await chats.open()
    await nvim.keys("<Esc>")
    await nvim.command(f"execute 'bwipeout' bufnr('/claude-{kind}/')")

    assert await chats.wait_for_event("closed") == {"chat": 1}
    await chats.hidden()
    assert await nvim.eval("filter(getbufinfo(), 'v:val.name =~ \"claude-\"')") == []
    assert await nvim.eval("bufname()") == "a.txt"
    assert await nvim.lua(f"return {PANEL}.here()") is False
    assert len(chats.events("closed")) == 1
