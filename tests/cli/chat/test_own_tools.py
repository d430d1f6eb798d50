"""A tool of the user's in the chat of the real CLI."""

from support.fake_api import FakeApi, text, tool_use
from support.neovim import Neovim
from support.panel import Panel

ADD = """
require('claude_ide').add_tool({
  name = 'greet',
  description = 'Greets somebody',
  schema = { properties = { who = { type = 'string' } }, required = { 'who' } },
  read_only = true,
  fn = function(arguments)
    return 'Hello, ' .. arguments.who
  end,
})
"""


async def test_the_model_calls_a_tool_that_was_added_to_a_running_chat(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.script([text("One.")])
    await panel.send("First")
    await panel.shows("One.")
    assert "mcp__neovim__greet" not in str(api.requests[-1].body)

    await nvim.lua(ADD)
    api.script([tool_use("mcp__neovim__greet", who="you")], [text("Two.")])
    await panel.send("Second")
    await panel.shows("Use mcp__neovim__greet?")
    await panel.go_to("? Use mcp__neovim__greet?")
    await nvim.idle(500)
    await nvim.keys("y")
    await panel.shows("Two.")

    assert "Hello, you" in api.requests[-1].new_text
