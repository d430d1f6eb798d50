"""`ui/init.lua`, `ui.vim`: questions on one line, each answered once."""

from typing import Any

import pytest

from support.answers import answer, answers, listen, settled
from support.chunks import chunk
from support.either_editor import BOTH, Editor, choose, noticed, on_screen, run, type_answer
from support.neovim import Neovim, until

MODULE = "require('claude_ide.ui')"


@pytest.fixture
async def dialogue(nvim: Editor) -> Editor:
    await listen(nvim)
    return nvim


HALF_TYPED = [(":", "c"), ("v", "v"), ("q:", "n")]


async def select(editor: Editor, token: int, prompt: str, items: list[str]) -> None:
    await run(editor, "ui.select", token, prompt, items)


async def ask(editor: Editor, token: int, prompt: str, default: str = "") -> None:
    await run(editor, "ui.input", token, prompt, default)


@BOTH
async def test_the_answer_is_the_number_of_the_chosen_item(dialogue: Editor) -> None:
    await select(dialogue, 7, "Which scope?", ["this time", "this project", "always"])
    await on_screen(dialogue, "always")
    assert "Which scope?" in dialogue.screen.text()

    await choose(dialogue, 2)

    assert await answer(dialogue, 7) == {"index": 2}
    await settled(dialogue)
    await until(lambda: "always" not in dialogue.screen.text(), "the list is gone")


@pytest.mark.parametrize(
    ("nvim", "keys"),
    [
        *(("neovim", keys) for keys in ("<CR>", "<Esc>", "q<CR>", "9<CR>", "0<CR>", "<C-c>")),
        *(("vim", keys) for keys in ("<Esc>", "x", "<C-c>")),
    ],
    indirect=["nvim"],
)
async def test_a_dismissed_choice_has_no_number(dialogue: Editor, keys: str) -> None:
    await select(dialogue, 7, "Which scope?", ["this time", "always"])
    await on_screen(dialogue, "always")
    await noticed(dialogue)

    await dialogue.keys(keys)

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


@BOTH
async def test_the_answer_is_the_typed_text(dialogue: Editor) -> None:
    await ask(dialogue, 3, "Why not? ", "because")
    await on_screen(dialogue, "Why not? because")

    await type_answer(dialogue, " it is käse<CR>")

    assert await answer(dialogue, 3) == {"text": "because it is käse"}
    await settled(dialogue)
    await until(lambda: "Why not?" not in dialogue.screen.text(), "the question is gone")


@BOTH
@pytest.mark.parametrize(
    ("keys", "answered"), [("<CR>", {"text": ""}), ("text<Esc>", {}), ("text<C-c>", {})]
)
async def test_an_empty_line_is_an_answer_and_a_cancelled_one_is_not(
    dialogue: Editor, keys: str, answered: dict[str, str]
) -> None:
    await ask(dialogue, 1, "Why not? ")
    await on_screen(dialogue, "Why not?")

    await type_answer(dialogue, keys)

    assert await answer(dialogue, 1) == answered
    await settled(dialogue)


@BOTH
async def test_long_texts_with_many_lines_cause_no_hit_enter_prompt(dialogue: Editor) -> None:
    long = "why\nis\tthis " + "so wide 漢字 " * 40
    await ask(dialogue, 1, long, long)
    await on_screen(dialogue, "why is this so wide")
    await type_answer(dialogue, "<CR>")
    assert (await answer(dialogue, 1))["text"].startswith("why is this so wide")
    await settled(dialogue)

    await select(dialogue, 2, long, [long, "two\nlines"])
    await on_screen(dialogue, "two lines")
    assert dialogue.screen.text().count("…") == 2
    await choose(dialogue, 2)
    assert await answer(dialogue, 2) == {"index": 2}
    await settled(dialogue)


