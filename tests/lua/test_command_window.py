"""Our commands in the command-line window."""

import pytest

from support.either_editor import BOTH, Editor, on_screen
from support.neovim import until

CLOSE = "claude-ide: close the command-line window first"
IN_BOTH = [
    *("Claude", "ClaudeStatus", "ClaudeLog", "ClaudeCommit", "ClaudeFocus", "ClaudeSessions"),
    *("ClaudeAsk why", "ClaudeAsk", "ClaudeEdit", "ClaudeSend!", "ClaudeTrust list"),
]


@pytest.mark.parametrize(
    ("nvim", "command"),
    [(editor, command) for editor in ("neovim", "vim") for command in IN_BOTH]
    + [("neovim", command) for command in ("ClaudeChat", "ClaudeChat new", "ClaudePrompt")]
    + [("vim", "ClaudeCheck")],
    indirect=["nvim"],
)
async def test_a_command_that_opens_a_window_refuses_to_run(nvim: Editor, command: str) -> None:
    await nvim.keys("q:iechoerr 'typed'<Esc>")
    await until(lambda: nvim.eval("getcmdwintype() == ':' && mode() == 'n'"))

    await nvim.keys(f":{command}<CR>")

    await on_screen(nvim, CLOSE)
    assert await nvim.eval("[getcmdwintype(), getline('.'), winnr('$')]") == [
        *(":", "echoerr 'typed'", 2)
    ]


@BOTH
async def test_the_server_starts_from_the_command_line_window(nvim: Editor) -> None:
    await nvim.keys("q:")
    await until(lambda: nvim.eval("getcmdwintype() == ':'"))

    await nvim.keys(":ClaudeStart<CR>")

    await on_screen(nvim, "claude-ide: ready (127.0.0.1:")
