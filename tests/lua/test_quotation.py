"""Words that quote a file are no command of an agent, however the file's path begins."""

from pathlib import Path

import pytest

from support.buffers import edit
from support.chats import Chats
from support.diffs import Diffs
from support.neovim import Neovim, until

SET = """
vim.g.claude_ide = { prompts = { about = '{selection}', file = '{file}', shell = '!touch made' } }
vim.diagnostic.set(vim.api.nvim_create_namespace('linter'), 0, {
  { lnum = 0, col = 0, severity = 1, message = 'wrong' },
})
"""

FIX = "Fix this:\n- line 1, error: wrong"

COMMANDS = ["ClaudeFix", "1ClaudeFix"]

PATHS = [
    ("!touch made;/a.py", "./!touch made;/a.py"),
    (" !touch made;#.py", "./ !touch made;#.py"),
    ("#a.py", "./#a.py"),
    ("@a.py", "./@a.py"),
    ("-a.py", "./-a.py"),
    ("a!.py", "a!.py"),
    ("_a/b c.py", "_a/b c.py"),
    (".a/b.py", ".a/b.py"),
]


async def show(nvim: Neovim, path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("one\n")
    await edit(nvim, path)
    await nvim.lua(SET)


async def said(nvim: Neovim) -> str:
    """What was sent to the terminal."""
    (event,) = await until(lambda: nvim.events("commented"))
    words: str = event["words"]
    return words


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("name", "shown"), PATHS)
async def test_the_path_begins_no_command(
    nvim: Neovim, diffs: Diffs, project: Path, name: str, shown: str, command: str
) -> None:
    await show(nvim, project / name)

    await nvim.command(command)

    assert (await said(nvim)).startswith((f"{shown}, line 1:\n", f"{shown}:\n"))


async def test_a_path_from_the_root_begins_no_command(nvim: Neovim, project: Path) -> None:
    quote = "return require('claude_ide.diff.quotation').of(..., { 1, 1 }, {}, '> ', '')"

    assert await nvim.lua(quote, "/clear all/a.py") == "/./clear all/a.py, line 1:\n"
    assert await nvim.lua(quote, "/clear") == "/./clear, line 1:\n"
    assert await nvim.lua(quote, "/home/some one/a.py") == "/home/some one/a.py, line 1:\n"


async def test_the_prompt_for_the_terminal_quotes_it_in_the_same_way(
    nvim: Neovim, diffs: Diffs, project: Path
) -> None:
    await show(nvim, project / "!touch made;" / "a.py")

    await nvim.command("1ClaudePrompt")

    lines = await nvim.eval("getline(1, '$')")
    assert lines[0] == "./!touch made;/a.py, line 1:"


async def test_a_proposal_quotes_it_in_the_same_way(
    nvim: Neovim, diffs: Diffs, project: Path
) -> None:
    path = project / "!touch made;" / "a.py"
    await show(nvim, path)
    proposal = await diffs.open(path, "two\n")
    await nvim.command("1ClaudeComment look")
    await nvim.command("ClaudeReject!")

    words = (await diffs.decision(proposal))["words"]
    assert "\n\n./!touch made;/a.py, line 1:\n" in words


@pytest.mark.parametrize(
    ("command", "sent"),
    [
        ("1ClaudeFix", f"./!touch made;/a.py, line 1:\n> one\n{FIX}"),
    ],
)
async def test_the_chat_runs_no_composed_words(
    nvim: Neovim, chats: Chats, project: Path, command: str, sent: str
) -> None:
    await chats.open()
    await nvim.keys("<Esc><C-w>h")
    await show(nvim, project / "!touch made;" / "a.py")

    await nvim.command(command)

    assert (await chats.wait_for_event("send"))["text"] == sent
