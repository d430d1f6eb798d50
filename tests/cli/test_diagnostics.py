"""New diagnostics after an edit reach the model together with the edit's outcome."""

from pathlib import Path

import pytest

from support.claude_cli import ClaudeCli
from support.fake_api import FakeApi, edit, text, tool_use
from support.language_client import attach, attach_to_every_text_file
from support.neovim import Neovim

from .conftest import StartClaude, diff_opened


async def test_the_request_after_an_edit_includes_the_errors_it_caused(
    nvim: Neovim, claude: ClaudeCli, api: FakeApi, path: Path
) -> None:
    await attach(nvim)
    api.script(*edit(path, "two", "a wrong two", then="All done."))

    await claude.prompt("Err")
    await diff_opened(nvim)
    await nvim.keys(":w<CR>")
    await claude.shows("● All done.")

    assert path.read_text() == "one\na wrong two\n"
    assert "✘ [Line 2:3] wrong word [report-wrong] (words)" in api.requests[2].new_text


async def test_an_error_that_only_moved_with_its_line_is_not_reported_as_new(
    nvim: Neovim, claude: ClaudeCli, api: FakeApi, path: Path
) -> None:
    path.write_text("one\na wrong two\n")
    await nvim.command("edit!")
    await attach(nvim)
    api.script(*edit(path, "one", "an odd one\none", then="All done."))

    await claude.prompt("Err")
    await diff_opened(nvim)
    await nvim.keys(":w<CR>")
    await claude.shows("● All done.")

    assert "[Line 1:4] odd word" in api.requests[2].new_text
    assert "wrong word" not in api.requests[2].new_text


@pytest.fixture
async def closed(nvim: Neovim, project: Path) -> Path:
    """A file with an error that is not open; a server checks each text file that is loaded."""
    await attach_to_every_text_file(nvim)
    path = project / "closed.txt"
    path.write_text("a wrong one\ntwo\n")
    return path


async def listed(nvim: Neovim) -> list[str]:
    names = await nvim.eval("map(getbufinfo({'buflisted': 1}), 'v:val.name')")
    return [Path(name).name for name in names]


@pytest.mark.parametrize("mode", ["default", "acceptEdits"])
async def test_an_edit_of_a_file_that_is_not_open_is_checked(
    nvim: Neovim, start_claude: StartClaude, ide_port: int, api: FakeApi, closed: Path, mode: str
) -> None:
    claude = await start_claude("--permission-mode", mode, ide_port=ide_port)
    await claude.shows("⧉ In a.py")
    api.script(*edit(closed, "two", "an odd two", then="All done."))

    await claude.prompt("Err")
    if mode == "default":
        await diff_opened(nvim)
        await nvim.keys(":w<CR>")
    await claude.shows("● All done.")

    assert "⚠ [Line 2:4] odd word [report-odd] (words)" in api.requests[2].new_text
    assert "wrong word" not in api.requests[2].new_text
    assert await listed(nvim) == ["a.py"]


@pytest.mark.parametrize("mode", ["default", "acceptEdits"])
async def test_a_new_file_is_checked(
    nvim: Neovim, start_claude: StartClaude, ide_port: int, api: FakeApi, closed: Path, mode: str
) -> None:
    claude = await start_claude("--permission-mode", mode, ide_port=ide_port)
    await claude.shows("⧉ In a.py")
    new = closed.with_name("new.txt")
    write = tool_use("Write", file_path=str(new), content="one\na wrong two\n")
    api.script([write], [text("All done.")])

    await claude.prompt("Err")
    if mode == "default":
        await diff_opened(nvim)
        await nvim.keys(":w<CR>")
    await claude.shows("● All done.")

    assert "✘ [Line 2:3] wrong word [report-wrong] (words)" in api.requests[1].new_text
    assert await listed(nvim) == ["a.py"]


async def test_the_model_can_request_the_diagnostics_of_a_file_that_is_not_open(
    start_claude: StartClaude, ide_port: int, api: FakeApi, closed: Path
) -> None:
    claude = await start_claude("--allowedTools", "mcp__ide__getDiagnostics", ide_port=ide_port)
    await claude.shows("⧉ In a.py")
    ask = [
        tool_use("mcp__ide__getDiagnostics", uri=f"file://{path}")
        for path in (closed, closed.with_name("none.txt"))
    ]
    api.script(ask, [text("I see.")])

    await claude.prompt("What is wrong?")
    await claude.shows("● I see.")

    assert "wrong word" in api.requests[1].new_text
    assert "none.txt: no such file" in api.requests[1].new_text
