"""`ui/init.lua`: questions on one line, each answered once."""

from typing import Any

import pytest

from support.answers import answer, answers, listen, settled
from support.chunks import chunk
from support.either_editor import choose, noticed, on_screen, type_answer
from support.neovim import Neovim, until

MODULE = "require('claude_ide.ui')"


@pytest.fixture
async def dialogue(nvim: Neovim) -> Neovim:
    await listen(nvim)
    return nvim


async def select(nvim: Neovim, token: int, prompt: str, items: list[str]) -> None:
    await nvim.lua(f"{MODULE}.select(...)", token, prompt, items)


async def ask(nvim: Neovim, token: int, prompt: str, default: Any = None) -> None:
    await nvim.lua(f"{MODULE}.input(...)", token, prompt, default)


async def test_the_answer_is_the_number_of_the_chosen_item(dialogue: Neovim) -> None:
    await select(dialogue, 7, "Which scope?", ["this time", "this project", "always"])
    await on_screen(dialogue, "3: always")

    await choose(dialogue, 2)

    assert await answer(dialogue, 7) == {"index": 2}
    await settled(dialogue)
    await until(lambda: "3: always" not in dialogue.screen.text(), "the list is gone")


@pytest.mark.parametrize("keys", ["<CR>", "<Esc>", "q<CR>", "9<CR>", "0<CR>", "<C-c>"])
async def test_a_dismissed_choice_has_no_number(dialogue: Neovim, keys: str) -> None:
    await select(dialogue, 7, "Which scope?", ["this time", "always"])
    await on_screen(dialogue, "2: always")

    await type_answer(dialogue, keys)

    assert await answer(dialogue, 7) == {}
    await settled(dialogue)


@pytest.mark.parametrize("laststatus", [2, 3])
async def test_a_choice_shows_its_question_without_a_command_line(
    dialogue: Neovim, laststatus: int
) -> None:
    await dialogue.command(f"set cmdheight=0 laststatus={laststatus} | vsplit | split")
    sizes = await dialogue.eval("winrestcmd()")
    await select(dialogue, 7, "Which scope?", ["this time", "this project", "always"])
    await on_screen(dialogue, "3: always")
    await until(lambda: "Which scope?" in dialogue.screen.text())

    await choose(dialogue, 2)

    assert await answer(dialogue, 7) == {"index": 2}
    await settled(dialogue)
    assert await dialogue.eval("[&cmdheight, winrestcmd()]") == [0, sizes]


async def test_the_answer_is_the_typed_text(dialogue: Neovim) -> None:
    await ask(dialogue, 3, "Why not? ", "because")
    await on_screen(dialogue, "Why not? because")

    await type_answer(dialogue, " it is käse<CR>")

    assert await answer(dialogue, 3) == {"text": "because it is käse"}
    await settled(dialogue)


async def test_an_empty_line_is_an_answer_and_a_cancelled_one_is_not(dialogue: Neovim) -> None:
    await ask(dialogue, 1, "Why not? ")
    await on_screen(dialogue, "Why not?")
    await type_answer(dialogue, "<CR>")
    assert await answer(dialogue, 1) == {"text": ""}

    await ask(dialogue, 2, "And now? ")
    await on_screen(dialogue, "And now?")
    await type_answer(dialogue, "text<Esc>")
    assert await answer(dialogue, 2) == {}


async def test_long_texts_with_many_lines_cause_no_hit_enter_prompt(dialogue: Neovim) -> None:
    long = "why\nis\tthis " + "so wide 漢字 " * 40
    await ask(dialogue, 1, long, long)
    await on_screen(dialogue, "why is this so wide")
    await type_answer(dialogue, "<CR>")
    assert (await answer(dialogue, 1))["text"].startswith("why is this so wide")
    await settled(dialogue)

    await select(dialogue, 2, long, [long, "two\nlines"])
    await on_screen(dialogue, "2: two lines")
    assert dialogue.screen.text().count("…") == 2
    await choose(dialogue, 2)
    assert await answer(dialogue, 2) == {"index": 2}
    await settled(dialogue)


