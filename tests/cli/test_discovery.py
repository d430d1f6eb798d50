"""The real CLI finds the server in a real Neovim."""

import pytest

from .conftest import StartClaude


async def test_a_cli_in_neovims_terminal_finds_the_server_by_its_port(
    start_claude: StartClaude, ide_port: int
) -> None:
    claude = await start_claude(ide_port=ide_port)

    await claude.shows("⧉ In a.py")


@pytest.mark.usefixtures("ide_port")
async def test_a_cli_outside_of_neovim_finds_the_server_by_its_lock_file(
    start_claude: StartClaude,
) -> None:
    claude = await start_claude("--ide")

    await claude.shows("⧉ In a.py")
