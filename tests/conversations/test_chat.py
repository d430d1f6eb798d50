"""The chat panel in a real Neovim, with a CLI that replays recorded sessions."""

import json
import os
import sys
from pathlib import Path

import pytest

from support.neovim import Neovim, until
from support.panel import CONFIGURE, Open, Panel, holds
from support.processes import alive
from support.transcripts import FAKE_CLI, GOLDEN, read_log

PLAIN = GOLDEN / "plain_thinking.jsonl"


async def test_keys_typed_while_the_host_starts_go_to_the_prompt(
    nvim: Neovim, replay: Open
) -> None:
    await nvim.lua(CONFIGURE, {"cmd": [sys.executable, "-I", str(FAKE_CLI), str(PLAIN)]})
    await nvim.command("edit a.txt")

    await nvim.keys(":ClaudeChat<CR>hello there")

    panel = Panel(nvim)
    await until(lambda: holds(panel, "hello there"), "the prompt holds it")
    assert await nvim.eval("getbufline('a.txt', 1, '$')") == [""]
    await nvim.keys("<C-s>")
    await panel.shows("Hello! **How** can I help?")


async def test_a_chat_needs_no_server(nvim: Neovim, replay: Open, config_folder: Path) -> None:
    config_folder.mkdir(parents=True)
    (config_folder / "ide").write_text("in the way of the lock files")

    panel = await replay("plain_thinking")
    await panel.send("hello there")

    await panel.shows("Hello! **How** can I help?")
    assert await nvim.lua("return require('claude_ide.host').server() == nil")


async def test_prompts_are_sent_in_the_order_in_which_they_were_typed(
    nvim: Neovim, replay: Open, path: Path, log: Path
) -> None:
    await nvim.keys("Ounsaved<Esc>")
    panel = await replay("plain_thinking")

    await panel.write()
    await nvim.keys(f"first @{path.name}<C-s>second<C-s>")

    def sent() -> list[str]:
        frames = [frame for frame in read_log(log) if frame.get("type") == "user"]
        return [frame["message"]["content"][-1]["text"] for frame in frames]

    await until(lambda: len(sent()) == 2, "both are sent")
    assert sent() == ["first @a.py", "second"]


async def test_a_chat_works_in_the_folder_of_its_tab_page(
    nvim: Neovim, replay: Open, project: Path, log: Path
) -> None:
    (project / "sub").mkdir()
    await nvim.command("tcd sub")

    panel = await replay("plain_thinking")
    await panel.send("hello there")

    await panel.shows("── ")
    assert read_log(log)[0]["cwd"] == str(project / "sub")


async def test_a_new_panel_starts_in_insert_mode_in_its_prompt(nvim: Neovim, replay: Open) -> None:
    panel = await replay("plain_thinking")

    seen = await panel.look()
    assert (await nvim.mode())["mode"] == "i"
    assert "<C-s> sends" in seen["prompt_bar"]
    assert await nvim.eval("win_getid()") == seen["windows"][1][0]
    assert [len(windows) for windows in seen["windows"]] == [1, 1]


async def test_text_and_thinking_are_shown(nvim: Neovim, replay: Open) -> None:
    panel = await replay("plain_thinking")

    await panel.send("hello there")
    await panel.shows("── ")
    assert "The user greets me" not in await panel.text()
    assert await panel.go_to("▸ Thought")
    await nvim.keys("<CR>")

    await panel.shows("The user greets me. I will greet back politely.")
    assert (await panel.look())["prompt"] == [""]


async def test_the_chat_continues_while_its_panel_is_hidden(nvim: Neovim, replay: Open) -> None:
    panel = await replay("plain_thinking")
    await panel.send("hello there")
    await nvim.keys("<Esc>")

    await nvim.command("ClaudeChat")
    await until(lambda: nvim.eval("winnr('$') == 1"), "hidden")
    await panel.shows("── ")
    await nvim.command("ClaudeChat")

    await until(lambda: nvim.eval("winnr('$') == 3"), "shown")
    assert "Hello! **How** can I help?" in await panel.text()


