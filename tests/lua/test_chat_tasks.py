"""`lists.vim` and `state.lua`: the tasks in the background, and their number."""

from collections.abc import Sequence
from typing import Any

import pytest

from support.chats import Chats
from support.neovim import Neovim, until

OPEN, SHOW = "vim.fn['claude_ide#lists#Open'](...)", "return vim.fn['claude_ide#lists#Show'](...)"
STATUS = "require('claude_ide.chat.state')"
LINES = "vim.api.nvim_buf_get_lines(0, 0, -1, false)"
LOOK = {
    "title": "Tasks",
    "filetype": "claude-tasks",
    "closing": ["q", "<Esc>"],
    "keys": [
        {"key": "<CR>", "name": "output", "desc": "Show it"},
        {"key": "x", "name": "stop", "desc": "Stop it"},
    ],
}


@pytest.fixture
async def chats(nvim: Neovim) -> Chats:
    """A chat on screen; the user is in its transcript."""
    chats = await Chats.start(nvim)
    await chats.open()
    await chats.enter_transcript(1)
    return chats


def task(id_: str, title: str = "", lacks: Sequence[str] = ()) -> dict[str, Any]:
    marks = [[0, 1, 4, "ClaudeChatToolRunning"]]
    return {"id": id_, "lines": [f" ▶ {title or id_} "], "marks": marks, "lacks": [*lacks]}


async def show(nvim: Neovim, *tasks: dict[str, Any], chat: int = 1) -> None:
    await nvim.lua(OPEN, f"tasks {chat}", LOOK)
    await draw(nvim, *tasks, chat=chat)


async def draw(nvim: Neovim, *tasks: dict[str, Any], chat: int = 1) -> bool:
    return bool(await nvim.lua(SHOW, f"tasks {chat}", "Tasks", [*tasks]))


async def pressed(nvim: Neovim, key: str, id_: str, chat: int = 1) -> None:
    """Wait for an event of the list; its item, if it has one, is on the screen."""
    seen = {"is_seen": True} if id_ else {}
    event = {"list": f"tasks {chat}", "key": key, "id": id_, **seen}
    await until(lambda: event in nvim.events("chat_list"), f"{event}")


async def is_listed(nvim: Neovim) -> bool:
    return bool(await nvim.eval("&filetype == 'claude-tasks'"))


async def test_the_list_names_its_keys(nvim: Neovim, chats: Chats) -> None:
    await show(nvim, task("b1", "Build"), task("b2", "Serve"))
    await nvim.command("redraw")

    assert await nvim.lua(f"return {LINES}") == [" ▶ Build ", " ▶ Serve "]
    assert "<CR> output  x stop" in nvim.screen.text()


async def test_keys_act_on_the_task_under_the_cursor(nvim: Neovim, chats: Chats) -> None:
    await show(nvim, task("b1"), task("b2"))

    await nvim.keys("jx")
    await pressed(nvim, "x", "b2")
    assert await is_listed(nvim)
    await nvim.keys("k<CR>")

    await pressed(nvim, "<CR>", "b1")


async def test_a_key_that_does_nothing_is_not_named(nvim: Neovim, chats: Chats) -> None:
    await show(nvim, task("b1", lacks=["stop"]))
    await nvim.command("redraw")

    assert "<CR> output" in nvim.screen.text()
    assert "x stop" not in nvim.screen.text()


@pytest.mark.parametrize("key", ["q", "<Esc>", ":close<CR>"])
async def test_closing_the_list_leaves_no_trace(nvim: Neovim, chats: Chats, key: str) -> None:
    before = await nvim.eval("[win_getid(), winlayout(), map(getbufinfo(), 'v:val.bufnr')]")
    await show(nvim, task("b1"))

    await nvim.keys(key)

    await pressed(nvim, "closed", "")

    async def is_as_before() -> bool:
        now = await nvim.eval("[win_getid(), winlayout(), map(getbufinfo(), 'v:val.bufnr')]")
        return bool(now == before)

    await until(is_as_before, "no trace")
    assert await draw(nvim, task("b1")) is False


async def test_the_cursor_stays_on_its_task(nvim: Neovim, chats: Chats) -> None:
    await show(nvim, task("b1"), task("b2"))
    await nvim.keys("j")

    assert await draw(nvim, task("b3"), task("b1"), task("b2"))

    assert await nvim.eval("line('.')") == 3
    assert len(await nvim.lua(f"return {LINES}")) == 3


async def test_a_long_list_fits_the_screen(nvim: Neovim, chats: Chats) -> None:
    await show(nvim, *(task(f"b{number}", "x" * 300) for number in range(100)))
    await nvim.command("redraw")

    assert await nvim.eval("winheight(0) <= &lines / 2")


async def test_running_tasks_are_counted_and_announced(nvim: Neovim, chats: Chats) -> None:
    record = "autocmd User ClaudeChatTasks let g:counts = get(g:, 'counts', []) + [1]"
    await nvim.command(record)

    await chats.open(2)
    await nvim.lua(f"{STATUS}.set(1, {{ tasks = 2 }}) {STATUS}.set(2, {{ tasks = 1 }})")
    tasks = f"vim.tbl_map(function(chat) return chat.tasks end, {STATUS}.list())"
    assert sorted(await nvim.lua(f"return {tasks}")) == [1, 2]
    await nvim.lua(
        f"for _, set in ipairs({{ {{ 1, 2 }}, {{ 1, 0 }}, {{ 2, 0 }} }}) do"
        f" {STATUS}.set(set[1], {{ tasks = set[2] }}) end"
    )

    await until(lambda: nvim.eval("len(g:counts) == 4"), "four events")


async def test_the_end_of_a_chat_closes_its_list(nvim: Neovim, chats: Chats) -> None:
    await nvim.lua(f"{STATUS}.set(1, {{ tasks = 2 }})")
    await show(nvim, task("b1"))

    await nvim.lua("require('claude_ide.chat.panel').close(1)")

    await chats.hidden()
    await until(lambda: nvim.eval("winnr('$') == 1"), "the list is closed")
