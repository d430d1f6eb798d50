"""Code that the real CLI has run from the chat: the request in the panel is the only question."""

from pathlib import Path

import pytest

from support.either_editor import choose, on_screen, type_answer
from support.fake_api import FakeApi, text, tool_use
from support.kernels import asked, record, use_environment
from support.neovim import Neovim
from support.panel import Panel

TOOL = "mcp__neovim__execute_code"
CODE = "total = 6 * 7\nprint('total', total)"


@pytest.fixture
async def kernel(panel: Panel, nvim: Neovim, project: Path) -> None:
    """A trusted project whose `.venv` has ipykernel."""
    use_environment(project)
    await nvim.command("ClaudeTrust yes")


async def press(nvim: Neovim, panel: Panel, key: str) -> None:
    """Press a key on the request, when it is no longer guarded."""
    await panel.go_to("? Run this code?")
    await nvim.idle(500)
    await nvim.keys(key)


async def test_the_request_shows_the_code_in_colour_and_allows_it(
    kernel: None, nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.script([tool_use(TOOL, code=CODE)], [text("Done.")])
    await panel.send("Compute it")
    shown = await panel.shows("? Run this code?")

    assert f"? Run this code?\n{CODE}\n" in shown
    await on_screen(nvim, "\u2502 total = 6 * 7")
    await press(nvim, panel, "y")

    await panel.shows("Done.")
    assert "total 42" in api.requests[-1].new_text
    assert "#> total 42" in await record(nvim)


async def test_a_refusal_tells_the_model_why(
    kernel: None, nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.script([tool_use(TOOL, code=CODE)], [text("Done.")])
    await panel.send("Compute it")
    await panel.shows("? Run this code?")
    await press(nvim, panel, "N")
    await on_screen(nvim, "Why not?")
    await type_answer(nvim, "not now<CR>")

    await panel.shows("Done.")
    assert "not now" in api.requests[-1].new_text
    assert await nvim.eval("bufnr('^Claude kernel$')") == -1


async def test_what_a_rule_allows_asks_no_more(
    kernel: None, nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.script([tool_use(TOOL, code="x = 20")], [tool_use(TOOL, code="x + 1")], [text("Done.")])
    await panel.send("Compute it")
    await panel.shows("? Run this code?")
    await press(nvim, panel, "a")
    await on_screen(nvim, "Allow always:")
    await choose(nvim, 1)
    await on_screen(nvim, "Rule for ")
    await type_answer(nvim, "<CR>")

    await panel.shows("Done.")
    assert "[value]\n21" in api.requests[-1].new_text


async def test_the_user_changes_the_code_in_a_window_and_the_model_reads_what_ran(
    kernel: None, nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.script([tool_use(TOOL, code="print('bad')")], [text("Done.")])
    await panel.send("Compute it")
    assert "c  change the code" in await panel.shows("? Run this code?")
    await press(nvim, panel, "c")
    await asked(nvim, "bad")
    await nvim.keys("ccprint('go' + 'od')<Esc>:w<CR>")

    assert "allowed, with your changes" in await panel.shows("Done.")
    result = api.requests[-1].new_text
    assert "The user edited the code before it ran" in result
    assert "good" in result
