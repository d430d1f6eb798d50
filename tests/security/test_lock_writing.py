"""Lock files that cannot be written, and entries of the folder that are no lock files."""

import errno
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from support.claude_code import locks, the_lock
from support.either_editor import BOTH, Editor, is_serving
from support.handshake import is_accepted
from support.neovim import Neovim, until
from support.processes import alive
from support.vim import Vim

pytestmark = BOTH

CHECKS = {Neovim: "checkhealth claude_ide", Vim: "ClaudeCheck"}


async def says(editor: Editor, expected: str) -> bool:
    """Whether a message has these words; in a popup of Vim they may be wrapped."""
    shown = editor.screen.text()
    return expected in shown or expected in await editor.eval("execute('messages')")


async def test_a_config_folder_that_is_named_relatively_is_not_in_the_project(
    nvim: Editor, project: Path
) -> None:
    await nvim.command("let $CLAUDE_CONFIG_DIR = 'cfg' | ClaudeStart")

    await the_lock(Path(await nvim.eval("$HOME")) / ".claude")
    expected = "$CLAUDE_CONFIG_DIR is not an absolute path"
    await until(lambda: says(nvim, expected), expected)
    assert await nvim.eval("exists('$CLAUDE_CONFIG_DIR')") == 0
    assert not (project / "cfg").exists()


@asynccontextmanager
async def unwritable(config_folder: Path, code: int) -> AsyncIterator[Path]:
    """A config folder in which writing a lock file fails with this error code."""
    folder = config_folder / "ide"
    match code:
        case errno.EEXIST:
            config_folder.mkdir(parents=True)
            folder.write_text("in the way")
        case errno.ENOTDIR:
            config_folder.write_text("in the way")
        case _:
            folder.mkdir(parents=True)
    yield folder


class TestUnwritableLockFile:
    @pytest.mark.parametrize(
        ("code", "reason"),
        [(errno.EEXIST, "its folder is a file"), (errno.ENOTDIR, "Not a directory")],
    )
    async def test_start_reports_the_unwritable_file_and_the_reason(
        self, nvim: Editor, config_folder: Path, code: int, reason: str
    ) -> None:
        async with unwritable(config_folder, code):
            await nvim.command("ClaudeStart")

            expected = f"claude-ide: cannot write the lock file ({reason}): "
            await until(lambda: says(nvim, expected), expected)
            assert (await nvim.mode())["blocking"] is False
            assert not await is_serving(nvim)
            assert await nvim.eval("exists('$CLAUDE_CODE_SSE_PORT')") == 0

    async def test_a_running_host_reports_the_error_and_starts_no_server(
        self, serving: Editor, config_folder: Path
    ) -> None:
        _, lock = await the_lock(config_folder)
        await serving.command("ClaudeStop")
        await until(lambda: not locks(config_folder), "stopped")
        folder = config_folder / "ide"
        folder.rmdir()
        folder.write_text("in the way")

        await serving.command("ClaudeStart")

        expected = "cannot write the lock file (its folder is a file): "
        await until(lambda: says(serving, expected), expected)
        assert not await is_serving(serving)
        assert alive(lock["hostPid"])
        folder.unlink()
        await serving.command("ClaudeStart!")
        await until(lambda: is_serving(serving), "the server is up")

    async def test_a_lock_file_with_outdated_folders_is_updated_once_it_can_be_written(
        self, serving: Editor, config_folder: Path, project: Path
    ) -> None:
        port, lock = await the_lock(config_folder)
        folder = config_folder / "ide"
        kept = folder.with_name("kept")
        folder.rename(kept)
        folder.write_text("in the way")
        (project / "sub").mkdir()

        await serving.command("cd sub")

        expected = "cannot write the lock file (its folder is a file): "
        await until(lambda: says(serving, expected), expected)
        assert await is_accepted(port, lock["authToken"])
        folder.unlink()
        kept.rename(folder)
        await serving.command("edit a.py")
        await until(lambda: locks(config_folder)[0][1]["workspaceFolders"] == [f"{project}/sub"])


async def test_special_files_in_the_lock_folder_block_neither_host_nor_health_check(
    nvim: Editor, config_folder: Path
) -> None:
    folder = config_folder / "ide"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "1.lock")
    (folder / "2.lock").mkdir()
    (folder / "3.lock").symlink_to("/dev/tty")
    (folder / "4.lock").symlink_to(folder / "nowhere")
    (folder / "5.lock").write_text("[" * 100_000)
    (folder / "6.lock").write_bytes(b"\xff\xfe\x00")
    with closing(socket.socket(socket.AF_UNIX)) as listener:
        listener.bind(str(folder / "7.lock"))
    (folder / ".8.lock.4194305.new").mkdir()
    with (folder / "9.lock").open("wb") as huge:
        huge.truncate(2**33)

    await nvim.command("ClaudeStart!")
    await until(lambda: is_serving(nvim), "the server is up")
    await nvim.command(CHECKS[type(nvim)])

    assert "Another editor" not in "\n".join(await nvim.eval("getline(1, '$')"))