async def test_ctrl_c_interrupts_the_turn_and_keeps_the_prompt(
    nvim: Neovim, replay: Open, log: Path
) -> None:
    panel = await replay("interrupt_stream")
    await panel.send("Tell me a story")
    await panel.bar_shows("writing")

    await panel.write()
    await nvim.keys("and then<C-c>")

    await panel.shows("interrupted")
    assert (await panel.look())["prompt"] == ["and then"]


async def test_the_buffer_is_busy_during_a_turn(nvim: Neovim, replay: Open) -> None:
    if not await nvim.eval("exists('+busy')"):
        pytest.skip("this Neovim has no 'busy'")
    is_busy = "getbufvar('Claude chat', '&busy')"
    panel = await replay("interrupt_stream")
    assert await nvim.eval(is_busy) == 0

    await panel.send("Tell me a story")
    await panel.bar_shows("writing")
    assert await nvim.eval(is_busy) == 1
    await panel.write()
    await nvim.keys("<C-c>")

    await panel.shows("interrupted")
    await until(lambda: nvim.eval(f"{is_busy} == 0"), "it is at rest")


async def test_a_dead_cli_is_reported_and_an_unsent_prompt_is_restored(
    nvim: Neovim, replay: Open
) -> None:
    panel = await replay("killed_kill")
    await panel.send("Tell me a story")

    assert "R" in await panel.shows("ended")
    await panel.bar_shows("ended")
    await panel.send("are you there?")
    await until(lambda: holds(panel, "are you there?"), "the prompt is restored")


async def test_the_cli_ends_with_its_buffers_and_with_neovim(
    nvim: Neovim, replay: Open, log: Path
) -> None:
    panel = await replay("plain_thinking")
    pid = await _child(nvim)
    await nvim.command(f"stopinsert | bwipeout! {(await _buffers(nvim))[0]}")

    await until(lambda: not alive(pid), "the CLI has ended")
    assert await panel.look() == {}

    await replay("plain_thinking")
    pid = await _child(nvim)
    nvim.send_request("nvim_command", "qa")
    await nvim.process.wait()
    await until(lambda: not alive(pid), "the CLI has ended with Neovim")


async def _buffers(nvim: Neovim) -> list[int]:
    chat = "local c = require('claude_ide.chat.state').list()[1]; return { c.transcript, c.prompt }"
    return list(await nvim.lua(chat))


async def _child(nvim: Neovim) -> int:
    """The process id of the replaying CLI."""

    def find() -> int:
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    words = (entry / "cmdline").read_bytes().decode().split("\0")
                    cwd = str((entry / "cwd").readlink())
                except (OSError, ValueError):
                    continue
                if str(FAKE_CLI) in words and cwd == here:
                    return int(entry.name)
        return 0

    here = os.path.realpath(await nvim.eval("getcwd()"))
    pid: int = await until(find, "the CLI runs")
    return pid


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("model nonsense", "no such model: nonsense; available: default"),
        ("effort nonsense", "no such effort: nonsense; available: low"),
        ("thinking nonsense", "not a number of tokens or unlimited: nonsense"),
        ("thinking -1", "not a number of tokens or unlimited: -1"),
    ],
)
async def test_an_invalid_setting_is_reported(
    nvim: Neovim, replay: Open, arguments: str, message: str
) -> None:
    await replay("plain_thinking")

    await nvim.keys(f"<Esc>:ClaudeChat {arguments}<CR>")

    await until(lambda: message in nvim.screen.text(), message)


async def test_claude_chat_log_shows_the_traffic_with_the_cli(nvim: Neovim, replay: Open) -> None:
    await replay("plain_thinking")

    await nvim.command("stopinsert | ClaudeChat log")

    await until(lambda: nvim.eval("&filetype == 'jsonl'"), "the log")
    first = json.loads(await nvim.eval("getline(1)"))
    assert (first["dir"], first["m"]["request"]["subtype"]) == ("in", "initialize")


async def test_the_conversation_is_exported(nvim: Neovim, replay: Open, project: Path) -> None:
    panel = await replay("plain_thinking")
    await panel.send("hello there")
    await panel.shows("── ")

    await nvim.command("stopinsert | ClaudeChat export talk.md")

    await until((project / "talk.md").exists, "the file")
    text = (project / "talk.md").read_text()
    assert "## hello there" in text
    assert "Hello! **How** can I help?" in text
