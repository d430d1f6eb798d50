"""The user's own tools, as a client over stdio sees them."""

from pathlib import Path
from typing import Any

import pytest

from support.installations import wait_for_message
from support.lists import ListWindow
from support.mcp_stdio import McpStdio, mcp_stdio
from support.model_tools import ModelTools
from support.neovim import Neovim, NvimError, until

pytestmark = pytest.mark.usefixtures("listing")

CHANGED = "notifications/tools/list_changed"
SCHEMA = """{
  properties = {
    word = { type = 'string' },
    times = { type = 'integer', minimum = 1, default = 2 },
  },
  required = { 'word' },
}"""


@pytest.fixture
async def listing(tools: ModelTools) -> dict[str, Any]:
    """The tools at first; a client that knows none is not told of changes."""
    return await listed(tools.client)


async def add(nvim: Neovim, fn: str, options: str = "", name: str = "mine") -> None:
    """Add a tool; `fn` is its function, and `options` are further fields, in Lua."""
    await nvim.lua(
        f"require('claude_ide').add_tool({{ name = '{name}', description = 'What I do',"
        f" fn = {fn}, {options} }})"
    )


async def announced(client: McpStdio) -> None:
    """Wait until the server says that the list has changed."""
    assert (await client.read())["method"] == CHANGED


async def listed(client: McpStdio) -> dict[str, Any]:
    """Return the tools by name."""
    answer = await client.request("tools/list")
    return {tool["name"]: tool for tool in answer["result"]["tools"]}


async def refusal(client: McpStdio, **arguments: Any) -> tuple[int, str]:
    """Call the tool `mine`, which is not run; return the code and the message."""
    answer = await client.request("tools/call", {"name": "mine", "arguments": arguments})
    return answer["error"]["code"], answer["error"]["message"]


async def test_a_tool_that_is_added_while_a_client_is_connected_is_announced_and_called(
    serving: Neovim, tools: ModelTools, listing: dict[str, Any]
) -> None:
    assert "mine" not in listing
    body = "function(arguments) return arguments.word:rep(arguments.times) end"
    await add(serving, body, f"schema = {SCHEMA}, title = 'My own'")
    await announced(tools.client)

    tool = (await listed(tools.client))["mine"]
    assert tool["title"] == "My own"
    assert tool["inputSchema"]["type"] == "object"
    assert tool["inputSchema"]["required"] == ["word"]
    assert tool["annotations"]["readOnlyHint"] is False
    assert await tools.text("mine", word="ab", times=3) == "ababab"
    assert await tools.text("mine", word="ab") == "abab"


async def test_wrong_arguments_are_the_models_error_and_the_tool_is_not_run(
    serving: Neovim, tools: ModelTools
) -> None:
    await add(serving, "function() vim.g.ran = 1 end", f"schema = {SCHEMA}")
    await announced(tools.client)

    assert await refusal(tools.client, word="a", times=0) == (
        -32602,
        "mine: times: must be bigger than or equal to 1",
    )
    code, text = await refusal(tools.client)
    assert (code, "word" in text) == (-32602, True)
    assert await serving.eval("get(g:, 'ran', 0)") == 0


async def test_an_error_of_the_tool_has_one_line_for_the_model_and_a_traceback_in_the_log(
    serving: Neovim, tools: ModelTools
) -> None:
    await add(serving, "function() error('no\\nway') end")
    await announced(tools.client)

    assert await tools.error("mine") == "mine failed: no"

    await serving.command("ClaudeLog")
    await until(lambda: "stack traceback" in serving.screen.text(), "the traceback")


async def test_a_tool_may_answer_later(serving: Neovim, tools: ModelTools) -> None:
    await add(serving, "function(_, answer) vim.defer_fn(function() answer('late') end, 20) end")
    await announced(tools.client)
    assert await tools.text("mine") == "late"

    await add(serving, "function(_, answer) vim.schedule(function() answer(nil, 'bad') end) end")
    assert await tools.error("mine") == "mine failed: bad"


async def test_a_tool_that_does_not_answer_is_cancelled_at_its_limit(
    serving: Neovim, tools: ModelTools
) -> None:
    cancels = "function(_, answer) return function() vim.g.cancelled = 1 end end"
    await add(serving, cancels, "timeout = 0.1")
    await announced(tools.client)

    assert await tools.error("mine") == "mine has not answered within 0.1 s"
    await until(lambda: serving.eval("get(g:, 'cancelled', 0)"), "it is cancelled")


async def test_a_tool_returns_texts_and_images_or_nothing(
    serving: Neovim, tools: ModelTools
) -> None:
    image = "{ type = 'image', data = 'QQ==', mimeType = 'image/png' }"
    await add(serving, f"function() return {{ 'one', {{ text = 'two' }}, {image} }} end")
    await announced(tools.client)

    content = (await tools.client.call("mine"))["content"]
    assert [each.get("text", each["type"]) for each in content] == ["one", "two", "image"]

    await add(serving, "function() end")
    assert "done" in await tools.text("mine")
    await add(serving, "function() return { 3, { what = 1 } } end")
    assert "neither a text nor a list of content" in await tools.error("mine")
    await add(serving, "function() return ('x'):rep(60000) end")
    assert (await tools.text("mine")).endswith("[cut here: 36,000 more characters]")


