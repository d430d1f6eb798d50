"""Placeholders in `:ClaudeAsk`, `:ClaudeEdit` and `ask()`: a real editor, a scripted CLI."""

from pathlib import Path

from support.either_editor import BOTH, Editor, on_screen
from support.fake_headless import FakeHeadless
from support.neovim import Neovim


@BOTH
async def test_placeholders_of_a_question_are_filled(
    nvim: Editor, claude: FakeHeadless, path: Path
) -> None:
    await nvim.keys(":2ClaudeAsk why {selection} {line} {{x} {nope}?<CR>")

    prompt = (await claude.asked()).prompt
    assert prompt.endswith("why a.py, line 2 a.py, line 1:\n> one\n{x} {nope}?")


@BOTH
async def test_a_question_whose_placeholder_says_nothing_is_not_asked(
    nvim: Editor, claude: FakeHeadless
) -> None:
    await nvim.keys(":ClaudeAsk why {quickfix}?<CR>")

    await on_screen(nvim, "{quickfix}: the quickfix list is empty")


async def test_placeholders_of_the_api_are_filled(
    nvim: Neovim, claude: FakeHeadless, path: Path
) -> None:
    await nvim.lua("require('claude_ide').ask('about {file}', nil, function() end)")

    assert (await claude.asked()).prompt == "about @a.py"


@BOTH
async def test_placeholders_of_a_rewrite_are_filled(
    nvim: Editor, claude: FakeHeadless, path: Path
) -> None:
    await nvim.keys(":2,3ClaudeEdit like {line}<CR>")

    assert "like a.py, line 1:\n> one\n</instruction>" in (await claude.asked()).prompt
