"""`chat/form/init.lua`: the user fills in a form with keys."""

from pathlib import Path
from typing import Any

import pytest

from support.answers import answer, answers, listen, settled
from support.diffs import everything
from support.neovim import Neovim, until

MODULE = "require('claude_ide.chat.form')"
FLOATS = "len(filter(getwininfo(), {_, w -> nvim_win_get_config(w.winid).relative !=# ''}))"

LIBRARY = {
    "text": "Which library?",
    "header": "Library",
    "choices": [
        {"label": "httpx", "description": "async"},
        {"label": "requests", "description": "sync"},
        {"label": "urllib", "description": ""},
    ],
    "multiple": False,
}
FEATURES = {
    "text": "Which features?",
    "header": "Features",
    "choices": [{"label": "Retry", "description": "r"}, {"label": "Cache", "description": "c"}],
    "multiple": True,
}
BOTH = [LIBRARY, FEATURES]


@pytest.fixture
async def form(nvim: Neovim) -> Neovim:
    await listen(nvim)
    return nvim


async def ask(nvim: Neovim, questions: list[dict[str, Any]], token: int = 1) -> None:
    await nvim.lua(f"{MODULE}.open(...)", token, {"title": "Claude asks", "questions": questions})


async def open_form(nvim: Neovim, questions: list[dict[str, Any]], token: int = 1) -> None:
    await ask(nvim, questions, token)
    await until(lambda: nvim.eval(FLOATS), "the form is shown")
    await until(lambda: nvim.eval("mode() ==# 'n'"))


async def line(nvim: Neovim) -> str:
    return str(await nvim.eval("trim(getline('.'))"))


async def is_on(nvim: Neovim, text: str) -> None:
    async def found() -> bool:
        return text in await line(nvim)

    await until(found, f"the cursor is on {text!r}")


async def is_gone(nvim: Neovim) -> None:
    async def gone() -> bool:
        return not await nvim.eval(FLOATS)

    await until(gone, "the form is gone")


def given(library: list[str], features: list[str]) -> dict[str, Any]:
    return {
        "answers": [
            {"question": "Which library?", "chosen": library},
            {"question": "Which features?", "chosen": features},
        ]
    }


async def test_it_shows_every_question_with_its_choices_and_the_keys(form: Neovim) -> None:
    await open_form(form, BOTH)

    await until(lambda: "Submit (2 of 2 left)" in form.screen.text())
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
async def test_choices_are_picked_where_the_cursor_is(form: Neovim, key: str) -> None:
    """`j` goes over a choice's description, which belongs to it."""
    await open_form(form, BOTH)

    await form.keys("jj" + key)
    await is_on(form, "[ ] 1 Retry")
    await form.keys(key + "jj" + key)
    await form.keys("<Tab>")
    await is_on(form, "Submit")
    await form.keys("<CR>")

    assert await answer(form, 1) == given(["requests"], ["Retry", "Cache"])
    await is_gone(form)
    await settled(form)


async def test_choices_are_picked_by_number(form: Neovim) -> None:
    await open_form(form, BOTH)

    await form.keys("312<C-s>")

    assert await answer(form, 1) == given(["urllib"], ["Retry", "Cache"])


async def test_the_last_of_the_single_choices_counts(form: Neovim) -> None:
    await open_form(form, BOTH)

    await form.keys("1<S-Tab>2<S-Tab>9<Tab>2")
    await until(lambda: "(•) 2 requests" in form.screen.text())
    await until(lambda: "( ) 1 httpx" in form.screen.text())
    await form.keys("<C-s>")

    assert await answer(form, 1) == given(["requests"], ["Cache"])


async def test_a_choice_among_many_is_taken_back(form: Neovim) -> None:
    await open_form(form, BOTH)

    await form.keys("1121<C-s>")

    assert await answer(form, 1) == given(["httpx"], ["Cache"])


