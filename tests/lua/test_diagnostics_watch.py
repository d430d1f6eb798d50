"""`diagnostics/init.lua`: the host is told that diagnostics have changed."""

from pathlib import Path

from support.chunks import chunk
from support.diagnostics import SET, edit, of_file
from support.language_client import attach
from support.neovim import Neovim, until


async def watch(nvim: Neovim, on: bool = True) -> None:
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())
    await nvim.lua("require('claude_ide.diagnostics').watch(...)", on)


async def is_told(nvim: Neovim, times: int) -> None:
    await until(lambda: len(nvim.events("diagnostics_changed")) == times, "the event")


# Changes


async def test_the_host_is_told_at_first_and_of_each_change(nvim: Neovim, project: Path) -> None:
    await watch(nvim)
    await is_told(nvim, 1)
    bufnr = await edit(nvim, project / "a.txt")

    await nvim.lua(SET, "linter", bufnr, [{"lnum": 0, "col": 0, "message": "m"}])
    await is_told(nvim, 2)

    await nvim.lua("vim.diagnostic.reset()")
    await is_told(nvim, 3)


async def test_the_host_is_told_at_most_once_per_interval(nvim: Neovim, project: Path) -> None:
    await watch(nvim)
    bufnr = await edit(nvim, project / "a.txt")

    milliseconds = await nvim.lua(chunk("diagnostics_watch/set_often"), bufnr)

    async def is_last_announced() -> bool:
        """Return whether the last change is older than the last event."""
        before = len(nvim.events("diagnostics_changed"))
        await nvim.idle(150)
        return before == len(nvim.events("diagnostics_changed")) > 0

    await until(is_last_announced)
    assert len(nvim.events("diagnostics_changed")) <= milliseconds / 100 + 3


async def test_the_host_is_told_when_the_user_leaves_insert_mode(nvim: Neovim) -> None:
    await watch(nvim)
    await is_told(nvim, 1)

    await nvim.keys("i")
    await until(lambda: nvim.eval("mode() == 'i'"))
    assert (await nvim.lua("return require('claude_ide.diagnostics').look(false)"))["is_typing"]
    await nvim.keys("<Esc>")

    await is_told(nvim, 2)


async def test_nothing_is_told_after_the_end(nvim: Neovim, project: Path) -> None:
    await watch(nvim)
    await is_told(nvim, 1)
    await watch(nvim, False)

    bufnr = await edit(nvim, project / "a.txt")
    await nvim.lua(SET, "linter", bufnr, [{"lnum": 0, "col": 0, "message": "m"}])
    await nvim.idle(150)

    await is_told(nvim, 1)


# With a language server


async def test_diagnostics_from_a_language_server_are_read(nvim: Neovim, project: Path) -> None:
    await edit(nvim, project / "a.txt", "fine\né😀 wrong and odd\n")
    await attach(nvim)

    items = await until(lambda: of_file(nvim, project / "a.txt"))

    assert items == [
        {
            "message": "wrong word",
            "severity": "Error",
            "range": {"start": {"line": 1, "character": 4}, "end": {"line": 1, "character": 9}},
            "source": "words",
            "code": "report-wrong",
        },
        {
            "message": "odd word",
            "severity": "Warning",
            "range": {"start": {"line": 1, "character": 14}, "end": {"line": 1, "character": 17}},
            "source": "words",
            "code": "report-odd",
        },
    ]
