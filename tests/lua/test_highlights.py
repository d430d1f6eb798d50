"""`highlights.lua`: links that a colour scheme or the user can override."""

from typing import Any

import pytest

from support.chats import Chats
from support.neovim import Neovim

GROUPS = [
    "User",
    "Heading",
    "Bold",
    "Italic",
    "Code",
    "CodeBlock",
    "Fence",
    "List",
    "Quote",
    "Link",
    "Thinking",
    "Tool",
    "ToolRunning",
    "ToolFailed",
    "ToolRejected",
    "Detail",
    "Added",
    "Removed",
    "Notice",
    "Warning",
    "Error",
    "Request",
    "Key",
    "Queued",
    "Meta",
    "Mode",
    "Todo",
    "TodoDone",
    "TodoActive",
]


async def show(nvim: Neovim) -> None:
    await (await Chats.start(nvim)).open()


async def definition(nvim: Neovim, group: str) -> dict[str, Any]:
    found: dict[str, Any] = await nvim.request("nvim_get_hl", 0, {"name": group, "link": False})
    return found


@pytest.mark.parametrize("scheme", ["default", "habamax", "blue"])
async def test_every_group_has_a_definition(nvim: Neovim, scheme: str) -> None:
    await nvim.command(f"set termguicolors | colorscheme {scheme}")

    await show(nvim)

    for group in GROUPS:
        assert await definition(nvim, f"ClaudeChat{group}"), group


async def test_groups_are_defined_again_after_the_colour_scheme_changes(nvim: Neovim) -> None:
    await show(nvim)

    await nvim.command("highlight clear ClaudeChatBold | colorscheme habamax")

    assert (await definition(nvim, "ClaudeChatBold"))["bold"] is True


async def test_a_link_that_the_user_has_set_is_kept(nvim: Neovim) -> None:
    await nvim.command("highlight link ClaudeChatTool Search")

    await show(nvim)

    assert await definition(nvim, "ClaudeChatTool") == await definition(nvim, "Search")
