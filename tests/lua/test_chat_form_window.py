"""`chat/form.lua`: the form's window opens, closes and fits the screen."""

import asyncio
from pathlib import Path

import pytest

from claude_ide.agents.requests import Choice, Question
from support.answers import settled
from support.diffs import everything
from support.forms import BOTH, FLOATS, given, host, open_form, outcome, outcomes, wait_until_closed
from support.neovim import Neovim, until


async def test_a_second_form_starts_empty(form: Neovim) -> None:
    await open_form(form, *BOTH)
    await form.keys("21q")
    await outcome(form)

    await open_form(form, *BOTH, token=2)

    await until(lambda: "Submit (2 unanswered)" in form.screen.text())
    assert "•" not in form.screen.text()


async def test_declining_a_form_discards_its_answers(form: Neovim) -> None:
    await open_form(form, *BOTH)

    await form.keys("2<C-c>")

    assert await outcome(form) == "declined"
    await wait_until_closed(form)
    await settled(form)
    await open_form(form, *BOTH)
    await until(lambda: "Submit (2 unanswered)" in form.screen.text())


async def test_a_withdrawn_form_closes_without_an_answer(form: Neovim, project: Path) -> None:
    (project / "a.txt").write_text("one\n")
    await form.command("edit a.txt")
    await open_form(form, *BOTH)
    await form.keys("2")

    host(form).withdraw(1)

    await wait_until_closed(form)
    # Keys typed right after the close were meant for the form.
    await form.keys("dd")
    await form.lua("vim.defer_fn(function() vim.g.waited = 1 end, 400)")
    await until(lambda: form.eval("get(g:, 'waited')"))
    await settled(form)
    assert await form.eval("getline(1)") == "one"
    assert outcomes(form) == []


async def test_a_form_withdrawn_during_text_input_closes_after_the_input(form: Neovim) -> None:
    await open_form(form, *BOTH)
    await form.keys("iwords")
    await until(lambda: "words" in form.screen.lines()[-1])

    host(form).withdraw(1)
    await form.keys(" more<CR>")

    await wait_until_closed(form)
    await form.lua("vim.defer_fn(function() vim.g.waited = 1 end, 400)")
    await until(lambda: form.eval("get(g:, 'waited')"))
    await settled(form)
    assert outcomes(form) == []


@pytest.mark.parametrize("ending", ["q", ":q<CR>", "<C-c>", "21<C-s>"])
async def test_closing_a_form_restores_the_windows_and_the_mode(
    form: Neovim, project: Path, ending: str
) -> None:
    (project / "a.txt").write_text("one\ntwo\n")
    await form.command("edit a.txt | vsplit | split | normal! j")
    await form.command("wincmd w | wincmd p")
    before = await everything(form)
    await open_form(form, *BOTH)

    await form.keys(ending)

    await outcome(form)
    await wait_until_closed(form)
    await until(lambda: form.eval(f"win_getid() == {before['win']}"))
    after = await everything(form)
    for name in ("tabpages", "win", "previous_win", "mode", "registers"):
        assert after[name] == before[name]


async def test_insert_mode_resumes_after_a_form(form: Neovim) -> None:
    await form.keys("ione two<Left><Left>")
    await until(lambda: form.eval("col('.') == 6"))

    await open_form(form, *BOTH)
    await form.keys("21<C-s>")
    await outcome(form)
    await until(lambda: form.eval("mode() ==# 'i'"))
    await form.keys("X<Esc>")

    await until(lambda: form.eval("getline(1) ==# 'one tXwo'"))


async def test_a_form_waits_until_the_command_line_is_finished(form: Neovim) -> None:
    await form.keys(":let g:a = 1")
    await until(lambda: form.eval("mode() ==# 'c'"))

    host(form).ask(BOTH, 1)
    await form.keys(" + 1<CR>")

    await until(lambda: form.eval("get(g:, 'a') == 2"))
    await until(lambda: form.eval(FLOATS), "the form is shown")
    await form.keys("21<C-s>")
    assert await outcome(form) == given("requests", "Retry")


AGAIN = "require('claude_ide.chat.form').open(1, {})"


async def test_a_form_requested_twice_is_shown_once(form: Neovim) -> None:
    host(form).ask(BOTH, 1)
    # The first request is sent by a task.
    await asyncio.sleep(0)
    await form.lua(AGAIN)
    await until(lambda: form.eval(FLOATS), "the form is shown")
    await form.keys("2<C-w>w")
    await until(lambda: form.eval("nvim_win_get_config(0).relative ==# ''"))

    await form.lua(AGAIN)

    await until(lambda: form.eval("nvim_win_get_config(0).relative !=# ''"))
    assert await form.eval(FLOATS) == 1
    await until(lambda: "(•) 2 requests" in form.screen.text())


LONG = Question(
    *("Which of these?", ""),
    tuple(
        Choice(f"choice {number}", "many words " * 30 + "\nand a line") for number in range(1, 13)
    ),
)


async def test_a_form_taller_than_the_screen_scrolls(form: Neovim) -> None:
    await open_form(form, LONG)
    await until(lambda: "( ) 1 choice 1" in form.screen.text())
    assert "choice 12" not in form.screen.text()
    # The rows of a wrapped description keep its indent.
    shown = [row.split("│")[1] for row in form.screen.lines() if "words many" in row]
    assert len(shown) > 4
    for row in shown:
        assert row.startswith(" " * 9)
        assert row[9] != " "

    await form.keys("/choice 12<CR><CR><C-s>")

    assert await outcome(form) == {"Which of these?": "choice 12"}


@pytest.mark.parametrize(("columns", "rows"), [(40, 12), (20, 6), (12, 4), (200, 60)])
async def test_a_form_fits_the_screen_after_a_resize(form: Neovim, columns: int, rows: int) -> None:
    await open_form(form, *BOTH)
    await form.keys("<C-w>w")

    await form.request("nvim_ui_try_resize", columns, rows)
    await until(lambda: form.eval(f"&columns == {columns} && &lines == {rows}"))

    win = "filter(nvim_list_wins(), {_, w -> nvim_win_get_config(w).relative !=# ''})[0]"
    config = await form.eval(f"nvim_win_get_config({win})")
    assert config["row"] + config["height"] + 2 <= rows - 1
    assert config["col"] + config["width"] + 2 <= columns
    await form.keys("<C-w>w21<C-s>")
    assert await outcome(form) == given("requests", "Retry")
    await settled(form)
