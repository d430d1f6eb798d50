"""`chat/plan/init.lua`: a plan is edited, approved, or goes back with what is missing."""

from pathlib import Path
from typing import Any

import pytest

from support.answers import answer, answers, listen, settled
from support.diffs import everything
from support.neovim import Neovim, until

MODULE = "require('claude_ide.chat.plan')"
PLAN = "# The plan\n\n1. change a.py\n2. run tests\n"
QUESTION = "What should change in the plan?"
APPROVING = [
    ":w<CR>",
    ":write<CR>",
    ":wq<CR>",
    ":x<CR>",
    ":exit<CR>",
    "ZZ",
    ":update|write<CR>",
    "i<C-o>:w<CR>",
    "v<Cmd>write<CR>",
]
ACCEPTING_EDITS = [":w!<CR>", ":wq!<CR>", ":x!<CR>", "gA"]
REVISING = [
    ":q<CR>",
    ":q!<CR>",
    "ZQ",
    "<C-w>c",
    ":close<CR>",
    ":bd<CR>",
    ":bdelete!<CR>",
    ":bwipeout<CR>",
    ":bunload<CR>",
    ":tabclose<CR>",
    ":tabonly<CR>:tabnew<CR>:tabclose 1<CR>",
]


@pytest.fixture
async def plans(nvim: Neovim, project: Path) -> Neovim:
    (project / "a.txt").write_text("one\ntwo\nthree\n")
    (project / "b.txt").write_text("")
    (project / "long.txt").write_text("".join(f"line {number}\n" for number in range(1, 101)))
    await listen(nvim)
    return nvim


async def ask(nvim: Neovim, text: str = PLAN, token: int = 1) -> None:
    await nvim.lua(f"{MODULE}.open(...)", token, {"title": "Plan of Claude", "text": text})


async def ready(nvim: Neovim) -> None:
    await until(
        lambda: nvim.eval("bufname() =~# '^claude-plan://' && &modifiable"), "the plan takes keys"
    )


async def open_plan(nvim: Neovim, text: str = PLAN, token: int = 1) -> None:
    await ask(nvim, text, token)
    await ready(nvim)


async def gone(nvim: Neovim) -> None:
    await until(
        lambda: nvim.eval("empty(filter(getbufinfo(), 'v:val.name =~ \"claude-plan\"'))"),
        "the plan is gone",
    )
    await until(lambda: nvim.eval("tabpagenr('$') == 1"))


async def waited(nvim: Neovim, milliseconds: int = 100) -> None:
    """Let what is due in Neovim happen."""
    await nvim.lua(
        "vim.g.waited = 0; vim.defer_fn(function() vim.g.waited = 1 end, ...)", milliseconds
    )
    await until(lambda: nvim.eval("g:waited"))


async def asked_for_comments(nvim: Neovim) -> None:
    await until(lambda: QUESTION in nvim.screen.lines()[-1], "the user is asked")


async def test_it_is_markdown_in_a_tabpage_of_its_own_with_its_keys(plans: Neovim) -> None:
    await plans.command("filetype plugin on")
    await open_plan(plans)

    assert await plans.eval("tabpagenr('$')") == 2
    assert await plans.eval("[&filetype, &buftype, &swapfile, &modified]") == [
        *("markdown", "acwrite", 0, 0)
    ]
    assert await plans.eval("getline(1, '$')") == PLAN.splitlines()
    shown = plans.screen.text()
    assert "Plan of Claude" in shown
    assert ":w approve · gA approve and accept edits · :q keep planning" in shown


@pytest.mark.parametrize("edit", ["", "Gothree<Esc>"], ids=["as it was", "edited"])
@pytest.mark.parametrize("keys", APPROVING)
async def test_it_is_approved_by(plans: Neovim, keys: str, edit: str) -> None:
    await open_plan(plans)

    await plans.keys(edit + keys)

    text = PLAN + ("three\n" if edit else "")
    assert await answer(plans, 1) == {"decision": "approve", "text": text}
    await gone(plans)
    await settled(plans)


