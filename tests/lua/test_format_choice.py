"""`format/init.lua`: finds the formatters of a file."""

from pathlib import Path

import pytest

from support.chunks import chunk
from support.formatting import STRIP, TIDY, read, set_option, succeed, write
from support.language_client import attach, attach_to_every_text_file
from support.neovim import Neovim


async def set_for_text_files(nvim: Neovim, option: str) -> None:
    await nvim.lua(chunk("format_choice/set_for_text_files"), option)


@pytest.mark.parametrize("was_open", [True, False])
async def test_a_global_program_comes_after_language_servers(
    nvim: Neovim, project: Path, was_open: bool
) -> None:
    path = write(project / "a.txt")
    await set_option(nvim, "formatprg", "echo no")
    await attach_to_every_text_file(nvim)
    if was_open:
        await nvim.command("edit a.txt")

    assert await succeed(nvim, path) == "Reformatted with words: 2 lines changed, saved."

    assert read(path) == TIDY


@pytest.mark.parametrize("was_open", [True, False])
async def test_a_program_set_for_the_file_comes_before_language_servers(
    nvim: Neovim, project: Path, was_open: bool
) -> None:
    path = write(project / "a.txt")
    await set_for_text_files(nvim, STRIP)
    await attach_to_every_text_file(nvim, "--format=capitals")
    if was_open:
        await nvim.command("edit a.txt")

    assert await succeed(nvim, path) == f"Reformatted with {STRIP}: 2 lines changed, saved."


async def test_a_program_set_by_a_runtime_filetype_plugin_comes_after_servers(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.rkt")
    await nvim.command("filetype plugin on | edit a.rkt")
    assert await nvim.eval("&formatprg") == "raco fmt"
    await attach(nvim)

    assert await succeed(nvim, path) == "Reformatted with words: 2 lines changed, saved."


async def test_an_expression_set_by_a_runtime_filetype_plugin_is_skipped(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.xml", "<a>  \n</a>\n")
    await set_option(nvim, "equalprg", STRIP)
    await nvim.command("filetype plugin on | edit a.xml")
    assert await nvim.eval("&formatexpr") == "xmlformat#Format()"

    await succeed(nvim, path)

    assert read(path) == "<a>\n</a>\n"


async def test_formatprg_comes_before_equalprg(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await set_option(nvim, "formatprg", STRIP)
    await set_option(nvim, "equalprg", "echo no")
    await nvim.command("edit a.txt")

    await succeed(nvim, path)

    assert read(path) == TIDY
