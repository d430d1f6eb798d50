"""`requirement.lua`: what the plugin says in a Neovim that is too old."""

import os
import subprocess
from pathlib import Path

import pytest

from support.neovim import ROOT, Neovim

OLD = os.environ.get("CLAUDE_IDE_TEST_OLD_NVIM", "")
"""A Neovim from before 0.11, such as that of Debian 12 or 13."""

needs_old = pytest.mark.skipif(not OLD, reason="CLAUDE_IDE_TEST_OLD_NVIM names no older Neovim")
REFUSAL = "claude-ide needs Neovim 0.11 or newer (this is 0."


DEFINE = "require('claude_ide.requirement').define()"
REPORT = "lua require('claude_ide.requirement').report()"


async def test_every_command_reports_the_refusal(nvim: Neovim) -> None:
    await nvim.lua(DEFINE)

    commands = await nvim.lua("return vim.api.nvim_get_commands({})")
    ours = {name: each["definition"] for name, each in commands.items() if name[:6] == "Claude"}
    assert len(ours) > 20
    assert set(ours.values()) == {REPORT}


@pytest.mark.parametrize("mode", "nx")
async def test_every_map_reports_the_refusal(nvim: Neovim, mode: str) -> None:
    await nvim.lua(DEFINE)

    maps = await nvim.eval(f"nvim_get_keymap('{mode}')")
    ours = [each["rhs"] for each in maps if each["lhs"].startswith("<Plug>(claude-")]
    assert len(ours) > 20
    assert set(ours) == {f"<Cmd>{REPORT}<CR>"}


async def test_a_neovim_that_is_new_enough_is_not_refused(nvim: Neovim) -> None:
    assert await nvim.lua("return require('claude_ide.requirement').refusal()") is None


def run_old(tmp_path: Path, command: str) -> str:
    """Return everything that an older Neovim prints for a command."""
    arguments = [OLD, "--clean", "--headless", "--cmd", f"set runtimepath^={ROOT}"]
    start = ["-c", "runtime plugin/claude_ide.lua", "-c", command, "-c", "qall!"]
    done = subprocess.run(
        [*arguments, *start],
        env=os.environ | {"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout + done.stderr


@needs_old
@pytest.mark.parametrize(
    "command",
    [
        *("Claude", "ClaudeChat new", "1ClaudeSend!", "ClaudeInstall!", "ClaudeStart | echo ''"),
        "lua require('claude_ide').setup({ auto_start = true })",
        r'execute "normal \<Plug>(claude-toggle)"',
        r'execute "normal V\<Plug>(claude-send)"',
        f"lua print(select(2, pcall(dofile, '{ROOT}/build.lua')))",
        "lua require('claude_ide').ask('x', {}, function(refusal) print(refusal) end)",
    ],
)
def test_an_older_neovim_shows_one_line(tmp_path: Path, command: str) -> None:
    [line] = run_old(tmp_path, command).strip().splitlines()

    assert line.startswith(REFUSAL)


@needs_old
def test_checkhealth_of_an_older_neovim_names_its_version(tmp_path: Path) -> None:
    assert REFUSAL in run_old(tmp_path, "checkhealth claude_ide | %print")
