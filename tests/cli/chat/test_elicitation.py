"""An MCP server that asks the user, with the real CLI in the chat panel."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from support.chunks import chunk
from support.either_editor import choose
from support.fake_api import FakeApi, text, tool_use
from support.neovim import ROOT, Neovim, until
from support.panel import Panel

SERVER = ROOT / "tests" / "support" / "eliciting_server.py"
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Your name", "minLength": 2},
        "age": {"type": "integer", "minimum": 0, "maximum": 150},
        "agree": {"type": "boolean"},
        "color": {"type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"]},
        "tags": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
    },
    "required": ["name", "color"],
}
HEAD = "? The MCP server mine asks:"


@pytest.fixture
async def panel(nvim: Neovim, cli: Path, path: Path, project: Path) -> Panel:
    """A chat with an MCP server whose tool needs no permission."""
    server = {"command": sys.executable, "args": [str(SERVER)]}
    config = project / "servers.json"
    config.write_text(json.dumps({"mcpServers": {"mine": server}}))
    await nvim.command(f"edit {path}")
    command: list[str | Path] = [cli, "--mcp-config", config, "--allowedTools", "mcp__mine__ask"]
    return await Panel.open(nvim, command, mode="default")


async def ask(panel: Panel, api: FakeApi, **parameters: Any) -> None:
    api.script([tool_use("mcp__mine__ask", **parameters)], [text("So be it.")])
    await panel.send("Ask me")


async def ask_to_open(panel: Panel, api: FakeApi, url: str) -> str:
    """Have the server ask the user to open an address; return the transcript."""
    await ask(panel, api, mode="url", message="Log in", url=url, elicitationId="e1")

    async def asked() -> bool:
        return "in your browser?" in await panel.text() or len(api.requests) > 1

    await until(asked, "the request")
    if len(api.requests) > 1 and "does not support URL" in api.requests[1].new_text:
        pytest.skip("this CLI refuses the request of the server")
    return await panel.text()


async def open_form(nvim: Neovim, panel: Panel) -> None:
    await panel.shows(HEAD)
    await panel.go_to(HEAD)
    await nvim.keys("<CR>")
    is_float = "return vim.api.nvim_win_get_config(0).relative ~= ''"
    await until(lambda: nvim.lua(is_float), "the form")


async def test_a_form_is_filled_in(nvim: Neovim, panel: Panel, api: FakeApi) -> None:
    await ask(panel, api, message="Who are you?", requestedSchema=SCHEMA)
    await open_form(nvim, panel)

    await nvim.keys("iAnn Ö<CR>i7<CR>221<C-s>")

    shown = await panel.shows("So be it.")
    assert "↳ Who are you?: Ann Ö; 7; no; Green; a" in shown
    given = {"name": "Ann Ö", "age": 7, "agree": False, "color": "g", "tags": ["a"]}
    answer = json.dumps({"action": "accept", "content": given}, ensure_ascii=False)
    assert f"answered {answer}" in api.requests[1].new_text


async def test_a_wrong_answer_is_named_and_kept(nvim: Neovim, panel: Panel, api: FakeApi) -> None:
    await ask(panel, api, message="Who are you?", requestedSchema=SCHEMA)
    await open_form(nvim, panel)

    await nvim.keys("<Tab>iseven<CR>")
    await until(lambda: "✗ expected: a whole number" in nvim.screen.text(), "the problem")
    await nvim.keys("<C-s>")
    await until(lambda: "age: expected a whole number" in nvim.screen.text(), "a message")
    await nvim.keys("i<C-u>7<CR>")
    await until(lambda: "✗" not in nvim.screen.text(), "the problem is gone")
    await nvim.keys("<S-Tab><S-Tab>iAnn<CR>/Red<CR><CR><C-s>")

    await panel.shows("So be it.")
    answer = {"action": "accept", "content": {"name": "Ann", "age": 7, "color": "r"}}
    assert f"answered {json.dumps(answer)}" in api.requests[1].new_text


@pytest.mark.parametrize(("key", "action"), [("n", "decline"), ("N", "cancel")])
async def test_a_form_is_refused(
    nvim: Neovim, panel: Panel, api: FakeApi, key: str, action: str
) -> None:
    await ask(panel, api, message="Who are you?", requestedSchema=SCHEMA)
    await panel.shows(HEAD)

    async def answered() -> bool:
        if await panel.go_to(HEAD):
            await nvim.keys(key)
        return len(api.requests) > 1

    await until(answered, f"{key} answers")

    assert f'"action": "{action}"' in api.requests[1].new_text


async def test_a_withdrawn_form_closes_and_keeps_the_prompt(
    nvim: Neovim, panel: Panel, api: FakeApi, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    await ask(panel, api, message="Who?", requestedSchema=SCHEMA, withdraw=str(pipe))
    await open_form(nvim, panel)
    await nvim.keys("iAnn<CR>")

    pipe.write_text("now")

    await panel.shows("So be it.")
    await panel.shows_no_more(HEAD)
    is_float = "return vim.api.nvim_win_get_config(0).relative ~= ''"

    async def closed() -> bool:
        return not await nvim.lua(is_float)

    await until(closed, "the form is closed")
    assert "withdrawn" in api.requests[1].new_text


async def test_an_address_is_opened_only_after_the_user_agrees(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    await nvim.lua(chunk("cli/record_browser"))
    url = "https://example.com/login?x=1"

    shown = await ask_to_open(panel, api, url)
    assert "? May the MCP server mine open example.com in your browser?" in shown
    assert url in shown
    assert await nvim.lua("return _G.browsed") == []

    async def answered() -> bool:
        if await panel.go_to("? May the MCP server"):
            await nvim.keys("y")
        return len(api.requests) > 1

    await until(answered, "y answers")
    assert await nvim.lua("return _G.browsed") == [url]
    assert '"action": "accept"' in api.requests[1].new_text


async def test_without_a_browser_an_address_can_be_opened_elsewhere(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    await nvim.lua("vim.ui.open = function() return nil, 'no handler found' end")
    await ask_to_open(panel, api, "https://example.com")
    await panel.go_to("? May the MCP server mine")
    await nvim.idle(500)

    await nvim.keys("y")
    await until(lambda: "No browser could be started" in nvim.screen.text(), "a list")
    await choose(nvim, 1)

    assert "opened elsewhere" in await panel.shows("So be it.")
    assert '"action": "accept"' in api.requests[1].new_text
