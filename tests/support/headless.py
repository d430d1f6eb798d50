"""Steps that the tests of one-off requests share."""

from typing import Any

from support.chunks import chunk
from support.either_editor import Editor, shows_a_diff
from support.neovim import Neovim, until

TEXT = ["one", "two", "three", "four"]


async def lines(nvim: Editor, buffer: int | str = "%") -> list[str]:
    """Return the lines of a buffer."""
    name = buffer if isinstance(buffer, int) else f"'{buffer}'"
    got: list[str] = await nvim.eval(f"getbufline({name}, 1, '$')")
    return got


async def ask(nvim: Neovim, prompt: str, options: dict[str, Any] | None = None) -> None:
    """Call the Lua function `ask`; `answers` returns the arguments of its callbacks."""
    await nvim.lua(chunk("headless/ask_with_callbacks"), prompt, options or {})


async def answers(nvim: Neovim) -> list[dict[str, Any]]:
    """Return the results that the callback has got, once it has been called."""
    got: list[dict[str, Any]] = await until(lambda: nvim.lua("return _G.answers"), "an answer")
    return got


async def accept(nvim: Editor) -> None:
    """Wait for the diff, and accept it."""
    await diff(nvim)
    await nvim.keys(":w<CR>")
    await until(lambda: nvim.eval("tabpagenr('$') == 1"), "the diff is closed")


async def diff(nvim: Editor) -> None:
    """Wait until a diff is shown and accepts keys."""
    await until(lambda: shows_a_diff(nvim), "a diff")


async def holds(nvim: Editor, expected: list[str]) -> bool:
    """Return whether the current buffer has these lines."""
    return await lines(nvim) == expected