@pytest.mark.parametrize("edit", ["", "Gothree<Esc>"], ids=["as it was", "edited"])
@pytest.mark.parametrize("keys", ACCEPTING_EDITS)
async def test_it_is_approved_and_edits_are_accepted_by(
    plans: Neovim, keys: str, edit: str
) -> None:
    await open_plan(plans)

    await plans.keys(edit + keys)

    text = PLAN + ("three\n" if edit else "")
    assert await answer(plans, 1) == {"decision": "approve_edits", "text": text}
    await gone(plans)


async def test_the_user_may_give_another_key_to_accepting_edits(plans: Neovim) -> None:
    await plans.command("nmap <F5> <Plug>(claude-plan-accept-edits)")
    await open_plan(plans)

    assert await plans.eval("maparg('gA', 'n')") == ""
    await plans.keys("<F5>")

    assert (await answer(plans, 1))["decision"] == "approve_edits"


@pytest.mark.parametrize("keys", REVISING)
async def test_closed_as_it_was_the_user_is_asked_what_should_change(
    plans: Neovim, keys: str
) -> None:
    await open_plan(plans)

    await plans.keys(keys)

    await asked_for_comments(plans)
    assert answers(plans, 1) == []
    await plans.keys("no tests<CR>")
    assert await answer(plans, 1) == {
        "decision": "revise",
        "text": PLAN,
        "comments": "no tests",
    }
    await settled(plans)
    await gone(plans)


@pytest.mark.parametrize("keys", ["<Esc>", "<CR>", "<C-c>", "half<Esc>"])
async def test_without_comments_it_is_revised_all_the_same(plans: Neovim, keys: str) -> None:
    await open_plan(plans)
    await plans.keys(":q<CR>")
    await asked_for_comments(plans)

    await plans.keys(keys)

    assert await answer(plans, 1) == {"decision": "revise", "text": PLAN}
    await settled(plans)


@pytest.mark.parametrize("keys", REVISING)
async def test_what_was_typed_into_it_goes_back_when_it_is_closed(plans: Neovim, keys: str) -> None:
    await open_plan(plans)

    await plans.keys("ggoNot this way.<Esc>" + keys)

    text = PLAN.replace("\n", "\nNot this way.\n", 1)
    assert await answer(plans, 1) == {"decision": "revise", "text": text}
    await gone(plans)
    await waited(plans, 600)
    await settled(plans)


@pytest.mark.parametrize(
    "keys",
    [
        ":split<CR>:q<CR>",
        ":wall<CR>",
        ":update<CR>",
        ":execute 'normal! Gomore' | update<CR>",
        ":execute 'normal! Gomore' | wall<CR>",
        ":x<Esc>:wall<CR>",
        ":w copy.md<CR>",
        ":w! copy.md<CR>",
        ":1,2w part.md<CR>",
        ":edit!<CR>",
        ":edit a.txt<CR>",
        ":split a.txt<CR>",
        "gt",
        "/x<CR>",
        "uuu",
    ],
)
@pytest.mark.parametrize("edit", ["", "ccchanged<Esc>"], ids=["as it was", "edited"])
async def test_nothing_is_decided_by(plans: Neovim, edit: str, keys: str) -> None:
    await open_plan(plans)

    await plans.keys(edit + keys)
    await waited(plans)
    await settled(plans)

    assert answers(plans, 1) == []
    assert await plans.eval("len(filter(getbufinfo(), 'v:val.name =~ \"claude-plan\"'))") == 1


AUTOSAVES = {
    "update": "autocmd InsertLeave,TextChanged,BufLeave,WinLeave,FocusLost * ++nested update",
    "write": "autocmd InsertLeave,TextChanged,BufLeave * ++nested silent! write!",
    "wall": "autocmd InsertLeave,TextChanged * ++nested silent! wall",
    "autowriteall": "set autowriteall",
}


