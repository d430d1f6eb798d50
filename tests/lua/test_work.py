"""`host/work.lua`: what takes a while, as Neovim 0.12 knows it."""

import pytest

from support.neovim import Neovim, until
from support.progress import hear, heard

REPORT = "require('claude_ide.host.work').report(...)"


@pytest.fixture
async def hearing(nvim: Neovim) -> Neovim:
    """A Neovim that notes the events, if it has them."""
    if not await nvim.eval("has('nvim-0.12')"):
        pytest.skip("this Neovim has no progress messages")
    await hear(nvim)
    return nvim


async def test_each_step_is_an_event_once(hearing: Neovim) -> None:
    for text, status in [("a", "running"), ("a", "running"), ("b\nc", "running"), ("d", "failed")]:
        await hearing.lua(REPORT, "one", "ClaudeAsk", text, status)
    await hearing.lua(REPORT, "one", "ClaudeAsk", "d", "failed")

    assert await heard(hearing) == [
        ["ClaudeAsk", "a", "running"],
        ["ClaudeAsk", "b c", "running"],
        ["ClaudeAsk", "d", "failed"],
    ]


@pytest.mark.parametrize("options", ["cmdheight=1", "cmdheight=0", "columns=20"])
async def test_the_command_line_and_the_messages_stay_as_they_are(
    hearing: Neovim, options: str
) -> None:
    await hearing.command(f"set {options} | messages clear")
    await hearing.keys("ifoo<Left>")

    for number in range(50):
        await hearing.lua(REPORT, "one", "ClaudeAsk", f"step {number} {'word ' * 60}", "running")

    assert await hearing.mode() == {"mode": "i", "blocking": False}
    assert await hearing.eval("getpos('.')[1:2] + [execute('messages')]") == [1, 3, ""]
    assert "step" not in hearing.screen.text()


async def test_the_status_line_counts_what_runs(hearing: Neovim) -> None:
    await hearing.lua(REPORT, "one", "ClaudeAsk", "asked", "running")
    await until(lambda: "0%(1)" in hearing.screen.text(), "one runs")

    await hearing.lua(REPORT, "one", "ClaudeAsk", "answered", "success")

    await until(lambda: "0%(1)" not in hearing.screen.text(), "none runs")


async def test_an_autocommand_that_fails_stops_nothing(hearing: Neovim) -> None:
    await hearing.command("autocmd Progress * throw 'oops'")

    await hearing.lua(REPORT, "one", "ClaudeAsk", "asked", "running")

    assert not (await hearing.mode())["blocking"]
    assert "oops" not in hearing.screen.text()


async def test_a_question_of_a_command_is_reported_to_its_end(hearing: Neovim) -> None:
    begin = """
        package.loaded['claude_ide.host'] = { start = function() return true end }
        return require('claude_ide.question').begin('rewrite', {}, { on_end = function() end })
    """
    first, second = [await hearing.lua(begin) for _ in range(2)]

    question = "require('claude_ide.question')"
    await hearing.lua(f"{question}.update(..., {{ progress = 'reading a.py' }})", first)
    await hearing.lua(f"{question}.finish(..., {{ result = 'x' }})", first)
    await hearing.lua(f"{question}.cancel(...)", second)

    assert await heard(hearing) == [
        ["ClaudeEdit", "asked", "running"],
        ["ClaudeEdit", "asked", "running"],
        ["ClaudeEdit", "reading a.py", "running"],
        ["ClaudeEdit", "answered", "success"],
        ["ClaudeEdit", "cancelled", "cancel"],
    ]


async def test_an_older_neovim_is_left_alone(nvim: Neovim) -> None:
    if await nvim.eval("has('nvim-0.12')"):
        pytest.skip("this Neovim has progress messages")

    await nvim.lua(REPORT, "one", "ClaudeAsk", "asked", "running")

    assert await nvim.eval("execute('messages')") == ""


async def test_the_output_of_a_command_has_none_of_it(hearing: Neovim) -> None:
    report = "require('claude_ide.host.work').report('one', 'ClaudeAsk', 'asked', 'running')"

    assert await hearing.eval(f'execute("lua {report}")') == ""

    assert await heard(hearing) == [["ClaudeAsk", "asked", "running"]]
