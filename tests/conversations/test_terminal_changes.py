"""`:ClaudeChanges` for CLIs in terminals, whose hooks report what they write."""

from pathlib import Path

import pytest

from claude_ide.hooks.changes import AllChanges
from support.happenings import HookedCli, follow, recorder, the
from support.neovim import Neovim, until

CONFIGURE = "vim.g.claude_ide = vim.tbl_extend('force', vim.g.claude_ide, ...)"
CHOOSE = """
local index = ...
vim.ui.select = function(items, _, done)
  vim.g.asked = items
  done(items[index], index)
end
"""
HEAR = """
vim.api.nvim_create_autocmd('User', {
  pattern = 'ClaudeComment',
  callback = function(event)
    vim.g.said = event.data
  end,
})
"""
MINUS = "\N{MINUS SIGN}"


@pytest.fixture
def record(tmp_path: Path) -> tuple[Path, Path]:
    """A program that records its arguments, and its record."""
    return recorder(tmp_path)


@pytest.fixture
async def cli(nvim: Neovim, record: tuple[Path, Path]) -> HookedCli:
    """A CLI in the terminal of `:Claude`."""
    await nvim.lua(CONFIGURE, {"cmd": str(record[0])})
    await follow(nvim)
    await nvim.command("Claude")
    return await HookedCli.started(record[1])


async def another(nvim: Neovim, record: tuple[Path, Path], command: str) -> HookedCli:
    """Start another CLI, which has a session of its own."""
    record[1].unlink()
    await nvim.command(f"stopinsert | {command}")
    cli = await HookedCli.started(record[1])
    cli.session = "s-2"
    return cli


async def write(cli: HookedCli, path: Path, text: str | None, use: str = "t1") -> None:
    """Have the CLI write a file, or delete it, in a turn of its own; it reports no text."""
    await cli.send("UserPromptSubmit", prompt=f"write {path.name}", cwd=str(path.parent))
    await edit(cli, path, text, use)
    await cli.send("Stop")


async def edit(cli: HookedCli, path: Path, text: str | None, use: str = "t1") -> None:
    """Have the CLI write a file, or delete it."""
    tool = {"tool_name": "Edit", "tool_use_id": use, "tool_input": {"file_path": str(path)}}
    await cli.send("PreToolUse", **tool)
    path.unlink() if text is None else path.write_text(text)
    await cli.send("PostToolUse", **tool)


async def listed(nvim: Neovim, command: str = "ClaudeChanges") -> list[str]:
    """Run the command in a window with a file, and return the list as `file:line text`."""
    await nvim.command("cclose | stopinsert | wincmd t | call setqflist([])")
    await nvim.command(command)
    await until(lambda: nvim.eval("&buftype == 'quickfix'"), "the list is open")
    items = await nvim.eval(
        "map(getqflist(), {_, v -> [fnamemodify(bufname(v.bufnr), ':t'), v.lnum, v.text]})"
    )
    return [f"{name}:{line} {words}" for name, line, words in items]


async def says(nvim: Neovim, words: str) -> None:
    await until(lambda: nvim.eval(f"execute('messages') =~ '{words}'"), words)


async def test_the_hunks_of_the_turn_and_of_the_session_are_listed(
    nvim: Neovim, path: Path, cli: HookedCli
) -> None:
    path.write_text("one\ntwo\n")
    made = path.with_name("made.txt")
    await write(cli, path, "one\nTWO\n")
    await write(cli, made, "a\n")

    assert await listed(nvim) == [f"made.txt:1 +1 {MINUS}0  new file"]
    assert "changes of “write made.txt”" in await nvim.eval("getqflist({'title': 0}).title")
    assert await listed(nvim, "ClaudeChanges!") == [
        f"{path.name}:2 +1 {MINUS}1  TWO",
        f"made.txt:1 +1 {MINUS}0  new file",
    ]
    assert await nvim.eval("getcompletion('ClaudeChanges ', 'cmdline')") == [path.name, "made.txt"]


async def test_a_hunk_is_reverted_in_one_undo_step(
    nvim: Neovim, path: Path, cli: HookedCli
) -> None:
    path.write_text("one\ntwo\nthree\nfour\nfive\n")
    await write(cli, path, "1\ntwo\nthree\nfour\n5\n")
    await listed(nvim)

    await nvim.keys("Vjx")

    await until(lambda: path.read_text() == "one\ntwo\nthree\nfour\nfive\n")
    await nvim.command("wincmd t | undo")
    assert await nvim.eval("getline(1, '$')") == ["1", "two", "three", "four", "5"]


async def test_what_a_command_changes_is_listed(nvim: Neovim, path: Path, cli: HookedCli) -> None:
    path.write_text("one\n")
    await nvim.command(f"wincmd t | edit {path}")
    await cli.send("UserPromptSubmit", prompt="run", cwd=str(path.parent))
    tool = {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "sed …"}}
    await cli.send("PreToolUse", **tool)
    path.write_text("one\ntwo\n")
    await cli.send("PostToolUse", **tool)

    assert await listed(nvim) == [f"{path.name}:2 +1 {MINUS}0  two"]


