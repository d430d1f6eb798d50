"""`approval_buffer.lua`: a plan's tabpage appears, and closes without a trace."""

from typing import Any

import pytest

from support.answers import answer, answers, settled
from support.chunks import chunk
from support.diffs import everything
from support.neovim import Neovim, until
from support.plans import (
    MODULE,
    PLAN,
    QUESTION,
    ask,
    asked_for_comments,
    open_plan,
    ready,
    wait,
    wait_until_closed,
)
from support.status_reports import reported

SCENES = {
    "a file": ["edit a.txt", "normal! 2G"],
    "splits": ["edit a.txt", "vsplit b.txt", "vertical resize 12", "split a.txt", "resize 3"],
    "the last line of the screen": ["edit long.txt", "normal! 40GzbL"],
    "tabpages": ["edit a.txt", "tabedit b.txt", "tabprevious", "vsplit"],
    "options": ["edit a.txt", "setlocal number list nowrap spell foldmethod=indent"],
    "a fixed buffer": ["edit a.txt", "setlocal winfixbuf"],
    "a diff": ["edit a.txt", "diffthis", "vnew", "diffthis"],
}


async def looks(nvim: Neovim) -> dict[str, Any]:
    await nvim.command("redraw")
    state = await everything(nvim)
    return {name: state[name] for name in ("tabpages", "tabpage", "win", "previous_win", "mode")}


@pytest.mark.parametrize("keys", [":w<CR>", "ZZ", "onot so<Esc>:q<CR>", ":tabclose<CR>"])
@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
async def test_a_plan_leaves_no_trace(plans: Neovim, scene: list[str], keys: str) -> None:
    for command in scene:
        await plans.command(command)
    before = await looks(plans)
    await open_plan(plans)
    assert await plans.eval("[&diff, &scrollbind, &wrap]") == [0, 0, 1]

    await plans.keys(keys)
    if keys == ":tabclose<CR>":
        await asked_for_comments(plans)
        await plans.keys("<CR>")
    await answer(plans, 1)

    async def same() -> bool:
        return await looks(plans) == before

    await until(same, "everything is as before")


async def test_the_user_stays_in_the_window_that_they_moved_to(plans: Neovim) -> None:
    await plans.command("edit a.txt | vsplit b.txt | tabnew | tabprevious")
    await open_plan(plans)
    await plans.keys("1gt<C-w>wgt")
    await until(lambda: plans.eval("bufname() =~# 'Claude plan'"))
    await plans.keys(":tablast<CR>")
    await until(lambda: plans.eval("tabpagenr() == 3"))
    there = await plans.eval("win_getid()")

    await plans.command("bwipeout Claude\\ plan")

    await asked_for_comments(plans)
    await plans.keys("<Esc>")
    await answer(plans, 1)
    assert await plans.eval("win_getid()") == there


async def test_a_file_next_to_the_plan_stays_open(plans: Neovim) -> None:
    await open_plan(plans)
    await plans.keys(":split a.txt<CR>ochanged<Esc><C-w>p")
    await until(lambda: plans.eval("bufname() =~# 'Claude plan'"))

    await plans.keys(":w<CR>")

    await answer(plans, 1)
    await until(lambda: plans.eval("win_findbuf(bufnr('claude-plan')) == []"))
    assert await plans.eval("len(win_findbuf(bufnr('a.txt')))") == 1
    assert await plans.eval("getbufvar('a.txt', '&modified')") == 1


@pytest.mark.parametrize(
    ("keys", "back"), [("i", "<Esc>"), (":", "<Esc>"), ("d", "<Esc>"), ("v", "<Esc>")]
)
async def test_a_plan_appears_only_in_normal_mode(plans: Neovim, keys: str, back: str) -> None:
    await plans.keys(keys)
    await until(lambda: plans.eval("mode(1) !=# 'n'"))
    await ask(plans)
    await wait(plans, 150)
    assert await plans.eval("tabpagenr('$')") == 1

    await plans.keys(back)

    await ready(plans)


