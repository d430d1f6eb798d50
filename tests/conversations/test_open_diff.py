"""`openDiff` from the socket to the keys and back."""

from pathlib import Path

from support.claude_code import ClaudeCode
from support.neovim import Neovim, until


async def diff_is_ready(nvim: Neovim) -> None:
    """Wait until a proposal is on the screen and takes keys."""
    shown = "vim.tbl_filter(function(d) return d.shown end, require('claude_ide.diff').list())"
    await until(lambda: nvim.lua(f"return #{shown}"), "a diff")


async def test_w_accepts_and_answers_with_the_text(
    serving: Neovim, claude: ClaudeCode, project: Path
) -> None:
    path = project / "greet.py"
    path.write_text("print('hi')\n")
    _, asked = claude.start_call(
        "openDiff",
        {
            "old_file_path": str(path),
            "new_file_path": str(path),
            "new_file_contents": "print('hello')\n",
            "tab_name": "t",
        },
    )
    await diff_is_ready(serving)

    await serving.keys(":w<CR>")

    result = await asked
    assert [block["text"] for block in result["content"]] == ["FILE_SAVED", "print('hello')\n"]
    assert path.read_text() == "print('hi')\n"
    await until(lambda: serving.eval("tabpagenr('$') == 1"))