@pytest.mark.parametrize(
    ("nvim", "keys", "mode"),
    [
        *(("neovim", "i", "i"), ("neovim", "d", "no")),
        *((editor, *each) for editor in ("neovim", "vim") for each in HALF_TYPED),
        *(("vim", keys, "") for keys in ("i", "d", "3", '"')),
    ],
    indirect=["nvim"],
)
async def test_a_question_waits_until_nothing_is_half_typed(
    dialogue: Editor, keys: str, mode: str
) -> None:
    """Insert mode does not delay it in Neovim, and resumes afterwards."""
    await dialogue.keys(keys)
    if mode:
        await until(lambda: dialogue.eval(f"mode(1) ==# '{mode}'"))

    await ask(dialogue, 1, "Why not? ")
    if mode != "i":
        await dialogue.idle(300)
        assert "Why not?" not in dialogue.screen.text()
        await dialogue.keys(":q<CR>" if keys == "q:" else "<Esc>")
    await on_screen(dialogue, "Why not?")
    await type_answer(dialogue, "x<CR>")

    assert await answer(dialogue, 1) == {"text": "x"}
    await until(lambda: dialogue.eval(f"mode(1) ==# '{'i' if mode == 'i' else 'n'}'"))


@BOTH
async def test_a_withdrawn_question_is_never_asked(dialogue: Editor) -> None:
    await dialogue.keys(":")
    await until(lambda: dialogue.eval("mode() ==# 'c'"))
    await ask(dialogue, 1, "Withdrawn? ")
    await run(dialogue, "ui.close", 1)
    await dialogue.keys("<Esc>")
    await ask(dialogue, 2, "Why not? ")

    await on_screen(dialogue, "Why not?")
    assert "Withdrawn" not in dialogue.screen.text()
    await type_answer(dialogue, "x<CR>")

    assert await answer(dialogue, 2) == {"text": "x"}
    assert answers(dialogue, 1) == []


@BOTH
async def test_an_answer_that_is_no_longer_awaited_is_reported(dialogue: Editor) -> None:
    await ask(dialogue, 1, "Why not? ")
    await on_screen(dialogue, "Why not?")
    await run(dialogue, "ui.close_all")

    await type_answer(dialogue, "x<CR>")

    await on_screen(dialogue, "this question is no longer waiting for an answer")
    await settled(dialogue)
    assert answers(dialogue, 1) == []


@BOTH
async def test_a_question_asked_again_is_answered_once(dialogue: Editor) -> None:
    await dialogue.keys(":")
    await until(lambda: dialogue.eval("mode() ==# 'c'"))
    await select(dialogue, 1, "The first?", ["a", "b"])
    await select(dialogue, 1, "The second?", ["a", "b"])
    await dialogue.keys("<Esc>")
    await on_screen(dialogue, "The second?")

    await choose(dialogue, 2)

    assert await answer(dialogue, 1) == {"index": 2}
    await settled(dialogue)


@BOTH
@pytest.mark.parametrize("kind", ["select", "select_later", "input"])
async def test_keys_typed_blindly_answer_nothing(dialogue: Editor, kind: str) -> None:
    lines = ["one", "two", "three"]
    await dialogue.call("setline", 1, lines)
    given: Any = "typed" if kind == "input" else ["run it", "refuse it"]
    await run(dialogue, f"ui.{kind}", 1, "Run this?", given)
    await on_screen(dialogue, "Run this?")

    await dialogue.keys("dd<CR>")
    await noticed(dialogue)
    assert answers(dialogue, 1) == []
    await (type_answer(dialogue, " text<CR>") if kind == "input" else choose(dialogue, 2))

    expected = {"text": "typed text"} if kind == "input" else {"index": 2}
    assert await answer(dialogue, 1) == expected
    assert await dialogue.call("getline", 1, "$") == lines


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


async def test_the_first_answer_to_a_question_asked_again_is_late(dialogue: Neovim) -> None:
    await dialogue.lua("vim.ui.input = function(opts, fn) _G.confirm = _G.confirm or fn end")
    await ask(dialogue, 1, "What?")
    await until(lambda: dialogue.lua("return _G.confirm ~= nil"))
    await dialogue.lua("vim.ui.input = function(opts, fn) fn('second') end")
    await ask(dialogue, 1, "What?")
    assert await answer(dialogue, 1) == {"text": "second"}

    await dialogue.lua("_G.confirm('first')")

    await on_screen(dialogue, "no longer waiting")
    assert answers(dialogue, 1) == [{"text": "second"}]
