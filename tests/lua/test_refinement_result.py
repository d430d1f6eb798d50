"""`headless/rewrite.lua`: a refined result, its undo, its hunks, and edits meanwhile."""

import pytest

from support.either_editor import hidden, on_screen
from support.headless import holds
from support.neovim import Neovim, until
from support.refining import LINES, asked, finish, hunk_rows, propose, refine


async def test_the_new_result_is_one_undo_step_in_the_same_diff(proposed: Neovim) -> None:
    await refine(proposed, "shorter", "2\n")

    await until(lambda: holds(proposed, ["one", "2", "four"]))
    assert await proposed.eval("tabpagenr('$')") == 2
    await on_screen(proposed, "refined (u undoes it)")
    await proposed.keys("u")
    await until(lambda: holds(proposed, ["one", "TWO", "THREE", "four"]))
    await proposed.keys("<C-r>")
    await until(lambda: holds(proposed, ["one", "2", "four"]))


async def test_the_refined_text_is_accepted(proposed: Neovim) -> None:
    await refine(proposed, "shorter", "2\n")

    await proposed.keys(":w<CR>")

    await until(lambda: proposed.eval("tabpagenr('$') == 1"), "the diff is closed")
    assert await holds(proposed, ["one", "2", "four"])


async def test_the_next_refinement_gets_all_instructions(proposed: Neovim) -> None:
    await refine(proposed, "shorter", "2\n")

    question = await asked(proposed, "ClaudeEdit in words")

    assert question["earlier"] == ["shout", "shorter"]
    assert (question["first"], question["last"]) == (1, 2)


async def test_an_undone_instruction_is_forgotten(proposed: Neovim) -> None:
    await refine(proposed, "shorter", "2\n")
    await proposed.keys("u")
    await until(lambda: holds(proposed, ["one", "TWO", "THREE", "four"]))
    await proposed.keys("Ax<Esc>")

    question = await asked(proposed, "ClaudeEdit in words")

    assert question["earlier"] == ["shout"]


async def test_edits_of_other_lines_in_the_meantime_stay(proposed: Neovim) -> None:
    question = await asked(proposed, "ClaudeEdit shorter")
    await proposed.command("4substitute/$/ mine/ | 0put ='zero'")

    await finish(proposed, question, result="2")

    await until(lambda: holds(proposed, ["zero", "one", "2", "four mine"]))


async def test_edits_of_the_same_lines_in_the_meantime_are_not_overwritten(
    proposed: Neovim,
) -> None:
    question = await asked(proposed, "ClaudeEdit shorter")
    await proposed.command("2substitute/$/ mine/")

    await finish(proposed, question, result="2")

    await on_screen(proposed, "the lines have changed; the rewrite is kept in buffer")
    assert await holds(proposed, ["one", "TWO mine", "THREE", "four"])
    kept = await proposed.eval("getbufline(bufnr('$'), 1, '$')")
    assert kept == ["2"]
    assert await proposed.eval("tabpagenr('$')") == 2


@pytest.mark.parametrize("keys", ["i", "v", "d", ":"])
async def test_the_text_does_not_change_under_a_user_who_is_busy_in_it(
    proposed: Neovim, keys: str
) -> None:
    question = await asked(proposed, "ClaudeEdit shorter")
    await proposed.keys(keys)
    mode = {"d": "no", ":": "c"}.get(keys, keys)
    await until(lambda: proposed.eval(f"mode(1) == '{mode}'"))

    await finish(proposed, question, result="2")
    await proposed.idle(300)

    assert await holds(proposed, ["one", "TWO", "THREE", "four"])
    await proposed.keys("<Esc>")
    await until(lambda: holds(proposed, ["one", "2", "four"]))


async def test_a_user_who_types_elsewhere_need_not_wait_for_the_result(proposed: Neovim) -> None:
    question = await asked(proposed, "ClaudeEdit shorter")
    proposal = await proposed.eval("bufnr()")
    await proposed.command("tabnew")
    await proposed.keys("itext")

    await finish(proposed, question, result="2")

    await until(lambda: proposed.eval(f"getbufline({proposal}, 2) == ['2']"))
    assert (await proposed.mode())["mode"] == "i"
    assert await holds(proposed, ["text"])


