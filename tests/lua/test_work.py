"""`host/work.lua`: work in progress, reported by the progress events of Neovim 0.12."""

import pytest

from support.neovim import Neovim, until
from support.progress import progress_messages, record_progress

REPORT = "require('claude_ide.host.work').report(...)"


@pytest.fixture
async def recording(nvim: Neovim) -> Neovim:
    """A Neovim that records the progress events, if it has them."""
    if not await nvim.eval("has('nvim-0.12')"):
        pytest.skip("this Neovim has no progress messages")
    await record_progress(nvim)
    return nvim


async def test_each_step_is_reported_as_one_event(recording: Neovim) -> None:
    for text, status in [("a", "running"), ("a", "running"), ("b\nc", "running"), ("d", "failed")]:
        await recording.lua(REPORT, "one", "ClaudeAsk", text, status)
    await recording.lua(REPORT, "one", "ClaudeAsk", "d", "failed")

    assert await progress_messages(recording) == [
        ["ClaudeAsk", "a", "running"],
        ["ClaudeAsk", "b c", "running"],
        ["ClaudeAsk", "d", "failed"],
    ]


@pytest.mark.parametrize("options", ["cmdheight=1", "cmdheight=0", "columns=20"])
async def test_progress_leaves_the_command_line_and_the_messages_unchanged(
    recording: Neovim, options: str
) -> None:
    await recording.command(f"set {options} | messages clear")
    await recording.keys("ifoo<Left>")

    for number in range(50):
        await recording.lua(REPORT, "one", "ClaudeAsk", f"step {number} {'word ' * 60}", "running")

    assert await recording.mode() == {"mode": "i", "blocking": False}
    assert await recording.eval("getpos('.')[1:2] + [execute('messages')]") == [1, 3, ""]
    assert "step" not in recording.screen.text()


async def test_the_status_line_counts_the_running_work(recording: Neovim) -> None:
    await recording.lua(REPORT, "one", "ClaudeAsk", "asked", "running")
    await until(lambda: "0%(1)" in recording.screen.text(), "one runs")

    await recording.lua(REPORT, "one", "ClaudeAsk", "answered", "success")

    await until(lambda: "0%(1)" not in recording.screen.text(), "none runs")


async def test_a_failing_autocommand_causes_no_error(recording: Neovim) -> None:
    await recording.command("autocmd Progress * throw 'oops'")

    await recording.lua(REPORT, "one", "ClaudeAsk", "asked", "running")

    assert not (await recording.mode())["blocking"]
    assert "oops" not in recording.screen.text()


async def test_a_question_of_a_command_is_reported_to_its_end(recording: Neovim) -> None:
    begin = """
        package.loaded['claude_ide.host'] = { start = function() return true end }
        return require('claude_ide.headless').begin('rewrite', {}, { on_end = function() end })
    """
    first, second = [await recording.lua(begin) for _ in range(2)]

    question = "require('claude_ide.headless')"
    await recording.lua(f"{question}.update(..., {{ progress = 'reading a.py' }})", first)
    await recording.lua(f"{question}.finish(..., {{ result = 'x' }})", first)
    await recording.lua(f"{question}.cancel(...)", second)

    assert await progress_messages(recording) == [
        ["ClaudeEdit", "asked", "running"],
        ["ClaudeEdit", "asked", "running"],
        ["ClaudeEdit", "reading a.py", "running"],
        ["ClaudeEdit", "answered", "success"],
        ["ClaudeEdit", "cancelled", "cancel"],
    ]


async def test_nothing_is_reported_to_an_older_neovim(nvim: Neovim) -> None:
    if await nvim.eval("has('nvim-0.12')"):
        pytest.skip("this Neovim has progress messages")

    await nvim.lua(REPORT, "one", "ClaudeAsk", "asked", "running")

    assert await nvim.eval("execute('messages')") == ""


async def test_progress_does_not_appear_in_the_output_of_a_command(recording: Neovim) -> None:
    report = "require('claude_ide.host.work').report('one', 'ClaudeAsk', 'asked', 'running')"

    assert await recording.eval(f'execute("lua {report}")') == ""

    assert await progress_messages(recording) == [["ClaudeAsk", "asked", "running"]]
