"""An agent that wants the user to log in before it starts."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from claude_ide.agents.agent import Login
from support.another_agent import ALL
from support.either_editor import choose
from support.neovim import Neovim, until
from support.pond import Pond

NEEDED = "Beaver is not logged in · L logs in · R retries"
FILETYPE = "&filetype"


@pytest.fixture
async def pond(nvim: Neovim, tmp_path: Path) -> AsyncIterator[Pond]:
    """A chat with Beaver, which is not logged in."""
    pond = Pond(nvim, tmp_path, needs_trust=False)
    pond.beaver.needs_login = True
    await pond.start()
    await pond.command("new beaver")
    await pond.panel.shows(NEEDED)
    yield pond
    await pond.close()


def terminal(code: str) -> Login:
    return Login("t", "In a terminal", (sys.executable, "-c", code), {"POND": "deep"})


async def log_in(pond: Pond) -> None:
    await pond.panel.go_to(NEEDED)
    await pond.nvim.keys("L")


async def test_the_login_runs_in_a_terminal_and_the_agent_then_starts(
    pond: Pond, tmp_path: Path
) -> None:
    code = "import os; print('Fish?', os.environ['POND']); input()"
    pond.beaver.ways = [terminal(code)]
    await log_in(pond)
    await until(lambda: "Fish? deep" in pond.nvim.screen.text(), "the terminal")
    assert await pond.nvim.eval("fnamemodify(bufname(), ':t')") == "Beaver login"
    assert len(pond.beaver.agents[0].calls) == 1
    pond.beaver.needs_login = False

    await pond.nvim.keys("trout<CR>")

    await pond.panel.bar_shows("Ask first")
    await until(lambda: pond.nvim.eval(f"{FILETYPE} == 'claude-chat'"), "the chat")
    assert "Fish?" not in pond.nvim.screen.text()


async def test_the_output_of_a_login_that_fails_stays(pond: Pond) -> None:
    pond.beaver.ways = [terminal("print('no fish'); raise SystemExit(3)")]
    await log_in(pond)

    await until(lambda: "no fish" in pond.nvim.screen.text(), "the terminal")
    starts = pond.beaver.agents[0].calls
    await until(lambda: len(starts) == 2, "it tries again nevertheless")
    assert "no fish" in pond.nvim.screen.text()


async def test_a_login_during_a_session_restarts_the_agent_in_it(pond: Pond) -> None:
    pond.beaver.needs_login = False
    pond.beaver.ways = [terminal("print('fish')")]
    await pond.panel.go_to(NEEDED)
    await pond.nvim.keys("R")
    await pond.panel.bar_shows("Ask first")

    await log_in(pond)

    agent = pond.beaver.agents[0]
    await until(lambda: len(agent.calls) == 3, "a third start")
    assert await pond.calls(agent, "start")


async def test_a_second_l_goes_to_the_terminal(pond: Pond) -> None:
    pond.beaver.ways = [terminal("input()")]
    await log_in(pond)
    await until(lambda: pond.nvim.eval("&buftype == 'terminal'"), "the terminal")
    first = await pond.nvim.eval("bufnr()")
    await pond.nvim.keys("<C-\\><C-n>")

    await log_in(pond)

    await until(lambda: pond.nvim.eval(f"bufnr() == {first}"), "the same terminal")


async def test_one_returns_to_the_chat_from_a_login_that_was_hidden(pond: Pond) -> None:
    pond.beaver.ways = [terminal("input()")]
    for _ in range(2):
        await log_in(pond)
        await until(lambda: pond.nvim.eval("&buftype == 'terminal'"), "the terminal")

        await pond.nvim.keys("<C-\\><C-n>:quit<CR>")

        await until(lambda: pond.nvim.eval("&filetype == 'claude-chat'"), "the transcript")


async def test_the_agent_itself_can_log_in(pond: Pond) -> None:
    pond.beaver.ways = [Login("oauth", "With a fish")]
    pond.beaver.needs_login = False
    await log_in(pond)

    await pond.panel.bar_shows("Ask first")
    assert pond.beaver.chosen == ["oauth"]


async def test_the_user_chooses_one_of_several_ways(pond: Pond) -> None:
    pond.beaver.ways = [Login("a", "With a fish"), Login("b", "With a tree")]
    pond.beaver.needs_login = False
    await log_in(pond)
    await until(lambda: "2: With a tree" in pond.nvim.screen.text(), "the list")
    assert "Log in to Beaver:" in pond.nvim.screen.text()

    await choose(pond.nvim, 2)

    await pond.panel.bar_shows("Ask first")
    assert pond.beaver.chosen == ["b"]


async def test_a_variable_that_must_be_set_is_named(pond: Pond) -> None:
    pond.beaver.ways = [Login("k", "Key", problem="set FISH_KEY in Neovim's environment")]
    await log_in(pond)

    await pond.reports("set FISH_KEY in Neovim's environment")


async def test_an_agent_without_a_login_says_so(pond: Pond) -> None:
    await log_in(pond)

    await pond.reports("needs no login")


async def test_a_login_whose_program_is_missing_is_named(pond: Pond) -> None:
    pond.beaver.ways = [Login("t", "In a terminal", ("no-such-beaver", "login"))]
    await log_in(pond)

    await pond.reports("no-such-beaver is not on PATH")


async def test_the_user_can_log_out(pond: Pond) -> None:
    pond.beaver.needs_login = False
    await pond.panel.go_to(NEEDED)
    await pond.nvim.keys("R")
    await pond.panel.bar_shows("Ask first")

    await pond.command("logout")

    await pond.panel.shows("logged out of Beaver · L logs in")
    assert await pond.calls(pond.beaver.agents[0], "log_out")


async def test_an_agent_without_a_logout_says_so(pond: Pond) -> None:
    pond.beaver.capabilities = replace(ALL, logout=False)
    await pond.command("new beaver")
    await pond.panel.shows(NEEDED)
    pond.beaver.needs_login = False
    await pond.panel.go_to(NEEDED)
    await pond.nvim.keys("R")
    await pond.panel.bar_shows("Ask first")

    await pond.command("logout")

    await pond.reports("Beaver cannot log out")
    completed = await pond.nvim.eval("getcompletion('ClaudeChat logo', 'cmdline')")
    assert completed == []
