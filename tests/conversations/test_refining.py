"""`:ClaudeEdit` in the diff of a rewrite, from the command to the CLI and into the same diff."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.claude_code import claude_code
from support.either_editor import (
    BOTH,
    Editor,
    configure,
    edit,
    hidden,
    is_serving,
    on_screen,
    shows_a_diff,
)
from support.fake_headless import FakeHeadless
from support.neovim import until
from support.rewriting import asked, holds, is_closed, marked, propose, refine

pytestmark = BOTH

TEXT = ["one", "two", "three", "four"]
PROPOSED = ["one", "TWO", "THREE", "four"]


@pytest.fixture
async def claude() -> AsyncIterator[FakeHeadless]:
    """The CLI, played by the test."""
    async with FakeHeadless.serve() as claude:
        yield claude


@pytest.fixture
async def rewritable(nvim: Editor, claude: FakeHeadless, project: Path) -> Editor:
    """An editor that starts that CLI, in a file of four lines."""
    await configure(nvim, cmd=claude.command)
    (project / "a.py").write_text("\n".join(TEXT) + "\n")
    await nvim.command("set hidden")
    await edit(nvim, project / "a.py")
    return nvim


@pytest.fixture
async def proposed(rewritable: Editor, claude: FakeHeadless) -> Editor:
    """The same, in the diff of a rewrite of the second and the third line."""
    await propose(rewritable, claude, "2,3ClaudeEdit shout", "TWO\nTHREE")
    return rewritable


async def test_claude_gets_the_original_the_result_and_both_instructions(
    proposed: Editor, claude: FakeHeadless, project: Path
) -> None:
    await on_screen(proposed, "TWO")
    question = await asked(proposed, claude, "ClaudeEdit shorter")

    assert "<original>\ntwo\nthree\n</original>" in question.prompt
    assert "shout" in question.prompt
    assert "shorter" in question.prompt
    assert "<text>\none\n<rewrite>\nTWO\nTHREE\n</rewrite>\nfour\n</text>" in question.prompt
    assert question.cwd == str(project)
    await on_screen(proposed, "Claude is refining")


async def test_the_result_is_one_undo_step_in_the_same_diff(
    proposed: Editor, claude: FakeHeadless
) -> None:
    await refine(proposed, claude, "shorter", "2\n")

    assert await holds(proposed, ["one", "2", "four"])
    assert await proposed.eval("[tabpagenr('$'), &modified]") == [2, 0]
    assert await proposed.eval("diff_hlID(2, 1)")
    await hidden(proposed, "refining")
    await proposed.keys("u")
    await until(lambda: holds(proposed, PROPOSED))
    await proposed.keys("<C-r>")
    await until(lambda: holds(proposed, ["one", "2", "four"]))


async def test_the_refined_text_is_accepted(proposed: Editor, claude: FakeHeadless) -> None:
    await refine(proposed, claude, "shorter", "2\n")

    await proposed.keys(":w<CR>")

    await is_closed(proposed)
    await until(lambda: holds(proposed, ["one", "2", "four"]))
    await proposed.keys("u")
    await until(lambda: holds(proposed, TEXT))


async def test_the_refined_text_is_rejected(proposed: Editor, claude: FakeHeadless) -> None:
    await refine(proposed, claude, "shorter", "2\n")

    await proposed.keys(":q<CR>")

    await is_closed(proposed)
    assert await holds(proposed, TEXT)
    assert await proposed.mode() == {"mode": "n", "blocking": False}


async def test_the_next_refinement_gets_all_instructions(
    proposed: Editor, claude: FakeHeadless
) -> None:
    await refine(proposed, claude, "shorter", "2\n")

    question = await asked(proposed, claude, "ClaudeEdit in words")

    assert "shout\n\nshorter" in question.prompt
    assert marked(question.prompt) == ["2"]


async def test_an_undone_instruction_is_forgotten(proposed: Editor, claude: FakeHeadless) -> None:
    await refine(proposed, claude, "shorter", "2\n")
    await proposed.keys("u")
    await until(lambda: holds(proposed, PROPOSED))
    await proposed.keys("Ax<Esc>")

    question = await asked(proposed, claude, "ClaudeEdit in words")

    assert "shout" in question.prompt
    assert "shorter" not in question.prompt


async def test_reading_the_proposal_again_restores_the_refined_text(
    proposed: Editor, claude: FakeHeadless
) -> None:
    await refine(proposed, claude, "shorter", "2\n")
    await proposed.keys("Ax<Esc>:edit!<CR>")

    await until(lambda: holds(proposed, ["one", "2", "four"]))
    assert "shout\n\nshorter" in (await asked(proposed, claude, "ClaudeEdit longer")).prompt


@pytest.mark.parametrize(
    ("command", "lines"),
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
    proposed: Editor, claude: FakeHeadless, command: str, lines: list[str]
) -> None:
    await proposed.command(command)

    assert marked((await asked(proposed, claude, "ClaudeEdit shorter")).prompt) == lines


@pytest.mark.parametrize("way", ["wincmd h", "tabfirst"])
async def test_a_rewrite_is_refined_from_its_file(
    proposed: Editor, claude: FakeHeadless, way: str
) -> None:
    proposal = await proposed.eval("bufnr()")
    await proposed.command(way)

    await refine(proposed, claude, "shorter", "2\n")

    assert await proposed.eval(f"getbufline({proposal}, 1, '$')") == ["one", "2", "four"]


async def test_other_lines_of_the_file_can_be_rewritten_in_the_meantime(
    proposed: Editor, claude: FakeHeadless
) -> None:
    await proposed.command("tabfirst")
    await proposed.command("4ClaudeEdit shout")
    (await claude.asked()).fit({"replacement": "FOUR"})
    await until(lambda: proposed.eval("getline('$') ==# 'FOUR' && &modifiable"), "the second diff")

    question = await asked(proposed, claude, "ClaudeEdit shorter")

    assert "<original>\nfour\n</original>" in question.prompt
    await proposed.command("tabfirst | ClaudeEdit longer")
    await on_screen(proposed, "several rewrites of this buffer are open")


async def test_a_range_in_the_proposal_limits_what_is_refined(
    proposed: Editor, claude: FakeHeadless
) -> None:
    question = await asked(proposed, claude, "3ClaudeEdit shorter")
    assert marked(question.prompt) == ["THREE"]
    question.fit({"replacement": "3"})

    await until(lambda: holds(proposed, ["one", "TWO", "3", "four"]))


@pytest.mark.parametrize(("key", "lines"), [("<F2>", ["TWO", "THREE"]), ("GV<F2>", ["four"])])
async def test_the_key_of_a_rewrite_refines_it_in_the_proposal(
    proposed: Editor, claude: FakeHeadless, key: str, lines: list[str]
) -> None:
    await proposed.command("map <F2> <Plug>(claude-edit)")

    await proposed.keys(key)
    await on_screen(proposed, "Refine:")
    await proposed.keys("shorter<CR>")

    assert marked((await claude.asked()).prompt) == lines


async def test_ctrl_c_stops_the_refinement_and_leaves_the_diff(
    proposed: Editor, claude: FakeHeadless
) -> None:
    question = await asked(proposed, claude, "ClaudeEdit shorter")
    await on_screen(proposed, "Claude is refining")

    await proposed.keys("<C-c>")

    await question.wait_for_end()
    await hidden(proposed, "refining")
    assert await holds(proposed, PROPOSED)
    await proposed.keys("<C-c>")
    await on_screen(proposed, "nothing to stop")


async def test_the_bang_stops_the_refinement_and_then_gives_up_the_rewrite(
    proposed: Editor, claude: FakeHeadless
) -> None:
    question = await asked(proposed, claude, "ClaudeEdit shorter")

    await proposed.command("ClaudeEdit!")

    await question.wait_for_end()
    await hidden(proposed, "refining")
    assert await holds(proposed, PROPOSED)
    await proposed.command("ClaudeEdit!")
    await is_closed(proposed)
    assert await holds(proposed, TEXT)


async def test_a_second_refinement_has_to_wait(proposed: Editor, claude: FakeHeadless) -> None:
    await asked(proposed, claude, "ClaudeEdit shorter")

    await proposed.command("ClaudeEdit longer")

    await on_screen(proposed, "this is being refined already (:ClaudeEdit! stops it)")


@pytest.mark.parametrize("decision", [":w<CR>", ":q<CR>", ":bwipeout!<CR>"])
async def test_a_decision_in_the_meantime_ends_the_refinement(
    proposed: Editor, claude: FakeHeadless, decision: str
) -> None:
    question = await asked(proposed, claude, "ClaudeEdit shorter")

    await proposed.keys(decision)

    await question.wait_for_end()
    await is_closed(proposed)
    await until(lambda: holds(proposed, PROPOSED if decision == ":w<CR>" else TEXT))
    assert await proposed.mode() == {"mode": "n", "blocking": False}


async def test_edits_of_other_lines_in_the_meantime_stay(
    proposed: Editor, claude: FakeHeadless
) -> None:
    question = await asked(proposed, claude, "ClaudeEdit shorter")
    await proposed.command("4substitute/$/ mine/ | 0put ='zero'")

    question.fit({"replacement": "2"})

    await until(lambda: holds(proposed, ["zero", "one", "2", "four mine"]))


async def test_edits_of_the_same_lines_in_the_meantime_are_not_overwritten(
    proposed: Editor, claude: FakeHeadless
) -> None:
    question = await asked(proposed, claude, "ClaudeEdit shorter")
    await proposed.command("2substitute/$/ mine/")

    question.fit({"replacement": "2"})

    await on_screen(proposed, "the lines have changed; the rewrite is kept in buffer")
    assert await holds(proposed, ["one", "TWO mine", "THREE", "four"])
    assert await proposed.eval("getbufline(bufnr('$'), 1, '$')") == ["2"]


@pytest.mark.parametrize("keys", ["i", "v", "d", ":"])
async def test_the_text_does_not_change_under_a_user_who_is_busy_in_it(
    proposed: Editor, claude: FakeHeadless, keys: str
) -> None:
    question = await asked(proposed, claude, "ClaudeEdit shorter")
    await proposed.keys(keys)

    question.fit({"replacement": "2"})
    await question.wait_for_end()
    await proposed.idle(500)

    assert await holds(proposed, PROPOSED)
    await proposed.keys("<Esc>")
    await until(lambda: holds(proposed, ["one", "2", "four"]))


async def test_a_result_that_waits_can_be_stopped(proposed: Editor, claude: FakeHeadless) -> None:
    question = await asked(proposed, claude, "ClaudeEdit shorter")
    await proposed.keys("i")
    await until(lambda: proposed.eval("mode() == 'i'"))
    question.fit({"replacement": "2"})
    await question.wait_for_end()
    await on_screen(proposed, "Claude is refining")

    await proposed.command("ClaudeEdit!")

    await hidden(proposed, "refining")
    await proposed.keys("<Esc>")
    await until(lambda: proposed.eval("mode() == 'n'"))
    await proposed.idle(500)
    assert await holds(proposed, PROPOSED)


async def test_the_same_result_is_reported_as_no_change(
    proposed: Editor, claude: FakeHeadless
) -> None:
    tick = await proposed.eval("b:changedtick")

    (await asked(proposed, claude, "ClaudeEdit shorter")).fit({"replacement": "TWO\nTHREE\n"})

    await on_screen(proposed, "Claude suggests no changes")
    assert await proposed.eval("b:changedtick") == tick


async def test_a_failure_leaves_the_diff(proposed: Editor, claude: FakeHeadless) -> None:
    (await asked(proposed, claude, "ClaudeEdit shorter")).fail("no more")

    await on_screen(proposed, "no more")
    await hidden(proposed, "refining")
    assert await holds(proposed, PROPOSED)


async def test_a_refined_text_without_a_line_is_accepted(
    rewritable: Editor, claude: FakeHeadless
) -> None:
    await propose(rewritable, claude, "ClaudeEdit shorter", "1")

    await refine(rewritable, claude, "nothing", "")
    await rewritable.keys(":w<CR>")

    await is_closed(rewritable)
    await until(lambda: holds(rewritable, [""]))


async def test_a_result_that_removed_the_lines_can_be_refined(
    rewritable: Editor, claude: FakeHeadless
) -> None:
    await propose(rewritable, claude, "2,3ClaudeEdit delete", "")

    question = await asked(rewritable, claude, "ClaudeEdit but say so")
    await on_screen(rewritable, "Claude is refining")
    question.fit({"replacement": "deleted"})

    await until(lambda: holds(rewritable, ["one", "deleted", "four"]))


async def test_a_proposal_of_the_cli_is_rewritten_in_a_diff_of_its_own(
    nvim: Editor, claude: FakeHeadless, config_folder: Path, project: Path
) -> None:
    path = project / "b.txt"
    path.write_text("old\n")
    await configure(nvim, cmd=claude.command)
    await nvim.command("ClaudeStart!")
    await until(lambda: is_serving(nvim), "listening")
    async with claude_code(config_folder) as client:
        arguments = {"old_file_path": str(path), "new_file_contents": "new\n"}
        _, answer = client.start_call("openDiff", arguments)
        await until(lambda: shows_a_diff(nvim), "a diff")
        await nvim.keys(":ClaudeEdit shout<CR>")
        (await claude.asked()).fit({"replacement": "NEW"})
        await until(lambda: nvim.eval("getline(1) ==# 'NEW' && &modifiable"), "its diff")
        await nvim.keys(":w<CR>")
        await until(lambda: nvim.eval("tabpagenr('$') == 2"), "the second diff is closed")
        await until(lambda: holds(nvim, ["NEW"]))
        await nvim.keys(":w<CR>")

        assert [block["text"] for block in (await answer)["content"]] == ["FILE_SAVED", "NEW\n"]
        await is_closed(nvim)
