"""The float with a permission that a CLI in a terminal asks for."""

import asyncio
import json
from typing import Any

from support.chunks import chunk
from support.neovim import WAIT, Neovim, until
from support.raw_http import Answer

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


async def follow(nvim: Neovim) -> None:
    """Collect the numbers of waiting permissions from now on."""
    await nvim.lua(FOLLOW, await nvim.channel())


def counts(nvim: Neovim) -> list[int]:
    """Return the numbers of waiting permissions so far."""
    return [data["count"] for data in nvim.events("waiting")]


async def decision(asked: "asyncio.Task[Answer]") -> dict[str, Any]:
    """Return the decision in the answer to a hook; empty if there is none."""
    answer = json.loads((await asyncio.wait_for(asked, 10)).body)
    if not answer:
        return {}
    output = answer["hookSpecificOutput"]
    assert output["hookEventName"] == "PermissionRequest"
    return dict(output["decision"])


async def look(nvim: Neovim) -> dict[str, Any]:
    """Return the float in the current tab page; empty if there is none."""
    return await nvim.lua(chunk("permission/look")) or {}


async def shown(nvim: Neovim, text: str, seconds: float = WAIT) -> dict[str, Any]:
    """Wait for a float with this text."""

    async def found() -> dict[str, Any]:
        float_ = await look(nvim)
        return float_ if text in float_.get("text", "") else {}

    return dict(await until(found, f"the float shows {text!r}", seconds))


async def gone(nvim: Neovim, seconds: float = WAIT) -> None:
    """Wait until there is no float."""

    async def is_gone() -> bool:
        return not await look(nvim)

    await until(is_gone, "the float is closed", seconds)


async def enter(nvim: Neovim) -> None:
    """Go into the float."""
    await nvim.command("ClaudeAnswer")

    async def is_inside() -> bool:
        return bool((await look(nvim)).get("is_inside"))

    await until(is_inside, "the user is in the float")
    await nvim.idle(NOTICED)
