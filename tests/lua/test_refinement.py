"""`headless/rewrite.lua`: which rewrite is refined, what Claude gets, and how it is stopped."""

from pathlib import Path

import pytest

from support.either_editor import hidden, on_screen
from support.headless import holds
from support.neovim import Neovim, until
from support.pushed_rules import push
from support.refining import LINES, asked, finish, propose


async def test_claude_gets_the_original_the_result_and_both_instructions(
    proposed: Neovim,
) -> None:
    question = await asked(proposed, "ClaudeEdit shorter")

    assert question["kind"] == "refine"
    assert (question["instruction"], question["earlier"]) == ("shorter", ["shout"])
    assert question["original"] == {"text": "two\nthree"}
    assert question["text"] == "one\nTWO\nTHREE\nfour"
    assert (question["first"], question["last"]) == (1, 3)
    assert question["cwd"] == await proposed.eval("getcwd()")


async def test_a_result_of_another_length_is_found_by_the_lines_around_it(
    rewritable: Neovim,
) -> None:
    await propose(rewritable, "2,3ClaudeEdit x", "a\nb\nc\nd\n")

    question = await asked(rewritable, "ClaudeEdit shorter")

    assert (question["first"], question["last"]) == (1, 5)


@pytest.mark.parametrize(
    ("command", "marked"),
    [
        ("2put ='and'", ["TWO", "and", "THREE"]),
        ("1put ='above'", ["above", "TWO", "THREE"]),
        ("3put ='below'", ["TWO", "THREE", "below"]),
        ("0put ='first'", ["TWO", "THREE"]),
        ("$put ='last'", ["TWO", "THREE"]),
        ("1delete | $delete", ["TWO", "THREE"]),
        ("1substitute/one/other/", ["other", "TWO", "THREE"]),
        ("1substitute/one/other/ | 0put ='first'", ["first", "other", "TWO", "THREE"]),
        ("4substitute/four/other/ | $put ='last'", ["TWO", "THREE", "other", "last"]),
        ("2,3delete", []),
    ],
)
async def test_the_lines_are_found_among_the_users_changes(
    proposed: Neovim, command: str, marked: list[str]
) -> None:
    await proposed.command(command)

    question = await asked(proposed, "ClaudeEdit shorter")

    assert question["text"].split("\n")[question["first"] : question["last"]] == marked


async def test_the_progress_is_shown_in_the_proposal(proposed: Neovim) -> None:
    question = await asked(proposed, "ClaudeEdit shorter")
    update = "require('claude_ide.headless').update(...)"
    await proposed.lua(update, question["id"], {"progress": "thinking…"})

    await on_screen(proposed, "TWO  Claude is refining (thinking…)")
    await finish(proposed, question, result="2")
    await hidden(proposed, "refining")


@pytest.mark.parametrize("window", ["h", "l"])
async def test_a_rewrite_is_refined_from_either_window_of_its_diff(
    proposed: Neovim, window: str
) -> None:
    await proposed.command(f"wincmd {window}")

    assert (await asked(proposed, "ClaudeEdit shorter"))["kind"] == "refine"


async def test_a_rewrite_is_refined_from_its_file_in_another_tab_page(proposed: Neovim) -> None:
    await proposed.command("tabfirst")

    assert (await asked(proposed, "ClaudeEdit shorter"))["kind"] == "refine"


async def test_other_lines_of_the_file_can_be_rewritten_in_the_meantime(
    proposed: Neovim,
) -> None:
    await proposed.command("tabfirst")

    question = await asked(proposed, "4ClaudeEdit shout")

    assert (question["kind"], question["first"], question["last"]) == ("rewrite", 3, 4)


async def test_another_file_is_rewritten_as_usual(proposed: Neovim) -> None:
    await proposed.command("tabnew")

    assert (await asked(proposed, "ClaudeEdit write"))["kind"] == "rewrite"


async def test_of_two_rewrites_that_of_the_current_proposal_is_refined(
    proposed: Neovim,
) -> None:
    await proposed.command("tabfirst")
    await propose(proposed, "4ClaudeEdit shout", "FOUR")

    assert (await asked(proposed, "ClaudeEdit shorter"))["original"] == {"text": "four"}
    await proposed.command("tabfirst | ClaudeEdit longer")
    await on_screen(proposed, "several rewrites of this buffer are open")
    assert len(proposed.events("question_asked")) == 3


async def test_a_range_in_the_proposal_limits_what_is_refined(proposed: Neovim) -> None:
    question = await asked(proposed, "3ClaudeEdit shorter")
    await finish(proposed, question, result="3")

    assert (question["first"], question["last"]) == (2, 3)
    await until(lambda: holds(proposed, ["one", "TWO", "3", "four"]))


async def test_without_words_the_command_asks_for_them(proposed: Neovim) -> None:
    await proposed.keys(":ClaudeEdit<CR>")
    await on_screen(proposed, "Refine:")

    await proposed.keys("shorter<CR>")

    question = await until(lambda: proposed.events("question_asked")[1:])
    assert question[0]["instruction"] == "shorter"


@pytest.mark.parametrize(("key", "rows"), [("<F2>", (1, 3)), ("GV<F2>", (3, 4))])
async def test_the_key_of_a_rewrite_refines_it_in_the_proposal(
    proposed: Neovim, key: str, rows: tuple[int, int]
) -> None:
    await proposed.command("map <F2> <Plug>(claude-edit)")

    await proposed.keys(key)
    await on_screen(proposed, "Refine:")
    await proposed.keys("shorter<CR>")

    [question] = await until(lambda: proposed.events("question_asked")[1:])
    assert (question["first"], question["last"]) == rows


