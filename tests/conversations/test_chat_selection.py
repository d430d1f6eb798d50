"""The selection and the mentions that a chat receives."""

import sys
from pathlib import Path

import pytest

from support.claude_code import claude_code
from support.neovim import Neovim, until
from support.panel import CONFIGURE, Open, Panel, holds
from support.transcripts import FAKE_CLI, GOLDEN

PLAIN = GOLDEN / "plain_thinking.jsonl"


@pytest.mark.usefixtures("path")
class TestSelection:
    async def test_the_current_file_is_attached_to_the_prompt(
        self, nvim: Neovim, replay: Open
    ) -> None:
        panel = await replay("plain_thinking")

        await until(lambda: _chip_is(panel, "[a.py]"), "the chip")

    async def test_the_selection_is_attached_to_the_prompt(self, nvim: Neovim, log: Path) -> None:
        await nvim.command(f"let $FAKE_CLI_LOG = '{log}'")
        await nvim.lua(CONFIGURE, {"cmd": [sys.executable, "-I", str(FAKE_CLI), str(PLAIN)]})

        await nvim.keys("jVj:ClaudeChat<CR>")

        panel = Panel(nvim)
        await until(lambda: _chip_is(panel, "[a.py:2-3]"), "the chip")
        await panel.send("hello there")
        await panel.shows("── ")
        assert "two\\nthree" in log.read_text()

    async def test_a_range_enters_the_prompt_of_a_chat_that_is_shown(
        self, nvim: Neovim, replay: Open
    ) -> None:
        panel = await replay("plain_thinking")
        await nvim.keys("<Esc><C-w>h")
        await until(lambda: nvim.eval("&filetype != 'claude-prompt'"), "in the file")

        await nvim.keys("ggjVj:ClaudeChat<CR>")

        await until(lambda: _chip_is(panel, "[a.py:2-3]"), "the chip")
        await until(lambda: _mode_is(nvim, "i"), "in the prompt")
        assert await nvim.eval("&filetype") == "claude-prompt"
        assert await nvim.eval("winnr('$')") == 3

    async def test_the_chip_of_a_file_says_that_it_is_not_saved(
        self, nvim: Neovim, replay: Open
    ) -> None:
        panel = await replay("plain_thinking")
        await nvim.keys("<Esc><C-w>h")

        await nvim.keys("x")
        await until(lambda: _chip_is(panel, "[a.py, not saved]"), "the chip")
        await panel.send("hello there")
        assert "» hello there\n  a.py, not saved\n" in await panel.shows("── ")


async def _chip_is(panel: Panel, chip: str) -> bool:
    return chip in (await panel.look()).get("prompt_bar", "")


@pytest.mark.usefixtures("path")
class TestMention:
    async def test_a_mention_goes_into_the_prompt_and_the_cursor_stays_in_the_file(
        self, nvim: Neovim, replay: Open
    ) -> None:
        panel = await replay("plain_thinking")
        await nvim.keys("look<Esc><C-w>h")
        here = await nvim.eval("win_getid()")

        await nvim.command("2,3ClaudeSend")

        await until(lambda: holds(panel, "look @a.py#L2-3 "), "the mention")
        assert await nvim.eval("win_getid()") == here

    async def test_a_bang_moves_to_the_prompt_behind_the_mention(
        self, nvim: Neovim, replay: Open
    ) -> None:
        panel = await replay("plain_thinking")
        await nvim.keys("<Esc><C-w>h")

        await nvim.command("ClaudeSend!")
        await until(lambda: _mode_is(nvim, "i"), "in the prompt")
        await nvim.keys("why?")

        await until(lambda: holds(panel, "@a.py why?"), "what was typed")

    async def test_a_mention_goes_to_a_hidden_chat_if_no_client_is_connected(
        self, nvim: Neovim, replay: Open
    ) -> None:
        panel = await replay("plain_thinking")
        await nvim.keys("<Esc>")
        await nvim.command("ClaudeChat")
        await until(lambda: nvim.eval("winnr('$') == 1"), "hidden")

        await nvim.command("ClaudeAdd a.py 1")

        await until(lambda: "mentioned in the chat" in nvim.screen.text(), "a message")
        await until(lambda: holds(panel, "@a.py#L1 "), "the mention")

    async def test_a_mention_goes_to_a_connected_client_rather_than_a_hidden_chat(
        self, nvim: Neovim, replay: Open, config_folder: Path
    ) -> None:
        panel = await replay("plain_thinking")
        await nvim.keys("<Esc>")
        await nvim.command("ClaudeChat")
        await until(lambda: nvim.eval("winnr('$') == 1"), "hidden")

        async with claude_code(config_folder) as claude:
            await nvim.command("2ClaudeSend")

            [mentioned] = await until(lambda: claude.notifications_of("at_mentioned"))
        assert (mentioned["lineStart"], mentioned["lineEnd"]) == (1, 1)
        assert (await panel.look())["prompt"] == [""]


async def _mode_is(nvim: Neovim, mode: str) -> bool:
    return bool((await nvim.mode())["mode"] == mode)


@pytest.mark.usefixtures("path")
class TestPrivate:
    async def test_a_private_file_is_not_attached(
        self, nvim: Neovim, replay: Open, project: Path
    ) -> None:
        panel = await replay("plain_thinking")
        await until(lambda: _chip_is(panel, "[a.py]"), "the chip")

        await nvim.keys("<Esc><C-w>h:edit .env<CR>")

        await until(lambda: _has_no_chip(panel), "no chip")

    async def test_what_has_become_private_is_not_sent(
        self, nvim: Neovim, replay: Open, log: Path
    ) -> None:
        panel = await replay("plain_thinking")
        await until(lambda: _chip_is(panel, "[a.py]"), "the chip")

        await nvim.lua(
            "vim.g.claude_ide = vim.tbl_extend('force', vim.g.claude_ide, "
            "{ privacy = { deny = { 'a.py' } } })"
        )
        await panel.send("hello there")

        assert "» hello there\n  a.py" not in await panel.shows("── ")

    @pytest.mark.parametrize("mention", ["@.env", "@.env'", "@.env]", "@.env#x"])
    async def test_a_prompt_that_mentions_a_private_file_is_not_sent(
        self, nvim: Neovim, replay: Open, project: Path, mention: str
    ) -> None:
        (project / ".env").write_text("KEY=1\n")
        panel = await replay("plain_thinking")

        await panel.send(f"look at {mention} please")

        reason = "not sent: @.env stays in Neovim: "
        await until(lambda: reason in nvim.screen.text(), "the reason")
        await until(lambda: holds(panel, f"look at {mention} please"), "the prompt is back")


async def _has_no_chip(panel: Panel) -> bool:
    return "[" not in (await panel.look()).get("prompt_bar", "")
