"""Signs at lines that the user has not seen: from the write until the user has been there."""

from pathlib import Path

import pytest

from support.acp import script as acp
from support.acp.chatting import Start, diff_is_open
from support.acp.script import Make, Script
from support.claude_code import ClaudeCode
from support.disk_changes import shows
from support.happenings import HookedCli, follow, recorder, the
from support.neovim import Neovim, until
from support.unseen import ON, has_signs, signs

CONFIGURE = "vim.g.claude_ide = vim.tbl_extend('force', vim.g.claude_ide, ...)"
WRITER = acp.result(
    {
        "protocolVersion": 1,
        "agentCapabilities": {},
        "agentInfo": {"name": "gemini-cli", "title": "Fake", "version": "1"},
    }
)
"""An agent that is known to write files through the editor."""

OLD = "one\ntwo\nthree\n"
NEW = "one\nTWO\nthree\nfour\n"
PATCH = {
    "oldStart": 1,
    "oldLines": 3,
    "newStart": 1,
    "newLines": 4,
    "lines": [" one", "-two", "+TWO", " three", "+four"],
}


@pytest.fixture
async def path(nvim: Neovim, path: Path) -> Path:
    await nvim.lua(ON)
    return path


@pytest.fixture
async def cli(nvim: Neovim, tmp_path: Path) -> HookedCli:
    """A CLI in the terminal of `:Claude`; the user is in the other window."""
    script, record = recorder(tmp_path)
    await nvim.lua(CONFIGURE, {"cmd": str(script)})
    await follow(nvim)
    await nvim.command("Claude")
    cli = await HookedCli.started(record)
    await nvim.command("stopinsert | wincmd t")
    return cli


async def edit(cli: HookedCli, path: Path) -> None:
    """Have the CLI edit a file with the text `OLD`, and report it as the real one does."""
    result = {"filePath": str(path), "originalFile": OLD, "structuredPatch": [PATCH]}
    tool = {"tool_name": "Edit", "tool_use_id": "t1", "tool_input": {"file_path": str(path)}}
    await cli.send("PreToolUse", **tool)
    path.write_text(NEW)
    await cli.send("PostToolUse", **tool, tool_response=result)


async def test_the_signs_of_a_write_go_with_the_cursor(
    nvim: Neovim, path: Path, cli: HookedCli
) -> None:
    await cli.send("UserPromptSubmit", prompt="shout", cwd=str(path.parent))
    await edit(cli, path)
    await has_signs(nvim, "2 4")

    await nvim.keys("j")
    await has_signs(nvim, "4")
    await nvim.keys("G")

    await has_signs(nvim, "")


async def test_a_hunk_that_is_marked_as_seen_loses_its_signs(
    nvim: Neovim, path: Path, cli: HookedCli
) -> None:
    other = path.with_name("b.py")
    other.write_text(OLD)
    await cli.send("UserPromptSubmit", prompt="shout", cwd=str(path.parent))
    await edit(cli, path)
    await edit(cli, other)
    await cli.send("Stop")
    await nvim.command(f"edit {path}")
    await has_signs(nvim, "2 4")
    await nvim.command("ClaudeChanges")
    await until(lambda: nvim.eval("&buftype == 'quickfix'"), "the list is open")

    await nvim.keys("2s")
    await until(lambda: nvim.eval("getqflist()[1].text =~ '^seen: '"), "they are marked")
    await nvim.keys("4Gs")
    await until(lambda: nvim.eval("getqflist()[3].text =~ '^seen: '"), "it is marked")

    await nvim.command("cclose | wincmd t")
    assert await nvim.eval("expand('%:t')") == "a.py"
    assert await signs(nvim) == ""
    await nvim.command(f"edit {other}")
    await has_signs(nvim, "2")


async def test_what_a_command_changes_has_signs_too(
    nvim: Neovim, path: Path, cli: HookedCli
) -> None:
    await cli.send("UserPromptSubmit", prompt="run", cwd=str(path.parent))
    tool = {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "sed …"}}
    await cli.send("PreToolUse", **tool)
    path.write_text(NEW)
    await shows(nvim, path, NEW)
    assert await signs(nvim) == ""

    await cli.send("PostToolUse", **tool)

    await has_signs(nvim, "2 4")


@pytest.mark.parametrize("is_open", [True, False])
async def test_an_edit_that_was_accepted_in_its_diff_has_no_signs(
    nvim: Neovim, path: Path, cli: HookedCli, claude: ClaudeCode, *, is_open: bool
) -> None:
    if not is_open:
        await nvim.command(f"enew | bdelete {path}")
    await cli.send("UserPromptSubmit", prompt="shout", cwd=str(path.parent))
    _, asked = claude.start_call("openDiff", {"old_file_path": str(path), "new_file_contents": NEW})
    await diff_is_open(nvim)
    await nvim.keys(":w<CR>")
    await asked
    await until(lambda: nvim.eval("tabpagenr('$') == 1"), "the diff is closed")

    await edit(cli, path)

    await the(nvim, "ClaudeToolEnd")
    await nvim.command(f"edit {path}")
    await shows(nvim, path, NEW)
    assert await signs(nvim) == ""


async def test_what_an_agent_writes_through_a_buffer_has_signs(
    start: Start, fake_agent: Make, nvim: Neovim, path: Path
) -> None:
    closed = path.with_name("b.py")
    closed.write_text(OLD)
    steps = []
    for tool, each in (("t1", path), ("t2", closed)):
        content = [acp.diff(str(each), OLD, NEW)]
        steps += [
            acp.tool(tool, "Edit", kind="edit", content=content),
            acp.ask("fs/write_text_file", path=str(each), content=NEW),
            acp.tool_update(tool, status="completed", content=content),
        ]
    panel = await start(fake_agent(Script(initialize=[WRITER], prompt=[*steps, acp.say("Done.")])))
    await panel.send("please")
    await panel.shows("Done.")

    await nvim.command("stopinsert | wincmd t")
    await has_signs(nvim, "2 4")
    await nvim.keys("G")
    await has_signs(nvim, "2")
    await nvim.command(f"edit {closed}")

    await has_signs(nvim, "2 4")


async def test_nothing_happens_unless_the_user_wants_signs(
    nvim: Neovim, path: Path, cli: HookedCli
) -> None:
    await nvim.command("let g:claude_ide.changes = {'signs': v:false}")
    await nvim.command(f"edit {path}")

    await edit(cli, path)

    await the(nvim, "ClaudeToolEnd")
    await shows(nvim, path, NEW)
    assert await signs(nvim) == ""
