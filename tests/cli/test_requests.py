"""Requests of the real CLI: `y` allows only what was on the screen, and a subagent is named."""

from pathlib import Path

import pytest

from support.either_editor import Editor
from support.fake_api import FakeApi, text, tool_use
from support.neovim import Neovim, until
from support.panel import Panel

from .conftest import StartWithCli


@pytest.fixture
async def nvim(request: pytest.FixtureRequest, start_with_cli: StartWithCli) -> Editor:
    """A Neovim whose child processes use the stand-in for the model."""
    return await start_with_cli(request, columns=80)


@pytest.fixture
async def panel(nvim: Neovim, cli: Path, path: Path) -> Panel:
    """A chat next to the file at `path`."""
    await nvim.command(f"edit {path}")
    return await Panel.open(nvim, [cli], mode="default")


def body(shown: str) -> str:
    """Return the input that a request shows, with its wrapped rows joined."""
    rows = [line for line in shown.split("\n") if line.startswith(("  │ ", "  ┊ "))]
    return "".join(f"\n{row[4:]}" if row[2] == "│" else row[4:] for row in rows)[1:]


async def press(panel: Panel, key: str, made: Path) -> bool:
    """Press a key on the request, which ignores keys until the user could have read it."""
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

    await panel.send("Make it")

    shown = await panel.shows("? Run this command?")
    assert body(shown) == command
    await until(lambda: press(panel, "y", project / "HIDDEN"), "the command runs")


async def test_the_first_y_shows_all_of_a_long_command_and_the_second_allows_it(
    panel: Panel, api: FakeApi, project: Path
) -> None:
    command = "\n".join(f"echo step {number}" for number in range(40)) + "\ntouch HIDDEN"
    api.script([tool_use("Bash", command=command)], [text("Made.")])
    await panel.send("Make it")
    assert "  26 more lines\n  y  yes, once" in await panel.shows("more lines")

    async def opened() -> bool:
        await press(panel, "y", project / "HIDDEN")
        return "touch HIDDEN" in await panel.text()

    await until(opened, "the whole command")
    assert not (project / "HIDDEN").exists()
    assert body(await panel.text()) == command
    await until(lambda: press(panel, "y", project / "HIDDEN"), "the command runs")


async def test_all_arguments_of_an_mcp_tool_are_shown(
    panel: Panel, api: FakeApi, path: Path
) -> None:
    asked = {"title": "new\ntext\n", "entries": [{"file": str(path), "line": 1}]}
    api.script([tool_use("mcp__neovim__set_list", **asked)], [text("Shown.")])

    await panel.send("Show it")

    shown = body(await panel.shows("? Use mcp__neovim__set_list?"))
    assert str(path) in shown
    assert "title:\n  new\n  text" in shown


async def test_a_request_names_the_subagent_that_asks(
    panel: Panel, api: FakeApi, project: Path
) -> None:
    run = tool_use("Bash", command="touch made.txt")
    started = {"description": "explore things", "prompt": "Look", "subagent_type": AGENT}
    # The agent continues while its subagent runs, or waits for it.
    api.script([tool_use("Task", **started)], [run], [run], [text("Made.")], [text("Made.")])

    await panel.send("Make it")

    shown = await panel.shows("The subagent")
    assert f'? The subagent "explore things" ({AGENT}) asks: run this command?' in shown


AGENT = "general-purpose"
