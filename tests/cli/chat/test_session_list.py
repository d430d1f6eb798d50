"""`:ClaudeChat list` with sessions of the real CLI."""

from pathlib import Path

import pytest

from support.claude_cli import wait_until_saved
from support.fake_api import FakeApi, text, tool_use
from support.lists import ListWindow
from support.neovim import Neovim, until
from support.panel import Panel
from support.session_files import session_file

from ..conftest import StartClaude


@pytest.fixture
async def stored(nvim: Neovim, panel: Panel, api: FakeApi, config_folder: Path) -> Path:
    """The file of a stored session about a swordfish; a second chat is open."""
    api.script([text("The word is swordfish.")], [text("Rain again.")])
    await panel.send("Which word?")
    await panel.shows("── ")
    await wait_until_saved("swordfish", config_folder)
    await panel.end()
    await nvim.command("ClaudeChat new")
    await panel.wait_until_ready()
    await panel.send("Which weather?")
    await panel.shows("Rain again.")
    await nvim.command("stopinsert | wincmd p")
    return session_file(config_folder, "swordfish")


@pytest.fixture
async def sessions(nvim: Neovim, stored: Path) -> ListWindow:
    """The open list."""
    await nvim.command("ClaudeChat list")
    list_ = ListWindow(nvim)
    await list_.shows("Which word?", "Which weather?")
    return list_


async def test_the_running_chat_and_the_stored_session_are_listed(sessions: ListWindow) -> None:
    heading, running, past = await sessions.shows("idle ", "1 turn ", "$0.")

    assert not heading.startswith(" ")
    assert "Which weather?" in running
    assert past.startswith("ended ")
    assert "Which word?" in past


async def test_a_chat_that_waits_for_the_user_is_listed_as_waiting(
    nvim: Neovim, sessions: ListWindow, panel: Panel, api: FakeApi
) -> None:
    api.script([tool_use("Bash", command="touch made.txt")], [text("Made.")])

    await panel.send("Make it")

    await sessions.shows("waits ")


async def test_enter_resumes_a_stored_session(
    nvim: Neovim, sessions: ListWindow, panel: Panel
) -> None:
    await sessions.press("<CR>", "Which word?")

    await panel.shows("The word is swordfish.")
    await sessions.closed()
    assert (await panel.look())["count"] == 2


async def test_enter_goes_to_a_running_chat(
    nvim: Neovim, sessions: ListWindow, panel: Panel
) -> None:
    await sessions.press("<CR>", "Which weather?")

    await sessions.closed()
    await until(lambda: nvim.eval("&filetype == 'claude-prompt'"), "the prompt")
    assert (await panel.look())["count"] == 1


async def test_a_search_finds_words_in_the_texts_of_sessions(
    nvim: Neovim, sessions: ListWindow
) -> None:
    await nvim.command("ClaudeChat list SWORDFISH word")

    lines = await sessions.shows("Which word?", "The word is swordfish.")
    await sessions.shows_no_more("Which weather?")
    assert len(lines) == 3


async def test_a_stored_session_is_renamed_and_keeps_its_title(
    nvim: Neovim, sessions: ListWindow, panel: Panel
) -> None:
    await nvim.lua("vim.ui.input = function(_, done) done('My fish') end")

    await sessions.press("r", "Which word?")

    await sessions.shows("My fish")
    await sessions.press("<CR>", "My fish")
    await panel.shows("The word is swordfish.")
    await panel.wait_until_ready()
    await nvim.command("stopinsert | ClaudeChat list")
    await sessions.shows("My fish")


async def test_a_running_chat_is_renamed(nvim: Neovim, sessions: ListWindow) -> None:
    await nvim.lua("vim.ui.input = function(_, done) done('The weather') end")

    await sessions.press("r", "Which weather?")

    await sessions.shows("The weather")


async def test_a_session_is_deleted_after_a_question(
    nvim: Neovim, sessions: ListWindow, stored: Path
) -> None:
    await nvim.lua("vim.ui.select = function(_, _, done) _G.asked = true; done(nil, nil) end")
    await sessions.press("d", "Which word?")
    await until(lambda: nvim.lua("return _G.asked"), "the question")
    await nvim.lua("vim.ui.select = function(items, _, done) done(items[1], 1) end")
    assert stored.exists()

    await sessions.press("d", "Which word?")

    await sessions.shows_no_more("Which word?")
    assert not stored.exists()
    assert not stored.with_suffix("").exists()


async def test_a_session_that_runs_in_a_terminal_is_neither_resumed_nor_deleted(
    nvim: Neovim, sessions: ListWindow, start_claude: StartClaude, api: FakeApi, stored: Path
) -> None:
    claude = await start_claude("--resume", stored.stem)
    await claude.shows("swordfish")
    await sessions.shows("elsewhere ")
    await nvim.lua("vim.ui.select = function(items, _, done) done(items[1], 1) end")

    for key in ("<CR>", "d"):
        await nvim.command("messages clear")
        await sessions.press(key, "elsewhere ")
        await until(lambda: "is running in process" in nvim.screen.text(), "the message")

    assert stored.exists()
    assert "elsewhere" in str(await sessions.look())


async def test_a_running_chat_is_not_deleted(nvim: Neovim, sessions: ListWindow) -> None:
    await sessions.press("d", "Which weather?")

    await until(lambda: "this chat is running" in nvim.screen.text(), "the message")
