"""`file/path.lua`: which paths from outside are accepted, and how they are normalized."""

import os
from pathlib import Path
from typing import Any

import pytest

from support.neovim import Neovim, NvimError


async def gate(nvim: Neovim, function: str, *arguments: Any) -> Any:
    """Return all results of a function."""
    code = f"return {{ require('claude_ide.file.path').{function}(...) }}"
    return await nvim.lua(code, *arguments)


async def refusal(nvim: Neovim, path: str) -> str:
    reason: str = await nvim.lua(
        "return select(2, require('claude_ide.file.path').existing(...))", path
    )
    return reason


async def test_a_path_is_made_absolute_and_normalized(nvim: Neovim, project: Path) -> None:
    home = await nvim.eval("$HOME")
    normalized = {
        "sub/../a.txt": f"{project}/a.txt",
        "/a//b/./c.txt": "/a/b/c.txt",
        "//a///b": "/a/b",
        "/../../a": "/a",
        "/$HOME/[a]*.txt": "/$HOME/[a]*.txt",
        "~/a": f"{home}/a",
        "~a": f"{project}/~a",
        "term://sh x.sh": f"{project}/term:/sh x.sh",
        f"{project}/http://x/y": f"{project}/http:/x/y",
        "`x`": f"{project}/`x`",
        "a\nb": f"{project}/a\nb",
        "/": "/",
    }
    for path, plain in normalized.items():
        assert await gate(nvim, "absolute", path) == [plain]


async def test_a_path_that_no_file_can_have_is_an_error(nvim: Neovim) -> None:
    for path, reason in {
        "": "the path is empty",
        "a\0b": "a…: contains a NUL",
        "x" * 5000: "x" * 200 + "…: the path is too long",
    }.items():
        with pytest.raises(NvimError, match=reason):
            await gate(nvim, "absolute", path)
        assert await refusal(nvim, path) == reason


async def test_existing_files_and_new_files_are_accepted(nvim: Neovim, project: Path) -> None:
    (project / "a.txt").write_text("")
    (project / "link").symlink_to("a.txt")
    (project / "dangling").symlink_to("none")

    for name in ("a.txt", "link"):
        assert await gate(nvim, "check", name) == [str(project / name)]
    for name in ("new.txt", "x/y/new.txt", "dangling"):
        assert await gate(nvim, "check", name) == [str(project / name), None, True]
        assert await refusal(nvim, name) == f"{project}/{name}: no such file"


async def test_a_path_that_is_not_a_file_is_refused(nvim: Neovim, project: Path) -> None:
    (project / "folder").mkdir()
    (project / "loop").symlink_to("loop")
    (project / "to-folder").symlink_to("folder")
    (project / "a.txt").write_text("")
    os.mkfifo(project / "pipe")

    for name, reason in {
        "folder": "not a file but a folder",
        "to-folder": "not a file but a folder",
        "pipe": "not a file but a pipe",
        "/dev/null": "not a file but a device",
        "loop": "too many symbolic links encountered",
        "a.txt/x": f"{project}/a.txt is not a folder",
        "pipe/x/y": f"{project}/pipe is not a folder",
    }.items():
        assert await refusal(nvim, name) == f"{project / name}: {reason}"


async def test_a_file_above_the_size_limit_is_refused(nvim: Neovim, project: Path) -> None:
    for name, size in {"a": 50_000_000, "b": 50_000_001, "c": 100_000_000}.items():
        with (project / name).open("wb") as file:
            file.truncate(size)

    assert await gate(nvim, "existing", "a") == [str(project / "a")]
    assert await refusal(nvim, "b") == f"{project}/b: has 50000001 bytes, more than 50000000"
    assert await refusal(nvim, "c") == f"{project}/c: has 100000000 bytes, more than 50000000"


async def test_a_refusal_is_one_line(nvim: Neovim, project: Path) -> None:
    assert await refusal(nvim, "a\nb\x1b") == f"{project}/a^@b^[: no such file"


async def test_a_name_that_a_plugin_interprets_is_refused(nvim: Neovim, project: Path) -> None:
    (project / "tarfile::a").mkdir()
    for name in ("tarfile::a::b", "zipfile:a::b", "tarfile::a/b"):
        assert "a plugin handles such names itself" in await refusal(nvim, name)
    for name in ("Tar::File", "a tarfile::b", "term:/x", "C:x"):
        assert await refusal(nvim, name) == f"{project}/{name}: no such file"


async def test_the_reader_of_a_file_is_named_by_the_pattern_of_its_autocommand(
    nvim: Neovim,
) -> None:
    await nvim.command("autocmd BufReadCmd */secrets/* let g:read = 1")
    await nvim.command("autocmd BufReadPost,FileReadPost * let g:all = 1")

    for path, pattern in {
        "/a/b.zip": "*.zip",
        "/a/b.tar.gz": "*.tar.gz",
        "/a/secrets/b": "*/secrets/*",
        "/a/b.gz": "*.gz",
        "/a/b.txt": None,
        "/a/term:/b": None,
    }.items():
        assert await nvim.lua(
            "return require('claude_ide.file.path').reader(...) or vim.NIL", path
        ) == (pattern)
