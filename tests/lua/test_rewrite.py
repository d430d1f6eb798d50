"""`headless/rewrite.lua`: what the host gets, how a rewrite is shown, refined, applied and kept."""

from typing import Any

import pytest

from support.either_editor import hidden, on_screen
from support.headless import holds
from support.neovim import Neovim, until
from support.pushed_rules import push
from support.refining import LINES, PROPOSED, asked, finish, hunk_rows, propose, refine, with_ends


async def accept(nvim: Neovim) -> None:
    await nvim.keys(":w<CR>")
    await until(lambda: nvim.eval("tabpagenr('$') == 1"), "the diff is closed")


async def update(nvim: Neovim, question: dict[str, Any], **frame: Any) -> None:
    await nvim.lua("require('claude_ide.headless').update(...)", question["id"], frame)


@pytest.mark.parametrize(
    ("command", "rows"),
    [("ClaudeEdit x", [0, 4]), ("2,3ClaudeEdit x", [1, 3]), ("%ClaudeEdit x", [0, 4])],
)
async def test_the_range_is_sent_with_the_question(
    rewritable: Neovim, command: str, rows: list[int]
) -> None:
    question = await asked(rewritable, command)

    assert (question["rows"], question["text"], question["bufnr"]) == (rows, with_ends(LINES), 1)
    assert question["instruction"] == "x"
    assert question["name"] == "[No Name]"
    assert "refines" not in question


async def test_the_mark_shows_progress_and_disappears_at_the_end(rewritable: Neovim) -> None:
    question = await asked(rewritable, "2ClaudeEdit x")
    await update(rewritable, question, progress="thinking…", name="Otter")

    await on_screen(rewritable, "two  Otter is rewriting (thinking…)")
    await finish(rewritable, question)
    await hidden(rewritable, "rewriting")


async def test_a_change_to_other_lines_while_the_diff_is_shown_is_kept(proposed: Neovim) -> None:
    await proposed.command("call setbufline(1, 4, 'mine')")

    await accept(proposed)

    assert await holds(proposed, ["one", "TWO", "THREE", "mine"])


async def test_a_change_to_the_same_lines_while_the_diff_is_shown_is_not_overwritten(
    proposed: Neovim,
) -> None:
    await proposed.command("call setbufline(1, 2, 'mine')")

    await accept(proposed)

    await on_screen(proposed, "the lines have changed")
    assert await holds(proposed, ["one", "mine", "three", "four"])
    assert await proposed.eval("getbufline(bufnr('$'), 1, '$')") == PROPOSED


async def test_a_buffer_that_has_become_nomodifiable_is_not_changed(proposed: Neovim) -> None:
    await proposed.command("call setbufvar(1, '&modifiable', 0)")

    await accept(proposed)

    await on_screen(proposed, "this buffer is read-only")
    assert await holds(proposed, LINES)


async def test_a_readonly_buffer_is_changed_without_a_prompt(rewritable: Neovim) -> None:
    await rewritable.command("set readonly")
    await propose(rewritable, "2ClaudeEdit x", ["one", "z", "three", "four"])

    await accept(rewritable)

    assert await holds(rewritable, ["one", "z", "three", "four"])
    assert (await rewritable.mode()) == {"mode": "n", "blocking": False}


async def test_nuls_are_proposed_and_accepted_as_they_are(rewritable: Neovim) -> None:
    await rewritable.command(r'call setline(1, "o\ne")')
    await propose(rewritable, "2ClaudeEdit x", ["o\0e", "t\0o", "three", "four"])
    assert await holds(rewritable, ["o\ne", "t\no", "three", "four"])

    await accept(rewritable)

    assert await holds(rewritable, ["o\ne", "t\no", "three", "four"])


async def test_the_cursor_and_marks_below_stay_on_their_lines(rewritable: Neovim) -> None:
    await rewritable.command("4mark a | 4")
    await propose(rewritable, "2ClaudeEdit x", ["one", "z", "z", "z", "three", "four"])

    await accept(rewritable)

    assert await rewritable.eval("[line(\"'a\"), line('.')]") == [6, 6]


async def test_a_rewrite_without_an_instruction_asks_for_one(rewritable: Neovim) -> None:
    await rewritable.keys(":2ClaudeEdit<CR>")
    await until(lambda: "Edit with Claude:" in rewritable.screen.text())
    await rewritable.keys("shout<CR>")

    [question] = await until(lambda: rewritable.events("question_asked"))
    assert (question["instruction"], question["rows"]) == ("shout", [1, 2])