async def test_a_file_whose_earlier_text_nobody_has_is_listed_without_hunks(
    nvim: Neovim, path: Path, cli: HookedCli
) -> None:
    result = {"filePath": str(path), "structuredPatch": ()}
    # The next host gets only the end of a use.
    tool = {"tool_name": "Edit", "tool_use_id": "t1", "tool_input": {"file_path": str(path)}}
    await cli.send("PostToolUse", **tool, tool_response=result)

    (entry,) = await listed(nvim)

    assert entry.endswith("changed; its lines are unknown: the text before was not seen")


async def test_the_user_chooses_one_of_several_clis(
    nvim: Neovim, path: Path, cli: HookedCli, record: tuple[Path, Path]
) -> None:
    other = await another(nvim, record, "ClaudeNew")
    await write(cli, path, "first\n")
    await write(other, path.with_name("b.txt"), "second\n")
    await nvim.lua(CHOOSE, 2)

    assert await listed(nvim) == [f"{path.name}:1 +1 {MINUS}3  first"]

    assert await nvim.eval("g:asked") == [
        "Claude 2: write b.txt",
        f"Claude 1: write {path.name}",
    ]


async def test_the_cli_of_this_tab_page_is_meant(
    nvim: Neovim, path: Path, cli: HookedCli, record: tuple[Path, Path]
) -> None:
    await nvim.command("stopinsert | tabnew")
    other = await another(nvim, record, "ClaudeNew")
    await write(cli, path, "first\n")
    await write(other, path.with_name("b.txt"), "second\n")

    assert await listed(nvim) == [f"b.txt:1 +1 {MINUS}0  new file"]
    await nvim.command("cclose | tabfirst")
    (entry,) = await listed(nvim)
    assert entry.startswith(path.name)


async def test_the_changes_outlive_their_cli(nvim: Neovim, path: Path, cli: HookedCli) -> None:
    await write(cli, path, "first\n")
    await nvim.keys("<CR>")  # the program ends
    await the(nvim, "ClaudeSessionEnd")

    (entry,) = await listed(nvim)

    assert entry.startswith(path.name)


async def test_without_changes_one_line_says_so(nvim: Neovim, cli: HookedCli) -> None:
    await cli.send("UserPromptSubmit", prompt="hello")
    await nvim.command("stopinsert | wincmd t | ClaudeChanges")

    await says(nvim, "no file has changed: there is no chat, and no CLI has reported a change")


async def test_the_texts_of_the_sessions_that_were_active_longest_ago_are_dropped(
    tmp_path: Path,
) -> None:
    sessions = AllChanges(None, "Claude", most=10)  # type: ignore[arg-type]
    for session in ("1", "2"):
        path = tmp_path / session
        path.write_text("x" * 6)
        changes = sessions.of(session, session, str(tmp_path))
        await changes.before_write(str(path))
        path.unlink()
    assert [changes.launch for changes in await sessions.found()] == ["2", "1"]

    sessions.forget()

    assert [changes.launch for changes in await sessions.found()] == ["2"]


async def test_a_hunk_that_is_marked_as_seen_stays_marked(
    nvim: Neovim, path: Path, cli: HookedCli
) -> None:
    path.write_text("one\ntwo\nthree\nfour\nfive\n")
    await write(cli, path, "1\ntwo\nthree\nfour\n5\n")
    await listed(nvim)

    await nvim.keys("s")

    seen = [f"{path.name}:1 seen: +1 {MINUS}1  1", f"{path.name}:5 +1 {MINUS}1  5"]
    await until(lambda: has_marked(nvim), "the entry is marked")
    assert await listed(nvim, "ClaudeChanges!") == seen
    await nvim.keys("x")
    await until(lambda: path.read_text() == "one\ntwo\nthree\nfour\n5\n")
    assert (await listed(nvim))[0] == f"{path.name}:1 reverted: +1 {MINUS}1  1"


async def has_marked(nvim: Neovim) -> bool:
    return "seen: " in await nvim.eval("getqflist()[0].text")


async def test_words_on_a_hunk_go_where_those_of_the_command_go(
    nvim: Neovim, path: Path, cli: HookedCli
) -> None:
    path.write_text("one\ntwo\n")
    await write(cli, path, "one\nTWO\nmore\n")
    await nvim.lua(HEAR)
    await listed(nvim)

    await nvim.keys("c")
    await until(lambda: "Comment:" in nvim.screen.text(), "it asks")
    await nvim.keys("Why?<CR>")

    said = await until(lambda: nvim.eval("get(g:, 'said')"), "it is said")
    assert (said["first"], said["last"], said["words"]) == (2, 3, "Why?")
    assert said["path"] == str(path)