async def test_a_removed_tool_is_gone(serving: Neovim, tools: ModelTools) -> None:
    await add(serving, "function() return 'a' end")
    await announced(tools.client)
    assert await serving.lua("return require('claude_ide').remove_tool('mine')")
    await announced(tools.client)

    assert "mine" not in await listed(tools.client)
    assert await refusal(tools.client) == (-32602, "Unknown tool: mine")
    assert not await serving.lua("return require('claude_ide').remove_tool('mine')")


async def test_a_tool_that_is_off_is_neither_listed_nor_callable(
    serving: Neovim, tools: ModelTools
) -> None:
    await add(serving, "function() return 'a' end")
    await announced(tools.client)

    await serving.command("ClaudeTools off mine")
    await announced(tools.client)
    await wait_for_message(serving, "mine is off")

    assert "mine" not in await listed(tools.client)
    assert await refusal(tools.client) == (-32602, "The user has turned off the tool mine")

    await serving.command("ClaudeTools on mine")
    await announced(tools.client)
    assert await tools.text("mine") == "a"


async def test_a_built_in_tool_can_be_off_and_commands_complete_names(
    serving: Neovim, tools: ModelTools
) -> None:
    await serving.command("ClaudeTools off definition")
    await announced(tools.client)

    assert "definition" not in await listed(tools.client)
    assert await serving.eval("getcompletion('ClaudeTools on ', 'cmdline')") == ["definition"]
    assert await serving.eval("getcompletion('ClaudeTools off de', 'cmdline')") == []
    await serving.command("ClaudeTools off nothing")
    await wait_for_message(serving, "there is no tool nothing (:ClaudeTools lists them)")


@pytest.mark.parametrize(("word", "place"), [("pattern = '('", "pattern"), ("type = 'x'", "type")])
async def test_a_wrong_part_of_a_schema_is_reported(
    serving: Neovim, tools: ModelTools, word: str, place: str
) -> None:
    await add(serving, "function() end", f"schema = {{ properties = {{ word = {{ {word} }} }} }}")
    await wait_for_message(serving, "the tool mine was not added: schema: prop")
    assert "mine" not in await listed(tools.client)
    await serving.command("ClaudeLog")
    place = f"schema: properties.word.{place}"
    await until(lambda: place in serving.screen.text().replace("\n", ""), "the place in the log")


async def test_the_name_of_another_tool_is_refused_at_once(
    serving: Neovim, tools: ModelTools
) -> None:
    with pytest.raises(NvimError, match="add_tool: definition: another tool has this name"):
        await add(serving, "function() end", name="definition")
    await add(serving, "function() return 'a' end")
    await announced(tools.client)
    await add(serving, "function() return 'b' end")
    assert "description" in (await listed(tools.client))["definition"]


async def test_tools_and_what_is_off_outlive_a_host(
    serving: Neovim, tools: ModelTools, config_folder: Path, project: Path
) -> None:
    await add(serving, "function() return 'a' end")
    await serving.command("ClaudeTools off definition")
    await wait_for_message(serving, "definition is off")
    await serving.lua("vim.uv.kill(vim.fn.jobpid(require('claude_ide.channel').id), 'sigkill')")
    await wait_for_message(serving, "and was restarted")
    is_serving = "return require('claude_ide.host').server() ~= nil"
    await until(lambda: serving.lua(is_serving), "the next host serves")

    async with mcp_stdio({"CLAUDE_CONFIG_DIR": str(config_folder)}, project) as client:
        await client.initialize()
        names = await listed(client)
        assert "definition" not in names
        assert await ModelTools(client).text("mine") == "a"
    assert "references" in names


async def test_a_vimscript_function_is_a_tool(serving: Neovim, tools: ModelTools) -> None:
    mine = "'name': 'mine', 'description': 'What I do', 'schema': {'properties': {}}"
    await serving.command(
        f"call claude_ide#add_tool({{{mine}, 'fn': {{arguments -> 'a' .. arguments.word}}}})"
    )
    await announced(tools.client)
    assert await tools.text("mine", word="b") == "ab"

    await serving.command(
        f"call claude_ide#add_tool({{{mine}, 'later': v:true, 'title': 'Later',"
        " 'fn': {_, answer -> timer_start(1, {_ -> answer('late')})}})"
    )
    await announced(tools.client)
    assert await tools.text("mine") == "late"
    assert await serving.eval("claude_ide#remove_tool('mine')") is True
    await announced(tools.client)


async def test_wrong_calls_and_time_are_in_the_list(serving: Neovim, tools: ModelTools) -> None:
    await add(serving, "function() error('no') end", f"schema = {SCHEMA}, title = 'My own'")
    await announced(tools.client)
    await tools.error("mine", word="a")
    await refusal(tools.client)

    await serving.command("ClaudeTools")

    window = ListWindow(serving)
    lines = await window.shows("1 failed", "Go to definition")
    assert lines[0].startswith("on     mine")
    assert "My own · yours · 1 call, " in lines[0]
    assert lines[0].endswith("ms · 1 failed · 1 with wrong arguments")
    await window.press("x", "mine")
    await window.shows("off    mine")
    await announced(tools.client)
    await window.press("<CR>", "mine")
    await until(lambda: '"minimum": 1' in serving.screen.text(), "the schema")
    await serving.keys("q")
    await window.press("q", "mine")
    await window.closed()