async def test_a_result_that_waits_can_be_stopped(proposed: Neovim) -> None:
    question = await asked(proposed, "ClaudeEdit shorter")
    await proposed.keys("i")
    await until(lambda: proposed.eval("mode() == 'i'"))
    await finish(proposed, question, result="2")
    await on_screen(proposed, "Claude is refining")

    await proposed.command("ClaudeEdit!")

    await hidden(proposed, "refining")
    await proposed.keys("<Esc>")
    await until(lambda: proposed.eval("mode() == 'n'"))
    await proposed.idle(300)
    assert await holds(proposed, ["one", "TWO", "THREE", "four"])


async def test_a_proposal_that_was_locked_in_the_meantime_is_not_changed(
    proposed: Neovim,
) -> None:
    question = await asked(proposed, "ClaudeEdit shorter")
    await proposed.command("set nomodifiable")

    await finish(proposed, question, result="2")

    await on_screen(proposed, "the rewrite is kept in buffer")
    assert await holds(proposed, ["one", "TWO", "THREE", "four"])


async def test_the_same_result_is_reported_as_no_change(proposed: Neovim) -> None:
    tick = await proposed.eval("b:changedtick")

    question = await asked(proposed, "ClaudeEdit shorter")
    await finish(proposed, question, result="TWO\nTHREE\n")

    await on_screen(proposed, "Claude suggests no changes")
    assert await proposed.eval("b:changedtick") == tick


async def test_a_refined_hunk_can_be_dropped_and_taken(proposed: Neovim) -> None:
    await refine(proposed, "shorter", "2\n")
    await proposed.command("2")

    await proposed.keys("gX")
    await until(lambda: holds(proposed, LINES))
    await on_screen(proposed, "dropped")
    await proposed.keys("gY")

    await until(lambda: holds(proposed, ["one", "2", "four"]))


async def test_an_earlier_version_has_its_own_hunks(proposed: Neovim) -> None:
    await refine(proposed, "shorter", "two\n3\nand more\n")
    assert await hunk_rows(proposed) == [[2, 4]]
    await proposed.keys("u")
    await until(lambda: holds(proposed, ["one", "TWO", "THREE", "four"]))
    assert await hunk_rows(proposed) == [[1, 3]]
    await proposed.command("3")

    await proposed.keys("gX")
    await until(lambda: holds(proposed, LINES))
    await proposed.keys("gY")

    await until(lambda: holds(proposed, ["one", "TWO", "THREE", "four"]))


async def test_reading_the_proposal_again_restores_the_refined_text(proposed: Neovim) -> None:
    await refine(proposed, "shorter", "2\n")
    await proposed.keys("Ax<Esc>")

    await proposed.command("edit!")

    await until(lambda: holds(proposed, ["one", "2", "four"]))
    await proposed.command("2")
    await proposed.keys("gX")
    await until(lambda: holds(proposed, LINES))
    question = await asked(proposed, "ClaudeEdit longer")
    assert question["earlier"] == ["shout", "shorter"]


async def test_a_refined_text_without_a_line_is_accepted(rewritable: Neovim) -> None:
    await propose(rewritable, "ClaudeEdit shorter", "1")

    await refine(rewritable, "nothing", "")
    await rewritable.keys(":w<CR>")

    await until(lambda: rewritable.eval("tabpagenr('$') == 1"), "the diff is closed")
    await until(lambda: holds(rewritable, [""]))


async def test_a_result_that_removed_the_lines_can_be_refined(rewritable: Neovim) -> None:
    await propose(rewritable, "2,3ClaudeEdit delete", "")

    question = await asked(rewritable, "ClaudeEdit but say so")
    await on_screen(rewritable, "Claude is refining")
    await finish(rewritable, question, result="deleted")

    assert (question["first"], question["last"]) == (1, 1)
    await until(lambda: holds(rewritable, ["one", "deleted", "four"]))


async def test_a_rewrite_is_refined_inline(rewritable: Neovim) -> None:
    await propose(rewritable, "2,3ClaudeEdit shout", "TWO\nTHREE", layout="inline")

    await refine(rewritable, "shorter", "2\n")

    await until(lambda: holds(rewritable, ["one", "2", "four"]))
    await on_screen(rewritable, "three")  # a removed line
    await hidden(rewritable, "THREE")
