"""Prompts of the chat panel from the moment they are sent, with the real CLI."""

import os
import signal
from pathlib import Path

import pytest

from support.claude_cli import cli_in
from support.fake_api import FakeApi, text
from support.neovim import Neovim, until
from support.panel import CONFIGURE, Panel, holds


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """The file without which the CLI does not start to answer."""
    return tmp_path / "gate"


@pytest.fixture
async def waiting(nvim: Neovim, cli: Path, gate: Path, path: Path) -> Panel:
    """A chat whose CLI waits for the gate; the agent is starting."""
    wrapper = gate.with_name("claude")
    wrapper.write_text(
        f'#!/bin/sh\nwhile [ ! -e "{gate}" ]; do sleep 0.05; done\nexec "{cli}" "$@"\n'
    )
    wrapper.chmod(0o755)
    await nvim.command(f"edit {path}")
    options = {"cmd": [str(wrapper)], "chat": {"mode": "default"}}
    await nvim.lua(CONFIGURE, options)
    await nvim.command("ClaudeChat")
    panel = Panel(nvim)
    await panel.bar_shows("starting")
    return panel


def messages(api: FakeApi) -> str:
    """Return the messages of the last request."""
    return str(api.requests[-1].body["messages"])


async def test_prompts_wait_in_the_transcript_while_the_cli_starts(
    waiting: Panel, api: FakeApi, gate: Path
) -> None:
    # The CLI may answer both in one turn.
    api.script([text("Good day.")], [text("Good day.")])

    await waiting.send("Greet me")
    await waiting.send("Leave me")

    shown = await waiting.shows("⧗ Leave me  x withdraws it")
    assert shown.index("⧗ Greet me") < shown.index("⧗ Leave me")
    gate.touch()
    await waiting.shows("» Leave me")
    shown = await waiting.shows("── ")
    assert shown.index("» Greet me") < shown.index("» Leave me")
    await until(lambda: "Leave me" in messages(api), "both have been asked")
    asked = messages(api)
    assert asked.index("Greet me") < asked.index("Leave me")
    assert "a.py" in asked


async def test_ctrl_c_takes_prompts_back_while_the_cli_starts(
    nvim: Neovim, waiting: Panel, api: FakeApi, gate: Path
) -> None:
    api.script([text("Good bye.")])
    await waiting.send("Greet me")
    await waiting.shows("⧗ Greet me")

    async def is_back() -> bool:
        # Neovim takes CTRL-C as an interrupt, and drops it, if it comes while Lua runs.
        await nvim.keys("<C-c>")
        return await holds(waiting, "Greet me")

    await until(is_back, "the prompt is back")
    await waiting.shows_no_more("Greet me")
    gate.touch()
    await waiting.wait_until_ready()
    await nvim.keys("<Esc>ccLeave me<C-s>")
    await waiting.shows("Good bye.")
    assert "Greet me" not in str(api.requests[0].body["messages"])


async def test_x_takes_one_prompt_back_while_the_cli_starts(
    nvim: Neovim, waiting: Panel, api: FakeApi, gate: Path
) -> None:
    api.script([text("Good bye.")])
    await waiting.send("Greet me")
    await waiting.send("Leave me")
    await waiting.shows("⧗ Leave me")

    assert await waiting.go_to("⧗ Greet me")
    await nvim.keys("x")

    await until(lambda: holds(waiting, "Greet me"), "the prompt is back")
    gate.touch()
    await waiting.shows("Good bye.")
    assert "Greet me" not in str(api.requests[0].body["messages"])


async def test_the_end_of_a_chat_keeps_the_prompts_that_wait(nvim: Neovim, waiting: Panel) -> None:
    await waiting.send("Greet me")
    await waiting.send("Leave me")
    await waiting.shows("⧗ Leave me")

    await nvim.command("stopinsert | ClaudeChat end")

    await until(lambda: "kept in buffer" in nvim.screen.text(), "the message")
    kept = "join(getbufline(bufnr('Kept ('), 1, '$'))"
    assert await nvim.eval(kept) == "Greet me Leave me"


async def test_a_prompt_outlives_a_host_that_ends_while_the_cli_starts(
    nvim: Neovim, waiting: Panel, api: FakeApi, gate: Path
) -> None:
    api.script([text("Good day.")])
    await waiting.send("Greet me")
    await waiting.shows("⧗ Greet me")

    os.kill(await host_of(nvim), signal.SIGKILL)
    await until(lambda: holds(waiting, "Greet me"), "the prompt is back")
    gate.touch()
    await nvim.keys("<C-s>")

    await waiting.shows("Good day.")
    assert (await waiting.text()).count("Greet me") == 1


async def test_a_resumed_session_shows_its_conversation_above_a_prompt_that_waits(
    nvim: Neovim, waiting: Panel, api: FakeApi, gate: Path
) -> None:
    api.script([text("The word is swordfish.")], [text("You were told.")])
    await waiting.send("Which word?")
    gate.touch()
    await waiting.shows("── ")
    await waiting.end()
    gate.unlink()

    await nvim.command("ClaudeChat continue")
    await waiting.bar_shows("starting")
    await waiting.send("What was it?")

    await waiting.shows("⧗ What was it?")
    # The prompt may be there first.
    shown = await waiting.shows("swordfish")
    assert shown.index("swordfish") < shown.index("⧗ What was it?")
    gate.touch()
    await waiting.shows("You were told.")


@pytest.mark.parametrize("dies", ["cli", "host"])
async def test_a_prompt_behind_a_turn_returns_if_the_turn_cannot_end(
    nvim: Neovim, panel: Panel, api: FakeApi, project: Path, dies: str
) -> None:
    api.hold = True
    api.script([text("one two three")])
    await panel.send("First")
    await panel.shows("one")
    await panel.send("and then this")
    await panel.bar_shows("1 queued")

    os.kill(cli_in(project) if dies == "cli" else await host_of(nvim), signal.SIGKILL)

    await until(lambda: holds(panel, "and then this"), "the prompt is back")
    await panel.bar_shows("ended" if dies == "cli" else "not running")
    assert (await panel.look())["prompt"] == ["and then this"]


async def host_of(nvim: Neovim) -> int:
    """Return the process id of the Python host."""
    return int(await nvim.lua("return vim.fn.jobpid(require('claude_ide.channel').id)"))


@pytest.mark.parametrize("how", ["<Esc>:w<CR>", "<C-s>"])
async def test_the_attached_context_is_listed_below_a_prompt(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path, how: str
) -> None:
    api.script([text("I see.")])
    await nvim.keys("<Esc><C-w>h")
    await nvim.keys("x")

    async def chip_is_shown() -> bool:
        return "[a.py, not saved]" in (await panel.look())["prompt_bar"]

    await until(chip_is_shown, "the chip")
    await panel.write()

    await nvim.keys(f"Compare @{path.name}#L1 @nope.txt{how}")

    shown = await panel.shows("I see.")
    line = "  a.py, not saved · a.py:1, unsaved text · @nope.txt not found"
    assert f"» Compare @a.py#L1 @nope.txt\n{line}\n" in shown
