"""`checking/lsp_work.lua`: checks that a save starts in language servers are awaited."""

from pathlib import Path
from typing import Any

import pytest

from support.language_client import attach, publish
from support.neovim import Neovim, until

LONG = 60_000
WORKS = ("--publish=on-request", "--save=yes", "--work=check")
DONE = [{"token": "it"}]


@pytest.fixture
async def bufnr(nvim: Neovim, path: Path) -> int:
    path.write_text("one\n")
    await nvim.command("edit a.txt")
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())
    return int(await nvim.eval("bufnr()"))


async def write(nvim: Neovim, path: Path, text: str) -> None:
    """Write the file, have Neovim reload it, and start to wait."""
    path.write_text(text)
    nvim.notifications.clear()
    bufnrs = await nvim.lua("return require('claude_ide.diagnostics').read_all().reloaded")
    assert bufnrs
    await nvim.lua("require('claude_ide.checking.publishing').await('it', ...)", bufnrs, LONG)


async def time_out(nvim: Neovim, path: Path, client: int, bufnr: int) -> None:
    """Write the file, and stop waiting once the server's work has begun, as a timeout does."""
    await write(nvim, path, "wrong\n")
    has_begun = "return next(vim.lsp.get_client_by_id(...).progress.pending) ~= nil"
    await until(lambda: nvim.lua(has_begun, client), "the work has begun")
    await nvim.lua("require('claude_ide.checking.publishing').await('it', ...)", [bufnr], 0)
    await until(lambda: published(nvim) == 2 * DONE, "no more is awaited")


async def end(nvim: Neovim, client: int) -> None:
    """End the server's work, and wait until Neovim knows it."""
    await nvim.lua("vim.lsp.get_client_by_id(...):notify('test/end')", client)
    has_ended = "return next(vim.lsp.get_client_by_id(...).progress.pending) == nil"
    await until(lambda: nvim.lua(has_ended, client), "the work has ended")


async def wait_for_diagnostics(nvim: Neovim, bufnr: int, count: int) -> None:
    has = "local bufnr, count = ...; return #vim.diagnostic.get(bufnr) == count"
    await until(lambda: nvim.lua(has, bufnr, count))


async def is_waiting(nvim: Neovim) -> bool:
    """Return whether it still waits after the published diagnostics have settled."""
    await nvim.idle(150)
    return not published(nvim)


def published(nvim: Neovim) -> list[Any]:
    return nvim.events("diagnostics_published")


async def done(nvim: Neovim) -> None:
    assert await until(lambda: published(nvim)) == DONE


async def test_work_that_a_save_has_started_is_awaited_until_it_ends(
    nvim: Neovim, path: Path, bufnr: int
) -> None:
    client = await attach(nvim, *WORKS)
    await write(nvim, path, "wrong\n")

    await publish(nvim, client, bufnr)
    await wait_for_diagnostics(nvim, bufnr, 1)
    assert await is_waiting(nvim)

    await publish(nvim, client, bufnr)
    await end(nvim, client)
    await done(nvim)


async def test_work_that_never_yields_diagnostics_is_soon_no_longer_awaited(
    nvim: Neovim, path: Path, bufnr: int
) -> None:
    client = await attach(nvim, "--publish=on-save", "--save=yes", "--work=index")
    for count in (1, 2, 3):
        await write(nvim, path, "wrong\n" * count)
        await wait_for_diagnostics(nvim, bufnr, count)
        assert await is_waiting(nvim)
        await end(nvim, client)
        await done(nvim)

    await write(nvim, path, "wrong\n" * 4)

    await done(nvim)


async def test_work_that_does_not_end_in_time_is_awaited_only_once(
    nvim: Neovim, path: Path, bufnr: int
) -> None:
    client = await attach(nvim, "--publish=push", "--save=yes", "--work=index")
    await time_out(nvim, path, client, bufnr)

    await write(nvim, path, "wrong\nwrong\n")

    await done(nvim)


async def test_work_that_ends_in_time_after_a_timeout_is_awaited_again(
    nvim: Neovim, path: Path, bufnr: int
) -> None:
    client = await attach(nvim, "--publish=push", "--save=yes", "--work=check")
    await time_out(nvim, path, client, bufnr)
    await write(nvim, path, "wrong\nwrong\n")
    await done(nvim)
    await publish(nvim, client, bufnr)
    await end(nvim, client)

    await write(nvim, path, "wrong\nwrong\nwrong\n")

    await wait_for_diagnostics(nvim, bufnr, 3)
    assert await is_waiting(nvim)
    await end(nvim, client)
    await done(nvim)


async def test_a_server_that_stops_while_it_works_is_not_awaited(
    nvim: Neovim, path: Path, bufnr: int
) -> None:
    client = await attach(nvim, *WORKS)
    await write(nvim, path, "wrong\n")
    await publish(nvim, client, bufnr)
    await wait_for_diagnostics(nvim, bufnr, 1)

    await nvim.lua("vim.lsp.get_client_by_id(...):stop(true)", client)

    await done(nvim)
