"""The model's tools in a real Vim, over a program that has found the server by its folder."""

from pathlib import Path

import pytest

from claude_ide.mcp.model import NEED_NEOVIM
from claude_ide.mcp.tool import MODEL_TOOLS
from support.mcp_stdio import McpStdio
from support.model_tools import ModelTools
from support.vim import Vim


async def test_buffers_and_texts_that_are_not_saved_are_read(
    tools: ModelTools, serving_vim: Vim, project: Path
) -> None:
    path = project / "a.txt"
    path.write_text("one\ntwo\n")
    await serving_vim.command(f"edit {path}")
    await serving_vim.keys("oein 𝄞<Esc>")

    assert f"{path} (text, 3 lines, current, unsaved changes)" in await tools.text("buffers")
    text = await tools.text("buffer_text", file=str(path))
    assert text.splitlines()[1:] == ["1\tone", "2\tein 𝄞", "3\ttwo"]
    folders = await tools.text("working_folders")
    assert str(project) in folders
    other = project / "b.txt"
    assert await tools.error("buffer_text", file=str(other)) == (
        f"{other} is not open in Vim; read it from disk"
    )


async def test_lists_messages_and_output_are_read(tools: ModelTools, serving_vim: Vim) -> None:
    await serving_vim.command("call setqflist([{'text': 'nowhere'}])")
    await serving_vim.command("echomsg 'hello there'")

    assert "nowhere" in await tools.text("quickfix")
    assert "hello there" in await tools.text("messages", limit=200)
    assert "VIM - Vi IMproved" in await tools.text("ex_output", command="version")


async def test_a_private_file_is_neither_listed_nor_read(
    tools: ModelTools, serving_vim: Vim, project: Path
) -> None:
    path = project / ".env"
    path.write_text("TOKEN=secret\n")
    await serving_vim.command(f"edit {path}")

    assert ".env" not in await tools.text("buffers")
    assert "stays in Vim" in await tools.error("buffer_text", file=str(path))
    number = await serving_vim.eval("bufnr()")
    assert "stays in Vim" in await tools.error("buffer_text", buffer=number)


async def test_diagnostics_have_their_columns_and_lines(
    tools: ModelTools, serving_vim: Vim, project: Path
) -> None:
    path = project / "a.py"
    path.write_text("𝄞 = 1\n    é𝄞, wrong\n")
    entry = {"filename": str(path), "lnum": 2, "col": 13, "type": "E", "text": "it is wrong"}
    await serving_vim.call("setqflist", [entry])

    assert (await tools.text("diagnostics", file=str(path))).splitlines() == [
        "1 error in 1 file",
        str(path),
        "  2:9: error: it is wrong (quickfix)",
        "    | é𝄞, wrong",
    ]
    missing = project / "none.py"
    assert await tools.error("diagnostics", file=str(missing)) == f"{missing}: no such file"


async def test_a_look_at_the_history_does_not_divide_what_is_being_typed(
    tools: ModelTools, serving_vim: Vim, project: Path
) -> None:
    path = project / "a.txt"
    path.write_text("one\n")
    await serving_vim.command(f"edit {path}")
    await serving_vim.keys("x:w<CR>iab")
    await tools.text("undo_diff", file=str(path), older=0, newer=1)
    await serving_vim.keys("cd<Esc>u")

    assert await serving_vim.eval("getline(1)") == "ne"


@pytest.mark.parametrize(
    ("tool", "reason"),
    [
        ("references", "Vim has no client for language servers of its own"),
        ("outline", "Vim has no syntax trees"),
        ("execute_code", "the Jupyter kernel needs Neovim"),
    ],
)
async def test_a_tool_that_needs_neovim_says_what_vim_lacks(
    client: McpStdio, tool: str, reason: str
) -> None:
    answer = await client.request("tools/call", {"name": tool, "arguments": {}})

    assert reason in answer["error"]["message"]


async def test_only_what_vim_answers_is_offered(client: McpStdio) -> None:
    listed = (await client.request("tools/list"))["result"]
    offered = {tool["name"] for tool in listed["tools"]}

    assert offered == {*MODEL_TOOLS} - {*NEED_NEOVIM}
    assert "Neovim" not in str(listed)


async def test_the_host_calls_nothing_that_vim_lacks(tools: ModelTools, serving_vim: Vim) -> None:
    await tools.text("buffers")

    log = Path(await serving_vim.eval("claude_ide#messages#log#Path()")).read_text("utf-8")
    assert "listening on" in log
    assert "only Neovim" not in log
