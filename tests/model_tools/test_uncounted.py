"""A program that has only the model's tools is no client of the user's: it counts nowhere."""

from typing import Any

from support.claude_code import claude_code
from support.installations import wait_for_message
from support.mcp_stdio import McpStdio
from support.model_tools import ModelTools
from support.neovim import Neovim, until

RECORD = """
vim.g.events = {}
vim.api.nvim_create_autocmd('User', {
  pattern = 'Claude*onnected',
  callback = function(event)
    vim.g.events = vim.list_extend(vim.g.events, { event.match })
  end,
})
"""
STATE = """
return {
  clients = require('claude_ide.host').server().clients,
  statusline = require('claude_ide').statusline(),
  events = vim.g.events,
}
"""
NONE = {"clients": 0, "statusline": "Claude: ready", "events": []}


async def state(nvim: Neovim) -> Any:
    return await nvim.lua(STATE)


async def test_it_is_neither_counted_nor_announced_nor_shown(
    serving: Neovim, tools: ModelTools, config_folder: Any
) -> None:
    await serving.lua(RECORD)
    await tools.text("working_folders")
    assert await state(serving) == NONE

    async with claude_code(config_folder):
        await until(lambda: serving.eval("len(g:events)"), "the CLI is announced")
        assert (await state(serving))["clients"] == 1
        assert (await state(serving))["events"] == ["ClaudeConnected"]
    await until(lambda: serving.eval("len(g:events) == 2"), "the CLI has left")
    assert (await state(serving))["events"][1] == "ClaudeDisconnected"
    await tools.text("working_folders")

    await serving.command("ClaudeStatus")
    await until(lambda: "Clients: none" in serving.screen.text(), "the status")


async def test_a_program_that_leaves_is_not_announced(
    serving: Neovim, tools: ModelTools, config_folder: Any
) -> None:
    await serving.lua(RECORD)
    await tools.text("working_folders")

    assert await tools.client.end() == (0, "")

    async with claude_code(config_folder):
        await until(lambda: serving.eval("len(g:events)"), "the CLI is announced")
    assert (await state(serving))["events"][0] == "ClaudeConnected"


async def test_it_gets_neither_mentions_nor_the_selection(
    serving: Neovim, client: McpStdio, config_folder: Any
) -> None:
    await serving.command("edit a.py")
    await serving.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'one', 'two' })")
    await serving.command("write")

    await serving.keys("Vj")
    await serving.keys("<Esc>")
    await serving.command("1ClaudeSend")
    await wait_for_message(serving, "saved; Claude gets it when it connects (:Claude)")

    async with claude_code(config_folder) as cli:
        await until(lambda: cli.notifications_of("at_mentioned"), "the mention")
        before = len(cli.notifications_of("selection_changed"))
        await serving.keys("Vk")
        await until(lambda: len(cli.notifications_of("selection_changed")) > before)
    # Of all that, the next message would be the first.
    assert (await client.request("ping"))["result"] == {}
