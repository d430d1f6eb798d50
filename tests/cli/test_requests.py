"""Requests of the real CLI: what a yes allows was on the screen before, and who asks is named."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.claude_cli import environment
from support.fake_api import FakeApi, text, tool_use
from support.neovim import Neovim, until
from support.panel import PATIENCE, Panel


@pytest.fixture
async def nvim(
    cli: Path, api: FakeApi, project: Path, tmp_path: Path, config_folder: Path
) -> AsyncIterator[Neovim]:
    """A Neovim whose children find the stand-in for the model."""
    home = tmp_path / "home"
    given = environment(api, home, config_folder)
    del given["PATH"]
    neovim = await Neovim.start(cwd=project, home=home, env=given, columns=80, rows=40)
    yield neovim
    await neovim.stop()


@pytest.fixture
async def panel(nvim: Neovim, cli: Path, path: Path) -> Panel:
    """A chat beside the file at `path`."""
    await nvim.command(f"edit {path}")
    return await Panel.open(nvim, [cli], mode="default")


def body(shown: str) -> str:
    """What a request shows of its input, its rows put together again."""
    rows = [line for line in shown.split("\n") if line.startswith(("  │ ", "  ┊ "))]
    return "".join(f"\n{row[4:]}" if row[2] == "│" else row[4:] for row in rows)[1:]


async def press(panel: Panel, key: str, made: Path) -> bool:
    """Press a key on the request, which counts only once that could be read."""
    if not made.exists() and await panel.go_to(f"  {key}  "):
        await panel.nvim.keys(key)
    return made.exists()


@pytest.mark.parametrize(
    "command",
    [
        "ls # list the files\ntouch HIDDEN | cat",
        f"echo {'a' * 230} ; touch HIDDEN",
        f"ls{' ' * 300}; touch HIDDEN",
    ],
)
async def test_the_whole_command_is_shown_before_it_is_allowed(
    panel: Panel, api: FakeApi, project: Path, command: str
) -> None:
    api.script([tool_use("Bash", command=command)], [text("Made.")])

    await panel.say("Make it")

    shown = await panel.shows("? May Claude use Bash?")
    assert body(shown) == command
    await until(lambda: press(panel, "y", project / "HIDDEN"), "it runs", PATIENCE)


async def test_a_long_command_is_allowed_by_a_second_key(
    panel: Panel, api: FakeApi, project: Path
) -> None:
    command = "\n".join(f"echo step {number}" for number in range(40)) + "\ntouch HIDDEN"
    api.script([tool_use("Bash", command=command)], [text("Made.")])
    await panel.say("Make it")
    assert "  26 more lines\n  y  yes, once" in await panel.shows("more lines")

    async def opened() -> bool:
        await press(panel, "y", project / "HIDDEN")
        return "touch HIDDEN" in await panel.text()

    await until(opened, "all of it", PATIENCE)
    assert not (project / "HIDDEN").exists()
    assert body(await panel.text()) == command
    await until(lambda: press(panel, "y", project / "HIDDEN"), "it runs", PATIENCE)


async def test_what_a_server_is_asked_is_shown(panel: Panel, api: FakeApi, path: Path) -> None:
    asked = {"old_file_path": str(path), "new_file_contents": "new\ntext\n"}
    api.script([tool_use("mcp__neovim__openDiff", **asked)], [text("Shown.")])

    await panel.say("Show it")

    shown = body(await panel.shows("? May Claude use mcp__neovim__openDiff?"))
    assert f"old_file_path: {path}" in shown
    assert "new_file_contents:\n  new\n  text" in shown


async def test_the_subagent_that_asks_is_named(panel: Panel, api: FakeApi, project: Path) -> None:
    run = tool_use("Bash", command="touch made.txt")
    started = {"description": "explore things", "prompt": "Look", "subagent_type": AGENT}
    # The agent goes on beside its subagent, or waits for it.
    api.script([tool_use("Task", **started)], [run], [run], [text("Made.")], [text("Made.")])

    await panel.say("Make it")

    shown = await panel.shows("the subagent")
    assert f'? May the subagent "explore things" ({AGENT}) use Bash?' in shown


AGENT = "general-purpose"
