"""The example agents of ACP's Python SDK, in the panel of a real Neovim."""

import pytest

from support.neovim import Neovim
from support.panel import CONFIGURE, Panel
from support.real_agents import sdk_examples
from support.real_agents.sdk_examples import EXAMPLES, command


@pytest.fixture(autouse=True)
def installed() -> None:
    """Skip the tests if the SDK is not installed."""
    if not sdk_examples.are_installed():
        pytest.skip("the examples of the SDK are not installed: run `make agents`")


@pytest.fixture
async def panel(nvim: Neovim, example: str) -> Panel:
    """A chat with an example, in a folder that the user trusts."""
    await nvim.lua(CONFIGURE, {"agents": {"example": {"cmd": command(example)}}})
    await nvim.command("ClaudeTrust yes")
    await nvim.command("ClaudeChat new example")
    panel = Panel(nvim)
    await panel.wait_until_ready()
    return panel


@pytest.mark.parametrize("example", EXAMPLES)
async def test_an_example_repeats_each_prompt(panel: Panel) -> None:
    await panel.send("Hello, otter")
    assert (await panel.shows("── ")).count("Hello, otter") == 2

    await panel.send("And the river")
    await panel.shows("And the river")
