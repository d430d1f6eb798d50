"""`:ClaudeReview` for the real CLI in a terminal, which asks for nothing."""

from pathlib import Path

import pytest

from support.either_editor import Editor
from support.fake_api import FakeApi, edit, text, tool_use
from support.happenings import follow, names
from support.neovim import WAIT_SECONDS, Neovim, until

from .conftest import begin

MINUS = "\N{MINUS SIGN}"


async def take_a_turn(nvim: Editor, words: str, count: int, seconds: float = WAIT_SECONDS) -> None:
    """Type a prompt into the CLI, and wait until that turn has ended."""
    await nvim.keys(words)
    await until(lambda: words in nvim.screen.text(), "the prompt is typed")
    await nvim.keys("<CR>")
    await until(lambda: names(nvim).count("ClaudeTurnEnd") == count, "the turn ends", seconds)


async def listed(nvim: Editor, command: str) -> list[str]:
    """Run the command in the window with the file; return the list as `file:line text`."""
    await nvim.command(f"stopinsert | wincmd t | {command}")
    await until(lambda: nvim.eval("&buftype == 'quickfix'"), "the list is open")
    items = await nvim.eval(
        "map(getqflist(), {_, v -> [fnamemodify(bufname(v.bufnr), ':t'), v.lnum, v.text]})"
    )
    return [f"{name}:{line} {words}" for name, line, words in items]


@pytest.mark.parametrize("mode", ["acceptEdits", "auto"])
async def test_the_hunks_of_a_cli_are_listed_and_reverted_and_the_model_is_told(
    nvim_with_cli: Neovim, api: FakeApi, path: Path, mode: str
) -> None:
    nvim = nvim_with_cli
    await follow(nvim)
    made = path.with_name("made.txt")
    await begin(nvim, mode)
    api.script(*edit(path, "two", "TWO", then="Edited."))
    await take_a_turn(nvim, "Shout", 1)
    api.script(
        [tool_use("Write", file_path=str(made), content="a\n")],
        [tool_use("Bash", command=f"echo three >> {path.name}", description="Append")],
        [text("All done.")],
    )
    await take_a_turn(nvim, "Append", 2)

    assert await listed(nvim, "ClaudeReview turn") == [
        f"{path.name}:3 +1 {MINUS}0  three",
        f"made.txt:1 +1 {MINUS}0  new file",
    ]
    assert await listed(nvim, "cclose | ClaudeReview") == [
        f"{path.name}:2 +2 {MINUS}1  TWO",
        f"made.txt:1 +1 {MINUS}0  new file",
    ]
    await nvim.keys("x")
    await until(lambda: path.read_text() == "one\ntwo\n", "it is reverted")

    api.script([text("I see.")], [text("Nothing new.")])
    await nvim.command("ClaudeFocus")
    await take_a_turn(nvim, "And now?", 3)
    note = api.requests[-1].new_text.partition("The user has reverted")[2]
    assert f"{path.name}:\n-TWO\n-three\n+two" in note

    await take_a_turn(nvim, "Again?", 4)
    assert "The user has reverted" not in api.requests[-1].new_text