@pytest.mark.parametrize("autosave", AUTOSAVES.values(), ids=AUTOSAVES)
async def test_an_autosave_does_not_approve(plans: Neovim, autosave: str) -> None:
    await plans.command(autosave)
    await open_plan(plans)

    await plans.keys("ochanged<Esc>ddup:tabnew<CR>gT:set fileformat=dos<CR>")
    await waited(plans)

    assert answers(plans, 1) == []
    await plans.keys(":set fileformat=unix<CR>:w<CR>")
    assert (await answer(plans, 1))["decision"] == "approve"


@pytest.mark.parametrize(
    "keys", [":qa<CR>", "Gothree<Esc>:qa<CR>", "gT:qa<CR>", ":tabonly<CR>:q<CR>"]
)
async def test_leaving_neovim_keeps_planning_without_a_question(plans: Neovim, keys: str) -> None:
    await open_plan(plans)

    await plans.keys(keys)

    await plans.process.wait()
    text = PLAN + ("three\n" if "three" in keys else "")
    assert answers(plans, 1) == [{"decision": "revise", "text": text}]


async def test_leaving_neovim_before_it_appeared_keeps_planning(plans: Neovim) -> None:
    await plans.keys("i")
    await ask(plans)
    await plans.keys("<C-o>:qa!<CR>")

    await plans.process.wait()
    assert answers(plans, 1) == [{"decision": "revise", "text": PLAN}]


async def test_leaving_neovim_after_an_edit_elsewhere_still_asks(plans: Neovim) -> None:
    await plans.command("edit a.txt")
    await plans.keys("ichanged<Esc>")
    await open_plan(plans)

    await plans.keys(":qa<CR>")

    await until(lambda: "E37" in plans.screen.text() or "E162" in plans.screen.text())
    await plans.keys("<CR>")
    assert answers(plans, 1) == []


@pytest.mark.parametrize(
    "text", ["", "a", "a\n", "a\n\n", "a\r\nb\r\n", "\ufeffa\n", "a\0b\n", "a\r\nb\n", "漢字 🎉"]
)
@pytest.mark.parametrize("keys", [":w<CR>", ":q<CR>"])
async def test_it_is_given_back_byte_for_byte(plans: Neovim, text: str, keys: str) -> None:
    await open_plan(plans, text)

    await plans.keys(keys)
    if keys == ":q<CR>":
        await asked_for_comments(plans)
        await plans.keys("<Esc>")

    assert (await answer(plans, 1))["text"] == text


async def test_undo_ends_at_the_plan(plans: Neovim) -> None:
    await open_plan(plans)

    await plans.keys("ggccchanged<Esc>uuuu:undo 0<CR>:w<CR>")

    assert (await answer(plans, 1))["text"] == PLAN


async def test_a_copy_is_written_where_the_user_says(plans: Neovim, project: Path) -> None:
    await open_plan(plans)

    await plans.keys("Gothree<Esc>:w copy.md<CR>")

    copy = project / "copy.md"
    await until(lambda: copy.exists() and copy.read_text() == PLAN + "three\n")


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
async def test_it_leaves_no_trace(plans: Neovim, scene: list[str], keys: str) -> None:
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


async def test_the_user_stays_where_they_have_gone(plans: Neovim) -> None:
    await plans.command("edit a.txt | vsplit b.txt | tabnew | tabprevious")
    await open_plan(plans)
    await plans.keys("1gt<C-w>wgt")
    await until(lambda: plans.eval("bufname() =~# 'claude-plan'"))
    await plans.keys(":tablast<CR>")
    await until(lambda: plans.eval("tabpagenr() == 3"))
    there = await plans.eval("win_getid()")

    await plans.command("bwipeout claude-plan")

    await asked_for_comments(plans)
    await plans.keys("<Esc>")
    await answer(plans, 1)
    assert await plans.eval("win_getid()") == there


async def test_a_file_beside_the_plan_stays_open(plans: Neovim) -> None:
    await open_plan(plans)
    await plans.keys(":split a.txt<CR>ochanged<Esc><C-w>p")
    await until(lambda: plans.eval("bufname() =~# 'claude-plan'"))

    await plans.keys(":w<CR>")

    await answer(plans, 1)
    await until(lambda: plans.eval("win_findbuf(bufnr('claude-plan')) == []"))
    assert await plans.eval("len(win_findbuf(bufnr('a.txt')))") == 1
    assert await plans.eval("getbufvar('a.txt', '&modified')") == 1


