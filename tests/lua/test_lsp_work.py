"""`checking/lsp_work.lua`: what servers check when a file is saved is waited for."""

from pathlib import Path
from typing import Any

import pytest

from support.language_client import attach, publish
from support.neovim import Neovim, until

LONG = 60_000
WORKS = ("--publish=on-request", "--save=yes", "--work=check")
DONE = [{"token": "it"}]


@pytest.fixture
def path(project: Path) -> Path:
    return project / "a.txt"


@pytest.fixture
async def bufnr(nvim: Neovim, path: Path) -> int:
    path.write_text("one\n")
    await nvim.command("edit a.txt")
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())
    return int(await nvim.eval("bufnr()"))


async def write(nvim: Neovim, path: Path, text: str, milliseconds: int = LONG) -> None:
    """Write the file, have Neovim take it over, and begin to wait."""
    path.write_text(text)
    nvim.notifications.clear()
    bufnrs = await nvim.lua("return require('claude_ide.diagnostics').read_all().reloaded")
    assert bufnrs
    await nvim.lua(
        "require('claude_ide.checking.publishing').await('it', ...)", bufnrs, milliseconds
    )


async def end(nvim: Neovim, client: int) -> None:
    await nvim.lua("vim.lsp.get_client_by_id(...):notify('test/end')", client)


async def is_said(nvim: Neovim, bufnr: int, count: int) -> None:
    has = "local bufnr, count = ...; return #vim.diagnostic.get(bufnr) == count"
    await until(lambda: nvim.lua(has, bufnr, count))


async def is_waiting(nvim: Neovim) -> bool:
    """Whether it still waits when what was published has settled."""
    await nvim.lua("vim.wait(150)")
    return not published(nvim)


def published(nvim: Neovim) -> list[Any]:
    return nvim.events("diagnostics_published")


async def done(nvim: Neovim) -> None:
    assert await until(lambda: published(nvim)) == DONE


async def test_it_waits_for_the_end_of_work_that_a_save_has_begun(
    nvim: Neovim, path: Path, bufnr: int
) -> None:
    client = await attach(nvim, *WORKS)
    await write(nvim, path, "wrong\n")

    await publish(nvim, client, bufnr)
    await is_said(nvim, bufnr, 1)
    assert await is_waiting(nvim)

    await publish(nvim, client, bufnr)
    await end(nvim, client)
    await done(nvim)


async def test_work_of_which_nothing_ever_comes_is_soon_not_waited_for(
    nvim: Neovim, path: Path, bufnr: int
) -> None:
    client = await attach(nvim, "--publish=push", "--save=yes", "--work=index")
    for count in (1, 2, 3):
        await write(nvim, path, "wrong\n" * count)
        await is_said(nvim, bufnr, count)
        assert await is_waiting(nvim)
        await end(nvim, client)
        await done(nvim)

    await write(nvim, path, "wrong\n" * 4)

    await done(nvim)


async def test_work_that_does_not_end_in_time_is_waited_for_once(
    nvim: Neovim, path: Path, bufnr: int
) -> None:
    await attach(nvim, "--publish=push", "--save=yes", "--work=index")
    await write(nvim, path, "wrong\n", 300)
    await done(nvim)

    await write(nvim, path, "wrong\nwrong\n")

    await done(nvim)


async def test_work_that_ends_in_time_again_is_waited_for_again(
    nvim: Neovim, path: Path, bufnr: int
) -> None:
    client = await attach(nvim, "--publish=push", "--save=yes", "--work=check")
    await write(nvim, path, "wrong\n", 300)
    await done(nvim)
    await write(nvim, path, "wrong\nwrong\n")
    await done(nvim)
    await publish(nvim, client, bufnr)
    await end(nvim, client)

    await write(nvim, path, "wrong\nwrong\nwrong\n")

    await is_said(nvim, bufnr, 3)
    assert await is_waiting(nvim)
    await end(nvim, client)
    await done(nvim)


async def test_a_server_that_ends_while_it_works_is_not_waited_for(
    nvim: Neovim, path: Path, bufnr: int
) -> None:
    client = await attach(nvim, *WORKS)
    await write(nvim, path, "wrong\n")
    await publish(nvim, client, bufnr)
    await is_said(nvim, bufnr, 1)

    await nvim.lua("vim.lsp.get_client_by_id(...):stop(true)", client)

    await done(nvim)
