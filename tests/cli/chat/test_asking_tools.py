"""Tools of the model that ask the user themselves, in the chat of the real CLI."""

from pathlib import Path

from support.either_editor import choose, choose_item
from support.fake_api import FakeApi, text, tool_use
from support.neovim import Neovim, until
from support.panel import Panel


async def test_makeprg_is_asked_about_once(
    nvim: Neovim, panel: Panel, api: FakeApi, project: Path
) -> None:
    trace = project / "trace"
    await nvim.lua("vim.o.makeprg = ...", f"touch {trace}")
    api.script([tool_use("mcp__neovim__make")], [text("Made.")])

    await panel.send("Build it")
    await until(lambda: "wants to run: touch" in nvim.screen.text(), "the question")
    assert "Use mcp__neovim__make?" not in nvim.screen.text()
    await choose(nvim, 1)

    await panel.shows("Made.")
    assert "exit code 0" in api.requests[-1].new_text
    assert trace.exists()


async def test_a_file_that_the_agent_has_read_itself_is_not_asked_about_again(
    nvim: Neovim, panel: Panel, api: FakeApi, project: Path
) -> None:
    diary, other = project.parent / "diary.txt", project.parent / "other.txt"
    for path in (diary, other):
        path.write_text("dear diary\n")
    api.script([tool_use("Read", file_path=str(diary))])
    api.script([tool_use("mcp__neovim__open_file", file=str(diary))])
    api.script([tool_use("mcp__neovim__open_file", file=str(other))], [text("Done.")])

    await panel.send("Read my diary")
    await panel.shows("? Use Read")
    await panel.go_to("? Use Read")
    await nvim.idle(500)
    await nvim.keys("y")
    await until(lambda: "Do not read it" in nvim.screen.text(), "the question")
    assert "Opened" in api.requests[-1].new_text
    await choose_item(nvim, "Do not read it")

    await panel.shows("Done.")
    assert "has not allowed you to read it" in api.requests[-1].new_text