class TestRefining:
    """`:ClaudeEdit` while the diff of a rewrite is open."""

    async def test_the_host_gets_the_proposal_and_its_version(self, proposed: Neovim) -> None:
        [rewrite] = proposed.events("question_asked")
        version = await refine(proposed, "shorter", ["one", "2", "four"])

        question = await asked(proposed, "3ClaudeEdit in words")

        assert (question["refines"], question["version"]) == (rewrite["id"], version)
        assert (question["text"], question["rows"]) == ("one\n2\nfour\n", [2, 3])
        assert question["cwd"] == await proposed.eval("getcwd()")

    async def test_the_progress_is_shown_in_the_row_that_the_host_has_found(
        self, proposed: Neovim
    ) -> None:
        question = await asked(proposed, "ClaudeEdit shorter")
        assert question["rows"] == [0, 0]
        await update(proposed, question, progress="starting…", name="Otter", row=1)
        await update(proposed, question, progress="thinking…", name="Otter")

        await on_screen(proposed, "TWO  Otter is refining (thinking…)")
        await finish(proposed, question)
        await hidden(proposed, "refining")

    async def test_another_file_is_rewritten_as_usual(self, proposed: Neovim) -> None:
        await proposed.command("tabnew")

        assert "refines" not in await asked(proposed, "ClaudeEdit write")

    async def test_a_diff_that_was_decided_while_the_user_typed_is_not_refined(
        self, proposed: Neovim
    ) -> None:
        await proposed.lua("vim.ui.input = function(_, answer) _G.answer = answer end")
        await proposed.command("ClaudeEdit")
        await proposed.keys(":q<CR>")
        await until(lambda: proposed.eval("tabpagenr('$') == 1"), "the diff is closed")

        await proposed.lua("_G.answer('shorter')")

        await on_screen(proposed, "the diff is no longer open")
        assert len(proposed.events("question_asked")) == 1

    async def test_the_end_of_the_host_ends_the_refinement(self, proposed: Neovim) -> None:
        question = await asked(proposed, "2ClaudeEdit shorter")
        await on_screen(proposed, " refining…")

        await proposed.lua("require('claude_ide.headless').host_ended()")

        await on_screen(proposed, "the Python host has ended")
        await hidden(proposed, "refining")
        await finish(proposed, question, error="late")

    async def test_a_file_that_has_become_private_is_not_sent(self, rewritable: Neovim) -> None:
        await rewritable.command("silent write a.py")
        await propose(rewritable, "2ClaudeEdit shout", PROPOSED)
        await push(rewritable, {"deny": ["*.py"]})

        await rewritable.command("ClaudeEdit shorter")

        await on_screen(rewritable, "stays in Neovim")
        assert len(rewritable.events("question_asked")) == 1

    async def test_a_locked_proposal_is_not_looked_at(self, proposed: Neovim) -> None:
        await proposed.command("set nomodifiable")

        look = "return require('claude_ide.headless.rewrite').look(vim.api.nvim_get_current_buf())"
        assert await proposed.lua(look) == {"error": "this buffer is read-only ('nomodifiable')"}

    async def test_the_keys_of_the_proposal_mention_the_refinement(self, proposed: Neovim) -> None:
        await proposed.keys("g?")

        await on_screen(proposed, "Refine the rewrite")

    async def test_a_refined_hunk_can_be_dropped_and_taken(self, proposed: Neovim) -> None:
        await refine(proposed, "shorter", ["one", "2", "four"])
        await proposed.command("2")

        await proposed.keys("gX")
        await until(lambda: holds(proposed, LINES))
        await on_screen(proposed, "dropped")
        await proposed.keys("gY")

        await until(lambda: holds(proposed, ["one", "2", "four"]))

    async def test_an_earlier_version_has_its_own_hunks(self, proposed: Neovim) -> None:
        await refine(proposed, "shorter", ["one", "two", "3", "and more", "four"])
        assert await hunk_rows(proposed) == [[2, 4]]
        await proposed.keys("u")
        await until(lambda: holds(proposed, PROPOSED))
        assert await hunk_rows(proposed) == [[1, 3]]
        await proposed.command("3")

        await proposed.keys("gX")
        await until(lambda: holds(proposed, LINES))
        await proposed.keys("gY")

        await until(lambda: holds(proposed, PROPOSED))

    async def test_reading_the_proposal_again_restores_the_hunks_of_the_refined_text(
        self, proposed: Neovim
    ) -> None:
        await refine(proposed, "shorter", ["one", "2", "four"])
        await proposed.keys("Ax<Esc>")

        await proposed.command("edit!")

        await until(lambda: holds(proposed, ["one", "2", "four"]))
        await proposed.command("2")
        await proposed.keys("gX")
        await until(lambda: holds(proposed, LINES))

    async def test_a_rewrite_is_refined_inline(self, rewritable: Neovim) -> None:
        await propose(rewritable, "2,3ClaudeEdit shout", PROPOSED, layout="inline")

        await refine(rewritable, "shorter", ["one", "2", "four"])

        await until(lambda: holds(rewritable, ["one", "2", "four"]))
        await on_screen(rewritable, "three")  # a removed line
        await hidden(rewritable, "THREE")
