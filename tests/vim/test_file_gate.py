"""`file/path.vim`: paths from outside."""

from pathlib import Path
from typing import Any

import pytest

from support.vim import Vim

CHECK = "claude_ide#file#path#Check"


async def refusal(vim: Vim, path: Path) -> Any:
    return (await vim.call(CHECK, str(path))).get("refusal")


async def test_a_name_that_a_plugin_interprets_is_refused(vim: Vim, project: Path) -> None:
    path = project / "tarfile::a::b"
    path.write_text("")
    await vim.command("augroup test | autocmd BufReadCmd tarfile::* let x = 1 | augroup END")

    assert await refusal(vim, path) == (f"{path}: a plugin handles such names itself (tarfile::*)")


@pytest.mark.parametrize(("name", "reader"), [("a.zzz", "*.zzz"), ("a.txt", "")])
async def test_the_reader_of_a_file_is_named_by_the_pattern_of_its_autocommand(
    vim: Vim, project: Path, name: str, reader: str
) -> None:
    await vim.command("autocmd BufReadCmd *.zzz let x = 1")

    assert await vim.call("claude_ide#file#path#Reader", str(project / name)) == reader


async def test_a_file_that_a_plugin_reads_is_not_compared(vim: Vim, project: Path) -> None:
    path = project / "a.zzz"
    path.write_text("")
    shown = CHECK, str(path), False, True
    assert await vim.call(*shown) == {"path": str(path)}

    await vim.command("autocmd BufReadCmd *.zzz let x = 1")

    assert await vim.call(*shown) == {
        "refusal": f"{path}: a plugin handles such files itself (*.zzz)"
    }
