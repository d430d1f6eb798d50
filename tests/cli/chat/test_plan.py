"""Plans and questions of the real CLI in the chat panel."""

import re
from pathlib import Path

from support.fake_api import FakeApi, text, tool_use
from support.neovim import Neovim, until
from support.panel import Panel


async def test_a_question_is_answered_in_a_form(nvim: Neovim, panel: Panel, api: FakeApi) -> None:
    options = [
        {"label": "httpx", "description": "asks and waits"},
        {"label": "aiohttp", "description": "does not wait"},
    ]
    question = {"question": "Which?", "header": "Library", "multiSelect": False}
    asked = {"questions": [question | {"options": options}]}
    api.script([tool_use("AskUserQuestion", **asked)], [text("So be it.")])

    await panel.send("Choose a library")
    await panel.shows("? Library: Which?")
    await panel.go_to("? Library: Which?")
    await nvim.keys("<CR>")
    await until(lambda: _in_float(nvim), "the form")
    await nvim.keys("2<C-s>")

    assert "↳ aiohttp" in await panel.shows("So be it.")
    assert "aiohttp" in api.requests[1].new_text


async def _in_float(nvim: Neovim) -> bool:
    return bool(await nvim.lua("return vim.api.nvim_win_get_config(0).relative ~= ''"))


PLAN = "# Plan\n\n1. Shout\n"


async def plan_is_open(nvim: Neovim) -> None:
    """Wait until a plan accepts keys."""

    async def shown() -> bool:
        lines = await nvim.eval("getline(1, '$')")
        return bool(lines[:1] == ["# Plan"] and await nvim.eval("&modifiable"))

    await until(shown, "the plan is open")


async def plan(api: FakeApi, config_folder: Path, panel: Panel) -> None:
    """Have the model write its plan to the path that the CLI names, and propose it."""
    await panel.nvim.command("ClaudeChat mode plan")
    await panel.bar_shows("plan")
    api.script([text("Thinking of it.")])
    await panel.send("Plan it")
    await panel.shows("Thinking of it.")
    found = re.search(r"\S+/plans/\S+\.md", str(api.requests[0].body))
    assert found
    path = found[0].strip("\"'`.\\")
    api.script(
        [tool_use("Write", file_path=path, content=PLAN)],
        [tool_use("ExitPlanMode")],
        [text("As you say.")],
    )
    await panel.send("Go on")
    await plan_is_open(panel.nvim)


async def test_a_plan_is_approved_with_w(
    nvim: Neovim, panel: Panel, api: FakeApi, config_folder: Path
) -> None:
    await plan(api, config_folder, panel)

    await nvim.keys(":w<CR>")

    assert "↳ approved" in await panel.shows("As you say.")
    assert "approved" in api.requests[-1].new_text
    await panel.bar_shows("manual")


async def test_a_rejected_plan_is_sent_back_with_the_users_changes(
    nvim: Neovim, panel: Panel, api: FakeApi, config_folder: Path
) -> None:
    await plan(api, config_folder, panel)

    await nvim.keys("Goand whisper<Esc>:q<CR>")

    assert "keep planning" in await panel.shows("As you say.")
    assert "and whisper" in api.requests[-1].new_text
    await panel.bar_shows("plan")
