"""The real CLI finds the server in a real editor."""

import pytest

from support.either_editor import BOTH

from .conftest import StartClaude

pytestmark = BOTH


async def test_a_cli_in_the_editors_terminal_finds_the_server_by_its_port(
    start_claude: StartClaude, ide_port: int
) -> None:
    claude = await start_claude(ide_port=ide_port)

    await claude.shows("⧉ In a.py")


@pytest.mark.usefixtures("ide_port")
async def test_a_cli_outside_of_the_editor_finds_the_server_by_its_lock_file(
    start_claude: StartClaude,
) -> None:
    claude = await start_claude("--ide")

    await claude.shows("⧉ In a.py")
