"""`chat/panel.lua`: the panel appears, and disappears without a trace."""

from typing import Any

import pytest

from support.chats import PANEL, Chats, edit, options
from support.chunks import chunk
from support.diffs import everything
from support.neovim import Neovim, until

pytestmark = pytest.mark.usefixtures("numbered_files")


SIDES = ["right", "left", "above", "below", "float", "tab"]


SCENES = {
    "an empty Neovim": [],
    "a file": ["edit a.txt", "normal! 40Gzt5l"],
    "the cursor on the last line of the screen": ["edit a.txt", "normal! 40GzbL"],
    "windows of odd sizes": [
        "edit a.txt",
        "normal! 40Gzt",
        "vsplit b.txt",
        "vertical resize 12",
        "normal! 60Gzb",
        "split c.txt",
        "resize 5",
        "normal! 20Gzt",
        "wincmd b",
        "wincmd t",
    ],
    "windows that are not made equal": ["set noea", "edit a.txt", "split b.txt", "resize 3"],
    "two tabpages": [
        "edit a.txt",
        "tabedit b.txt",
        "vsplit c.txt",
        "normal! 30Gzt",
        "tabnext",
        "redraw",
        "tabnext",
    ],
    "one status line": ["set laststatus=3", "edit a.txt", "vsplit b.txt"],
    "a permanent tab line": ["set showtabline=2", "edit a.txt", "normal! 40Gzb"],
    "a previous window": ["edit a.txt", "vsplit b.txt", "split c.txt", "wincmd h", "wincmd p"],
    "window options": ["edit a.txt", "setlocal number list nowrap signcolumn=yes spell"],
    "a window with a fixed buffer": ["edit a.txt", "setlocal winfixbuf winfixheight"],
}


async def looks(nvim: Neovim) -> dict[str, Any]:
    """The user's own windows and state, without the buffers of a hidden chat."""
    await nvim.command("redraw")
    state = await everything(nvim)
    del state["buffers"], state["registers"], state["options"]
    return state


def differences(before: Any, after: Any, where: str = "") -> list[str]:
    """List each value that differs."""
    if isinstance(before, dict) and isinstance(after, dict):
        names = before.keys() | after.keys()
        pairs = {f".{name}": (before.get(name), after.get(name)) for name in sorted(names)}
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = {f"[{i}]": pair for i, pair in enumerate(zip(before, after, strict=True))}
    else:
        return [] if before == after else [f"{where}: {before!r} became {after!r}"]
    return [
        text
        for name, (one, other) in pairs.items()
        for text in differences(one, other, where + name)
    ]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
async def test_hiding_the_panel_leaves_no_trace(
    nvim: Neovim, chats: Chats, scene: list[str], side: str
) -> None:
    await nvim.command("set noswapfile")
    for command in scene:
        await nvim.command(command)
    before = await looks(nvim)
    await chats.open(side=side)
    await chats.draw(edit(0, 0, [f"text {number}" for number in range(50)]))
    await nvim.keys("hello")

    assert await chats.toggle(side=side) == "hidden"

    await chats.hidden()
    await until(lambda: nvim.eval("mode() == 'n'"))
    after = await looks(nvim)
    assert differences(before, after) == []
    assert await chats.lines("prompt") == ["hello"]


@pytest.mark.parametrize("side", SIDES)
async def test_the_panel_opens_on_the_requested_side(nvim: Neovim, chats: Chats, side: str) -> None:
    await nvim.command("edit a.txt")

    await chats.open(side=side)

    windows = await chats.windows()
    transcript, prompt = windows["transcript"], windows["prompt"]
    assert transcript["height"] > prompt["height"] >= 3
    assert transcript["float"] == prompt["float"] == (side == "float")
    assert transcript["tabpage"] == prompt["tabpage"] == (2 if side == "tab" else 1)
    row, column = await nvim.request("nvim_win_get_position", transcript["win"])
    assert (column > 0) == (side in ("right", "float"))
    # A tab line is above a panel in its own tabpage.
    assert (row > 1) == (side in ("below", "float"))
    if side in ("right", "left"):
        assert transcript["width"] == 40


@pytest.mark.parametrize("side", SIDES)
async def test_the_panel_opens_on_a_small_screen(nvim: Neovim, chats: Chats, side: str) -> None:
    await nvim.command("set columns=40 lines=10 | edit a.txt")

    await chats.open(side=side)
    await nvim.keys("hi")
    await until(lambda: nvim.eval("getline(1) == 'hi'"))
    await chats.toggle(side=side)

    await chats.hidden()
    assert (await nvim.mode())["blocking"] is False


@pytest.mark.parametrize("side", SIDES)
async def test_a_screen_that_is_too_small_causes_no_error(
    nvim: Neovim, chats: Chats, side: str
) -> None:
    await nvim.command("set columns=40 lines=3 | edit a.txt")

    await chats.toggle(side=side)

    await nvim.command("redraw")
    assert (await nvim.mode())["blocking"] is False
    await nvim.command("set columns=80 lines=24")
    await chats.toggle(side=side)
    await chats.open(side=side)
    assert set(await chats.windows()) == {"transcript", "prompt"}