@pytest.mark.parametrize(
    ("keys", "back"), [("i", "<Esc>"), (":", "<Esc>"), ("d", "<Esc>"), ("v", "<Esc>")]
)
async def test_it_appears_when_that_takes_nothing_from_the_user(
    plans: Neovim, keys: str, back: str
) -> None:
    await plans.keys(keys)
    await until(lambda: plans.eval("mode(1) !=# 'n'"))
    await ask(plans)
    await waited(plans, 150)
    assert await plans.eval("tabpagenr('$')") == 1

    await plans.keys(back)

    await ready(plans)


async def test_what_is_typed_blindly_does_not_land_in_it(plans: Neovim) -> None:
    await ask(plans)
    await until(lambda: plans.eval("bufname() =~# 'claude-plan'"))

    await plans.keys("dd:w<CR>ZZ")
    await ready(plans)
    await waited(plans)

    assert answers(plans, 1) == []
    assert await plans.eval("getline(1, '$')") == PLAN.splitlines()


async def test_asked_for_again_it_is_shown_at_once(plans: Neovim) -> None:
    """From Insert mode, which it would otherwise wait for."""
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


async def test_asked_for_again_while_comments_are_typed_it_is_answered_once(plans: Neovim) -> None:
    await open_plan(plans)
    await plans.keys(":q<CR>")
    await until(lambda: plans.eval("tabpagenr('$') == 1"))
    await ask(plans)

    await asked_for_comments(plans)
    await plans.keys("less<CR>")

    assert (await answer(plans, 1))["comments"] == "less"
    await settled(plans)
    assert await plans.eval("tabpagenr('$')") == 1


async def test_the_question_waits_for_what_is_being_typed(plans: Neovim) -> None:
    await plans.command("edit a.txt")
    await open_plan(plans)

    await plans.keys(":q<CR>iwords ")
    await waited(plans, 150)
    assert QUESTION not in plans.screen.text()
    await plans.keys("more<Esc>")

    await asked_for_comments(plans)
    await plans.keys("<Esc>")
    await answer(plans, 1)
    assert await plans.eval("getline(1)") == "words moreone"


async def test_withdrawn_it_goes_without_an_answer(plans: Neovim) -> None:
    await open_plan(plans)

    await plans.lua(f"{MODULE}.close(1)")

    await gone(plans)
    await waited(plans, 500)
    await settled(plans)
    assert answers(plans, 1) == []
    assert await plans.eval("len(getbufinfo({'buflisted': 1}))") == 1


async def test_while_it_waits_the_status_line_and_a_message_say_so(plans: Neovim) -> None:
    await plans.keys("i")
    await until(lambda: plans.eval("mode() == 'i'"))

    await ask(plans)

    await until(lambda: plans.lua("return require('claude_ide').statusline() == '1!'"))
    said = "plan waits: leave Insert mode"
    await until(lambda: said in plans.screen.text())
    await plans.keys("<Esc>")
    await ready(plans)
    assert await plans.lua("return require('claude_ide').statusline()") == ""


async def test_withdrawn_before_it_appeared_it_never_does(plans: Neovim) -> None:
    await plans.keys("i")
    await ask(plans)
    await plans.lua(f"{MODULE}.close(1)")
    await plans.keys("<Esc>")

    await open_plan(plans, "another\n", 2)

    assert await plans.eval("tabpagenr('$')") == 2
    assert await plans.eval("getline(1)") == "another"


async def test_withdrawn_what_was_typed_into_it_is_kept(plans: Neovim) -> None:
    await open_plan(plans)
    await plans.keys("GoMy thoughts.<Esc>")

    await plans.lua(f"{MODULE}.close(1)")

    await gone(plans)
    await until(lambda: "your edits are kept in buffer" in plans.screen.text())
    kept = await plans.eval("getbufline(bufnr('claude-ide://kept/'), 1, '$')")
    assert kept == [*PLAN.splitlines(), "My thoughts."]
    assert answers(plans, 1) == []


