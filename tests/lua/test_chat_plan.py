"""`approval_buffer.lua`: a plan is edited, and approved or returned with comments."""

from pathlib import Path

import pytest

from support.answers import answer, answers, settled
from support.neovim import Neovim, until
from support.plans import PLAN, ask, asked_for_comments, open_plan, wait, wait_until_closed

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


async def test_a_plan_opens_as_markdown_in_its_own_tabpage_and_shows_its_keys(
    plans: Neovim,
) -> None:
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


@pytest.mark.parametrize("edit", ["", "Gothree<Esc>"], ids=["unedited", "edited"])
@pytest.mark.parametrize("keys", APPROVING)
async def test_writing_a_plan_approves_it(plans: Neovim, keys: str, edit: str) -> None:
    await open_plan(plans)

    await plans.keys(edit + keys)

    text = PLAN + ("three\n" if edit else "")
    assert await answer(plans, 1) == {"decision": "approve", "text": text}
    await wait_until_closed(plans)
    await settled(plans)


@pytest.mark.parametrize("edit", ["", "Gothree<Esc>"], ids=["unedited", "edited"])
@pytest.mark.parametrize("keys", ACCEPTING_EDITS)
async def test_a_forced_write_or_ga_approves_a_plan_and_accepts_edits(
    plans: Neovim, keys: str, edit: str
) -> None:
    await open_plan(plans)

    await plans.keys(edit + keys)

    text = PLAN + ("three\n" if edit else "")
    assert await answer(plans, 1) == {"decision": "approve_more", "text": text}
    await wait_until_closed(plans)


async def test_another_key_can_be_mapped_to_accepting_edits(plans: Neovim) -> None:
    await plans.command("nmap <F5> <Plug>(claude-plan-accept-edits)")
    await open_plan(plans)

    assert await plans.eval("maparg('gA', 'n')") == ""
    await plans.keys("<F5>")

    assert (await answer(plans, 1))["decision"] == "approve_more"


@pytest.mark.parametrize("keys", REVISING)
async def test_closing_an_unedited_plan_asks_for_comments(plans: Neovim, keys: str) -> None:
    await open_plan(plans)

    await plans.keys(keys)

    await asked_for_comments(plans)
    assert answers(plans, 1) == []
    await plans.keys("no tests<CR>")
    assert await answer(plans, 1) == {"decision": "reject", "text": PLAN, "comments": "no tests"}
    await settled(plans)
    await wait_until_closed(plans)


@pytest.mark.parametrize("keys", ["<Esc>", "<CR>", "<C-c>", "half<Esc>"])
async def test_a_plan_without_comments_is_still_revised(plans: Neovim, keys: str) -> None:
    await open_plan(plans)
    await plans.keys(":q<CR>")
    await asked_for_comments(plans)

    await plans.keys(keys)

    assert await answer(plans, 1) == {"decision": "reject", "text": PLAN}
    await settled(plans)


@pytest.mark.parametrize("keys", REVISING)
async def test_closing_an_edited_plan_returns_its_text_for_revision(
    plans: Neovim, keys: str
) -> None:
    await open_plan(plans)

    await plans.keys("ggoNot this way.<Esc>" + keys)

    text = PLAN.replace("\n", "\nNot this way.\n", 1)
    assert await answer(plans, 1) == {"decision": "reject", "text": text}
    await wait_until_closed(plans)
    await wait(plans, 600)
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
@pytest.mark.parametrize("edit", ["", "ccchanged<Esc>"], ids=["unedited", "edited"])
async def test_other_commands_do_not_decide_a_plan(plans: Neovim, edit: str, keys: str) -> None:
    await open_plan(plans)

    await plans.keys(edit + keys)
    await wait(plans)
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
async def test_an_autosave_does_not_approve_a_plan(plans: Neovim, autosave: str) -> None:
    await plans.command(autosave)
    await open_plan(plans)

    await plans.keys("ochanged<Esc>ddup:tabnew<CR>gT:set fileformat=dos<CR>")
    await wait(plans)

    assert answers(plans, 1) == []
    await plans.keys(":set fileformat=unix<CR>:w<CR>")
    assert (await answer(plans, 1))["decision"] == "approve"


@pytest.mark.parametrize(
    "keys", [":qa<CR>", "Gothree<Esc>:qa<CR>", "gT:qa<CR>", ":tabonly<CR>:q<CR>"]
)
async def test_quitting_neovim_keeps_planning_without_a_question(plans: Neovim, keys: str) -> None:
    await open_plan(plans)

    await plans.keys(keys)

    await plans.process.wait()
    text = PLAN + ("three\n" if "three" in keys else "")
    assert answers(plans, 1) == [{"decision": "reject", "text": text}]


async def test_quitting_neovim_before_a_plan_appears_keeps_planning(plans: Neovim) -> None:
    await plans.keys("i")
    await ask(plans)
    await plans.keys("<C-o>:qa!<CR>")

    await plans.process.wait()
    assert answers(plans, 1) == [{"decision": "reject", "text": PLAN}]


async def test_quitting_neovim_still_warns_about_unsaved_files(plans: Neovim) -> None:
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
async def test_a_plan_is_returned_byte_for_byte(plans: Neovim, text: str, keys: str) -> None:
    await open_plan(plans, text)

    await plans.keys(keys)
    if keys == ":q<CR>":
        await asked_for_comments(plans)
        await plans.keys("<Esc>")

    assert (await answer(plans, 1))["text"] == text


async def test_undo_stops_at_the_original_plan(plans: Neovim) -> None:
    await open_plan(plans)

    await plans.keys("ggccchanged<Esc>uuuu:undo 0<CR>:w<CR>")

    assert (await answer(plans, 1))["text"] == PLAN


async def test_a_copy_is_written_to_the_file_that_the_user_names(
    plans: Neovim, project: Path
) -> None:
    await open_plan(plans)

    await plans.keys("Gothree<Esc>:w copy.md<CR>")

    copy = project / "copy.md"
    await until(lambda: copy.exists() and copy.read_text() == PLAN + "three\n")