async def test_keys_typed_while_a_plan_appears_do_not_reach_it(plans: Neovim) -> None:
    await ask(plans)
    await until(lambda: plans.eval("bufname() =~# 'Claude plan'"))

    await plans.keys("dd:w<CR>ZZ")
    await ready(plans)
    await wait(plans)

    assert answers(plans, 1) == []
    assert await plans.eval("getline(1, '$')") == PLAN.splitlines()


async def test_a_plan_requested_again_is_shown_immediately(plans: Neovim) -> None:
    """Even in Insert mode, whose end it would otherwise wait for."""
    await plans.keys("ione")
    await until(lambda: plans.eval("mode() ==# 'i'"))
    await ask(plans)

    await ask(plans)

    await ready(plans)
    assert await plans.eval("mode()") == "n"
    await plans.keys("1gt")
    await until(lambda: plans.eval("tabpagenr() == 1"))
    await ask(plans)
    await until(lambda: plans.eval("tabpagenr() == 2"))
    await plans.keys(":w<CR>")
    assert (await answer(plans, 1))["text"] == PLAN


async def test_a_plan_requested_again_during_comments_is_answered_once(plans: Neovim) -> None:
    await open_plan(plans)
    await plans.keys(":q<CR>")
    await until(lambda: plans.eval("tabpagenr('$') == 1"))
    await ask(plans)

    await asked_for_comments(plans)
    await plans.keys("less<CR>")

    assert (await answer(plans, 1))["comments"] == "less"
    await settled(plans)
    assert await plans.eval("tabpagenr('$')") == 1


async def test_the_question_for_comments_waits_until_insert_mode_ends(plans: Neovim) -> None:
    await plans.command("edit a.txt")
    await open_plan(plans)

    await plans.keys(":q<CR>iwords ")
    await wait(plans, 150)
    assert QUESTION not in plans.screen.text()
    await plans.keys("more<Esc>")

    await asked_for_comments(plans)
    await plans.keys("<Esc>")
    await answer(plans, 1)
    assert await plans.eval("getline(1)") == "words moreone"


async def test_a_withdrawn_plan_closes_without_an_answer(plans: Neovim) -> None:
    await open_plan(plans)

    await plans.lua(f"{MODULE}.close(1)")

    await wait_until_closed(plans)
    await wait(plans, 500)
    await settled(plans)
    assert answers(plans, 1) == []
    assert await plans.eval("len(getbufinfo({'buflisted': 1}))") == 1


async def test_the_status_line_and_a_message_report_a_waiting_plan(plans: Neovim) -> None:
    await plans.keys("i")
    await until(lambda: plans.eval("mode() == 'i'"))

    await ask(plans)

    await reported(plans, held=1)
    message = "plan waits: leave Insert mode"
    await until(lambda: message in plans.screen.text())
    await plans.keys("<Esc>")
    await ready(plans)
    await reported(plans, held=0)


async def test_a_plan_withdrawn_before_it_appears_is_never_shown(plans: Neovim) -> None:
    await plans.keys("i")
    await ask(plans)
    await plans.lua(f"{MODULE}.close(1)")
    await plans.keys("<Esc>")

    await open_plan(plans, "another\n", 2)

    assert await plans.eval("tabpagenr('$')") == 2
    assert await plans.eval("getline(1)") == "another"


async def test_edits_of_a_withdrawn_plan_are_kept(plans: Neovim) -> None:
    await open_plan(plans)
    await plans.keys("GoMy thoughts.<Esc>")

    await plans.lua(f"{MODULE}.close(1)")

    await wait_until_closed(plans)
    await until(lambda: "your edits are kept in buffer" in plans.screen.text())
    kept = await plans.eval("getbufline(bufnr('Kept ('), 1, '$')")
    assert kept == [*PLAN.splitlines(), "My thoughts."]
    assert answers(plans, 1) == []


async def test_withdrawing_a_plan_does_not_move_a_user_in_another_tabpage(plans: Neovim) -> None:
    await open_plan(plans)
    await plans.keys("1gtiwords")
    await until(lambda: plans.eval("mode() ==# 'i'"))

    await plans.lua(f"{MODULE}.close(1)")

    await wait_until_closed(plans)
    await plans.keys(" more<Esc>")
    await until(lambda: plans.eval("getline(1) ==# 'words more'"))