@pytest.mark.parametrize(
    ("keys", "mode"), [("i", "i"), (":", "c"), ("d", "no"), ("v", "v"), ("q:", "n")]
)
async def test_a_question_waits_until_nothing_is_half_typed(
    dialogue: Neovim, keys: str, mode: str
) -> None:
    """Insert mode does not delay it, and resumes afterwards."""
    await dialogue.keys(keys)
    await until(lambda: dialogue.eval(f"mode(1) ==# '{mode}'"))

    await ask(dialogue, 1, "Why not? ")
    if mode != "i":
        await dialogue.lua("vim.defer_fn(function() vim.g.waited = 1 end, 150)")
        await until(lambda: dialogue.eval("get(g:, 'waited')"))
        assert "Why not?" not in dialogue.screen.text()
        await dialogue.keys(":q<CR>" if keys == "q:" else "<Esc>")
    await on_screen(dialogue, "Why not?")
    await type_answer(dialogue, "x<CR>")

    assert await answer(dialogue, 1) == {"text": "x"}
    await until(lambda: dialogue.eval(f"mode(1) ==# '{'i' if mode == 'i' else 'n'}'"))


async def test_a_withdrawn_question_is_never_asked(dialogue: Neovim) -> None:
    await dialogue.keys(":")
    await until(lambda: dialogue.eval("mode() ==# 'c'"))
    await ask(dialogue, 1, "Withdrawn? ")
    await dialogue.lua(f"{MODULE}.close_all()")
    await dialogue.keys("<Esc>")
    await ask(dialogue, 2, "Why not? ")

    await on_screen(dialogue, "Why not?")
    assert "Withdrawn" not in dialogue.screen.text()
    await type_answer(dialogue, "x<CR>")

    assert await answer(dialogue, 2) == {"text": "x"}
    assert answers(dialogue, 1) == []


async def test_an_answer_that_is_no_longer_awaited_is_reported(dialogue: Neovim) -> None:
    await ask(dialogue, 1, "Why not? ")
    await on_screen(dialogue, "Why not?")
    await dialogue.lua(f"{MODULE}.close_all()")

    await type_answer(dialogue, "x<CR>")

    await on_screen(dialogue, "this question is no longer waiting for an answer")
    await settled(dialogue)
    assert answers(dialogue, 1) == []


BLIND = {
    "select": ("1<CR>", "2<CR>", {"index": 2}),
    "select_later": ("1<CR>", "2<CR>", {"index": 2}),
    "input": ("blind<CR>", " text<CR>", {"text": "typed text"}),
}


@pytest.mark.parametrize("kind", BLIND)
async def test_keys_typed_blindly_answer_nothing(dialogue: Neovim, kind: str) -> None:
    blind, meant, expected = BLIND[kind]
    given: Any = "typed" if kind == "input" else ["run it", "refuse it"]
    await dialogue.lua(f"{MODULE}.{kind}(...)", 1, "Run this?", given)
    await on_screen(dialogue, "Run this?")

    await dialogue.keys(blind)
    await noticed(dialogue)
    assert answers(dialogue, 1) == []
    await dialogue.keys(meant)

    assert await answer(dialogue, 1) == expected


PICKER = """
vim.ui.select = function(items, _, choose)
  vim.schedule(function()
    local bufnr = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, items)
    local anywhere = { relative = 'editor', row = 1, col = 1, width = 20, height = 3 }
    local win = vim.api.nvim_open_win(bufnr, true, anywhere)
    vim.keymap.set('n', '<CR>', function()
      local row = vim.fn.line('.')
      vim.api.nvim_win_close(win, true)
      choose(items[row], row)
    end, { buffer = bufnr })
  end)
end
"""


