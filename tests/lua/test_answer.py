"""`question/answer.lua`: the request of `:ClaudeAsk`, and how its answer is shown."""

from typing import Any

import pytest

from support.neovim import Neovim, until


@pytest.fixture
async def nvim(nvim: Neovim) -> Neovim:
    """A Neovim whose host is this test."""
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())
    return nvim


async def ask(nvim: Neovim, command: str) -> dict[str, Any]:
    """Run a command, and return its request."""
    await nvim.command(command)
    got = await until(lambda: nvim.events("question_asked"))
    return dict(got[-1])


async def finish(nvim: Neovim, id_: int, ended: dict[str, Any]) -> None:
    await nvim.lua("require('claude_ide.question').finish(...)", id_, ended)


async def test_a_question_in_a_buffer_without_a_file_includes_no_file_or_lines(
    nvim: Neovim,
) -> None:
    request = await ask(nvim, "ClaudeAsk why | how?")

    assert request["prompt"] == "why | how?"
    assert "file" not in request
    assert "lines" not in request


async def test_lines_of_a_buffer_without_a_file_are_sent_with_the_question(nvim: Neovim) -> None:
    await nvim.command("call setline(1, ['one', 'two'])")

    about = (await ask(nvim, "2ClaudeAsk why?"))["lines"]

    assert about == {"name": "an unnamed buffer", "first": 2, "last": 2, "text": "two"}


async def test_an_answer_without_updates_is_shown_when_it_ends(nvim: Neovim) -> None:
    request = await ask(nvim, "ClaudeAsk why?")

    await finish(nvim, request["id"], {"result": "because\nof that"})

    assert await nvim.eval("getline(1, '$')") == ["because", "of that"]


async def test_an_error_does_not_remove_the_partial_answer(nvim: Neovim) -> None:
    request = await ask(nvim, "ClaudeAsk why?")
    update = "require('claude_ide.question').update(...)"
    await nvim.lua(update, request["id"], {"keep": 0, "text": "because"})

    await finish(nvim, request["id"], {"error": "no more"})

    await until(lambda: "no more" in nvim.screen.text())
    assert await nvim.eval("getline(1, '$')") == ["because", "", "no more"]


async def test_a_title_of_several_lines_is_shown_on_one_line(nvim: Neovim) -> None:
    await nvim.lua("vim.ui.input = function(_, answer) answer('why\\nand how?') end")

    await nvim.command("ClaudeAsk")

    await until(lambda: "why and how?" in nvim.screen.text())


async def test_stopping_without_a_question_reports_nothing_to_stop(nvim: Neovim) -> None:
    await nvim.command("ClaudeAsk!")

    await until(lambda: "nothing to stop" in nvim.screen.text())


async def test_a_question_from_the_command_line_window_is_refused(nvim: Neovim) -> None:
    await nvim.keys("q:")
    await until(lambda: nvim.eval("getcmdwintype() == ':'"))

    await nvim.command("ClaudeAsk why?")

    await until(lambda: "close the command-line window first" in nvim.screen.text())
    assert nvim.events("question_asked") == []


async def test_a_question_can_be_asked_in_insert_mode(nvim: Neovim) -> None:
    await nvim.command("inoremap <F2> <Cmd>ClaudeAsk why?<CR>")
    await nvim.keys("ihello<F2>")

    await until(lambda: nvim.eval("[mode(), nvim_win_get_config(0).relative] == ['n', 'editor']"))