async def test_toggling_shows_hides_and_shows_the_panel_again(nvim: Neovim, chats: Chats) -> None:
    assert await chats.toggle() == "shown"
    assert await chats.toggle() == "hidden"
    await chats.hidden()
    assert await chats.toggle() == "shown"

    assert set(await chats.windows()) == {"transcript", "prompt"}
    assert chats.shown() == [True, False, True]


@pytest.mark.parametrize("side", SIDES)
async def test_toggling_the_panel_twice_does_not_start_insert_mode(
    nvim: Neovim, chats: Chats, side: str
) -> None:
    await nvim.command("call setline(1, 'one') | set nomodified")
    root = await nvim.eval("getcwd()")
    twice = f"{PANEL}.open(...) {PANEL}.hide(1)"

    await nvim.lua(twice, 1, options(side, 0.4, root))
    await chats.hidden()
    await nvim.keys("A!<Esc>")

    await until(lambda: nvim.eval("getline(1) =~ '!'"))
    assert await nvim.eval("getline(1)") == "one!"


async def test_the_cursors_are_restored_when_the_panel_reopens(nvim: Neovim, chats: Chats) -> None:
    await chats.open()
    await chats.draw(edit(0, 0, [f"text {number}" for number in range(200)]))
    await nvim.keys("one<CR>two<CR>three<Esc>gg0l")
    await chats.enter_transcript(80)
    await nvim.keys("zt")
    before = await chats.windows()

    await nvim.keys("q")
    await chats.hidden()
    await chats.open()

    after = await chats.windows()
    assert after["transcript"]["cursor"] == [80, 0]
    assert after["transcript"]["top"] == before["transcript"]["top"] == 80
    assert after["prompt"]["cursor"] == [1, 1]


async def test_a_reopened_transcript_follows_lines_drawn_while_it_was_hidden(
    nvim: Neovim, chats: Chats
) -> None:
    await chats.open()
    await chats.draw(edit(0, 0, ["one"]))
    await chats.toggle()
    await chats.hidden()
    await chats.draw(edit(1, 1, [f"text {number}" for number in range(200)]))

    await chats.open()
    await nvim.command("redraw")

    transcript = (await chats.windows())["transcript"]
    assert transcript["cursor"][0] == 201
    assert transcript["bottom"] == 201


@pytest.mark.parametrize("keys", ["<Esc>:q<CR>", "<Esc><C-w>c", "<Esc><C-w>k:q<CR>", "<Esc>ZQ"])
@pytest.mark.parametrize("side", SIDES)
async def test_closing_one_window_hides_the_panel(
    nvim: Neovim, chats: Chats, side: str, keys: str
) -> None:
    await nvim.command("edit a.txt | split b.txt | resize 4 | wincmd w")
    before = await looks(nvim)
    await chats.open(side=side)

    await nvim.keys("kept" + keys)

    await chats.hidden()
    assert differences(before, await looks(nvim)) == []
    assert await chats.lines("prompt") == ["kept"]
    assert chats.shown()[-1] is False
    assert chats.events("closed") == []


@pytest.mark.parametrize("command", ["edit", "edit!"])
async def test_reloading_the_prompt_with_edit_loses_nothing(
    nvim: Neovim, chats: Chats, command: str
) -> None:
    await nvim.command("edit a.txt")
    await chats.open()
    await nvim.keys("one<CR>two<Esc>")

    await nvim.command(command)

    await until(lambda: nvim.eval("getline(1, '$') == ['one', 'two']"), "the text is back")
    await nvim.keys("Gothree<C-s>")
    assert (await chats.wait_for_event("send"))["text"] == "one\ntwo\nthree"
    assert chats.events("closed") == []


@pytest.mark.parametrize("command", ["edit", "edit!"])
async def test_reloading_the_transcript_with_edit_redraws_it(
    nvim: Neovim, chats: Chats, command: str
) -> None:
    await nvim.command("edit a.txt")
    await chats.open()
    await chats.draw(edit(0, 0, ["one", "two"]))
    await nvim.keys("<Esc><C-w>k")

    await nvim.command(command)

    assert await chats.wait_for_event("redraw") == {"chat": 1}
    assert await nvim.eval("getline(1, '$')") == ["one", "two"]
    await chats.draw(edit(0, 2**31 - 1, []), edit(0, 0, ["one"]))
    assert await nvim.eval("getline(1, '$')") == ["one"]
    assert chats.events("closed") == []


async def test_closing_a_chat_removes_its_windows_and_buffers(nvim: Neovim, chats: Chats) -> None:
    await nvim.command("edit a.txt")
    await chats.open()

    await nvim.lua(f"{PANEL}.close(...)", 1)

    await chats.hidden()
    assert await nvim.eval("filter(getbufinfo(), 'v:val.name =~ \"claude-\"')") == []
    assert chats.events("closed") == []
    assert await nvim.eval("bufname()") == "a.txt"


