"""`:ClaudeComment`: on a proposal, for the agent to read with the decision; and on a file."""

from pathlib import Path

import msgspec
import pytest

from claude_ide.editor.diffs import words_on_edit
from claude_ide.editor.port.events import Commented
from support.diffs import Diffs
from support.neovim import Neovim, until

OLD = "".join(f"line {number}\n" for number in range(1, 21))
NEW = (
    OLD.replace("line 3\n", "LINE 3\nadded\n")
    .replace("line 12\n", "")
    .replace("line 18", "LINE 18")
)

MARKS = """
local shown = {}
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, { details = true })) do
  if mark[4].sign_text and mark[4].virt_text then
    shown[#shown + 1] = { mark[2] + 1, mark[4].virt_text[1][1] }
  end
end
return shown
"""


@pytest.fixture
async def proposal(nvim: Neovim, diffs: Diffs, path: Path) -> int:
    """A proposal with three hunks; the cursor is in it."""
    path.write_text(OLD)
    return await diffs.open(path, NEW)


async def comment(nvim: Neovim, words: str, lines: str = "") -> None:
    await nvim.command(f"{lines}ClaudeComment {words}")


@pytest.mark.parametrize("accepted", [True, False])
async def test_comments_reach_the_agent_with_the_decision(
    nvim: Neovim, diffs: Diffs, path: Path, proposal: int, accepted: bool
) -> None:
    await nvim.command("normal! 4G")
    await comment(nvim, "why shout? | really")
    await comment(nvim, "the\\nrest", "7,8")
    await nvim.command("normal! 12G")
    await comment(nvim, "keep it")

    await nvim.command("ClaudeAccept" if accepted else "ClaudeReject too loud")

    said = [
        f"{path.name}, lines 3-4:\n> LINE 3\n> added\nwhy shout? | really",
        f"{path.name}, lines 7-8:\n> line 6\n> line 7\nthe\\nrest",
        f"{path.name}, line 13:\n> -line 12\nkeep it",
    ]
    reason, words = await diffs.remarks(proposal)
    if accepted:
        head = f"I have accepted your edit of {path.name}."
        assert reason == ""
    else:
        head = f"I have rejected your edit of {path.name} (lines 3-4, line 13, line 18): too loud"
        assert reason == "\n\n".join(["too loud", *said])
    assert words == "\n\n".join([head, *said])


async def test_comments_outlive_undo_and_dropped_hunks(
    nvim: Neovim, diffs: Diffs, path: Path, proposal: int
) -> None:
    await nvim.command("normal! 3G")
    await comment(nvim, "no")
    await nvim.keys("gXggOabove<Esc>")
    await until(lambda: nvim.eval("getline(4) == 'line 3'"))
    assert await nvim.lua(MARKS) == [[4, "» no"]]

    await nvim.keys("uu")
    await until(lambda: nvim.eval("getline(3) == 'LINE 3'"))

    assert await nvim.lua(MARKS) == [[3, "» no"]]
    await nvim.command("quit")
    _, words = await diffs.remarks(proposal)
    assert words.startswith(f"I have rejected your edit of {path.name}.\n\n")
    assert words.endswith("\nno")


async def test_comments_are_removed_where_the_cursor_is_or_in_a_range(
    nvim: Neovim, diffs: Diffs, proposal: int
) -> None:
    await nvim.command("normal! 3G")
    await comment(nvim, "first")
    await comment(nvim, "second")
    await comment(nvim, "third", "18")
    await nvim.command("normal! 4G")

    await nvim.command("ClaudeComment!")
    assert await nvim.lua(MARKS) == [[18, "» third"]]
    await nvim.command("%ClaudeComment!")
    assert await nvim.lua(MARKS) == []
    await nvim.command("ClaudeComment!")

    await until(lambda: "no comment is here" in nvim.screen.text())
    await nvim.command("write")
    assert await diffs.remarks(proposal) == ("", "")


async def test_the_map_asks_for_the_words_and_dot_repeats_them(
    nvim: Neovim, diffs: Diffs, proposal: int
) -> None:
    await nvim.command("nmap gC <Plug>(claude-comment)")
    await nvim.command("xmap gC <Plug>(claude-comment)")
    await nvim.command("normal! 3G")
    await nvim.keys("gC")
    await until(lambda: "Comment:" in nvim.screen.text())
    await nvim.keys("quieter<CR>")
    await until(lambda: nvim.lua(MARKS))

    await nvim.keys("18G.")
    await until(lambda: nvim.lua(f"return #(function() {MARKS} end)() == 2"))
    await nvim.keys("7GVjgC")
    await until(lambda: "Comment:" in nvim.screen.text())
    await nvim.keys("these<CR>")
    await until(lambda: nvim.lua(f"return #(function() {MARKS} end)() == 3"))

    assert await nvim.lua(MARKS) == [[3, "» quieter"], [7, "» these"], [18, "» quieter"]]


async def test_without_words_nothing_is_said(nvim: Neovim, diffs: Diffs, proposal: int) -> None:
    await nvim.keys(":ClaudeComment<CR>")
    await until(lambda: "Comment:" in nvim.screen.text())
    await nvim.keys("<Esc>")
    await until(lambda: "Comment:" not in nvim.screen.text())

    assert await nvim.lua(MARKS) == []
    await nvim.command("ClaudeReject")
    assert await diffs.remarks(proposal) == ("", "")


async def test_the_window_with_the_old_text_takes_no_comment(
    nvim: Neovim, diffs: Diffs, path: Path, proposal: int
) -> None:
    await nvim.keys("<C-w>h")
    await until(lambda: nvim.eval("winnr() == 1"))

    await comment(nvim, "here")

    await until(lambda: "comment in the window of the proposal" in nvim.screen.text())


async def test_an_edit_that_is_answered_elsewhere_keeps_the_comments(
    nvim: Neovim, diffs: Diffs, path: Path, proposal: int
) -> None:
    await comment(nvim, "first line", "1")

    await nvim.lua(f"require('claude_ide.diff').close({proposal})")

    (said,) = await until(lambda: nvim.events("commented"))
    event = msgspec.convert(said, Commented)
    about = f"About your edit of {path.name}:"
    words = f"{about}\n\n{path.name}, line 1:\n> line 1\nfirst line"
    assert words_on_edit(event.path, event.comments, []) == words
