"""The user's answers to dialogues, by token."""

from typing import Any

from support.either_editor import Editor
from support.neovim import until
from support.vim import Vim

FORWARD = (
    "let g:forwarding = job_start(['cat'], {'mode': 'nl', "
    "'out_cb': {_, line -> ch_sendexpr(g:test_door, json_decode(line)[2:3])}})"
    "| call claude_ide#channel#Open(job_getchannel(g:forwarding))"
)


async def listen(editor: Editor) -> None:
    """Have an editor send its events to this test instead of a host."""
    if isinstance(editor, Vim):
        await editor.command(FORWARD)
    else:
        await editor.lua("require('claude_ide.channel').id = ...", await editor.channel())


def answers(editor: Editor, token: int) -> list[dict[str, Any]]:
    """Return the answers so far, without the token; Vim sends a text in a list."""
    return [
        {
            name: value[0] if isinstance(editor, Vim) and name == "text" else value
            for name, value in payload.items()
            if name != "token"
        }
        for payload in editor.events("answered")
        if payload["token"] == token
    ]


async def answer(nvim: Editor, token: int) -> dict[str, Any]:
    """Wait for the answer, of which there must be only one."""
    found = await until(lambda: answers(nvim, token), f"{token} is answered")
    assert len(found) == 1
    return dict(found[0])


async def settled(nvim: Editor) -> None:
    """Wait until all typed keys are handled, by a command that runs only outside a prompt."""
    await nvim.command("let g:settled = 0")
    await nvim.keys(":let g:settled = 1<CR>")
    await until(lambda: nvim.eval("g:settled"), "all keys are handled")
    assert not (await nvim.mode())["blocking"]
