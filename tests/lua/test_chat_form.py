"""`chat/form.lua`: the user fills in a form with keys."""

import pytest

from claude_ide.agents.requests import Question
from support.answers import settled
from support.forms import (
    BOTH,
    FEATURES,
    LIBRARY,
    given,
    open_form,
    outcome,
    outcomes,
    wait_until_closed,
)
from support.neovim import Neovim, until


async def line(nvim: Neovim) -> str:
    return str(await nvim.eval("trim(getline('.'))"))


async def is_on(nvim: Neovim, text: str) -> None:
    async def found() -> bool:
        return text in await line(nvim)

    await until(found, f"the cursor is on {text!r}")


async def test_a_form_shows_every_question_with_its_choices_and_the_keys(form: Neovim) -> None:
    await open_form(form, *BOTH)

    await until(lambda: "Submit (2 unanswered)" in form.screen.text())
    shown = form.screen.text()
    for text in (
        "Claude asks",
        "Library: Which library?",
        "( ) 1 httpx",
        "async",
        "( )   something else…",
        "Features: Which features? (any number)",
        "[ ] 2 Cache",
        "<C-s> submit",
        "<C-c> decline",
    ):
        assert text in shown
    assert await line(form) == "( ) 1 httpx"


@pytest.mark.parametrize("key", ["<CR>", "<Space>"])
async def test_a_key_picks_the_choice_under_the_cursor(form: Neovim, key: str) -> None:
    """`j` skips the description of a choice."""
    await open_form(form, *BOTH)

    await form.keys("jj" + key)
    await is_on(form, "[ ] 1 Retry")
    await form.keys(key + "jj" + key)
    await form.keys("<Tab>")
    await is_on(form, "Submit")
    await form.keys("<CR>")

    assert await outcome(form) == given("requests", "Retry", "Cache")
    await wait_until_closed(form)
    await settled(form)


async def test_choices_are_picked_by_number(form: Neovim) -> None:
    await open_form(form, *BOTH)

    await form.keys("312<C-s>")

    assert await outcome(form) == given("urllib", "Retry", "Cache")


async def test_picking_a_multiple_choice_again_unpicks_it(form: Neovim) -> None:
    await open_form(form, *BOTH)

    await form.keys("1121<C-s>")

    assert await outcome(form) == given("httpx", "Cache")


async def test_picking_a_choice_does_not_submit_a_single_question(form: Neovim) -> None:
    await open_form(form, LIBRARY)

    await form.keys("<CR>")
    await is_on(form, "Submit")
    assert outcomes(form) == []
    await form.keys("<CR>")

    assert await outcome(form) == {"Which library?": "httpx"}


@pytest.mark.parametrize("key", ["i", "a", "<CR>", "<Space>"])
async def test_a_typed_text_is_an_answer(form: Neovim, key: str) -> None:
    await open_form(form, *BOTH)

    await form.keys("1<S-Tab>/else<CR>" + key)
    await until(lambda: "Something else:" in form.screen.lines()[-1])
    await form.keys("aio http<CR>")
    await is_on(form, "Retry")
    await until(lambda: "(•)   something else: aio http" in form.screen.text())
    await form.keys("2ilogs, too<CR>")
    await until(lambda: "[x]   something else: logs, too" in form.screen.text())
    await form.keys("<C-s>")

    assert await outcome(form) == given("aio http", "Cache", "logs, too")
    await settled(form)


async def test_a_typed_answer_is_kept_while_a_choice_is_picked_instead(form: Neovim) -> None:
    await open_form(form, LIBRARY)
    await form.keys("iaiohttp<CR>")
    await is_on(form, "Submit")

    await form.keys("<S-Tab>1")
    await until(lambda: "( )   something else: aiohttp" in form.screen.text())
    await form.keys("/else<CR><Space><S-Tab>")
    await until(lambda: "(•)   something else: aiohttp" in form.screen.text())
    await form.keys("<C-s>")

    assert await outcome(form) == {"Which library?": "aiohttp"}


