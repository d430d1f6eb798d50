"""The user's own tools: whatever a function returns or raises, the model can read it."""

import pytest

from claude_ide.mcp.tool import LIST_CHANGED
from support.model_tools import ModelTools
from support.neovim import Neovim

LATER = "vim.defer_fn(function() answer('late') end, 5)"
UV = "local timer = vim.uv.new_timer(); timer:start(5, 0, function() timer:close(); %s end)"


async def add(tools: ModelTools, nvim: Neovim, fn: str, seconds: float = 5) -> None:
    """Add the tool `mine`, and wait until that is announced."""
    await tools.client.request("ping")  # before its answer nothing is announced
    await nvim.lua(
        "require('claude_ide').add_tool({ name = 'mine', description = 'What I do',"
        f" timeout = {seconds}, fn = {fn} }})"
    )
    assert (await tools.client.read())["method"] == LIST_CHANGED


@pytest.mark.parametrize(
    ("fn", "text"),
    [
        ("function() return 3.5 end", "3.5"),
        ("function() return false end", "false"),
        ("function() return vim.NIL end", "(done; the tool returned no text)"),
        ("function() return 'a\\255\\254b' end", "a\ufffd\ufffdb"),
        ("function(_, answer) answer('one'); answer('two') end", "one"),
        ("function(_, answer) answer('one'); return 'two' end", "one"),
        (f"function(_, answer) {LATER}; return 'first' end", "first"),
        (f"setmetatable({{}}, {{ __call = function(_, _, answer) {LATER} end }})", "late"),
        ("setmetatable({}, { __call = function(_, _) return 'now' end })", "now"),
        ("function(_, answer) " + UV % "answer('fast')" + " end", "fast"),
    ],
)
async def test_an_odd_answer_arrives(
    serving: Neovim, tools: ModelTools, fn: str, text: str
) -> None:
    await add(tools, serving, fn)

    assert await tools.text("mine") == text


async def test_a_function_that_removes_its_tool_still_answers(
    serving: Neovim, tools: ModelTools
) -> None:
    await add(tools, serving, "function() require('claude_ide').remove_tool('mine') return 'b' end")
    number = await tools.client.begin("mine")

    read = [await tools.client.read() for _ in range(2)]

    (answer,) = (each for each in read if each.get("id") == number)
    assert answer["result"]["content"] == [{"type": "text", "text": "b"}]


@pytest.mark.parametrize(
    ("fn", "reason"),
    [
        (
            "function() return 1/0 end",
            "mine failed: its answer is no JSON: Cannot serialise number",
        ),
        ("function() return print end", "mine failed: its answer is no JSON: Cannot serialise fun"),
        ("function() local x = {}; x.x = x; return x end", "mine failed: its answer is no JSON: "),
        ("function() error({ code = 3, message = 'no' }) end", "mine failed: no"),
        ("function() error({ code = 3 }) end", "mine failed: { code = 3 }"),
        ("function() error(nil) end", "mine failed: nil"),
        ("function() coroutine.yield() end", "mine failed: attempt to yield"),
        ("function(_, answer) answer(nil, { 'a' }) end", 'mine failed: { "a" }'),
        ("function(_, answer) " + UV % "answer(nil, 'fast')" + " end", "mine failed: fast"),
        ("function() vim.cmd('throw \"x y\"') end", "mine failed: x y"),
        (
            "function() return { type = 'image', data = 'no!', mimeType = 'image/png' } end",
            "the image that the tool returned is not in base64",
        ),
        (
            "function() return { type = 'image', data = 3, mimeType = 'image/png' } end",
            "the tool returned neither a text nor a list of content",
        ),
        (
            "function() return { type = 'resource', resource = 'x' } end",
            "the tool returned neither a text nor a list of content",
        ),
    ],
)
async def test_a_failure_has_one_line_that_names_the_tool(
    serving: Neovim, tools: ModelTools, fn: str, reason: str
) -> None:
    await add(tools, serving, fn)

    said = await tools.error("mine")

    assert said.startswith(reason)
    assert "\n" not in said


async def test_a_function_that_blocks_neovim_is_given_up_at_its_limit(
    serving: Neovim, tools: ModelTools
) -> None:
    blocks = "function() vim.wait(3000, function() return vim.g.go_on end) return 'late' end"
    await add(tools, serving, blocks, seconds=0.1)

    assert await tools.error("mine") == "mine has not answered within 0.1 s"

    await serving.command("let g:go_on = v:true")
    assert "1 folder" in await tools.text("working_folders")
