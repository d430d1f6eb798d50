"""The demo's answers to one-off requests."""

from pathlib import Path

from demo import scratch
from support.either_editor import hidden, on_screen
from support.headless import accept, diff, lines
from support.neovim import Neovim, until


async def test_ask_answers_with_what_is_known_of_the_file(trying: Neovim, shop: Path) -> None:
    await trying.command("4,11ClaudeAsk what is wrong?")
    await on_screen(trying, "total() forgets every price but the last.")
    await on_screen(trying, ":ClaudeEdit")
    await trying.keys("q")
    await hidden(trying, "what is wrong?")

    shop.write_text(scratch.IDEAS[0].change(scratch.SHOP))
    await trying.command("ClaudeAsk and now?")
    await on_screen(trying, "None is compared with")
    assert "forgets" not in trying.screen.text()


async def test_edit_changes_the_lines_of_the_range(trying: Neovim) -> None:
    await trying.command("9,9ClaudeEdit fix it")
    await accept(trying)

    changed = scratch.SHOP.replace("discount == None", "discount is None")
    assert await lines(trying) == changed.splitlines()


async def test_edit_without_a_range_changes_the_file(trying: Neovim) -> None:
    await trying.command("ClaudeEdit fix it")
    await accept(trying)

    assert await lines(trying) == scratch.IDEAS[0].change(scratch.SHOP).splitlines()


async def test_edit_of_lines_without_an_idea_proposes_nothing(trying: Neovim) -> None:
    await trying.command("1,2ClaudeEdit fix it")

    await on_screen(trying, "no changes")


async def test_a_rejected_rewrite_changes_nothing(trying: Neovim) -> None:
    await trying.command("ClaudeEdit fix it")
    await diff(trying)
    await trying.keys(":q<CR>")
    await until(lambda: trying.eval("tabpagenr('$') == 1"))

    assert await lines(trying) == scratch.SHOP.splitlines()


async def test_commit_writes_a_message_for_what_is_staged(trying: Neovim) -> None:
    await trying.command("ClaudeCommit")

    await on_screen(trying, "Print a receipt")
    await on_screen(trying, "Each price has a line of its own.")
