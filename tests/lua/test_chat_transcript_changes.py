"""`chat/transcript/keys.lua`: the mouse, and keys that would change the transcript."""

import pytest

from support.chats import Chats, edit
from support.neovim import Neovim, until

LINES = ["> first", "Edit a.py", "done"]
PARTS = [[0, 1, "turn"], [1, 2, "tool"], [2, 3, "end"]]


@pytest.fixture
async def chats(nvim: Neovim) -> Chats:
    chats = await Chats.start(nvim)
    await chats.open()
    await chats.show_bars({"transcript": {"left": [["idle", ""]]}})
    await chats.draw(edit(0, 0, LINES, parts=PARTS))
    return chats


@pytest.mark.parametrize("mode", ["i", "n"])
async def test_a_double_click_opens_a_part(nvim: Neovim, chats: Chats, mode: str) -> None:
    await nvim.keys("hello" if mode == "i" else "hello<Esc>")
    await until(lambda: nvim.eval(f"mode() == '{mode}'"))
    win = (await chats.windows())["transcript"]["win"]
    await nvim.lua("vim.o.mouse = 'a'")
    row, column = await nvim.lua("return vim.fn.win_screenpos(...)", win)

    for action in ("press", "release", "press", "release"):
        # The window's bar is above its first line.
        await nvim.request("nvim_input_mouse", "left", action, "", 0, row + 1, column + 1)

    event = await chats.wait_for_event("press")
    assert (event["part"], event["offset"]) == (2, 0)
    await until(lambda: nvim.eval("mode() == 'n'"), "Normal mode")


@pytest.mark.parametrize("key", ["dd", "cw", "p", "rx", "J", "u"])
async def test_a_key_that_would_change_the_transcript_changes_nothing(
    nvim: Neovim, chats: Chats, key: str
) -> None:
    await chats.enter_transcript(2)
    await nvim.keys(key)

    await nvim.idle(50)
    assert await chats.lines() == LINES


async def test_a_key_that_the_user_has_mapped_keeps_its_meaning(nvim: Neovim) -> None:
    await nvim.command("nnoremap s <Cmd>let g:jumped = 1<CR>")
    chats = await Chats.start(nvim)
    await chats.open()

    await chats.enter_transcript(1)
    await nvim.keys("s")

    await until(lambda: nvim.eval("get(g:, 'jumped')"), "the user's mapping")
