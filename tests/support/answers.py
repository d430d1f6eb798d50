"""The user's answers to dialogues, by token."""

from typing import Any

from support.neovim import Neovim, until


async def listen(nvim: Neovim) -> None:
    """Have Neovim send its events to this test instead of a host."""
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())


def answers(nvim: Neovim, token: int) -> list[dict[str, Any]]:
    """Return the answers so far, without the token."""
    return [
        {name: value for name, value in payload.items() if name != "token"}
        for payload in nvim.events("answered")
        if payload["token"] == token
    ]


async def answer(nvim: Neovim, token: int) -> dict[str, Any]:
    """Wait for the answer, of which there must be only one."""
    found = await until(lambda: answers(nvim, token), f"{token} is answered")
    assert len(found) == 1
    return dict(found[0])


async def settled(nvim: Neovim) -> None:
    """Wait until all typed keys are handled, by a command that runs only outside a prompt."""
    await nvim.command("let g:settled = 0")
    await nvim.keys(":let g:settled = 1<CR>")
    await until(lambda: nvim.eval("g:settled"), "all keys are handled")
    assert not (await nvim.mode())["blocking"]
