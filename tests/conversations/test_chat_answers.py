"""Requests of a chat are counted, announced and answered in the panel."""

from pathlib import Path
from typing import Any

import pytest

from support.chunks import chunk
from support.neovim import Neovim, until
from support.panel import Open, Panel, choose_answer, counts
from support.transcripts import read_log

AT_END = """
local chat = require('claude_ide.chat.state').list()[1]
local win = vim.fn.win_findbuf(chat.transcript)[1]
return vim.fn.line('.', win) == vim.fn.line('$', win)
"""


def answers(log: Path) -> list[dict[str, Any]]:
    """The answers that the CLI has received to its permission requests."""
    return [
        frame["response"]["response"]
        for frame in read_log(log)[1:]
        if frame.get("type") == "control_response" and "behavior" in frame["response"]["response"]
    ]


async def press(nvim: Neovim, panel: Panel, words: str, key: str, log: Path) -> None:
    """Press a key on a request until it is answered: keys do not count before it can be read."""

    async def pressed() -> bool:
        if not answers(log) and await panel.go_to(words):
            await nvim.keys(key)
        return bool(answers(log))

    await until(pressed, f"{key} answers")


async def test_a_question_is_answered_in_a_form(nvim: Neovim, replay: Open, log: Path) -> None:
    panel = await replay("ask_user")

    await panel.send("Which library?")
    await panel.shows("? ")
    await panel.go_to("? ")
    await nvim.keys("<CR>")
    await until(lambda: nvim.lua("return vim.api.nvim_win_get_config(0).relative ~= ''"), "a form")
    await nvim.keys("12<C-s>")

    await until(lambda: answers(log), "the answer")
    given = answers(log)[0]
    assert given["behavior"] == "allow"
    assert given["updatedInput"]["answers"]
    await panel.shows("── ")


async def test_a_rejection_carries_its_reason(nvim: Neovim, replay: Open, log: Path) -> None:
    panel = await replay("always_allow")
    await nvim.lua("vim.ui.input = function(_, done) done('not here') end")

    await panel.send("Make a file")
    await press(nvim, panel, "? Run this command", "N", log)

    assert answers(log)[0]["behavior"] == "deny"
    assert answers(log)[0]["message"] == "not here"


async def test_allow_always_offers_a_rule_for_each_scope(
    nvim: Neovim, replay: Open, log: Path
) -> None:
    panel = await replay("always_allow")
    await nvim.lua(chunk("chat_requests/accept_rule"))

    await panel.send("Make a file")
    await press(nvim, panel, "? Run this command", "a", log)

    [update] = answers(log)[0]["updatedPermissions"]
    assert update["rules"] == [{"toolName": "Bash", "ruleContent": "touch made.txt"}]
    assert update["destination"] == "session"
    assert await nvim.lua("return _G.rule") == "Bash(touch made.txt)"
    assert await nvim.lua("return _G.offered") == [
        "by a rule, for this session",
        "by a rule, for all your projects",
        "switch to acceptEdits mode (this session)",
    ]


async def test_enter_in_an_empty_prompt_answers_the_request(
    nvim: Neovim, replay: Open, log: Path
) -> None:
    panel = await replay("always_allow")
    await panel.send("Make a file")
    await panel.shows("? Run this command")
    await nvim.keys("<Esc><CR>")
    await choose_answer(nvim, "y")

    await until(lambda: answers(log), "the answer")
    assert answers(log)[0]["behavior"] == "allow"


async def test_after_the_answer_the_transcript_shows_what_follows(
    nvim: Neovim, replay: Open
) -> None:
    panel = await replay("always_allow")
    await panel.send("Make a file")
    await panel.shows("? Run this command")
    await nvim.command("stopinsert")
    assert await panel.go_to("» Make a file")
    await panel.write()
    await nvim.keys("<C-s>")
    await choose_answer(nvim, "y")

    await until(lambda: nvim.lua(AT_END), "the end of the transcript")


async def test_the_request_of_a_hidden_chat_can_be_answered(
    nvim: Neovim, replay: Open, log: Path
) -> None:
    panel = await replay("always_allow")
    await panel.send("Make a file")
    await panel.shows("? Run this command")
    await nvim.command("stopinsert | ClaudeChat new")
    await panel.wait_for_chats(2)

    await nvim.command("ClaudeChat answer")
    await choose_answer(nvim, "y")

    await until(lambda: answers(log), "the answer")
    assert answers(log)[0]["behavior"] == "allow"


async def test_claude_chat_answer_reports_that_no_request_is_waiting(
    nvim: Neovim, replay: Open
) -> None:
    await replay("plain_thinking")
    await nvim.lua("vim.notify = function(text) _G.notified = text:gsub('%s+', ' ') end")

    await nvim.command("stopinsert | ClaudeChat answer")

    notified = await until(lambda: nvim.lua("return _G.notified"), "a message")
    assert notified == "no request is waiting"


async def test_the_request_of_a_hidden_chat_is_counted_in_the_status(
    nvim: Neovim, replay: Open
) -> None:
    panel = await replay("always_allow")
    await panel.send("Make a file")
    await nvim.keys("<Esc>")
    await nvim.command("ClaudeChat")

    await counts(nvim, " 1?")


async def test_an_answered_request_is_no_longer_counted(
    nvim: Neovim, replay: Open, log: Path
) -> None:
    panel = await replay("always_allow")
    await nvim.lua(chunk("chat_requests/accept_rule"))
    await panel.send("Make a file")
    await counts(nvim, " 1?")

    await press(nvim, panel, "? Run this command", "a", log)

    await counts(nvim, "")


async def test_an_error_in_an_autocommand_is_reported_and_blocks_nothing(
    nvim: Neovim, replay: Open
) -> None:
    await nvim.command("autocmd User ClaudeChatWaiting throw 'no thanks'")
    await nvim.lua(
        """_G.notified = ''
        vim.notify = function(text) _G.notified = _G.notified .. text end"""
    )
    panel = await replay("always_allow")

    await panel.send("Make a file")

    await counts(nvim, " 1?")
    notified = await until(lambda: nvim.lua("return _G.notified"), "the error is reported")
    assert "ClaudeChatWaiting: " in notified
    assert (await nvim.mode())["blocking"] is False


@pytest.mark.parametrize("end", ["ClaudeChat end", "bwipeout! Claude\\ chat"])
async def test_a_request_of_a_chat_that_has_ended_is_no_longer_counted(
    nvim: Neovim, replay: Open, end: str
) -> None:
    panel = await replay("always_allow")
    await panel.send("Make a file")
    await counts(nvim, " 1?")

    await nvim.command(f"stopinsert | {end}")

    await counts(nvim, "")
