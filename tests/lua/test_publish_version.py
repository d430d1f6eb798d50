"""`checking/publish_version.lua`: which version of a document diagnostics are about."""

from pathlib import Path
from typing import Any

import pytest

from support.chunks import chunk
from support.language_client import attach, publish
from support.neovim import Neovim, until

READ = chunk("publish_version/read")
HANDLER = "vim.lsp.get_client_by_id(...).handlers['textDocument/publishDiagnostics']"


@pytest.fixture
async def bufnr(nvim: Neovim, project: Path) -> int:
    (project / "a.txt").write_text("wrong\n")
    await nvim.command("edit a.txt")
    return int(await nvim.eval("bufnr()"))


async def seen(nvim: Neovim) -> Any:
    return await until(lambda: nvim.lua("return _G.seen"))


async def namespace(nvim: Neovim, client: int) -> int:
    return int(await nvim.lua("return vim.lsp.diagnostic.get_namespace(..., false)", client))


async def test_the_version_is_known_while_diagnostics_are_stored(nvim: Neovim, bufnr: int) -> None:
    client = await attach(nvim, "--publish=on-request", "--version")
    await nvim.lua(READ, client, 60_000)

    await publish(nvim, client, bufnr, version=7)

    assert await seen(nvim) == [[7, await namespace(nvim, client)]]
    assert await nvim.lua("return require('claude_ide.checking.publish_version').version()") is None


async def test_a_server_can_omit_the_version(nvim: Neovim, bufnr: int) -> None:
    client = await attach(nvim, "--publish=on-request")
    await nvim.lua(READ, client, 60_000)

    await publish(nvim, client, bufnr)

    assert await seen(nvim) == [["none", await namespace(nvim, client)]]


async def test_a_clients_own_handler_is_called_and_restored(nvim: Neovim, bufnr: int) -> None:
    client = await attach(nvim, "--publish=on-request")
    await nvim.lua(f"_G.called = 0; {HANDLER} = function() _G.called = _G.called + 1 end", client)
    await nvim.lua(f"_G.theirs = {HANDLER}", client)
    await nvim.lua(READ, client, 300)
    assert not await nvim.lua(f"return {HANDLER} == _G.theirs", client)

    await publish(nvim, client, bufnr)

    await until(lambda: nvim.lua("return _G.called == 1"))
    await until(lambda: nvim.lua(f"return {HANDLER} == _G.theirs", client))


async def test_a_handler_that_another_plugin_sets_later_is_kept(nvim: Neovim, bufnr: int) -> None:
    assert bufnr
    client = await attach(nvim, "--publish=on-request")
    await nvim.lua(READ, client, 50)
    await nvim.lua(f"{HANDLER} = function() end; _G.theirs = {HANDLER}", client)

    await nvim.idle(200)

    assert await nvim.lua(f"return {HANDLER} == _G.theirs", client)


async def test_a_handler_that_fails_leaves_no_version_behind(nvim: Neovim, bufnr: int) -> None:
    client = await attach(nvim, "--publish=on-request", "--version")
    await nvim.lua(f"{HANDLER} = function() error('no such luck') end", client)
    await nvim.lua(READ, client, 60_000)

    await nvim.lua(
        f"_G.ok = pcall({HANDLER}, nil, {{ version = 3 }}, {{ client_id = select(1, ...) }})",
        client,
    )

    assert await nvim.lua("return _G.ok") is False
    assert await nvim.lua("return require('claude_ide.checking.publish_version').version()") is None
