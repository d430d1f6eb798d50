"""What the real CLI learns of where the user is, and of what the user mentions."""

from pathlib import Path

from support.claude_cli import ClaudeCli
from support.fake_api import FakeApi, text
from support.neovim import Neovim

from .conftest import StartClaude


async def test_the_selected_lines_are_shown_and_told_to_the_model(
    nvim: Neovim, claude: ClaudeCli, api: FakeApi, path: Path
) -> None:
    api.script([text("I see.")])

    await nvim.keys("Vj")
    await claude.shows("⧉ 2 lines selected")
    await claude.prompt("Look")
    await claude.shows("● I see.")

    told = api.requests[0].new_text
    assert f"The user selected the lines 1 to 2 from {path}:\none\ntwo\n" in told


async def test_without_a_selection_the_model_is_told_the_file(
    claude: ClaudeCli, api: FakeApi, path: Path
) -> None:
    api.script([text("I see.")])

    await claude.prompt("Look")
    await claude.shows("● I see.")

    assert f"The user opened the file {path} in the IDE." in api.requests[0].new_text


async def test_claude_send_mentions_a_range_in_the_prompt(nvim: Neovim, claude: ClaudeCli) -> None:
    await nvim.keys(":1,2ClaudeSend<CR>")

    await claude.until(lambda: "@a.py#L1-2" in claude.box(), "the range stands in the prompt box")


async def test_what_was_mentioned_before_the_cli_started_reaches_it(
    nvim: Neovim, ide_port: int, start_claude: StartClaude
) -> None:
    await nvim.keys(":2ClaudeSend<CR>")

    claude = await start_claude(ide_port=ide_port)

    await claude.until(lambda: "@a.py#L2" in claude.box(), "the line stands in the prompt box")


async def test_a_mentioned_file_with_spaces_in_its_path_reaches_the_model(
    nvim: Neovim, claude: ClaudeCli, api: FakeApi, project: Path
) -> None:
    spacious = project / "sp ace" / "x y.py"
    spacious.parent.mkdir()
    spacious.write_text("apple\nbanana\ncherry\n")
    api.script([text("I see.")])

    await nvim.keys(r":ClaudeAdd sp\ ace/x\ y.py 2 3<CR>")
    await claude.until(
        # A long path wraps in the box, at its blanks too.
        lambda: "xy.py#L2-3" in "".join(claude.box().split()),
        "the file stands in the prompt box",
    )
    await claude.prompt("Look")
    await claude.shows("● I see.")

    told = api.requests[0].new_text
    assert "banana" in told
    assert "apple" not in told