async def test_withdrawn_while_the_user_is_elsewhere_they_stay(plans: Neovim) -> None:
    await open_plan(plans)
    await plans.keys("1gtiwords")
    await until(lambda: plans.eval("mode() ==# 'i'"))

    await plans.lua(f"{MODULE}.close(1)")

    await gone(plans)
    await plans.keys(" more<Esc>")
    await until(lambda: plans.eval("getline(1) ==# 'words more'"))


TREE = """
vim.cmd('topleft 12vnew')
vim.bo.buftype, vim.bo.bufhidden, vim.bo.swapfile = 'nofile', 'hide', false
"""


async def test_withdrawn_while_the_user_is_in_a_tree_beside_it_they_are_back(
    plans: Neovim,
) -> None:
    win = await plans.eval("win_getid()")
    await open_plan(plans)
    await plans.lua(TREE)
    await waited(plans)

    await plans.lua(f"{MODULE}.close(1)")

    await gone(plans)
    assert await plans.eval("win_getid()") == win


ENTER_FLOAT = """
vim.api.nvim_create_autocmd(..., {
  callback = function(info)
    local is_blank = vim.api.nvim_buf_get_name(info.buf) == ''
    if is_blank and vim.api.nvim_win_get_config(0).relative == '' then
      vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), true, {
        relative = 'editor', row = 1, col = 1, width = 9, height = 1,
      })
    end
  end,
})
"""


@pytest.mark.parametrize("event", ["BufLeave", "BufWinLeave", "BufUnload", "BufWipeout"])
async def test_it_gets_its_window_whatever_an_autocommand_enters(plans: Neovim, event: str) -> None:
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

    assert await answer(plans, 1) == {"decision": "approve_edits", "text": "first\n"}
    await gone(plans)


async def test_a_filetype_plugin_that_fails_costs_nothing(plans: Neovim) -> None:
    await plans.command("filetype on | autocmd FileType markdown throw 'oops' | echo 1 | echo 2")
    await plans.command("autocmd FileType markdown setlocal bufhidden=hide")
    await open_plan(plans)

    await plans.keys("onot so<Esc>:q<CR>")

    assert (await answer(plans, 1))["decision"] == "revise"
    await gone(plans)


@pytest.mark.parametrize("place", ["vim.cmd.tabnew", "require('claude_ide.chat.plan.winbar').set"])
async def test_a_plan_that_cannot_be_shown_keeps_planning(plans: Neovim, place: str) -> None:
    await plans.lua(f"{place} = function() error('no room') end")

    await ask(plans)

    assert await answer(plans, 1) == {"decision": "revise", "text": PLAN}
    await until(lambda: "no room" in plans.screen.text())
    await gone(plans)
    await settled(plans)


@pytest.mark.parametrize("keys", [":w<CR>", "ZZ", "gA"])
async def test_neovim_goes_on_when_the_plan_was_its_last_window(plans: Neovim, keys: str) -> None:
    await plans.command("edit a.txt")
    await open_plan(plans)

    await plans.keys(":tabonly<CR>" + keys)

    assert (await answer(plans, 1))["text"] == PLAN
    await gone(plans)
    assert await plans.eval("bufname()") == "a.txt"
    assert await plans.eval("&winbar .. &winfixbuf") == "0"


async def test_a_terminal_that_was_typed_into_goes_on(plans: Neovim) -> None:
    await plans.command("edit term://cat | startinsert")
    await until(lambda: plans.eval("mode() ==# 't'"))
    await open_plan(plans)

    await plans.keys(":q<CR>")

    await asked_for_comments(plans)
    await plans.keys("less<CR>")
    assert (await answer(plans, 1))["comments"] == "less"
    await until(lambda: plans.eval("mode() ==# 't'"))


async def test_the_keys_are_seen_in_a_narrow_window(plans: Neovim) -> None:
    await plans.command("set columns=62")

    await open_plan(plans)

    await until(lambda: ":w approve" in plans.screen.text())
    await until(lambda: ":q keep planning" in plans.screen.text())