async def test_a_diff_that_was_decided_while_the_user_typed_is_not_refined(
    proposed: Neovim,
) -> None:
    await proposed.lua("vim.ui.input = function(_, answer) _G.answer = answer end")
    await proposed.command("ClaudeEdit")
    await proposed.keys(":q<CR>")
    await until(lambda: proposed.eval("tabpagenr('$') == 1"), "the diff is closed")

    await proposed.lua("_G.answer('shorter')")

    await on_screen(proposed, "the diff is no longer open")
    assert len(proposed.events("question_asked")) == 1


async def test_ctrl_c_stops_the_refinement_and_leaves_the_diff(proposed: Neovim) -> None:
    question = await asked(proposed, "ClaudeEdit shorter")
    await on_screen(proposed, "Claude is refining")

    await proposed.keys("<C-c>")

    await until(lambda: proposed.events("question_cancelled") == [{"id": question["id"]}])
    await hidden(proposed, "refining")
    assert await holds(proposed, ["one", "TWO", "THREE", "four"])
    await proposed.keys("<C-c>")
    await on_screen(proposed, "nothing to stop")


async def test_the_bang_stops_the_refinement_and_leaves_the_diff(proposed: Neovim) -> None:
    question = await asked(proposed, "ClaudeEdit shorter")

    await proposed.command("tabfirst | ClaudeEdit!")

    await on_screen(proposed, "stopped")
    assert proposed.events("question_cancelled") == [{"id": question["id"]}]
    await proposed.command("tabnext")
    await until(lambda: holds(proposed, ["one", "TWO", "THREE", "four"]))


async def test_without_a_refinement_the_bang_gives_up_the_rewrite(proposed: Neovim) -> None:
    await proposed.command("ClaudeEdit!")

    await on_screen(proposed, "stopped")
    assert len(proposed.events("question_cancelled")) == 1


async def test_a_second_refinement_has_to_wait(proposed: Neovim) -> None:
    await asked(proposed, "ClaudeEdit shorter")

    await proposed.command("ClaudeEdit longer")

    await on_screen(proposed, "Claude is already refining this (:ClaudeEdit! stops it)")
    assert len(proposed.events("question_asked")) == 2


async def test_the_users_edits_before_are_part_of_the_question(proposed: Neovim) -> None:
    await proposed.command("2substitute/$/ mine/ | 4delete | 0put ='zero'")

    question = await asked(proposed, "ClaudeEdit shorter")

    assert question["text"] == "zero\none\nTWO mine\nTHREE"
    assert (question["first"], question["last"]) == (2, 4)


@pytest.mark.parametrize("decision", [":w<CR>", ":q<CR>", ":bwipeout!<CR>"])
async def test_a_decision_in_the_meantime_cancels_the_refinement(
    proposed: Neovim, decision: str
) -> None:
    question = await asked(proposed, "ClaudeEdit shorter")

    await proposed.keys(decision)

    await until(lambda: proposed.events("question_cancelled") == [{"id": question["id"]}])
    await until(lambda: proposed.eval("tabpagenr('$') == 1"), "the diff is closed")
    await finish(proposed, question, result="2")
    kept = ["one", "TWO", "THREE", "four"] if decision == ":w<CR>" else LINES
    await until(lambda: holds(proposed, kept))


async def test_the_end_of_the_host_ends_the_refinement(proposed: Neovim) -> None:
    await asked(proposed, "ClaudeEdit shorter")

    await proposed.lua("require('claude_ide.headless').host_ended()")

    await on_screen(proposed, "the Python host has ended")
    await hidden(proposed, "refining")


async def test_a_failure_leaves_the_diff(proposed: Neovim) -> None:
    question = await asked(proposed, "ClaudeEdit shorter")

    await finish(proposed, question, error="no more")

    await on_screen(proposed, "no more")
    await hidden(proposed, "refining")
    assert await holds(proposed, ["one", "TWO", "THREE", "four"])


async def test_a_file_that_has_become_private_is_not_sent(rewritable: Neovim) -> None:
    await rewritable.command("silent write a.py")
    await propose(rewritable, "2ClaudeEdit shout", "TWO")
    await push(rewritable, {"deny": ["*.py"]})

    await rewritable.command("ClaudeEdit shorter")

    await on_screen(rewritable, "stays in Neovim")
    assert len(rewritable.events("question_asked")) == 1


async def test_the_keys_of_the_proposal_mention_the_refinement(proposed: Neovim) -> None:
    await proposed.keys("g?")

    await on_screen(proposed, "Refine the rewrite")


async def test_a_proposal_of_the_cli_is_rewritten_in_a_diff_of_its_own(
    rewritable: Neovim, tmp_path: Path
) -> None:
    path = tmp_path / "b.txt"
    path.write_text("old\n")
    request = {"path": str(path), "text": "new\n", "title": "Claude", "layout": "tab"}
    await rewritable.lua("require('claude_ide.diff').open(...)", 5, request)
    await until(lambda: rewritable.events("diff_shown"))

    question = await asked(rewritable, "ClaudeEdit shout")

    assert (question["kind"], question["text"]) == ("rewrite", "new")