async def test_one_question_is_not_submitted_by_picking(form: Neovim) -> None:
    await open_form(form, [LIBRARY])

    await form.keys("<CR>")
    await is_on(form, "Submit")
    assert answers(form, 1) == []
    await form.keys("<CR>")

    assert await answer(form, 1) == {
        "answers": [{"question": "Which library?", "chosen": ["httpx"]}]
    }


@pytest.mark.parametrize("key", ["i", "a", "<CR>", "<Space>"])
async def test_other_words_are_an_answer_of_their_own(form: Neovim, key: str) -> None:
    await open_form(form, BOTH)

    await form.keys("1<S-Tab>/else<CR>" + key)
    await until(lambda: "Something else:" in form.screen.lines()[-1])
    await form.keys("aio http<CR>")
    await is_on(form, "Retry")
    await until(lambda: "(•)   something else: aio http" in form.screen.text())
    await form.keys("2ilogs, too<CR>")
    await until(lambda: "[x]   something else: logs, too" in form.screen.text())
    await form.keys("<C-s>")

    assert await answer(form, 1) == given(["aio http"], ["Cache", "logs, too"])
    await settled(form)


async def test_other_words_are_kept_while_a_choice_is_picked_instead(form: Neovim) -> None:
    await open_form(form, [LIBRARY])
    await form.keys("iaiohttp<CR>")
    await is_on(form, "Submit")

    await form.keys("<S-Tab>1")
    await until(lambda: "( )   something else: aiohttp" in form.screen.text())
    await form.keys("/else<CR><Space><S-Tab>")
    await until(lambda: "(•)   something else: aiohttp" in form.screen.text())
    await form.keys("<C-s>")

    assert (await answer(form, 1))["answers"][0]["chosen"] == ["aiohttp"]


async def test_other_words_can_be_changed_and_taken_away(form: Neovim) -> None:
    await open_form(form, [FEATURES])
    await form.keys("ilogs<CR>")
    await until(lambda: "something else: logs" in form.screen.text())
    await form.keys("i and more<CR>")
    await until(lambda: "something else: logs and more" in form.screen.text())
    await form.keys("i<Esc>")
    await until(lambda: "something else: logs and more" in form.screen.text())

    await form.keys("i<C-u><CR>")
    await until(lambda: "[ ]   something else…" in form.screen.text())
    await form.keys("1<C-s>")

    assert (await answer(form, 1))["answers"][0]["chosen"] == ["Retry"]


async def test_questions_without_an_answer_are_named(form: Neovim) -> None:
    await open_form(form, BOTH)
    await form.keys("1<Tab>")
    await is_on(form, "Submit (1 of 2 left)")

    await form.keys("<CR>")

    await until(lambda: "not answered yet: Features" in form.screen.text())
    assert await line(form) == "[ ] 1 Retry"
    assert answers(form, 1) == []
    await settled(form)
    await form.keys("1<C-s>")
    assert await answer(form, 1) == given(["httpx"], ["Retry"])


async def test_tab_goes_around(form: Neovim) -> None:
    await open_form(form, BOTH)

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
async def test_closed_it_can_be_opened_again_as_it_was(form: Neovim, keys: str) -> None:
    await open_form(form, BOTH)
    await form.keys("21")
    await until(lambda: "[x] 1 Retry" in form.screen.text())

    if keys == "<C-w>o":
        await form.keys("<C-w>w<C-w>o")
    else:
        await form.keys(keys)

    assert await answer(form, 1) == {"closed": True}
    await is_gone(form)
    await settled(form)
    await open_form(form, BOTH)
    await until(lambda: "(•) 2 requests" in form.screen.text())
    await form.keys("<C-s>")
    await until(lambda: len(answers(form, 1)) == 2)
    assert answers(form, 1)[1] == given(["requests"], ["Retry"])


async def test_another_form_begins_empty(form: Neovim) -> None:
    await open_form(form, BOTH)
    await form.keys("21q")
    await answer(form, 1)

    await open_form(form, BOTH, 2)

    await until(lambda: "Submit (2 of 2 left)" in form.screen.text())
    assert "•" not in form.screen.text()


