"""`chat/plan/init.lua`: a plan is edited, approved, or goes back with what is missing."""

from pathlib import Path

import pytest

from support.answers import answer, answers, settled
from support.neovim import Neovim, until
from support.plans import PLAN, ask, asked_for_comments, gone, open_plan, waited

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