async def test_chat_buffers_are_not_files(nvim: Neovim, chats: Chats) -> None:
    await nvim.command("set number list spell foldenable")
    await chats.open()
    found = await nvim.lua(chunk("chat_panel/options"))

    rest = ["hide", False, False, False, "no", True, True, True, False, False, False]
    assert found == {"claude-chat": ["nofile", *rest], "claude-prompt": ["acwrite", *rest]}


async def test_window_options_of_the_panel_do_not_spread(nvim: Neovim, chats: Chats) -> None:
    await nvim.command("set number | edit a.txt")
    await chats.open()
    await nvim.keys("<Esc><C-w>k<C-w>v")
    await nvim.command("wincmd t | vnew")

    assert await nvim.eval("[&number, &winfixbuf, &winbar]") == [1, 0, ""]


async def test_the_winbars_show_their_texts_literally(nvim: Neovim, chats: Chats) -> None:
    await chats.open()
    bars = {
        "transcript": {
            "left": [["100% Claude", "ClaudeChatMode"], [" more", "ClaudeChatMeta"]],
            "right": [["$1", "ClaudeChatMeta"]],
        },
        "prompt": {"left": [["%{1+1}", "ClaudeChatMeta"]], "right": []},
    }

    await chats.show_bars(bars)
    await chats.toggle()
    await chats.hidden()
    await chats.open()
    await nvim.command("redraw")

    shown = nvim.screen.text()
    assert "100% Claude more" in shown
    assert "$1" in shown
    assert "%{1+1}" in shown


async def test_a_narrow_winbar_leaves_out_its_end(nvim: Neovim, chats: Chats) -> None:
    await chats.open(size=24)
    right = [["plan", "ClaudeChatMode"], ["  ", ""], ["42%", ""], ["  ", ""], ["$0.12", ""]]
    bars = {"transcript": {"left": [["writing…", "ClaudeChatMeta"]], "right": right}}

    await chats.show_bars(bars)

    await until(
        lambda: nvim.screen.lines()[0][76:] == "writing…       plan  42%", "the texts that fit"
    )
    await nvim.command("vertical resize +4")
    await until(lambda: nvim.screen.lines()[0].endswith("plan  42%  $0.12"), "all texts")


async def test_a_winbar_that_is_too_narrow_shows_its_start(nvim: Neovim, chats: Chats) -> None:
    await chats.open(size=24)
    left = [["Claude", "ClaudeChatMode"], [" in the mode of planning", "ClaudeChatMeta"]]
    bars = {"transcript": {"left": left, "right": [["42% $0.12", "ClaudeChatMeta"]]}}

    await chats.show_bars(bars)

    await until(lambda: nvim.screen.lines()[0][76:].startswith("Claude<"), "the texts that fit")


async def test_floats_fit_a_resized_screen(nvim: Neovim, chats: Chats) -> None:
    await chats.open(side="float")

    await nvim.request("nvim_ui_try_resize", 50, 20)

    await until(lambda: nvim.eval("&columns == 50"))
    await until(lambda: _is_narrower(chats), "the floats fit")
    windows = await chats.windows()
    assert windows["transcript"]["height"] + windows["prompt"]["height"] <= 16


async def _is_narrower(chats: Chats) -> bool:
    return all(found["width"] <= 48 for found in (await chats.windows()).values())


async def test_failing_autocommands_cause_no_prompt(nvim: Neovim, chats: Chats) -> None:
    await nvim.command("autocmd WinEnter,WinNew,BufWinEnter,FileType * call Missing()")

    await chats.open()
    await chats.toggle()

    await chats.hidden()
    assert (await nvim.mode())["blocking"] is False


async def test_a_recording_continues_through_the_panel(nvim: Neovim, chats: Chats) -> None:
    await chats.open()
    await chats.enter_transcript(1)
    await nvim.keys("<C-w>tqa")
    await until(lambda: nvim.eval("reg_recording() == 'a'"))
    await nvim.keys("<C-w>b<C-w>kq")

    await until(lambda: nvim.eval("reg_recording() == ''"))
    assert set(await chats.windows()) == {"transcript", "prompt"}


async def test_the_gap_in_a_bar_is_not_underlined(nvim: Neovim, chats: Chats) -> None:
    await chats.open()
    left, right = [["[a.py]", "ClaudeChatLink"]], [["<C-s>", "ClaudeChatKey"]]
    await chats.show_bars({"prompt": {"left": left, "right": right}})

    groups = await nvim.lua(
        "local options = { use_winbar = true, highlights = true }\n"
        "local shown = vim.api.nvim_eval_statusline(vim.wo.winbar, options)\n"
        "return vim.tbl_map(function(part) return part.group end, shown.highlights)"
    )
    assert groups == ["ClaudeChatLink", "WinBar", "ClaudeChatKey"]
