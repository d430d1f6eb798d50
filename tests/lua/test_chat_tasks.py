"""`chat/tasks.lua`: the list of tasks in the background, and their number."""

from typing import Any

import pytest

from support.chats import Chats
from support.neovim import Neovim, until

TASKS = "require('claude_ide.chat.tasks')"
LINES = "vim.api.nvim_buf_get_lines(0, 0, -1, false)"


@pytest.fixture
async def chats(nvim: Neovim) -> Chats:
    """A chat on screen; the user is in its transcript."""
    chats = await Chats.start(nvim)
    await chats.open()
    await chats.enter_transcript(1)
    return chats


def task(id_: str, title: str = "") -> dict[str, Any]:
    return {"id": id_, "chunks": [["▶ ", "ClaudeChatToolRunning"], [title or id_, ""]]}


async def show(nvim: Neovim, *tasks: dict[str, Any]) -> None:
    await nvim.lua(f"{TASKS}.show(...)", 1, list(tasks))


async def draw(nvim: Neovim, *tasks: dict[str, Any]) -> bool:
    return bool(await nvim.lua(f"return {TASKS}.draw(...)", 1, list(tasks)))


async def is_listed(nvim: Neovim) -> bool:
    return bool(await nvim.eval("&filetype == 'claude-tasks'"))


async def test_the_list_is_a_float_that_names_its_keys(nvim: Neovim, chats: Chats) -> None:
    await show(nvim, task("b1", "Build"), task("b2", "Serve"))
    await nvim.command("redraw")

    assert await nvim.lua(f"return {LINES}") == [" ▶ Build ", " ▶ Serve "]
    assert "<CR> output · x stop · q close" in nvim.screen.text()


async def test_keys_act_on_the_task_under_the_cursor(nvim: Neovim, chats: Chats) -> None:
    await show(nvim, task("b1"), task("b2"))

    await nvim.keys("jx")
    assert (await chats.wait_for_event("stop_task"))["task"] == "b2"
    assert await is_listed(nvim)
    await nvim.keys("k<CR>")

    assert (await chats.wait_for_event("task_output"))["task"] == "b1"
    assert not await is_listed(nvim)


@pytest.mark.parametrize("key", ["q", "<Esc>", "<C-w>w", ":close<CR>"])
async def test_leaving_the_list_closes_it_without_a_trace(
    nvim: Neovim, chats: Chats, key: str
) -> None:
    before = await nvim.eval("[win_getid(), winlayout(), map(getbufinfo(), 'v:val.bufnr')]")
    await show(nvim, task("b1"))

    await nvim.keys(key)

    await chats.wait_for_event("tasks_closed")
    if key != "<C-w>w":
        now = await nvim.eval("[win_getid(), winlayout(), map(getbufinfo(), 'v:val.bufnr')]")
        assert now == before
    assert await draw(nvim, task("b1")) is False


async def test_the_cursor_stays_on_its_task(nvim: Neovim, chats: Chats) -> None:
    await show(nvim, task("b1"), task("b2"))
    await nvim.keys("j")

    assert await draw(nvim, task("b3"), task("b1"), task("b2"))

    assert await nvim.eval("line('.')") == 3
    assert len(await nvim.lua(f"return {LINES}")) == 3
    assert await nvim.eval("winheight(0)") == 3


async def test_the_list_of_another_chat_replaces_this_one(nvim: Neovim, chats: Chats) -> None:
    await show(nvim, task("b1"))

    await nvim.lua(f"{TASKS}.show(...)", 2, [task("c1")])

    assert await nvim.lua(f"return {LINES}") == [" ▶ c1 "]
    floats = "filter(nvim_list_wins(), {_, w -> nvim_win_get_config(w).relative !=# ''})"
    assert await nvim.eval(f"len({floats})") == 1


async def test_a_long_list_fits_the_screen(nvim: Neovim, chats: Chats) -> None:
    await show(nvim, *(task(f"b{number}", "x" * 300) for number in range(100)))
    await nvim.command("redraw")

    assert await nvim.eval("winheight(0) < &lines && winwidth(0) < &columns")


async def test_running_tasks_are_counted_for_the_status_line(nvim: Neovim, chats: Chats) -> None:
    record = "autocmd User ClaudeChatTasks let g:counts = get(g:, 'counts', []) + [1]"
    await nvim.command(record)

    await nvim.lua(f"{TASKS}.set_count(1, 2) {TASKS}.set_count(2, 1)")
    assert await nvim.lua("return require('claude_ide').statusline()") == "3&"
    await nvim.lua(f"{TASKS}.set_count(1, 2) {TASKS}.set_count(1, 0) {TASKS}.set_count(2, 0)")

    assert await nvim.lua("return require('claude_ide').statusline()") == ""
    await until(lambda: nvim.eval("len(g:counts) == 4"), "four events")


async def test_the_end_of_a_chat_closes_its_list(nvim: Neovim, chats: Chats) -> None:
    await nvim.lua(f"{TASKS}.set_count(1, 2)")
    await show(nvim, task("b1"))

    await nvim.lua("require('claude_ide.chat.panel').close(1)")

    await chats.hidden()
    await until(lambda: nvim.eval("winnr('$') == 1"), "the list is closed")
    assert await nvim.lua("return require('claude_ide').statusline()") == ""
