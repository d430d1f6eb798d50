"""The chat panel's signs of life while the real CLI works."""

import re
from pathlib import Path

from support.chunks import chunk
from support.fake_api import FakeApi, text, tool_use
from support.neovim import Neovim, until
from support.panel import Panel, choose_answer

COUNT = chunk("signs_of_life/count_bars")


async def seconds_of_writing(panel: Panel, beyond: int = 0, rest: str = "") -> int:
    """Wait until the bar counts more seconds than `beyond`, and `rest` follows; return them."""

    async def counted() -> int:
        bar = (await panel.look()).get("bar", "")
        found = re.search(f"writing… ([0-9]+) s{re.escape(rest)}", bar)
        seconds = int(found[1]) if found else 0
        return seconds if seconds > beyond else 0

    return int(await until(counted, f"more than {beyond} s of writing"))


async def test_the_bar_shows_the_seconds_and_the_tokens_of_a_turn(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.hold = True
    api.script([text("a very long story " * 500)])

    await panel.send("Tell me")

    # The model has stopped after these words, an estimated 2250 tokens.
    seconds = await seconds_of_writing(panel, rest=" · ↓ 2.2k tokens")
    await seconds_of_writing(panel, beyond=seconds, rest=" · ↓ 2.2k tokens")
    await nvim.keys("<C-c>")
    await panel.shows("interrupted")


async def test_the_line_of_a_running_tool_shows_its_seconds(
    nvim: Neovim, panel: Panel, api: FakeApi, project: Path
) -> None:
    api.script([tool_use("Bash", command="until [ -e go ]; do :; done")], [text("Gone.")])

    await panel.send("Wait")
    await panel.shows("? Run this command")
    await nvim.keys("<Esc><CR>")
    await choose_answer(nvim, "y")
    await panel.shows("  2 s …")
    (project / "go").touch()

    await panel.shows("Gone.")


async def test_nothing_is_drawn_while_the_panel_is_hidden(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.hold = True
    api.script([text("a very long story")])
    await panel.send("Tell me")
    await seconds_of_writing(panel)

    await nvim.command("stopinsert | ClaudeChat")
    await until(lambda: nvim.eval("winnr('$') == 1"), "the panel is hidden")
    await nvim.lua(COUNT)
    await nvim.idle(2500)
    assert await nvim.lua("return _G.drawn") == 0
    await nvim.command("ClaudeChat")

    await until(lambda: nvim.lua("return _G.drawn > 1"), "the bar is drawn again")
