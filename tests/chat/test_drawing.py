"""Frames in a real Neovim: the buffer equals the transcript."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from claude_ide.agents.events import Text, TextDelta, ToolEnded, ToolStarted, ToolStatus
from claude_ide.chat.transcript.transcript import Transcript
from support.digest import decoded
from support.neovim import Neovim
from support.transcripts import frames_of

TRANSCRIPT = "require('claude_ide.chat.state').get(1).transcript"

Draw = Callable[[Transcript], Awaitable[None]]


@pytest.fixture
async def draw(nvim: Neovim) -> Draw:
    """Draw all frames of a transcript into chat 1 of this Neovim."""
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())
    options = {"side": "right", "size": 0.5, "title": "chat"}
    await nvim.lua("require('claude_ide.chat.panel').open(1, ...)", options)

    async def drawing(transcript: Transcript) -> None:
        while (frame := transcript.sheet.frame()) is not None:
            fault = await nvim.lua(
                "return require('claude_ide.chat.transcript').draw(1, ...)", frame
            )
            assert fault is None

    return drawing


async def lines(nvim: Neovim) -> list[str]:
    found = await nvim.lua(f"return vim.api.nvim_buf_get_lines({TRANSCRIPT}, 0, -1, false)")
    return list(found)


async def parts(nvim: Neovim) -> list[dict[str, Any]]:
    """Return the part of each row."""
    code = f"""
        local chat = require('claude_ide.chat.state').get(1)
        local rows = {{}}
        for row = 0, vim.api.nvim_buf_line_count({TRANSCRIPT}) - 1 do
          local part = require('claude_ide.chat.transcript').at(chat, row)
          rows[row + 1] = part and {{ id = part.id, kind = part.kind, row = part.row }} or {{}}
        end
        return rows
    """
    return list(await nvim.lua(code))


@pytest.mark.parametrize(
    "name", ["plain_thinking", "error_midstream", "always_allow", "subagent", "slash_commands"]
)
async def test_a_recorded_conversation_is_in_the_buffer(
    nvim: Neovim, draw: Draw, name: str
) -> None:
    transcript = Transcript("Claude", clock=lambda: 0.0)

    for event in decoded(frames_of(name)):
        transcript.apply(event)
        await draw(transcript)

    assert await lines(nvim) == transcript.lines


async def test_lost_content_is_drawn_again(nvim: Neovim, draw: Draw) -> None:
    transcript = Transcript("Claude")
    transcript.queue.add("a", "a prompt")
    transcript.apply(Text("1", "\n".join(f"line {number}" for number in range(900))))
    await draw(transcript)
    await nvim.lua(
        f"vim.bo[{TRANSCRIPT}].modifiable = true"
        f" vim.api.nvim_buf_set_lines({TRANSCRIPT}, 3, 700, false, {{ 'lost' }})"
    )

    transcript.sheet.redraw()
    await draw(transcript)

    assert await lines(nvim) == transcript.lines
    assert {part["kind"] for part in await parts(nvim)} == {"turn", "text"}


async def test_a_press_opens_the_part_that_the_editor_names(nvim: Neovim, draw: Draw) -> None:
    transcript = Transcript("Claude")
    for number in range(3):
        transcript.apply(ToolStarted(f"{number}", "Bash", "execute", f"command {number}"))
        transcript.apply(ToolEnded(f"{number}", ToolStatus.COMPLETED, f"output {number}"))
    transcript.apply(TextDelta("1", "done"))
    await draw(transcript)
    second = (await parts(nvim))[1]

    transcript.press(second["id"], 0)
    await draw(transcript)

    shown = await lines(nvim)
    assert [line.strip() for line in shown] == [
        *("$ Bash command 0", "$ Bash command 1", "output 1", "$ Bash command 2", "", "done")
    ]
    names = [part["kind"] for part in await parts(nvim)]
    assert names == ["tool", "tool", "tool", "tool", "tool", "text"]