async def test_a_typed_answer_can_be_edited_and_removed(form: Neovim) -> None:
    await open_form(form, FEATURES)
    await form.keys("ilogs<CR>")
    await until(lambda: "something else: logs" in form.screen.text())
    await form.keys("i and more<CR>")
    await until(lambda: "something else: logs and more" in form.screen.text())
    await form.keys("i<Esc>")
    await until(lambda: "something else: logs and more" in form.screen.text())

    await form.keys("i<C-u><CR>")
    await until(lambda: "[ ]   something else…" in form.screen.text())
    await form.keys("1<C-s>")

    assert await outcome(form) == {"Which features?": ("Retry",)}


async def test_submitting_names_the_unanswered_questions(form: Neovim) -> None:
    await open_form(form, *BOTH)
    await form.keys("1<Tab><Tab>")
    await is_on(form, "Submit (1 unanswered)")

    await form.keys("<CR>")

    await until(lambda: "not answered yet: Features" in form.screen.text())
    assert await line(form) == "[ ] 1 Retry"
    assert outcomes(form) == []
    await settled(form)
    await form.keys("1<C-s>")
    assert await outcome(form) == given("httpx", "Retry")


async def test_the_tab_key_cycles_through_the_questions(form: Neovim) -> None:
    await open_form(form, *BOTH)

    for key, text in (
        ("<Tab>", "Retry"),
        ("<Tab>", "Submit"),
        ("<Tab>", "httpx"),
        ("<S-Tab>", "Submit"),
        ("<S-Tab>", "Retry"),
        ("jj<S-Tab>", "httpx"),
    ):
        await form.keys(key)
        await is_on(form, text)


@pytest.mark.parametrize(
    "keys", ["q", "<Esc>", ":q<CR>", "<C-w>c", "ZQ", ":bwipeout<CR>", ":close<CR>", "<C-w>o"]
)
async def test_a_closed_form_keeps_its_answers_when_it_reopens(form: Neovim, keys: str) -> None:
    await open_form(form, *BOTH)
    await form.keys("21")
    await until(lambda: "[x] 1 Retry" in form.screen.text())

    if keys == "<C-w>o":
        await form.keys("<C-w>w<C-w>o")
    else:
        await form.keys(keys)

    assert await outcome(form) == "closed"
    await wait_until_closed(form)
    await settled(form)
    await open_form(form, *BOTH)
    await until(lambda: "(•) 2 requests" in form.screen.text())
    await form.keys("<C-s>")
    await until(lambda: len(outcomes(form)) == 2)
    assert outcomes(form)[1] == given("requests", "Retry")


async def test_a_question_without_choices_accepts_typed_text(form: Neovim) -> None:
    await open_form(form, Question("Name?"))
    await is_on(form, "type an answer")

    await form.keys("<CR>it<CR><C-s>")

    assert await outcome(form) == {"Name?": "it"}


async def test_user_highlights_are_kept(form: Neovim) -> None:
    await form.command("highlight link ClaudeFormPicked Search")

    await open_form(form, *BOTH)

    linked = "synIDattr(synIDtrans(hlID('{}')), 'name')"
    assert await form.eval(linked.format("ClaudeFormPicked")) == "Search"
    for name in ("Question", "Choice", "Description", "Keys"):
        assert await form.eval(linked.format(f"ClaudeForm{name}")) != f"ClaudeForm{name}"


async def test_editing_keys_change_nothing_and_cause_no_prompt(form: Neovim) -> None:
    await open_form(form, *BOTH)
    before = await form.eval("getline(1, '$')")

    for keys in ("dd", "x", "p", "u", "J", ":w<CR>", ":e a.txt<CR>", "gJ", "~", "0$"):
        await form.keys(keys)
        await settled(form)

    await form.keys("gg")
    await is_on(form, "Which library?")
    assert await form.eval("getline(1, '$')") == before
    await until(lambda: "( ) 1 httpx" in form.screen.text(), "the screen shows the form")
    assert outcomes(form) == []
    await form.keys("j21<C-s>")
    assert await outcome(form) == given("requests", "Retry")


async def test_only_the_first_answer_of_a_ui_counts(form: Neovim) -> None:
    await form.lua("vim.ui.input = function(opts, fn) fn('first'); fn('second') end")
    await open_form(form, LIBRARY)

    await form.keys("i")
    await is_on(form, "Submit")
    await form.keys("<CR>")

    assert await outcome(form) == {"Which library?": "first"}
