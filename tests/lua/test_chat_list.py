"""`lists.vim`: lists whose content and keys belong to the host, which is this test."""

from collections.abc import Sequence
from typing import Any

import pytest

from support.chats import Chats
from support.lists import ListWindow
from support.neovim import Neovim, until

OPEN, SHOW = "vim.fn['claude_ide#lists#Open'](...)", "return vim.fn['claude_ide#lists#Show'](...)"
KEYS = [
    {"key": "<CR>", "name": "open", "desc": "Open it"},
    {"key": "d", "name": "delete", "desc": "Delete it"},
]


def item(id_: str, *lines: str, lacks: Sequence[str] = ()) -> dict[str, Any]:
    marks = [[0, 0, 3, "ClaudeChatKey"]]
    return {"id": id_, "lines": [*lines], "marks": marks, "lacks": [*lacks]}


@pytest.fixture
async def fish(nvim: Neovim) -> ListWindow:
    """A list with three items; the second one has two lines."""
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())
    await nvim.command("edit a.txt")
    await nvim.lua(OPEN, "fish", {"title": "Fish", "keys": KEYS})
    await show(nvim, item("p", "pike"), item("e", "eel", "  long"), item("c", "carp"))
    return ListWindow(nvim)


async def show(nvim: Neovim, *items: dict[str, Any]) -> bool:
    return bool(await nvim.lua(SHOW, "fish", "Fish", [*items]))


async def test_a_key_is_sent_with_the_item_under_the_cursor(nvim: Neovim, fish: ListWindow) -> None:
    await fish.press("d", "long")
    await fish.press("<CR>", "carp")

    await until(lambda: len(nvim.events("chat_list")) == 2, "two events")
    assert nvim.events("chat_list") == [
        {"list": "fish", "key": "d", "id": "e", "is_seen": True},
        {"list": "fish", "key": "<CR>", "id": "c", "is_seen": True},
    ]


async def test_the_cursor_stays_on_its_item(nvim: Neovim, fish: ListWindow) -> None:
    await nvim.command("call search('carp')")

    await show(nvim, item("n", "newt"), item("c", "a carp"), item("p", "pike"))
    assert await nvim.eval("getline('.')") == "a carp"

    await show(nvim, item("n", "newt"))
    assert await nvim.eval("getline('.')") == "newt"


async def test_highlights_of_the_last_content_do_not_remain(nvim: Neovim, fish: ListWindow) -> None:
    await show(nvim, item("p", "pike"))

    marks = "nvim_buf_get_extmarks(0, nvim_create_namespace('claude_ide_chat_page'), 0, -1, {})"
    assert len(await nvim.eval(marks)) == 1


async def test_the_winbar_names_the_list_and_its_keys(fish: ListWindow) -> None:
    title = (await fish.look())["title"]

    assert title.startswith(" Fish ")
    assert "<CR> open  d delete" in title


async def test_closing_a_list_returns_the_user_and_is_reported(
    nvim: Neovim, fish: ListWindow
) -> None:
    await nvim.keys("q")

    await fish.closed()
    await until(lambda: nvim.events("chat_list"), "the event")
    assert nvim.events("chat_list")[-1] == {"list": "fish", "key": "closed", "id": ""}
    assert await nvim.eval("expand('%:t')") == "a.txt"
    assert await nvim.eval("winnr('$')") == 1
    assert not await show(nvim, item("p", "pike"))


async def test_opening_an_open_list_enters_it(nvim: Neovim, fish: ListWindow) -> None:
    await nvim.command("wincmd p")

    await nvim.lua(OPEN, "fish", {"title": "More fish", "keys": KEYS})

    assert await nvim.eval("&filetype") == "claude-list"
    assert await nvim.eval("winnr('$')") == 2
    assert (await fish.look())["title"].startswith(" More fish ")


async def test_the_text_cannot_be_changed_and_its_keys_are_shown(
    nvim: Neovim, fish: ListWindow
) -> None:
    assert not await nvim.eval("&modifiable")

    await nvim.keys("g?")

    await until(lambda: "Delete it" in nvim.screen.text(), "the keys")


async def test_only_the_keys_that_do_something_are_shown(nvim: Neovim, fish: ListWindow) -> None:
    await show(nvim, item("p", "pike", lacks=["delete"]), item("e", "eel"))
    assert "d delete" in (await fish.look())["title"]

    await nvim.keys("ggg?")
    await until(lambda: "Open it" in nvim.screen.text(), "the keys")
    assert "Delete it" not in nvim.screen.text()
    await nvim.keys("qGg?")
    await until(lambda: "Delete it" in nvim.screen.text(), "the keys of the other one")
    await nvim.keys("q")

    await show(nvim, item("p", "pike", lacks=["delete"]))
    assert "d delete" not in (await fish.look())["title"]


async def test_the_panel_keeps_its_heights_beside_a_list(nvim: Neovim, chats: Chats) -> None:
    await nvim.command("edit a.txt")
    await chats.open()
    await nvim.command("stopinsert")
    prompt = await nvim.eval("win_getid()")
    height = await nvim.eval("winheight(0)")

    await nvim.lua(OPEN, "fish", {"title": "Fish", "keys": KEYS})
    await show(nvim, item("p", "pike"))
    await until(lambda: nvim.eval(f"winheight({prompt}) == {height}"), "the prompt's height")
    assert await nvim.eval("nvim_win_get_height(0)") == 3

    await nvim.keys("q")
    await until(lambda: nvim.eval(f"win_getid() == {prompt}"), "the list is closed")
    await until(lambda: nvim.eval(f"winheight({prompt}) == {height}"), "the prompt's height")


async def test_the_name_of_the_buffer_holds_no_title(nvim: Neovim, fish: ListWindow) -> None:
    assert (await nvim.eval("expand('%:t')")) == "Chat: fish"
