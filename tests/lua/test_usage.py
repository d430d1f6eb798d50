"""`window/recent.lua`: the order in which buffers were used."""

from typing import Any

from support.chunks import chunk
from support.neovim import Neovim

USE = chunk("usage/use")
SORTED = chunk("usage/sorted")


async def names(nvim: Neovim) -> Any:
    return await nvim.lua(SORTED)


async def test_what_was_entered_last_comes_first(nvim: Neovim) -> None:
    await nvim.lua(USE)

    assert await names(nvim) == ["b", "a", "c"]


async def test_what_was_never_entered_comes_last(nvim: Neovim) -> None:
    await nvim.lua("vim.fn.bufadd('d')")
    await nvim.lua(USE)

    assert await names(nvim) == ["b", "a", "c", "d"]


async def test_the_current_buffer_is_first_also_when_nothing_is_remembered(nvim: Neovim) -> None:
    await nvim.lua(USE)
    await nvim.lua("require('claude_ide.window.recent').watch(false)")

    assert (await names(nvim))[0] == "b"


async def test_buffer_variables_of_any_kind_are_no_obstacle(nvim: Neovim) -> None:
    await nvim.lua(USE)
    await nvim.command("let b:callback = {-> 1}")

    assert await names(nvim) == ["b", "a", "c"]
