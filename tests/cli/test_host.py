"""The real CLI stays with its editor: after its host was killed, and beside another editor."""

import os
import signal
from pathlib import Path

from support.claude_cli import ClaudeCli
from support.claude_code import locks
from support.either_editor import BOTH, Editor, happened, holds_port
from support.fake_api import FakeApi, edit
from support.neovim import Neovim, until

from .conftest import StartClaude, diff_opened, serve


@BOTH
async def test_the_cli_reconnects_after_the_host_was_killed(
    nvim: Editor, claude: ClaudeCli, api: FakeApi, config_folder: Path, path: Path
) -> None:
    ((port, killed),) = locks(config_folder)
    await until(lambda: holds_port(nvim, port), "the port is held")
    api.script(*edit(path, "two", "TWO", then="All done."))

    os.kill(killed["hostPid"], signal.SIGKILL)
    await until(
        lambda: {lock["hostPid"] for _, lock in locks(config_folder)} - {killed["hostPid"]},
        "another host",
    )
    ((port_now, lock),) = locks(config_folder)
    assert (port_now, lock["authToken"]) == (port, killed["authToken"])
    await nvim.keys("Vj")
    await claude.shows("⧉ 2 lines selected")

    await nvim.keys("<Esc>")
    await claude.prompt("Shout")
    await diff_opened(nvim)
    await nvim.keys(":w<CR>")
    await claude.shows("● All done.")
    assert path.read_text() == "one\nTWO\n"


@BOTH
async def test_two_editors_each_work_with_their_own_cli(
    nvim: Editor,
    start_claude: StartClaude,
    api: FakeApi,
    config_folder: Path,
    path: Path,
    tmp_path: Path,
) -> None:
    other_path = tmp_path / "other" / "b.py"
    other_path.parent.mkdir()
    other_path.write_text("three\nfour\n")
    other_nvim = await Neovim.start(cwd=other_path.parent, home=tmp_path / "home")
    try:
        await serve(nvim, config_folder, path)
        await serve(other_nvim, config_folder, other_path)
        claude = await start_claude("--ide", "--permission-mode", "default")
        other_claude = await start_claude(
            "--ide", "--permission-mode", "default", cwd=other_path.parent
        )
        await claude.shows("⧉ In a.py")
        await other_claude.shows("⧉ In b.py")

        api.script(*edit(other_path, "four", "FOUR", then="All done there."))
        await other_claude.prompt("Shout")
        await diff_opened(other_nvim)
        assert await happened(nvim, "ClaudeDiffOpened") == 0
        await other_nvim.keys(":w<CR>")
        await other_claude.shows("● All done there.")

        api.script(*edit(path, "two", "TWO", then="All done here."))
        await claude.prompt("Shout")
        await diff_opened(nvim)
        await nvim.keys(":w<CR>")
        await claude.shows("● All done here.")
        assert await happened(other_nvim, "ClaudeDiffOpened") == 1
    finally:
        await other_nvim.stop()

    assert other_path.read_text() == "three\nFOUR\n"
    assert path.read_text() == "one\nTWO\n"
