"""`host/lock.lua`: locks are read defensively; only those of this Neovim's host are removed."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from support.neovim import Neovim

HOST = 4711


@pytest.fixture
def folder(config_folder: Path) -> Path:
    folder = config_folder / "ide"
    folder.mkdir(parents=True)
    return folder


async def ours(nvim: Neovim, path: Path, **others: Any) -> Path:
    """Write a lock as a host of this Neovim does."""
    path.write_text(json.dumps({"pid": await nvim.eval("getpid()"), "hostPid": HOST, **others}))
    return path


async def withdraw(nvim: Neovim, folder: Path) -> None:
    await nvim.lua("require('claude_ide.host.lock').withdraw(...)", str(folder), HOST)


async def test_the_lock_of_a_host_and_its_partly_written_lock_are_removed(
    nvim: Neovim, folder: Path
) -> None:
    await ours(nvim, folder / "1.lock")
    (folder / f".2.lock.{HOST}.new").write_text('{"pid')

    await withdraw(nvim, folder)

    assert list(folder.iterdir()) == []


async def test_the_files_of_other_hosts_and_programs_remain(nvim: Neovim, folder: Path) -> None:
    await ours(nvim, folder / "1.lock", hostPid=HOST + 1)
    await ours(nvim, folder / "2.lock", pid=os.getpid())
    (folder / "3.lock").symlink_to(await ours(nvim, folder / "another.json"))
    (folder / f".4.lock.{HOST}1.new").write_text("")
    (folder / f"notes.{HOST}.new").write_text("")
    os.mkfifo(folder / "5.lock")
    (folder / "6.lock").mkdir()
    (folder / "7.lock").write_text("[" * 100_000)
    (folder / "8.lock").write_text("null")
    await ours(nvim, folder / "9.lock", ideName="x" * 1_000_000)
    before = set(folder.iterdir())

    await withdraw(nvim, folder)

    assert set(folder.iterdir()) == before


async def test_a_missing_folder_is_ignored(nvim: Neovim, tmp_path: Path) -> None:
    await withdraw(nvim, tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize(
    ("given", "expected"),
    [("/somewhere", "/somewhere/ide"), ("", "{home}/.claude/ide"), ("here", "{project}/here/ide")],
)
async def test_the_lock_folder_is_the_one_that_the_host_writes_to(
    nvim: Neovim, tmp_path: Path, project: Path, given: str, expected: str
) -> None:
    await nvim.lua("vim.env.CLAUDE_CONFIG_DIR = ...", given)

    found = await nvim.lua("return require('claude_ide.host.lock').folder()")

    assert found == expected.format(home=tmp_path / "home", project=project)
