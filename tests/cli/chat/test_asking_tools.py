"""Tools of the model that ask the user themselves, in the chat of the real CLI."""

from pathlib import Path

from support.either_editor import choose
from support.fake_api import FakeApi, text, tool_use
from support.neovim import Neovim, until
from support.panel import PATIENCE, Panel


async def test_makeprg_is_asked_about_once(
    nvim: Neovim, panel: Panel, api: FakeApi, project: Path
) -> None:
    trace = project / "trace"
    await nvim.lua("vim.o.makeprg = ...", f"touch {trace}")
    api.script([tool_use("mcp__neovim__make")], [text("Made.")])

    await panel.send("Build it")
    await until(lambda: "wants to run: touch" in nvim.screen.text(), "the question", PATIENCE)
    assert "Use mcp__neovim__make?" not in nvim.screen.text()
    await choose(nvim, 1)

    await panel.shows("Made.")
    assert "exit code 0" in api.requests[-1].new_text
    assert trace.exists()
