"""`chat/form.lua`: typed answers, forms in which one key is the answer, and keys typed ahead."""

from typing import Any

import pytest

from claude_ide.agents.requests import AnswerKind, Question
from claude_ide.ui.form import of_keys
from support.answers import answer, answers, settled
from support.forms import BOTH, MODULE, given, host, open_form, outcome, outcomes, wait_until_closed
from support.neovim import Neovim, until

AGE = Question("Age", kind=AnswerKind.INTEGER, default=30)
NAME = Question("Name")


async def typed(nvim: Neovim, text: str) -> None:
    """Type an answer to the question at the cursor, instead of the previous one."""
    await nvim.keys("i")
    await until(lambda: nvim.eval("mode() ==# 'c'"), "the dialogue")
    await nvim.keys(f"<C-u>{text}<CR>")
    await until(lambda: nvim.eval("mode() ==# 'n'"), "the dialogue is closed")


async def test_keys_that_are_typed_ahead_mean_what_the_user_will_see(form: Neovim) -> None:
    await open_form(form, *BOTH, NAME)

    await form.keys("3<S-Tab>2<Tab>12<S-Tab><Tab><Tab>iAnn<CR><C-s>")

    assert await outcome(form) == given("requests", "Retry", "Cache") | {"Name": "Ann"}


async def test_a_page_leaves_the_cursor_where_the_user_has_moved_it_meanwhile(form: Neovim) -> None:
    await open_form(form, *BOTH)

    await form.keys("31gg")
    await settled(form)

    await until(lambda: "(•) 3 urllib" in form.screen.text(), "the page")
    assert await form.eval("line('.')") == 1
    await form.keys("<Tab>")
    await until(lambda: form.eval("getline('.') =~ 'Retry'"), "the next question")


async def open_keys(form: Neovim, token: int = 1) -> None:
    keys = {"y": "Yes, once", "n": "No", "N": "No, because…"}
    page = of_keys("Answer Claude", "Claude asks: Bash ls", keys)
    await form.lua(f"{MODULE}.open(...)", token, page)
    await until(lambda: "letter answers" in form.screen.text(), "the form")


@pytest.mark.parametrize(("key", "chosen"), [("y", "y"), ("N", "N"), ("2", "n"), ("jj<CR>", "N")])
async def test_one_key_answers_a_form_of_keys(form: Neovim, key: str, chosen: str) -> None:
    await open_keys(form)
    assert "Claude asks: Bash ls" in form.screen.text()
    await form.keys("/Yes<CR>")
    await form.idle(500)

    await form.keys(key)

    assert await answer(form, 1) == {"answer": chosen}
    await wait_until_closed(form)


async def test_a_key_that_was_typed_before_the_form_could_be_read_is_ignored(form: Neovim) -> None:
    await open_keys(form)

    await form.lua("vim.api.nvim_feedkeys('y', 'tx', false)")
    assert answers(form, 1) == []

    await form.keys("q")
    assert await answer(form, 1) == {"closed": True}


@pytest.mark.parametrize("is_instant", [False, True])
async def test_the_keys_of_a_form_are_shown(form: Neovim, is_instant: bool) -> None:
    if is_instant:
        await open_keys(form)
    else:
        await open_form(form, NAME)

    await form.keys("g?")

    await until(lambda: "Show these keys" in form.screen.text(), "the keys")
    await form.keys("q")
    await until(lambda: "Show these keys" not in form.screen.text(), "the form")
    await settled(form)
    assert answers(form, 1) == []


async def kept(nvim: Neovim) -> Any:
    """Return the text that was kept."""
    kept = "map(filter(getbufinfo(), {_, each -> each.name =~ 'kept'}), 'v:val.bufnr')"
    [bufnr] = await nvim.eval(kept)
    return await nvim.eval(f"getbufline({bufnr}, 1, '$')")


async def test_typed_answers_are_kept_if_the_form_is_withdrawn(form: Neovim) -> None:
    await open_form(form, NAME, AGE)
    await typed(form, "Ann")
    await until(lambda: "▸ Ann" in form.screen.text(), "the answer")

    host(form).withdraw(1)

    await wait_until_closed(form)
    assert await kept(form) == ["Name: Ann"]
    assert outcomes(form) == []


async def test_what_is_typed_while_the_host_hangs_is_kept_when_it_ends(form: Neovim) -> None:
    await open_form(form, NAME)
    host(form).hangs = True

    await typed(form, "Ann")
    await form.keys("<C-s>")
    await settled(form)
    await form.lua(f"{MODULE}.close_all()")

    await wait_until_closed(form)
    assert await kept(form) == ["Name: Ann"]
