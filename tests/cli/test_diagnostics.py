"""What Neovim's diagnostics say of an edit reaches the model together with the edit's outcome."""

from pathlib import Path

from support.claude_cli import ClaudeCli
from support.fake_api import FakeApi, edit
from support.language_client import attach
from support.neovim import Neovim

from .conftest import diff_opened


async def test_an_error_that_an_edit_causes_is_told_in_the_request_that_follows(
    nvim: Neovim, claude: ClaudeCli, api: FakeApi, path: Path
) -> None:
    await attach(nvim)
    api.script(*edit(path, "two", "a wrong two", then="All done."))

    await claude.prompt("Err")
    await diff_opened(nvim)
    await nvim.keys(":w<CR>")
    await claude.shows("● All done.")

    assert path.read_text() == "one\na wrong two\n"
    assert "✘ [Line 2:3] wrong word [report-wrong] (words)" in api.requests[2].told
