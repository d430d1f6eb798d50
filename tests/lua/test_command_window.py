"""Our commands in the command-line window."""

import pytest

from support.neovim import Neovim, until

CLOSE = "claude-ide: close the command-line window first"


@pytest.mark.parametrize(
    "command",
    [
        *("Claude", "ClaudeChat", "ClaudeChat new", "ClaudeStatus", "ClaudeLog", "ClaudeCommit"),
        *("ClaudeAsk why", "ClaudeAsk", "ClaudeEdit", "ClaudeSend!", "ClaudeTrust list"),
        "ClaudePrompt",
    ],
)
async def test_a_command_that_opens_a_window_refuses_to_run(nvim: Neovim, command: str) -> None:
    await nvim.keys("q:iechoerr 'typed'<Esc>")
    await until(lambda: nvim.eval("getcmdwintype() == ':' && mode() == 'n'"))

    await nvim.keys(f":{command}<CR>")

    await until(lambda: CLOSE in nvim.screen.text())
    assert await nvim.eval("[getcmdwintype(), getline('.'), winnr('$')]") == [
        *(":", "echoerr 'typed'", 2)
    ]


async def test_the_server_starts_from_the_command_line_window(nvim: Neovim) -> None:
    await nvim.keys("q:")
    await until(lambda: nvim.eval("getcmdwintype() == ':'"))

    await nvim.keys(":ClaudeStart<CR>")

    await until(lambda: "claude-ide: ready (127.0.0.1:" in nvim.screen.text())
