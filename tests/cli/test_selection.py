"""The user's selection, file and mentions reach the real CLI and its model."""

from pathlib import Path

from support.claude_cli import ClaudeCli
from support.either_editor import BOTH, Editor
from support.fake_api import FakeApi, text

from .conftest import StartClaude

pytestmark = BOTH


async def test_the_selection_is_shown_in_the_cli_and_sent_to_the_model(
    nvim: Editor, claude: ClaudeCli, api: FakeApi, path: Path
) -> None:
    api.script([text("I see.")])

    await nvim.keys("Vj")
    await claude.shows("⧉ 2 lines selected")
    await claude.prompt("Look")
    await claude.shows("● I see.")

    message = api.requests[0].new_text
    assert f"The user selected the lines 1 to 2 from {path}:\none\ntwo\n" in message


async def test_without_a_selection_the_model_receives_the_files_name(
    claude: ClaudeCli, api: FakeApi, path: Path
) -> None:
    api.script([text("I see.")])

    await claude.prompt("Look")
    await claude.shows("● I see.")

    assert f"The user opened the file {path} in the IDE." in api.requests[0].new_text


async def test_claude_send_mentions_a_range_in_the_prompt(nvim: Editor, claude: ClaudeCli) -> None:
    await nvim.keys(":1,2ClaudeSend<CR>")

    await claude.until(lambda: "@a.py#L1-2" in claude.box(), "the range is in the prompt box")


async def test_a_mention_from_before_the_cli_started_reaches_it(
    nvim: Editor, ide_port: int, start_claude: StartClaude
) -> None:
    await nvim.keys(":2ClaudeSend<CR>")

    claude = await start_claude(ide_port=ide_port)

    await claude.until(lambda: "@a.py#L2" in claude.box(), "the line is in the prompt box")


async def test_a_mentioned_file_with_spaces_in_its_path_reaches_the_model(
    nvim: Editor, claude: ClaudeCli, api: FakeApi, project: Path
) -> None:
    spacious = project / "sp ace" / "x y.py"
    spacious.parent.mkdir()
    spacious.write_text("apple\nbanana\ncherry\n")
    api.script([text("I see.")])

    await nvim.keys(r":ClaudeAdd sp\ ace/x\ y.py 2 3<CR>")
    await claude.until(
        # A long path wraps in the box, also at its blanks.
        lambda: "xy.py#L2-3" in "".join(claude.box().split()),
        "the file is in the prompt box",
    )
    await claude.prompt("Look")
    await claude.shows("● I see.")

    message = api.requests[0].new_text
    assert "banana" in message
    assert "apple" not in message
