"""`private_api.lua`: what is expected of functions of Neovim that are not public."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from support.language_client import attach, start
from support.neovim import Neovim, until

STARTING = """
return vim.tbl_map(function(client)
  return client.id
end, require('claude_ide.private_api').starting(...))
"""
PROVIDERS = """
local client = vim.lsp.get_client_by_id(...)
return vim.tbl_map(function(provider)
  return provider.identifier or 'none'
end, require('claude_ide.private_api').providers(client, 'textDocument/diagnostic'))
"""
CATCH = """
_G.caught = {}
local client = vim.lsp.get_client_by_id(...)
_G.release = require('claude_ide.private_api').catch_edits(client, function()
  client:request('workspace/executeCommand', { command = 'x' }, function() end)
end, function(edit) table.insert(_G.caught, edit) end)
"""
EDIT: dict[str, Any] = {"changes": {}}


async def test_a_client_is_starting_until_its_server_has_answered(
    nvim: Neovim, path: Path, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    await nvim.command(f"edit {path}")
    bufnr = await nvim.eval("bufnr()")
    await start(nvim, f"--start-after={gate}")

    (client,) = await nvim.lua(STARTING, bufnr)
    assert await nvim.lua(STARTING) == [client]

    await asyncio.to_thread(gate.write_text, "")

    async def is_over() -> bool:
        return not await nvim.lua(STARTING, bufnr)

    await until(is_over, "the server has started")
    assert await nvim.lua("return vim.lsp.get_client_by_id(...).initialized", client) is True


@pytest.mark.parametrize(
    ("options", "known"),
    [([], ["none"]), (["--identifiers", "first", "second"], ["first", "second"])],
    ids=["reported", "registered"],
)
async def test_all_providers_of_a_method_are_known(
    nvim: Neovim, path: Path, options: list[str], known: list[str]
) -> None:
    if not await nvim.eval("has('nvim-0.12')"):
        pytest.skip("Neovim 0.11 knows one provider")
    await nvim.command(f"edit {path}")
    client = await attach(nvim, "--publish=pull", *options)

    async def are_known() -> bool:
        return bool(await nvim.lua(PROVIDERS, client) == known)

    await until(are_known, "the providers are known")


async def test_servers_get_versions_of_a_buffer(nvim: Neovim, project: Path) -> None:
    (project / "a.txt").write_text("one\n")
    await nvim.command("edit a.txt")
    await attach(nvim)
    version = "return require('claude_ide.private_api').version(vim.api.nvim_get_current_buf())"
    before = await nvim.lua(version)

    await nvim.keys("x")

    await until(lambda: nvim.eval("getline(1) ==# 'ne'"), "changed")
    assert await nvim.lua(version) > before


async def test_edits_of_a_server_are_caught_until_they_are_released(
    nvim: Neovim, project: Path
) -> None:
    (project / "a.txt").write_text("one\n")
    await nvim.command("edit a.txt")
    client = await attach(nvim)
    notify = "local id, edit = ... vim.lsp.get_client_by_id(id):notify('test/apply', edit)"

    await nvim.lua(CATCH, client)
    await nvim.lua(notify, client, {"edit": EDIT})
    await until(lambda: nvim.lua("return #_G.caught == 1"), "caught")
    await nvim.lua("_G.release()")

    assert await nvim.lua("return next(vim.lsp.get_client_by_id(...).handlers) == nil", client)
    assert await nvim.lua("return type(vim.lsp.handlers['workspace/applyEdit'])") == "function"


async def test_a_timer_of_others_is_told_from_ours(nvim: Neovim) -> None:
    await nvim.lua("""
      _G.found = {}
      local function note(who)
        _G.found[who] = require('claude_ide.private_api').is_in_lua_of_others()
      end
      vim.defer_fn(function() note('theirs') end, 1)
      require('claude_ide.timing.moment').when_possible(function() note('ours') end, error)
    """)
    await until(lambda: nvim.lua("return vim.tbl_count(_G.found) == 2"), "both have run")

    assert await nvim.lua("return _G.found") == {"theirs": True, "ours": False}


async def test_a_blind_parser_sees_nothing_of_a_text(nvim: Neovim, project: Path) -> None:
    (project / "a.md").write_text("# one\n\n```lua\nlocal two = 2\n```\n")
    await nvim.command("edit a.md")
    trees = "return #vim.treesitter.get_parser(0, 'markdown'):parse(true)"
    assert await nvim.lua(trees) == 1

    await nvim.lua("_G.blind = require('claude_ide.private_api').blind(0, 'markdown')")

    assert await nvim.lua(trees) == 0
    await nvim.command("call setline(1, '# three') | redraw!")
    assert await nvim.lua(trees) == 0
    assert await nvim.lua("return next(_G.blind:children()) == nil")
