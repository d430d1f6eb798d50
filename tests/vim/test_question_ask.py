"""`:ClaudeAsk` in Vim, from the key press to the CLI and back: a scripted CLI."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.either_editor import choose, configure, on_screen
from support.fake_headless import FakeHeadless
from support.headless import TEXT, holds
from support.neovim import until
from support.vim import Vim
from support.vim_questions import file_of


@pytest.fixture
async def claude() -> AsyncIterator[FakeHeadless]:
    """The CLI, played by the test."""
    async with FakeHeadless.serve() as claude:
        yield claude


@pytest.fixture
async def asking(vim: Vim, claude: FakeHeadless) -> Vim:
    """A Vim that starts that CLI."""
    await configure(vim, cmd=claude.command)
    return vim


@pytest.fixture
async def file(asking: Vim, project: Path) -> Path:
    """A file of four lines, open in Vim."""
    return await file_of(asking, project / "a.py", TEXT)


async def test_an_answer_that_does_not_stream_is_shown_when_it_is_complete(
    asking: Vim, claude: FakeHeadless
) -> None:
    await asking.keys(":ClaudeAsk what is it?<CR>")

    (await claude.asked()).end("all\nat\x00once")

    await until(lambda: holds(asking, ["all", "at^@once"]))


async def test_a_nul_in_the_range_arrives_as_it_is(
    asking: Vim, claude: FakeHeadless, file: Path
) -> None:
    await asking.call("setline", 2, "t\nwo")

    await asking.keys(":2,3ClaudeAsk why?<CR>")

    assert ":\nt\x00wo\nthree\n" in (await claude.asked()).prompt


async def test_closing_the_window_ends_the_cli_and_restores_the_layout(
    asking: Vim, claude: FakeHeadless
) -> None:
    await asking.command("split | split | resize 3 | vsplit | wincmd j")
    before = await asking.eval("[winlayout(), winrestcmd(), win_getid()]")
    await asking.keys(":ClaudeAsk x<CR>")
    asked = await claude.asked()
    asked.begin()
    asked.write("1\n2")
    await until(lambda: holds(asking, ["1", "2"]))

    await asking.keys("q")

    await asked.wait_for_end()
    assert await asking.eval("[winlayout(), winrestcmd(), win_getid()]") == before
    assert await asking.eval("len(getbufinfo())") == 1


async def test_an_error_is_shown_below_the_answer(asking: Vim, claude: FakeHeadless) -> None:
    await asking.keys(":ClaudeAsk x<CR>")
    asked = await claude.asked()
    asked.begin()
    asked.write("half")
    await until(lambda: holds(asking, ["half"]))

    asked.fail("API Error: 500 overloaded\nmore")

    await until(lambda: holds(asking, ["half", "", "API Error: 500 overloaded"]))


async def test_a_question_ends_with_its_host(asking: Vim, claude: FakeHeadless) -> None:
    await asking.keys(":ClaudeAsk x<CR>")
    await claude.asked()

    await asking.command("call job_stop(job_info()[0], 'kill')")

    await until(lambda: holds(asking, ["the Python host has ended"]))
    assert (await asking.mode()) == {"mode": "n", "blocking": False}


# Prompts by their names.


async def test_a_named_prompt_names_the_lines(
    asking: Vim, claude: FakeHeadless, file: Path
) -> None:
    await asking.keys(":2,3ClaudeAsk /explain<CR>")

    prompt = (await claude.asked()).prompt
    assert "Explain this:\na.py, lines 2-3" in prompt
    assert "two\nthree" in prompt


async def test_a_path_begins_no_command(asking: Vim, claude: FakeHeadless, project: Path) -> None:
    await file_of(asking, project / "!sh x.py", TEXT)

    await asking.keys(":2,3ClaudeAsk /explain<CR>")

    assert "Explain this:\n./!sh x.py, lines 2-3" in (await claude.asked()).prompt


async def test_the_placeholders_of_an_own_prompt_are_filled(
    asking: Vim, claude: FakeHeadless, file: Path
) -> None:
    await asking.command("let g:claude_ide.prompts = {'why': '{that} {file}: {diagnostics}'}")
    await asking.call(
        "setqflist", [{"filename": "a.py", "lnum": 2, "text": "it is odd", "type": "W"}]
    )
    await asking.keys(":ClaudeAsk /why<CR>")

    assert "{that} @a.py: - line 2, warning: it is odd" in (await claude.asked()).prompt


async def test_a_private_file_is_not_named(asking: Vim, project: Path) -> None:
    await file_of(asking, project / ".env", TEXT)
    await asking.keys(":ClaudeAsk /explain<CR>")

    await on_screen(asking, ".env stays in Vim")


async def test_the_names_of_prompts_are_completed_and_chosen(
    asking: Vim, claude: FakeHeadless, file: Path
) -> None:
    await asking.command("let g:claude_ide.prompts = {'tests': v:false, 'other': 'Other.'}")
    complete = "getcompletion('ClaudeAsk /', 'cmdline')"
    assert await asking.eval(complete) == ["/explain", "/other"]

    await asking.keys(":ClaudeAsk /<CR>")
    await on_screen(asking, "other")
    await choose(asking, 2)

    assert (await claude.asked()).prompt.endswith("Other.")
