"""Files that Claude changes in a chat without asking, and their buffers."""

import sys
from pathlib import Path

from support.neovim import Neovim, until
from support.panel import Panel
from support.transcripts import FAKE_CLI, GOLDEN

COUNTS = "(+1 \N{MINUS SIGN}1)"


async def begin(nvim: Neovim, project: Path, tmp_path: Path) -> Panel:
    """Open a chat that edits `a.py` in the project without asking."""
    recording = (GOLDEN / "rewind.jsonl").read_text("utf-8")
    recorded = tmp_path / "edits.jsonl"
    recorded.write_text(recording.replace("/home/dev/project", str(project)))
    return await Panel.open(nvim, [sys.executable, "-I", FAKE_CLI, recorded], mode="acceptEdits")


async def test_an_edit_of_the_chat_is_attributed_to_claude(
    nvim: Neovim, project: Path, tmp_path: Path
) -> None:
    path = project / "a.py"
    path.write_text("one\ntwo\n")
    await nvim.command("edit a.py")
    panel = await begin(nvim, project, tmp_path)
    await panel.send("edit it")
    named = "return vim.fn['claude_ide#agent_writes#Announced'](...) ~= ''"
    await until(lambda: nvim.lua(named, str(path)), "the file is named")

    path.write_text("one\nTWO\n")

    await until(lambda: f"Claude changed a.py {COUNTS}; u undoes" in nvim.screen.text())
    assert await nvim.eval(f"getbufline('{path}', 1, '$')") == ["one", "TWO"]


async def test_without_a_server_buffers_are_reloaded_until_the_chat_ends(
    nvim: Neovim, project: Path, tmp_path: Path, config_folder: Path
) -> None:
    path = project / "a.py"
    path.write_text("one\ntwo\n")
    config_folder.mkdir(parents=True)
    (config_folder / "ide").write_text("in the way of the lock files")
    await nvim.command("edit a.py")
    await begin(nvim, project, tmp_path)
    assert await nvim.lua("return require('claude_ide.host').server() == nil")

    path.write_text("one\nTWO\n")

    await until(lambda: nvim.eval(f"getbufline('{path}', 2) == ['TWO']"))
    await nvim.command("ClaudeChat end")
    await until(lambda: nvim.eval("!exists('#claude_ide_disk_change#BufReadPost')"))
