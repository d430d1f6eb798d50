"""Real agents change a file with unsaved text, in the chat panel of a real Neovim."""

from pathlib import Path

import pytest

from support.acp.chatting import diff_is_open
from support.neovim import Neovim, until
from support.panel import Panel
from support.real_agents.agent import Tools
from support.real_agents.chosen import each
from support.real_agents.model import Model
from support.real_agents.talk import edit


@pytest.fixture
async def unsaved(nvim: Neovim, panel: Panel, path: Path) -> Panel:
    """A chat next to a file with an unsaved line at its end; `g:diffs` counts diffs."""
    await nvim.command("let g:diffs = 0 | autocmd User ClaudeDiffOpened let g:diffs += 1")
    await nvim.eval(f"appendbufline('{path}', '$', ['', '', '', 'mine'])")
    return panel


async def lines(nvim: Neovim, path: Path) -> list[str]:
    return [line for line in await nvim.eval(f"getbufline('{path}', 1, '$')") if line]


@each("asks_to_edit", "shows_changes", "edits_parts")
async def test_a_change_is_asked_about_once_and_keeps_the_unsaved_line(
    nvim: Neovim, unsaved: Panel, model: Model, tools: Tools, path: Path
) -> None:
    model.script(*edit(tools, path, "two", "TWO", then="All done."))

    await unsaved.send("Shout")
    await diff_is_open(nvim)
    await nvim.keys(":w<CR>")

    assert "↳ allowed" in await unsaved.shows("All done.")
    assert path.read_text().startswith("one\nTWO\n")
    await until(lambda: nvim.eval(f"getbufline('{path}', 2) == ['TWO']"), "it follows")
    assert await lines(nvim, path) == ["one", "TWO", "mine"]
    assert await nvim.eval("g:diffs") == 1
    # The line is saved with the change, or is still unsaved.
    is_modified = bool(await nvim.eval(f"getbufvar('{path}', '&modified')"))
    assert is_modified == ("mine" not in path.read_text())


@each("asks_to_edit", "shows_changes", "edits_parts", "writes_here")
async def test_the_user_s_version_is_written_and_keeps_the_unsaved_line(
    nvim: Neovim, unsaved: Panel, model: Model, tools: Tools, path: Path
) -> None:
    model.script(*edit(tools, path, "two", "TWO", then="All done."))

    await unsaved.send("Shout")
    await diff_is_open(nvim)
    await nvim.keys("ggccONE<Esc>:w<CR>")

    assert "allowed, with your changes" in await unsaved.shows("All done.")
    await until(lambda: path.read_text().startswith("ONE\nTWO\n"), "it is written")
    await until(lambda: nvim.eval(f"getbufline('{path}', 1) == ['ONE']"), "it follows")
    assert await lines(nvim, path) == ["ONE", "TWO", "mine"]
    assert await nvim.eval("g:diffs") == 1


@each("asks_to_edit", "shows_changes")
async def test_a_rejected_change_leaves_the_unsaved_text(
    nvim: Neovim, unsaved: Panel, model: Model, tools: Tools, path: Path
) -> None:
    model.script(*edit(tools, path, "two", "TWO", then="As you like."))

    await unsaved.send("Shout")
    await diff_is_open(nvim)
    await nvim.command("ClaudeReject")

    await unsaved.shows("↳ rejected")
    assert path.read_text() == "one\ntwo\n"
    assert await lines(nvim, path) == ["one", "two", "mine"]
    assert await nvim.eval(f"getbufvar('{path}', '&modified')") == 1