TREE = """
vim.cmd('topleft 12vnew')
vim.bo.buftype, vim.bo.bufhidden, vim.bo.swapfile = 'nofile', 'hide', false
"""


async def test_withdrawing_a_plan_returns_the_user_from_a_tree_next_to_it(plans: Neovim) -> None:
    win = await plans.eval("win_getid()")
    await open_plan(plans)
    await plans.lua(TREE)
    await wait(plans)

    await plans.lua(f"{MODULE}.close(1)")

    await wait_until_closed(plans)
    assert await plans.eval("win_getid()") == win


ENTER_FLOAT = chunk("chat_plan_window/enter_float")


@pytest.mark.parametrize("event", ["BufLeave", "BufWinLeave", "BufUnload", "BufWipeout"])
async def test_a_plan_gets_its_window_when_an_autocommand_enters_a_float(
    plans: Neovim, event: str
) -> None:
    await plans.command("edit a.txt")
    await plans.lua(ENTER_FLOAT, event)

    await open_plan(plans)

    assert await plans.eval("[winnr('$'), win_gettype()]") == [1, ""]


async def test_two_plans_are_answered_one_by_one(plans: Neovim) -> None:
    await open_plan(plans, "first\n", 1)
    await ask(plans, "second\n", 2)
    await until(lambda: plans.eval("getline(1) ==# 'second' && &modifiable"))

    await plans.keys(":w<CR>")
    assert await answer(plans, 2) == {"decision": "approve", "text": "second\n"}
    await until(lambda: plans.eval("getline(1) ==# 'first'"))
    await plans.keys(":w!<CR>")

    assert await answer(plans, 1) == {"decision": "approve_more", "text": "first\n"}
    await wait_until_closed(plans)


async def test_a_failing_filetype_plugin_does_no_harm(plans: Neovim) -> None:
    await plans.command("filetype on | autocmd FileType markdown throw 'oops' | echo 1 | echo 2")
    await plans.command("autocmd FileType markdown setlocal bufhidden=hide")
    await open_plan(plans)

    await plans.keys("onot so<Esc>:q<CR>")

    assert (await answer(plans, 1))["decision"] == "reject"
    await wait_until_closed(plans)


@pytest.mark.parametrize("function", ["vim.cmd.tabnew", "require('claude_ide.window.winbar').set"])
async def test_a_plan_that_cannot_be_shown_keeps_planning(plans: Neovim, function: str) -> None:
    await plans.lua(f"{function} = function() error('no room') end")

    await ask(plans)

    assert await answer(plans, 1) == {"decision": "reject", "text": PLAN}
    await until(lambda: "no room" in plans.screen.text())
    await wait_until_closed(plans)
    await settled(plans)


@pytest.mark.parametrize("keys", [":w<CR>", "ZZ", "gA"])
async def test_neovim_stays_open_when_the_plan_was_its_last_window(
    plans: Neovim, keys: str
) -> None:
    await plans.command("edit a.txt")
    await open_plan(plans)

    await plans.keys(":tabonly<CR>" + keys)

    assert (await answer(plans, 1))["text"] == PLAN
    await wait_until_closed(plans)
    assert await plans.eval("bufname()") == "a.txt"
    assert await plans.eval("&winbar .. &winfixbuf") == "0"


async def test_terminal_mode_resumes_after_a_plan(plans: Neovim) -> None:
    await plans.command("edit term://cat | startinsert")
    await until(lambda: plans.eval("mode() ==# 't'"))
    await open_plan(plans)

    await plans.keys(":q<CR>")

    await asked_for_comments(plans)
    await plans.keys("less<CR>")
    assert (await answer(plans, 1))["comments"] == "less"
    await until(lambda: plans.eval("mode() ==# 't'"))


async def test_the_keys_are_visible_in_a_narrow_window(plans: Neovim) -> None:
    await plans.command("set columns=62")

    await open_plan(plans)

    await until(lambda: ":w approve" in plans.screen.text())
    await until(lambda: ":q keep planning" in plans.screen.text())
