"""`:ClaudeAsk` in Vim, from the key press to the CLI and back: a scripted CLI."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.fake_headless import FakeHeadless
from support.neovim import until
from support.vim import Vim
from support.vim_questions import answers_with, file_of, hidden, holds, lines, shown

TEXT = ["one", "two", "three", "four"]


@pytest.fixture
async def claude() -> AsyncIterator[FakeHeadless]:
    """The CLI, played by the test."""
    async with FakeHeadless.serve() as claude:
        yield claude


@pytest.fixture
async def asking(vim: Vim, claude: FakeHeadless) -> Vim:
    """A Vim that starts that CLI."""
    await answers_with(vim, claude)
    return vim


@pytest.fixture
async def file(asking: Vim, project: Path) -> Path:
    """A file of four lines, open in Vim."""
    return await file_of(asking, project / "a.py", TEXT)


async def test_the_answer_is_shown_as_it_streams(asking: Vim, claude: FakeHeadless) -> None:
    await asking.keys(":ClaudeAsk what is it?<CR>")
    await shown(asking, "CTRL-C stops")
    assert "what is it?" in asking.screen.text()
    asked = await claude.asked()
    assert asked.prompt == "what is it?"

    asked.send({"type": "system", "subtype": "status", "status": "requesting"})
    await shown(asking, "waiting for the answer…")
    asked.begin()
    asked.write("first\nsec")
    await until(lambda: holds(asking, ["first", "sec"]))
    await hidden(asking, "waiting")
    asked.write("ond\n\nlast")
    await until(lambda: holds(asking, ["first", "second", "", "last"]))
    await shown(asking, "second")
    assert await asking.eval("&filetype") == ""
    asked.end("ignored")

    await until(lambda: asking.eval("&filetype == 'markdown'"))
    assert await lines(asking) == ["first", "second", "", "last"]
    assert await asking.eval("&modifiable") == 0
    await hidden(asking, "CTRL-C stops")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[a](http://x/\x1b]0;pwned\x07)\r\nb\x9b", ["[a](http://x/^[]0;pwned^G)", "b<9b>"]),
        ("half \ud800 of one\x00", ["half \ufffd of one^@"]),
    ],
)
async def test_control_characters_in_an_answer_are_escaped(
    asking: Vim, claude: FakeHeadless, text: str, shown: list[str]
) -> None:
    await asking.keys(":ClaudeAsk what is it?<CR>")
    asked = await claude.asked()
    asked.begin()
    for letter in text:
        asked.write(letter)
    asked.end()

    await until(lambda: asking.eval("&filetype == 'markdown'"))
    assert await lines(asking) == shown


async def test_an_answer_that_does_not_stream_is_shown_when_it_is_complete(
    asking: Vim, claude: FakeHeadless
) -> None:
    await asking.keys(":ClaudeAsk what is it?<CR>")

    (await claude.asked()).end("all\nat\x00once")

    await until(lambda: holds(asking, ["all", "at^@once"]))


async def test_the_view_follows_the_answer_only_if_the_cursor_is_on_the_last_line(
    asking: Vim, claude: FakeHeadless
) -> None:
    await asking.keys(":ClaudeAsk x<CR>")
    asked = await claude.asked()
    asked.begin()
    asked.write("1\n2\n3")
    await until(lambda: holds(asking, ["1", "2", "3"]))
    assert await asking.eval("line('.')") == 1

    await asking.keys("G")
    asked.write("\n4\n5")

    await until(lambda: asking.eval("line('.') == 5"))


async def test_a_partial_answer_is_cleared_when_the_api_retries(
    asking: Vim, claude: FakeHeadless
) -> None:
    await asking.keys(":ClaudeAsk x<CR>")
    asked = await claude.asked()
    asked.begin()
    asked.write("half a\nmess")
    await until(lambda: holds(asking, ["half a", "mess"]))

    retry = {"attempt": 1, "max_retries": 3, "retry_delay_ms": 4000, "error_status": 529}
    asked.send({"type": "system", "subtype": "api_retry", "error": "overloaded", **retry})

    await until(lambda: holds(asking, [""]))
    await shown(asking, "overloaded: trying again in 4 s (1 of 3)")


async def test_a_range_is_sent_with_the_name_of_its_file(
    asking: Vim, claude: FakeHeadless, file: Path
) -> None:
    await asking.keys("jVj:ClaudeAsk why?<CR>")

    prompt = (await claude.asked()).prompt

    assert f"selected the lines 2 to 3 from {file}:\ntwo\nthree\n" in prompt
    assert prompt.endswith("why?")


async def test_a_nul_in_the_range_arrives_as_it_is(
    asking: Vim, claude: FakeHeadless, file: Path
) -> None:
    await asking.call("setline", 2, "t\nwo")

    await asking.keys(":2,3ClaudeAsk why?<CR>")

    assert ":\nt\x00wo\nthree\n" in (await claude.asked()).prompt


async def test_the_file_is_named_when_there_is_no_range(
    asking: Vim, claude: FakeHeadless, file: Path
) -> None:
    await asking.keys(":ClaudeAsk why?<CR>")

    assert f"The user opened the file {file}" in (await claude.asked()).prompt


async def test_a_range_that_must_stay_in_vim_is_not_sent(asking: Vim, project: Path) -> None:
    await file_of(asking, project / ".env", ["A=1"])

    await asking.keys(":1ClaudeAsk why?<CR>")

    await shown(asking, "stays in")
    assert await asking.eval("winnr('$')") == 1


async def test_without_an_argument_the_command_asks_for_a_question(
    asking: Vim, claude: FakeHeadless
) -> None:
    await asking.keys(":ClaudeAsk<CR>why?<CR>")

    assert (await claude.asked()).prompt == "why?"


@pytest.mark.parametrize("key", ["<CR>", " <CR>", "x<Esc>", "x<C-c>"])
async def test_an_empty_or_cancelled_question_is_not_sent(asking: Vim, key: str) -> None:
    await asking.keys(":ClaudeAsk<CR>")
    await shown(asking, "Ask Claude:")

    await asking.keys(key)

    await until(lambda: asking.eval("mode(1) == 'n'"))
    assert await asking.eval("winnr('$')") == 1
    assert await asking.eval("claude_ide#channel#IsOpen()") == 0


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


async def test_ctrl_c_ends_the_cli_and_keeps_the_text(asking: Vim, claude: FakeHeadless) -> None:
    await asking.keys(":ClaudeAsk x<CR>")
    asked = await claude.asked()
    asked.begin()
    asked.write("half")
    await until(lambda: holds(asking, ["half"]))

    await asking.keys("<C-c>")

    await asked.wait_for_end()
    await shown(asking, "cancelled")
    assert await lines(asking) == ["half"]
    await asking.keys("gy")
    await until(lambda: asking.eval('getreg() == "half\\n"'))


async def test_claude_ask_with_a_bang_stops_every_running_question(
    asking: Vim, claude: FakeHeadless
) -> None:
    await asking.keys(":ClaudeAsk! <CR>")
    await shown(asking, "claude-ide: nothing to stop")
    await asking.keys(":ClaudeAsk x<CR>")
    first = await claude.asked()
    await asking.keys(":ClaudeAsk y<CR>")
    second = await claude.asked()

    await asking.keys(":ClaudeAsk!<CR>")

    await first.wait_for_end()
    await second.wait_for_end()
    await shown(asking, "claude-ide: stopped")


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


async def test_typing_in_another_window_is_not_interrupted(
    asking: Vim, claude: FakeHeadless
) -> None:
    await asking.keys(":ClaudeAsk x<CR>")
    asked = await claude.asked()
    asked.begin()
    await asking.keys("<C-w>pia")
    for word in ["one", "two", "three"]:
        asked.write(f"{word}\n")
        await shown(asking, word)
        await asking.keys("b")
    asked.end()
    await hidden(asking, "CTRL-C stops")
    await asking.keys("c<Esc>")

    assert await lines(asking) == ["abbbc"]


# Prompts by their names.


async def test_a_named_prompt_names_the_lines(
    asking: Vim, claude: FakeHeadless, file: Path
) -> None:
    await asking.keys(":2,3ClaudeAsk /explain<CR>")

    prompt = (await claude.asked()).prompt
    assert "Explain this:\na.py, lines 2-3" in prompt
    assert "two\nthree" in prompt


async def test_the_placeholders_of_an_own_prompt_are_filled(
    asking: Vim, claude: FakeHeadless, file: Path
) -> None:
    await asking.command("let g:claude_ide.prompts = {'why': '{this} {file}: {diagnostics}'}")
    await asking.call(
        "setqflist", [{"filename": "a.py", "lnum": 2, "text": "it is odd", "type": "W"}]
    )
    await asking.keys(":ClaudeAsk /why<CR>")

    assert "{this} @a.py: - line 2, warning: it is odd" in (await claude.asked()).prompt


async def test_a_private_file_is_not_named(asking: Vim, project: Path) -> None:
    await file_of(asking, project / ".env", TEXT)
    await asking.keys(":ClaudeAsk /explain<CR>")

    await shown(asking, ".env stays in Vim")


async def test_the_names_of_prompts_are_completed_and_chosen(
    asking: Vim, claude: FakeHeadless, file: Path
) -> None:
    await asking.command("let g:claude_ide.prompts = {'tests': v:false, 'other': 'Other.'}")
    complete = "getcompletion('ClaudeAsk /', 'cmdline')"
    assert await asking.eval(complete) == ["/explain", "/other"]

    await asking.keys(":ClaudeAsk /<CR>")
    await shown(asking, "other")
    await asking.keys("j<CR>")

    assert (await claude.asked()).prompt.endswith("Other.")
