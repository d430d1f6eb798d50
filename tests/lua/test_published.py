"""`diagnostics/published.lua`: notifies subscribers of changed diagnostics."""

from support.chunks import chunk
from support.neovim import Neovim

SUBSCRIBE = chunk("published/subscribe")
CHANGE = "vim.diagnostic.set(vim.api.nvim_create_namespace('linter'), ..., {})"


async def test_each_subscriber_is_notified_of_the_buffer(nvim: Neovim) -> None:
    bufnr = await nvim.lua("return vim.api.nvim_create_buf(true, false)")
    await nvim.lua(SUBSCRIBE)

    await nvim.lua(CHANGE, bufnr)

    assert sorted(await nvim.lua("return _G.events")) == [["first", bufnr], ["second", bufnr]]


async def test_a_subscriber_that_unsubscribes_is_no_longer_notified(nvim: Neovim) -> None:
    await nvim.lua(SUBSCRIBE)
    await nvim.lua(CHANGE, 1)

    await nvim.lua(CHANGE, 1)

    names = [name for name, _ in await nvim.lua("return _G.events")]
    assert sorted(names) == ["first", "second", "second"]


NAMESPACES = chunk("published/namespaces")
RECORD = chunk("published/record")


async def test_a_subscriber_is_notified_of_the_namespace(nvim: Neovim) -> None:
    await nvim.lua(RECORD)
    await nvim.lua(CHANGE, 1)
    await nvim.lua("vim.diagnostic.reset(vim.api.nvim_create_namespace('other'), ...)", 1)

    assert await nvim.lua("return _G.events") == [[1, "linter"], [1, "other"]]


async def test_a_namespace_hidden_by_the_user_is_not_reported_as_changed(nvim: Neovim) -> None:
    await nvim.lua(RECORD)
    await nvim.lua("vim.diagnostic.hide(vim.api.nvim_create_namespace('other'), ...)", 1)
    await nvim.lua("vim.diagnostic.enable(false)")

    await nvim.lua(CHANGE, 1)

    assert await nvim.lua("return _G.events") == [[1, "unknown"]]


async def test_publishers_are_remembered_until_the_buffer_is_wiped(nvim: Neovim) -> None:
    bufnr = await nvim.lua("return vim.api.nvim_create_buf(true, false)")
    found = "{ { lnum = 0, col = 0, message = 'odd' } }"
    await nvim.lua(
        f"vim.diagnostic.set(vim.api.nvim_create_namespace('early'), ..., {found})", bufnr
    )
    await nvim.lua("require('claude_ide.diagnostics.published')")
    await nvim.lua(CHANGE, bufnr)
    assert await nvim.lua(NAMESPACES, bufnr) == ["early", "linter"]

    await nvim.command(f"bwipeout! {bufnr}")

    sets = "return vim.tbl_count(require('claude_ide.diagnostics.published').sets(...))"
    assert await nvim.lua(sets, bufnr) == 0
