"""Turns and sessions of the real CLI in the chat panel: started, stopped, resumed."""

import os
import signal
from pathlib import Path

import pytest

from support.chunks import chunk
from support.claude_cli import cli_in, wait_until_saved
from support.fake_api import FakeApi, text, thinking, tool_use
from support.neovim import Neovim, until
from support.panel import Panel, choose_answer


async def test_an_answer_is_shown_with_its_thinking(panel: Panel, api: FakeApi) -> None:
    api.script([thinking("Hm."), text("Hello, **you**.")])

    await panel.send("Greet me")

    shown = await panel.shows("── ")
    assert "» Greet me" in shown
    assert "Hello, **you**." in shown
    assert "▸ Thought" in shown
    assert "Greet me" in api.requests[0].new_text


async def test_the_model_receives_the_name_of_the_open_file_once(
    panel: Panel, api: FakeApi, path: Path
) -> None:
    api.script([text("I see.")], [text("Again.")])

    async def chip_is_shown() -> bool:
        return "[a.py]" in (await panel.look())["prompt_bar"]

    await until(chip_is_shown, "the chip")
    await panel.send("What is this?")
    await panel.shows("I see.")
    await panel.send("And now?")
    await panel.shows("Again.")

    assert f"opened the file {path}" in api.requests[0].new_text
    assert "opened the file" not in api.requests[1].new_text


async def test_a_command_is_allowed_with_one_key(
    nvim: Neovim, panel: Panel, api: FakeApi, project: Path
) -> None:
    api.script([tool_use("Bash", command="touch made.txt")], [text("Made.")])

    await panel.send("Make it")
    await until(lambda: _pressed(panel, "y", project / "made.txt"), "the file")

    await panel.shows("Made.")


async def _pressed(panel: Panel, key: str, made: Path) -> bool:
    """Press a key on the request, which ignores keys until the user could have read it."""
    if not made.exists() and await panel.go_to("? Run this command"):
        await panel.nvim.keys(key)
    return made.exists()


async def test_ctrl_c_stops_the_turn(nvim: Neovim, panel: Panel, api: FakeApi) -> None:
    api.hold = True
    api.script([text("a very long story " * 50)])

    await panel.send("Tell me")
    await panel.shows("a very")
    await nvim.keys("<C-c>")

    await panel.shows("interrupted")

    async def is_idle() -> bool:
        return "writing" not in (await panel.look())["bar"]

    await until(is_idle, "the bar is idle")


