"""The demo in the chat panel: what it does, what it says about it, and when it ends."""

from pathlib import Path

import pytest

from demo import scratch
from demo.script import SCENES
from support.headless import diff
from support.neovim import Neovim, until
from support.panel import Panel, choose_answer
from support.processes import started_with

FIXED = scratch.IDEAS[0].change(scratch.SHOP)
TESTS = "? Run this command?"


async def answer(panel: Panel, key: str) -> None:
    """Answer the waiting request with a key of the list of answers."""
    await panel.write()
    await panel.nvim.keys("<C-s>")
    await choose_answer(panel.nvim, key)


async def press(panel: Panel, words: str, key: str) -> None:
    """Press a key on a request in the transcript, once it accepts keys."""
    await panel.go_to(words)
    await panel.nvim.idle(500)
    await panel.nvim.keys(key)


async def test_any_prompt_is_answered_with_the_prompts_that_it_knows(panel: Panel) -> None:
    await panel.send("write me a poem")

    shown = await panel.shows("Try next: `run the tests`")

    assert "a script **without a model**" in shown
    assert "“write me a poem”" in shown
    assert all(f"`{scene.prompt}`" in shown for scene in SCENES)


async def test_an_accepted_edit_is_written_and_reviewed(
    trying: Neovim, panel: Panel, shop: Path
) -> None:
    await panel.send("fix the bug")
    await diff(trying)
    await trying.keys(":w<CR>")

    shown = await panel.shows("You accepted my edit: `shop.py` is **written**.")
    assert "Read shop.py" in shown
    assert shop.read_text() == FIXED
    assert await trying.eval("getbufline('shop.py', 8)") == ["        sum += price"]


async def test_a_changed_edit_is_answered_with_the_difference(
    trying: Neovim, panel: Panel, shop: Path
) -> None:
    await panel.send("fix the bug")
    await diff(trying)
    await trying.keys("Go<C-u># mine<Esc>:w<CR>")

    await panel.shows("You **changed** my edit.")
    assert "+# mine" in await panel.shows("Try next")
    assert shop.read_text() == f"{FIXED}# mine\n"


async def test_a_rejected_edit_is_not_written_and_the_reason_is_repeated(
    trying: Neovim, panel: Panel, shop: Path
) -> None:
    await panel.send("fix the bug")
    await diff(trying)
    await trying.keys(":ClaudeReject not today<CR>")

    await panel.shows("You said no: *not today*. `shop.py` is as it was.")
    assert shop.read_text() == scratch.SHOP


async def test_a_file_that_has_gone_is_a_failure_that_names_it(panel: Panel, shop: Path) -> None:
    shop.unlink()

    await panel.send("fix the bug")

    await panel.shows("That did not work: [Errno 2] No such file or directory: ")
    await panel.shows("Try next")


async def test_the_tests_run_only_after_permission_and_their_result_is_true(
    trying: Neovim, panel: Panel, shop: Path
) -> None:
    await panel.send("run the tests")
    await panel.shows(TESTS)
    await answer(panel, "y")
    await panel.shows("The tests **fail** (exit status 1)")
    await panel.shows("total() forgets every price but the last.")

    shop.write_text(FIXED)
    await panel.send("run the tests")
    await until(lambda: _count(panel, TESTS, 1), "the second request")
    await answer(panel, "y")

    await panel.shows("The tests **pass**.")
    assert not (shop.parent / "__pycache__").exists()


async def test_refused_tests_do_not_run(panel: Panel) -> None:
    await panel.send("run the tests")
    await panel.shows(TESTS)
    await answer(panel, "n")

    shown = await panel.shows("You said no. Nothing has run.")
    assert "The tests **" not in shown


async def test_edits_need_no_permission_in_the_mode_that_accepts_them(
    trying: Neovim, panel: Panel, shop: Path
) -> None:
    await trying.command("ClaudeChat mode acceptEdits")
    await panel.bar_shows("acceptEdits")

    await panel.send("fix the bug")

    await panel.shows("without a question because of your permissions.")
    assert shop.read_text() == FIXED


async def test_the_form_is_answered_and_the_answers_are_repeated(
    trying: Neovim, panel: Panel
) -> None:
    await panel.send("ask me")
    await panel.shows("? Next: What should I do next?")
    await press(panel, "? Next: What should I do next?", "<CR>")
    await until(lambda: "<C-s> submit" in trying.screen.text(), "the form")
    await trying.idle(500)
    await trying.keys("3/Modes<CR><Space><C-s>")

    shown = await panel.shows("Try next")
    assert "- What should I do next? **Nothing**" in shown
    assert "- What should I explain? **Modes**" in shown
    assert "**Modes**: `<S-Tab>`" in shown


async def test_an_approved_plan_is_carried_out(trying: Neovim, panel: Panel, shop: Path) -> None:
    await trying.command("ClaudeChat mode plan")
    await panel.bar_shows("plan")
    await panel.send("fix the bug")
    await plan_is_open(trying)
    await trying.keys("Go4. Rest<Esc>:w<CR>")

    assert "+4. Rest" in await panel.shows("Claude would follow it.")
    await panel.bar_shows("manual")
    await diff(trying)
    await trying.keys(":w<CR>")
    await panel.shows(TESTS)
    assert shop.read_text() == FIXED


async def plan_is_open(nvim: Neovim) -> None:
    """Wait until the plan accepts keys."""
    await until(lambda: nvim.eval("bufname() =~# 'plan' && &modifiable"), "the plan is open")


async def test_counting_stops_with_ctrl_c_and_keeps_what_was_said(
    trying: Neovim, panel: Panel
) -> None:
    await panel.send("count")
    await panel.shows("1 2 3 4")
    await panel.write()
    await trying.keys("<C-c>")

    shown = await panel.shows("interrupted")
    assert "1 2 3 4" in shown
    assert "Try next" not in shown
    await panel.send("hello")
    await panel.shows("Try next")


async def test_an_interrupt_withdraws_the_request(trying: Neovim, panel: Panel) -> None:
    await panel.send("run the tests")
    await panel.shows(TESTS)
    await panel.write()
    await trying.keys("<C-c>")

    shown = await panel.shows("interrupted")
    assert TESTS not in shown
    assert "failed" not in shown


async def test_a_prompt_that_waits_follows_the_turn(panel: Panel) -> None:
    await panel.send("run the tests")
    await panel.shows(TESTS)
    await panel.send("hello")
    await press(panel, TESTS, "n")

    await panel.shows("You said no. Nothing has run.")
    await panel.shows("“hello”")


@pytest.mark.parametrize("command", ["ClaudeChat end", "qa!"])
async def test_the_demo_ends_with_its_chat(
    trying: Neovim, panel: Panel, project: Path, command: str
) -> None:
    await panel.send("run the tests")
    await panel.shows(TESTS)
    marked = str(project.parent / "home")
    assert any("--input-format" in arguments(pid) for pid in started_with(marked))

    await trying.keys(f"<Esc>:{command}<CR>")

    await until(
        lambda: not any("--input-format" in arguments(pid) for pid in started_with(marked)),
        "the demo has ended",
    )


def arguments(pid: int) -> str:
    """Return the command line of a process, which may have ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


async def _count(panel: Panel, words: str, count: int) -> bool:
    return (await panel.text()).count(words) == count