async def test_it_is_declined(form: Neovim) -> None:
    await open_form(form, BOTH)

    await form.keys("2<C-c>")

    assert await answer(form, 1) == {"declined": True}
    await is_gone(form)
    await settled(form)
    await open_form(form, BOTH)
    await until(lambda: "Submit (2 of 2 left)" in form.screen.text())


async def test_withdrawn_it_goes_without_an_answer(form: Neovim, project: Path) -> None:
    (project / "a.txt").write_text("one\n")
    await form.command("edit a.txt")
    await open_form(form, BOTH)
    await form.keys("2")

    await form.lua(f"{MODULE}.close(1)")

    await is_gone(form)
    # What is typed on at once was meant for the form.
    await form.keys("dd")
    await form.lua("vim.defer_fn(function() vim.g.waited = 1 end, 400)")
    await until(lambda: form.eval("get(g:, 'waited')"))
    await settled(form)
    assert await form.eval("getline(1)") == "one"
    assert answers(form, 1) == []


async def test_withdrawn_while_other_words_are_typed_it_goes_afterwards(form: Neovim) -> None:
    await open_form(form, BOTH)
    await form.keys("iwords")
    await until(lambda: "words" in form.screen.lines()[-1])

    await form.lua(f"{MODULE}.close(1)")
    await form.keys(" more<CR>")

    await is_gone(form)
    await form.lua("vim.defer_fn(function() vim.g.waited = 1 end, 400)")
    await until(lambda: form.eval("get(g:, 'waited')"))
    await settled(form)
    assert answers(form, 1) == []


@pytest.mark.parametrize("ending", ["q", ":q<CR>", "<C-c>", "21<C-s>"])
async def test_the_user_is_back_where_they_were(form: Neovim, project: Path, ending: str) -> None:
    (project / "a.txt").write_text("one\ntwo\n")
    await form.command("edit a.txt | vsplit | split | normal! j")
    await form.command("wincmd w | wincmd p")
    before = await everything(form)
    await open_form(form, BOTH)

    await form.keys(ending)

    await answer(form, 1)
    await is_gone(form)
    await until(lambda: form.eval(f"win_getid() == {before['win']}"))
    after = await everything(form)
    for name in ("tabpages", "win", "previous_win", "mode", "registers"):
        assert after[name] == before[name]


async def test_insert_mode_goes_on_where_it_was(form: Neovim) -> None:
    await form.keys("ione two<Left><Left>")
    await until(lambda: form.eval("col('.') == 6"))

    await open_form(form, BOTH)
    await form.keys("21<C-s>")
    await answer(form, 1)
    await until(lambda: form.eval("mode() ==# 'i'"))
    await form.keys("X<Esc>")

    await until(lambda: form.eval("getline(1) ==# 'one tXwo'"))


async def test_nothing_that_is_half_typed_is_lost(form: Neovim) -> None:
    await form.keys(":let g:a = 1")
    await until(lambda: form.eval("mode() ==# 'c'"))

    await ask(form, BOTH)
    await form.keys(" + 1<CR>")

    await until(lambda: form.eval("get(g:, 'a') == 2"))
    await until(lambda: form.eval(FLOATS), "the form is shown")
    await form.keys("21<C-s>")
    assert await answer(form, 1) == given(["requests"], ["Retry"])


async def test_asked_for_twice_it_is_shown_once(form: Neovim) -> None:
    await ask(form, BOTH)
    await ask(form, BOTH)
    await until(lambda: form.eval(FLOATS), "the form is shown")
    await form.keys("2<C-w>w")
    await until(lambda: form.eval("nvim_win_get_config(0).relative ==# ''"))

    await ask(form, BOTH)

    await until(lambda: form.eval("nvim_win_get_config(0).relative !=# ''"))
    assert await form.eval(FLOATS) == 1
    await until(lambda: "(•) 2 requests" in form.screen.text())


LONG = {
    "text": "Which of these?",
    "header": "",
    "choices": [
        {"label": f"choice {number}", "description": "many words " * 30 + "\nand a line"}
        for number in range(1, 13)
    ],
    "multiple": False,
}


