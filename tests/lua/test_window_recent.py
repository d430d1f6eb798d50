"""`window/recent.lua`: the order in which buffers were used."""

from typing import Any

from support.chunks import chunk
from support.neovim import Neovim

USE = chunk("window_recent/use")
SORTED = chunk("window_recent/sorted")


async def names(nvim: Neovim) -> Any:
    return await nvim.lua(SORTED)


async def test_the_buffer_that_was_entered_last_comes_first(nvim: Neovim) -> None:
    await nvim.lua(USE)

    assert await names(nvim) == ["b", "a", "c"]


async def test_a_buffer_that_was_never_entered_comes_last(nvim: Neovim) -> None:
    await nvim.lua("vim.fn.bufadd('d')")
    await nvim.lua(USE)

    assert await names(nvim) == ["b", "a", "c", "d"]


async def test_the_current_buffer_comes_first_even_without_a_history(nvim: Neovim) -> None:
    await nvim.command("badd a | badd c | edit b")

    assert (await names(nvim))[0] == "b"


async def test_a_buffer_variable_that_is_a_function_does_no_harm(nvim: Neovim) -> None:
    await nvim.lua(USE)
    await nvim.command("let b:callback = {-> 1}")

    assert await names(nvim) == ["b", "a", "c"]
