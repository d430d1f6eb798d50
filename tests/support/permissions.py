"""The float, or popup in Vim, with a permission that a CLI in a terminal asks for."""

import asyncio
import json
from typing import Any

from support.chunks import chunk
from support.either_editor import Editor
from support.neovim import WAIT_SECONDS, until
from support.vim import Vim

NOTICED = 450
"""Milliseconds after which a key counts in a float that has just appeared."""

EDITS = {"type": "setMode", "mode": "acceptEdits", "destination": "session"}
RULE = {
    "type": "addRules",
    "rules": [{"toolName": "Bash", "ruleContent": "mkdir *"}],
    "behavior": "allow",
    "destination": "localSettings",
}
"""Suggestions of the CLI."""

FOLLOW = """
local channel = ...
vim.api.nvim_create_autocmd('User', {
  pattern = 'ClaudePermissionWaiting',
  callback = function(event)
    vim.rpcnotify(channel, 'claude_ide_event', 'waiting', event.data)
  end,
})
"""


FOLLOW_IN_VIM = (
    "autocmd User ClaudePermissionWaiting"
    " call ch_sendexpr(g:test_door, ['waiting', g:claude_ide_event])"
)
POPUPS = "filter(popup_list(), {_, id -> get(popup_getoptions(id), 'title', '') =~# ' asks · '})"
POPUP = (
    f"map({POPUPS}, {{_, id -> extend(popup_getpos(id), {{'title': popup_getoptions(id).title,"
    " 'is_inside': popup_getoptions(id).mapping == 0,"
    " 'text': join(getbufline(winbufnr(id), 1, '$'), \"\\n\")})})"
)


async def follow(nvim: Editor) -> None:
    """Collect the numbers of waiting permissions from now on."""
    if isinstance(nvim, Vim):
        await nvim.command(FOLLOW_IN_VIM)
    else:
        await nvim.lua(FOLLOW, await nvim.channel())


def counts(nvim: Editor) -> list[int]:
    """Return the numbers of waiting permissions so far."""
    return [data["count"] for data in nvim.events("waiting")]


async def decision(asked: "asyncio.Task[bytes]") -> dict[str, Any]:
    """Return the decision in the answer to a hook; empty if there is none."""
    answer = await asyncio.wait_for(asked, 10)
    if not answer:
        return {}
    output = json.loads(answer)["hookSpecificOutput"]
    assert output["hookEventName"] == "PermissionRequest"
    return dict(output["decision"])


async def look(nvim: Editor) -> dict[str, Any]:
    """Return the float in the current tab page; empty if there is none."""
    if not isinstance(nvim, Vim):
        return await nvim.lua(chunk("permission/look")) or {}
    for popup in await nvim.eval(POPUP):
        title, _, footer = popup["title"].rpartition("·")
        return {
            "text": popup["text"],
            "title": title,
            "footer": footer,
            "is_inside": bool(popup["is_inside"]),
            "is_focusable": bool(popup["is_inside"]),
            "last_row": popup["line"] + popup["height"] - 2,
            "last_column": popup["col"] + popup["width"] - 2,
            "height": popup["core_height"],
        }
    return {}


async def shown(nvim: Editor, text: str, seconds: float = WAIT_SECONDS) -> dict[str, Any]:
    """Wait for a float with this text."""

    async def found() -> dict[str, Any]:
        float_ = await look(nvim)
        return float_ if text in float_.get("text", "") else {}

    return dict(await until(found, f"the float shows {text!r}", seconds))


async def gone(nvim: Editor, seconds: float = WAIT_SECONDS) -> None:
    """Wait until there is no float."""

    async def is_gone() -> bool:
        return not await look(nvim)

    await until(is_gone, "the float is closed", seconds)


async def enter(nvim: Editor) -> None:
    """Go into the float."""
    await nvim.command("ClaudeAnswer")

    async def is_inside() -> bool:
        return bool((await look(nvim)).get("is_inside"))

    await until(is_inside, "the user is in the float")
    await nvim.idle(NOTICED)


async def entered(nvim: Editor, text: str) -> None:
    """Wait for a float with this text, and go into it."""
    await shown(nvim, text)
    await enter(nvim)