async def test_an_enter_typed_blindly_takes_no_item_of_a_picker(dialogue: Neovim) -> None:
    await dialogue.lua(PICKER)
    await dialogue.lua(f"{MODULE}.select_later(...)", 1, "Run this?", ["run it", "refuse it"])
    await on_screen(dialogue, "refuse it")

    await dialogue.keys("<CR>")
    await noticed(dialogue)
    assert answers(dialogue, 1) == []
    await dialogue.keys("<CR>")

    assert await answer(dialogue, 1) == {"index": 1}


ANSWER_TWICE = chunk("ui/answer_twice")


async def test_only_the_first_answer_of_a_ui_counts(dialogue: Neovim) -> None:
    await dialogue.lua(ANSWER_TWICE)

    await select(dialogue, 1, "Which?", ["a", "b"])
    await ask(dialogue, 2, "What?")

    assert await answer(dialogue, 1) == {"index": 2}
    assert await answer(dialogue, 2) == {"text": "first"}


async def test_a_ui_that_returns_no_index_is_supported(dialogue: Neovim) -> None:
    await dialogue.lua("vim.ui.select = function(items, opts, fn) fn(items[2]) end")

    await select(dialogue, 1, "Which?", ["a", "b"])

    assert await answer(dialogue, 1) == {"index": 2}


FLOAT = chunk("ui/float")


async def test_closing_a_ui_without_an_answer_dismisses_it(dialogue: Neovim) -> None:
    await dialogue.lua(FLOAT)
    await ask(dialogue, 1, "What?")
    await until(lambda: dialogue.eval("winnr('$') == 2"))

    await type_answer(dialogue, "<C-w>c")

    assert await answer(dialogue, 1) == {}


# The name of the buffer, which the status line shows, must not contain the word.
DRAWN = r"terminal printf '\033[?1049h\033[ROW;1Hla\%s' st; cat"


def row_of(nvim: Neovim, text: str) -> int:
    lines = nvim.screen.text().splitlines()
    return next(row for row, line in enumerate(lines) if text in line)


async def test_a_terminal_keeps_its_text_while_a_ui_asks(dialogue: Neovim) -> None:
    await dialogue.lua(FLOAT)
    await dialogue.command("set cmdheight=0 | rightbelow vsplit")
    await dialogue.command(DRAWN.replace("ROW", str(await dialogue.eval("winheight(0)"))))
    await on_screen(dialogue, "last")
    before = row_of(dialogue, "last")

    await ask(dialogue, 1, "What?")
    await until(lambda: dialogue.eval("winnr('$') == 3"))
    await type_answer(dialogue, "y")

    assert await answer(dialogue, 1) == {"text": "late"}
    await dialogue.idle(100)
    assert row_of(dialogue, "last") == before


async def test_an_answer_just_after_a_ui_closes_counts(dialogue: Neovim) -> None:
    await dialogue.lua(FLOAT)
    await ask(dialogue, 1, "What?")
    await until(lambda: dialogue.eval("winnr('$') == 2"))

    await type_answer(dialogue, "y")

    assert await answer(dialogue, 1) == {"text": "late"}


async def test_a_failing_ui_causes_one_message_and_a_dismissal(dialogue: Neovim) -> None:
    await dialogue.lua("vim.ui.input = function() error('broken\\nui ' .. ('x'):rep(300)) end")

    await ask(dialogue, 1, "What?")

    assert await answer(dialogue, 1) == {}
    await on_screen(dialogue, "broken ui")
    await settled(dialogue)


async def test_a_question_asked_again_is_answered_once(dialogue: Neovim) -> None:
    await dialogue.lua("vim.ui.input = function(opts, fn) _G.confirm = _G.confirm or fn end")
    await ask(dialogue, 1, "What?")
    await until(lambda: dialogue.lua("return _G.confirm ~= nil"))
    await dialogue.lua("vim.ui.input = function(opts, fn) fn('second') end")
    await ask(dialogue, 1, "What?")
    assert await answer(dialogue, 1) == {"text": "second"}

    await dialogue.lua("_G.confirm('first')")

    await on_screen(dialogue, "no longer waiting")
    assert answers(dialogue, 1) == [{"text": "second"}]