async def test_taller_than_the_screen_it_scrolls(form: Neovim) -> None:
    await open_form(form, [LONG])
    await until(lambda: "( ) 1 choice 1" in form.screen.text())
    assert "choice 12" not in form.screen.text()
    # A description goes on where it began.
    shown = [row.split("│")[1] for row in form.screen.lines() if "words many" in row]
    assert len(shown) > 4
    for row in shown:
        assert row.startswith(" " * 9)
        assert row[9] != " "

    await form.keys("/choice 12<CR><CR><C-s>")

    assert (await answer(form, 1))["answers"][0]["chosen"] == ["choice 12"]


@pytest.mark.parametrize(("columns", "rows"), [(40, 12), (20, 6), (12, 4), (200, 60)])
async def test_it_fits_the_screen_as_that_changes(form: Neovim, columns: int, rows: int) -> None:
    await open_form(form, BOTH)
    await form.keys("<C-w>w")

    await form.request("nvim_ui_try_resize", columns, rows)
    await until(lambda: form.eval(f"&columns == {columns} && &lines == {rows}"))

    win = "filter(nvim_list_wins(), {_, w -> nvim_win_get_config(w).relative !=# ''})[0]"
    config = await form.eval(f"nvim_win_get_config({win})")
    assert config["row"] + config["height"] + 2 <= rows - 1
    assert config["col"] + config["width"] + 2 <= columns
    await form.keys("<C-w>w21<C-s>")
    assert await answer(form, 1) == given(["requests"], ["Retry"])
    await settled(form)


async def test_odd_texts_are_shown_in_one_piece(form: Neovim) -> None:
    odd = {
        "text": "two\nlines %d\twide",
        "header": None,
        "choices": [{"label": "a\nb", "description": None}, {"label": "漢字 🎉"}],
        "multiple": None,
    }
    await open_form(form, [odd])
    await until(lambda: "1 a b" in form.screen.text())

    await form.keys("1<C-s>")

    assert (await answer(form, 1))["answers"] == [
        {"question": "two\nlines %d\twide", "chosen": ["a\nb"]}
    ]


async def test_a_question_without_choices_takes_words(form: Neovim) -> None:
    await open_form(form, [{"text": "Name?", "choices": []}])
    await is_on(form, "something else")

    await form.keys("<CR>it<CR><C-s>")

    assert (await answer(form, 1))["answers"] == [{"question": "Name?", "chosen": ["it"]}]


async def test_the_users_colours_are_kept(form: Neovim) -> None:
    await form.command("highlight link ClaudeFormPicked Search")

    await open_form(form, BOTH)

    linked = "synIDattr(synIDtrans(hlID('{}')), 'name')"
    assert await form.eval(linked.format("ClaudeFormPicked")) == "Search"
    for name in ("Question", "Choice", "Description", "Keys"):
        assert await form.eval(linked.format(f"ClaudeForm{name}")) != f"ClaudeForm{name}"


async def test_keys_that_edit_change_nothing_and_ask_nothing(form: Neovim) -> None:
    await open_form(form, BOTH)
    before = form.screen.text()

    for keys in ("dd", "x", "p", "u", "J", ":w<CR>", ":e a.txt<CR>", "gJ", "~", "0$"):
        await form.keys(keys)
        await settled(form)

    await form.keys("gg")
    await is_on(form, "Which library?")
    assert "( ) 1 httpx" in before
    assert await form.eval("join(getline(1, '$'))") != ""
    assert answers(form, 1) == []
    await form.keys("j21<C-s>")
    assert await answer(form, 1) == given(["requests"], ["Retry"])


async def test_a_ui_that_answers_twice_is_heard_once(form: Neovim) -> None:
    await form.lua("vim.ui.input = function(opts, fn) fn('first'); fn('second') end")
    await open_form(form, [LIBRARY])

    await form.keys("i")
    await is_on(form, "Submit")
    await form.keys("<CR>")

    assert (await answer(form, 1))["answers"][0]["chosen"] == ["first"]
