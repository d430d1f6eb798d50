"""`file/command_buffer.lua`: text without a file stays in a buffer until the user saves it."""

from pathlib import Path

import pytest

from support.neovim import Neovim, until

TEXT = "mine\nand mine\n"


@pytest.fixture
async def kept(nvim: Neovim) -> int:
    """The buffer of a text that was kept."""
    message = await nvim.lua(
        "return require('claude_ide.file.command_buffer').keep(...)",
        "/x/a.py",
        TEXT,
        "your edits are",
        "python",
    )
    bufnr: int = await nvim.eval("bufnr('$')")
    assert message == f"a.py: your edits are kept in buffer {bufnr}"
    return bufnr


async def lines(nvim: Neovim, bufnr: int) -> list[str]:
    found: list[str] = await nvim.eval(f"getbufline({bufnr}, 1, '$')")
    return found


async def test_a_kept_text_is_in_a_listed_named_and_unsaved_buffer(nvim: Neovim, kept: int) -> None:
    [info] = await nvim.eval(f"getbufinfo({kept})")

    assert (info["listed"], info["changed"]) == (1, 1)
    assert info["name"].endswith("/claude-kept/Kept (a.py)")
    assert await nvim.eval(f"bufname({kept})") == "Kept (a.py)"
    assert await nvim.eval(f"getbufvar({kept}, '&filetype')") == "python"
    assert await lines(nvim, kept) == TEXT.splitlines()


async def test_a_kept_text_outlives_its_window(nvim: Neovim, kept: int) -> None:
    await nvim.command(f"set nohidden | split | buffer {kept} | hide")

    assert await lines(nvim, kept) == TEXT.splitlines()


async def test_neovim_does_not_quit_before_a_kept_text_is_saved(nvim: Neovim, kept: int) -> None:
    await nvim.keys(":qa<CR>")

    await until(lambda: "E162" in nvim.screen.text())
    await nvim.keys("<CR>")
    assert await lines(nvim, kept) == TEXT.splitlines()


async def test_a_kept_text_can_be_written_to_a_named_file(
    nvim: Neovim, kept: int, project: Path
) -> None:
    await nvim.command(f"buffer {kept} | write saved.py")

    assert (project / "saved.py").read_text() == TEXT
    assert await nvim.eval("&modified") == 0


async def test_writing_a_kept_text_without_a_file_name_reports_what_is_missing(
    nvim: Neovim, kept: int
) -> None:
    await nvim.command(f"buffer {kept}")
    await nvim.keys(":w<CR>")

    await until(lambda: "this text has no file" in nvim.screen.text())
    assert await nvim.eval("&modified") == 1


async def test_a_kept_text_that_cannot_be_written_stays_unsaved(nvim: Neovim, kept: int) -> None:
    await nvim.command(f"buffer {kept}")
    await nvim.keys(":w no/such/folder.py<CR>")

    await until(lambda: "cannot write" in nvim.screen.text())
    assert await nvim.eval("&modified") == 1


async def test_writing_a_kept_text_does_not_overwrite_an_existing_file(
    nvim: Neovim, kept: int, project: Path
) -> None:
    (project / "a.py").write_text("theirs\n")
    await nvim.command(f"buffer {kept}")
    await nvim.keys(":w a.py<CR>")

    await until(lambda: "E13" in nvim.screen.text())
    assert (project / "a.py").read_text() == "theirs\n"


async def test_two_kept_texts_of_one_file_have_separate_buffers(nvim: Neovim, kept: int) -> None:
    message = await nvim.lua(
        "return require('claude_ide.file.command_buffer').keep(...)",
        "/x/a.py",
        "other\n",
        "the rewrite is",
    )

    assert message == f"a.py: the rewrite is kept in buffer {kept + 1}"
    assert await lines(nvim, kept) == TEXT.splitlines()


async def test_a_text_can_be_kept_when_buffers_are_nomodifiable_by_default(nvim: Neovim) -> None:
    await nvim.command("set nomodifiable")

    await nvim.lua(
        "require('claude_ide.file.command_buffer').keep(...)", "/x/a.py", TEXT, "your edits are"
    )

    assert await lines(nvim, await nvim.eval("bufnr('$')")) == TEXT.splitlines()
