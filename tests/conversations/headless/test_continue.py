"""The answer of `:ClaudeAsk` goes on in the chat; its CLI is played by the test."""

from pathlib import Path

from support.either_editor import hidden, on_screen
from support.fake_headless import FakeHeadless
from support.headless import holds
from support.neovim import Neovim, until
from support.panel import Panel


async def answered(nvim: Neovim, claude: FakeHeadless, command: str = "ClaudeAsk what?") -> None:
    """Ask a question, and answer it."""
    await nvim.command(command)
    asked = await claude.asked()
    asked.begin()
    asked.write("It is **two**.")
    asked.end()
    await until(lambda: nvim.eval("&filetype == 'markdown'"), "the answer is complete")


def sessions(config_folder: Path) -> list[Path]:
    return [*config_folder.glob("projects/*/*.jsonl")]


async def test_the_chat_shows_the_question_and_the_answer(
    nvim: Neovim, claude: FakeHeadless, file: Path, config_folder: Path
) -> None:
    await answered(nvim, claude, "2ClaudeAsk what is it?")

    await nvim.keys("cand then?")

    await Panel(nvim).shows("» what is it?\n\nIt is **two**.")
    assert await holds(nvim, ["and then?"])
    assert await nvim.eval("&filetype") == "claude-prompt"
    await hidden(nvim, "gy yanks")
    [session] = sessions(config_folder)
    assert f"selected the lines 2 to 2 from {file}:\\ntwo" in session.read_text()


async def test_an_answer_that_is_closed_leaves_no_session(
    nvim: Neovim, claude: FakeHeadless, config_folder: Path
) -> None:
    await answered(nvim, claude)

    await nvim.keys("q")
    await answered(nvim, claude, "ClaudeAsk more?")

    assert sessions(config_folder) == []


async def test_a_stopped_answer_goes_on_in_the_chat(nvim: Neovim, claude: FakeHeadless) -> None:
    await nvim.command("ClaudeAsk what?")
    asked = await claude.asked()
    asked.begin()
    asked.write("It is tw")
    await until(lambda: holds(nvim, ["It is tw"]))
    await nvim.command("ClaudeAsk!")
    await on_screen(nvim, "opens a chat")

    await nvim.keys("c")

    await Panel(nvim).shows("» what?\n\nIt is tw")


async def test_a_session_that_cannot_be_stored_leaves_the_answer(
    nvim: Neovim, claude: FakeHeadless, config_folder: Path
) -> None:
    await answered(nvim, claude)
    config_folder.mkdir(exist_ok=True)
    (config_folder / "projects").write_text("in the way")

    await nvim.keys("c")

    await on_screen(nvim, "cannot store the session: Not a directory")
    await on_screen(nvim, "gy yanks")
    await until(lambda: panel_is_gone(nvim), "the panel is closed")


async def panel_is_gone(nvim: Neovim) -> bool:
    return not await Panel(nvim).look()


async def test_another_host_cannot_continue_the_answer(
    nvim: Neovim, claude: FakeHeadless, config_folder: Path
) -> None:
    await answered(nvim, claude)
    await nvim.lua("vim.fn.jobstop(require('claude_ide.channel').id)")
    await until(lambda: nvim.lua("return require('claude_ide.channel').id == nil"), "no host")
    await nvim.command("ClaudeStart!")
    await until(lambda: nvim.lua("return require('claude_ide.channel').id ~= nil"), "a host")

    await nvim.keys("c")

    await on_screen(nvim, "this answer cannot be continued: the Python host has ended since")
    await on_screen(nvim, "gy yanks")
    assert sessions(config_folder) == []