async def test_a_session_is_resumed_with_its_conversation(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.script([text("The word is swordfish.")], [text("You were told.")])
    await panel.send("Which word?")
    await panel.shows("── ")
    await panel.end()
    await nvim.command("ClaudeChat continue")

    await panel.shows("The word is swordfish.")
    await panel.wait_until_ready()
    await panel.send("What was it?")
    await panel.shows("You were told.")
    conversation = str(api.requests[-1].body["messages"])
    assert "swordfish" in conversation


async def test_a_chat_survives_a_killed_host(nvim: Neovim, panel: Panel, api: FakeApi) -> None:
    api.script([text("The word is swordfish.")], [text("You were told.")])
    await panel.send("Which word?")
    await panel.shows("── ")
    pid = await nvim.lua("return vim.fn.jobpid(require('claude_ide.channel').id)")
    os.kill(pid, signal.SIGKILL)
    await panel.bar_shows("not running")

    await panel.send("What was it?")

    shown = await panel.shows("You were told.")
    assert shown.count("The word is swordfish.") == 1
    assert "swordfish" in str(api.requests[-1].body["messages"])


async def test_a_question_asked_aside_is_not_part_of_the_conversation(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.script([text("Hello.")], [text("Forty-two.")], [text("Bye.")])
    await panel.send("Greet me")
    await panel.shows("── ")

    await nvim.command("stopinsert | ClaudeChat aside how many?")

    await panel.shows("aside: how many?\nForty-two.")
    await panel.send("Leave me")
    await panel.shows("Bye.")
    assert "Forty-two" not in str(api.requests[-1].body["messages"])


async def test_the_context_is_shown_in_a_float(nvim: Neovim, panel: Panel) -> None:
    await nvim.command("stopinsert | ClaudeChat context")

    await until(lambda: "System prompt" in nvim.screen.text(), "the context")
    await nvim.keys("q")
    await until(lambda: "System prompt" not in nvim.screen.text(), "no float")


async def test_limiting_thinking_is_confirmed(nvim: Neovim, panel: Panel) -> None:
    await nvim.command("stopinsert | ClaudeChat thinking 2000")

    await until(lambda: "thinking: at most 2,000 tokens" in nvim.screen.text(), "the message")


@pytest.mark.parametrize("side", ["right", "float"])
async def test_gf_opens_a_file_where_the_chat_does_not_cover_it(
    nvim: Neovim, cli: Path, api: FakeApi, path: Path, side: str
) -> None:
    api.script([tool_use("Read", file_path=str(path))], [text("I see.")])
    await nvim.command(f"edit {path.with_name('b.py')}")
    panel = await Panel.open(nvim, [cli], mode="default", side=side)
    await panel.send("Read it")
    await panel.shows("── ")

    await panel.go_to("Read a.py")
    await nvim.keys("gf")

    await until(lambda: nvim.eval(f"expand('%:p') == '{path}'"), "the file")
    windows = 1 if side == "float" else 3
    await until(lambda: nvim.eval(f"winnr('$') == {windows}"), f"{windows} windows")


@pytest.mark.parametrize("command", ["resume", "continue"])
async def test_resuming_a_session_that_is_open_shows_its_chat(
    nvim: Neovim, panel: Panel, api: FakeApi, command: str
) -> None:
    """Two chats with one session would both write to it."""
    await nvim.lua("vim.ui.select = function(items, _, done) done(items[1], 1) end")
    api.script([text("The word is swordfish.")])
    await panel.send("Which word?")
    await panel.shows("── ")
    await nvim.command("stopinsert | ClaudeChat new")
    await panel.wait_for_chats(2)

    await nvim.command(f"stopinsert | ClaudeChat {command}")

    await panel.shows("The word is swordfish.")
    seen = await panel.look()
    assert seen["count"] == 2
    assert [len(windows) for windows in seen["windows"]] == [1, 1]


async def test_manual_and_default_are_names_of_one_mode(
    nvim: Neovim, cli: Path, path: Path
) -> None:
    panel = await Panel.open(nvim, [cli], mode="manual")
    await panel.bar_shows("manual")
    modes = "getcompletion('ClaudeChat mode ', 'cmdline')"
    await until(lambda: nvim.eval(f"{modes}[:2] == ['manual', 'acceptEdits', 'plan']"), "the modes")

    for name in ("manual", "default"):
        await nvim.command("ClaudeChat mode plan")
        await panel.bar_shows("plan")
        await nvim.command(f"ClaudeChat mode {name}")
        await panel.bar_shows("manual")


async def test_shift_tab_changes_the_mode(nvim: Neovim, panel: Panel) -> None:
    await panel.bar_shows("manual")

    await nvim.keys("<Esc><S-Tab>")

    await panel.bar_shows("acceptEdits")


async def test_a_rejected_api_key_shows_how_to_log_in(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.status = 401

    await panel.send("Hello")

    await panel.shows("L opens a terminal to log in")


async def test_ctrl_c_stops_a_tool(nvim: Neovim, panel: Panel, api: FakeApi) -> None:
    api.script([tool_use("Bash", command="yes >/dev/null; touch made.txt")], [text("Never said.")])

    await panel.send("Wait")
    await panel.shows("? Run this command")
    await nvim.keys("<Esc><CR>")
    await choose_answer(nvim, "y")
    await panel.shows("↳ allowed")
    await nvim.keys("<C-c>")

    shown = await panel.shows("interrupted")
    assert "Never said." not in shown


async def test_a_prompt_during_a_turn_is_queued_and_can_be_withdrawn(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.hold = True
    api.script([text("one two three")], [text("Second.")])
    await panel.send("First")
    await panel.shows("one")

    await panel.send("and then this")
    await panel.send("but not that")
    await panel.shows("⧗ but not that")
    await panel.bar_shows("2 queued")
    assert await panel.go_to("⧗ but not that")
    await nvim.keys("x")

    await panel.shows_no_more("⧗ but not that")
    await until(lambda: _holds(panel, "but not that"), "the text is in the prompt again")
    await panel.bar_shows("1 queued")
    api.hold = False
    await nvim.keys("<C-c>")
    shown = await panel.shows("Second.")
    assert "» and then this" in shown
    assert "but not that" not in api.requests[-1].new_text


async def _holds(panel: Panel, words: str) -> bool:
    return words in (await panel.look())["prompt"]


async def test_gr_redirects_the_present_turn(nvim: Neovim, panel: Panel, api: FakeApi) -> None:
    api.hold = True
    api.script([text("one two three")], [text("Instead.")])
    await panel.send("First")
    await panel.shows("one")
    api.hold = False

    await panel.write()
    await nvim.keys("No, this<Esc>gr")

    await panel.shows("Instead.")
    assert "No, this" in api.requests[-1].new_text


async def test_a_killed_cli_is_restarted_with_its_session(
    nvim: Neovim, panel: Panel, api: FakeApi, project: Path, config_folder: Path
) -> None:
    api.script([text("The word is swordfish.")], [text("You were told.")])
    await panel.send("Which word?")
    await panel.shows("── ")
    await wait_until_saved("swordfish", config_folder)

    os.kill(cli_in(project), signal.SIGKILL)
    await panel.bar_shows("ended")
    await panel.go_to("Which word?")
    await nvim.keys("R")
    await panel.bar_shows("manual")
    await panel.send("What was it?")

    await panel.shows("You were told.")
    assert "swordfish" in str(api.requests[-1].body["messages"])


async def test_a_command_that_is_always_allowed_causes_no_further_request(
    nvim: Neovim, panel: Panel, api: FakeApi, project: Path
) -> None:
    api.script(
        [tool_use("Bash", command="touch made.txt")],
        [text("Made.")],
        [tool_use("Bash", command="touch made.txt")],
        [text("Made again.")],
    )
    await nvim.lua(chunk("chat_requests/accept_rule"))
    await panel.send("Make it")

    await until(lambda: _pressed(panel, "a", project / "made.txt"), "the file")
    assert "↳ always: Bash(touch made.txt" in await panel.shows("Made.")
    await panel.send("Make it again")

    assert (await panel.shows("Made again.")).count("↳") == 1


async def test_gs_steers_the_present_turn(nvim: Neovim, panel: Panel, api: FakeApi) -> None:
    api.script([tool_use("Bash", command="touch made.txt")], [text("As you wish.")])
    await panel.send("Make it")
    await panel.shows("? Run this command")

    await panel.write()
    await nvim.keys("and be quick<Esc>gs")
    await panel.shows("and be quick")
    await nvim.keys("<CR>")
    await choose_answer(nvim, "y")

    shown = await panel.shows("As you wish.")
    assert "» and be quick\n\nAs you wish." in shown
    assert "and be quick" in api.requests[1].new_text


async def test_an_overloaded_model_is_retried_and_reported(panel: Panel, api: FakeApi) -> None:
    api.status = 529
    api.script([text("Here I am.")])

    await panel.send("Hello")

    shown = await panel.shows("failed")
    assert "retried once: overloaded (529)" in shown
    assert "API Error: 529" in shown
    api.status = 200
    await panel.send("Again")
    await panel.shows("Here I am.")
