"""The user and an agent change the same file at the same time."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.either_editor import BOTH, Editor, on_screen, run, shows_a_diff
from support.happenings import HookedCli
from support.neovim import until
from support.reviewing import drawn
from support.reviews import start_cli

pytestmark = BOTH

BEFORE = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"
QUESTION = "(y/n)"


@pytest.fixture
async def cli(nvim: Editor, path: Path, tmp_path: Path) -> HookedCli:
    """A CLI in the terminal of `:Claude`; the user is in the file."""
    path.write_text(BEFORE)
    cli = await start_cli(nvim, tmp_path)
    await cli.send("UserPromptSubmit", prompt="go", cwd=str(path.parent))
    await until(lambda: nvim.eval("exists('#claude_ide_disk_change#BufReadPost')"), "it watches")
    return cli


async def edit(cli: HookedCli, path: Path, change: Callable[[], object]) -> None:
    """Change a file as the tool Edit does."""
    tool = {"tool_name": "Edit", "tool_use_id": "t", "tool_input": {"file_path": str(path)}}
    await cli.send("PreToolUse", **tool)
    change()
    await cli.send("PostToolUse", **tool)


def replace(path: Path, old: str, new: str) -> None:
    path.write_text(path.read_text().replace(old, new))


async def holds(nvim: Editor, text: str) -> None:
    """Wait until the buffer has a text."""
    await until(lambda: is_text(nvim, text), repr(text))


async def is_text(nvim: Editor, text: str) -> bool:
    return bool(await nvim.eval("getline(1, '$')") == text.splitlines())


async def writes(nvim: Editor, path: Path, text: str) -> None:
    """Type `:w`, and wait until it has written without a question."""
    await nvim.keys(":w\r")
    await until(lambda: path.read_text() == text, "it is written")
    assert QUESTION not in nvim.screen.text()
    await until(lambda: nvim.eval("!&modified"))


async def test_both_changes_are_merged_once_the_user_is_out_of_insert_mode(
    nvim: Editor, cli: HookedCli, path: Path
) -> None:
    await nvim.keys("Omine")
    await until(lambda: nvim.eval("getline(1) ==# 'mine'"))
    await edit(cli, path, lambda: replace(path, "four", "FOUR"))
    await nvim.keys(" too")
    await holds(nvim, "mine too\n" + BEFORE)
    assert await nvim.eval("mode() ==# 'i'")

    await nvim.keys("\x1b")
    both = "mine too\n" + BEFORE.replace("four", "FOUR")
    await holds(nvim, both)
    assert await nvim.eval("&modified")
    await on_screen(nvim, "Claude changed a.py (+1 \N{MINUS SIGN}1); u undoes")
    await nvim.keys("u")
    await holds(nvim, "mine too\n" + BEFORE)
    await nvim.keys("\x12")
    await holds(nvim, both)
    await writes(nvim, path, both)


async def test_several_writes_are_merged_together(nvim: Editor, cli: HookedCli, path: Path) -> None:
    await nvim.keys("Omine")
    await edit(cli, path, lambda: replace(path, "four", "FOUR"))
    await edit(cli, path, lambda: replace(path, "FOUR", "Four"))
    await edit(cli, path, lambda: replace(path, "six", "SIX"))
    await nvim.keys("\x1b")

    both = "mine\n" + BEFORE.replace("four", "Four").replace("six", "SIX")
    await holds(nvim, both)
    await writes(nvim, path, both)


async def test_what_a_command_writes_while_it_runs_is_merged(
    nvim: Editor, cli: HookedCli, path: Path
) -> None:
    tool = {"tool_name": "Bash", "tool_use_id": "b", "tool_input": {"command": "x"}}
    await nvim.keys("ccmine\x1b")
    await until(lambda: nvim.eval("getline(1) ==# 'mine'"))
    await cli.send("PreToolUse", **tool)
    replace(path, "six", "SIX")
    await holds(nvim, BEFORE.replace("one", "mine").replace("six", "SIX"))
    replace(path, "SIX", "Six")

    both = BEFORE.replace("one", "mine").replace("six", "Six")
    await holds(nvim, both)
    await cli.send("PostToolUse", **tool)
    await writes(nvim, path, both)


async def overlap(nvim: Editor, cli: HookedCli, path: Path) -> None:
    """Change the first and the last line; have the agent change the first one and the fourth."""
    await nvim.keys("ccmine\x1bGccmy end\x1b")
    await until(lambda: nvim.eval("getline('$') ==# 'my end'"))
    await edit(cli, path, lambda: path.write_text(BEFORE.replace("o", "O")))
    await until(lambda: shows_a_diff(nvim), "a diff")
    await on_screen(nvim, "you have changed the same lines")


async def test_where_the_changes_overlap_a_diff_has_the_agents_lines(
    nvim: Editor, cli: HookedCli, path: Path
) -> None:
    await overlap(nvim, cli, path)
    await nvim.keys(":w\r")
    await until(lambda: nvim.eval("!&diff && bufname() =~# 'a.py$'"), "the diff is closed")

    theirs = BEFORE.replace("o", "O").replace("seven", "my end")
    await holds(nvim, theirs)
    assert path.read_text() == BEFORE.replace("o", "O")
    await writes(nvim, path, theirs)
    # A revert brings back what the user had there.
    await nvim.command("ClaudeRevert!")
    await holds(nvim, BEFORE.replace("one", "mine").replace("seven", "my end"))


async def test_a_diff_that_is_rejected_leaves_the_users_lines(
    nvim: Editor, cli: HookedCli, path: Path
) -> None:
    await overlap(nvim, cli, path)
    await nvim.keys(":q\r")
    await until(lambda: nvim.eval("!&diff && bufname() =~# 'a.py$'"), "the diff is closed")
    mine = BEFORE.replace("one", "mine").replace("seven", "my end")
    await holds(nvim, mine)
    await drawn(nvim)
    await writes(nvim, path, mine)
    assert not await nvim.eval("claude_ide#review().files")


async def test_what_the_user_saves_meanwhile_loses_nothing(
    nvim: Editor, cli: HookedCli, path: Path
) -> None:
    await nvim.keys("Omine")
    await until(lambda: nvim.eval("getline(1) ==# 'mine'"))
    await edit(cli, path, lambda: replace(path, "four", "FOURTH"))
    await until(lambda: is_known(nvim, path), "the editor knows of the write")
    await nvim.keys("\x0f:w\r")
    await until(lambda: path.read_text() == "mine\n" + BEFORE)
    assert QUESTION not in nvim.screen.text()

    await nvim.keys("\x1b")
    both = "mine\n" + BEFORE.replace("four", "FOURTH")
    await holds(nvim, both)
    await writes(nvim, path, both)


@pytest.mark.parametrize("words", [":w\r", ":wq\r", "ZZ"])
async def test_a_write_of_the_user_just_after_the_agents_asks_nothing(
    nvim: Editor, cli: HookedCli, path: Path, words: str
) -> None:
    await nvim.keys("Omine\x1b")
    await until(lambda: nvim.eval("getline(1) ==# 'mine'"))
    theirs = BEFORE.replace("four", "FOURTH")
    tool = {"tool_name": "Edit", "tool_use_id": "t", "tool_input": {"file_path": str(path)}}
    await cli.send("PreToolUse", **tool)
    lines = theirs.replace("\n", " ")
    # The host has no time to look between the two.
    await nvim.keys(f":call writefile(split('{lines}'), '{path}')\r{words}")

    said = "a.py was not written: it has just changed on disk"
    await until(lambda: nvim.eval(f"execute('messages') =~# '{said}'"), said)
    assert path.read_text() == theirs
    await cli.send("PostToolUse", **tool)
    both = "mine\n" + theirs
    await holds(nvim, both)
    await writes(nvim, path, both)


async def test_an_autosave_after_insert_mode_just_after_the_agents_write_waits(
    nvim: Editor, cli: HookedCli, path: Path
) -> None:
    # It is not nested: no `BufWritePre` runs.
    await nvim.command("autocmd InsertLeave * silent! write")
    await nvim.keys("Omine")
    await until(lambda: nvim.eval("getline(1) ==# 'mine'"))
    theirs = BEFORE.replace("four", "FOURTH")
    tool = {"tool_name": "Edit", "tool_use_id": "t", "tool_input": {"file_path": str(path)}}
    await cli.send("PreToolUse", **tool)
    lines = theirs.replace("\n", " ")
    # The host has no time to look between the two.
    await nvim.keys(f"\x12=writefile(split('{lines}'), '{path}')\r\x1b")

    await until(lambda: nvim.eval("mode() ==# 'n' && getline(1) ==# 'mine0'"), "Normal mode")
    assert (path.read_text(), QUESTION in nvim.screen.text()) == (theirs, False)
    await cli.send("PostToolUse", **tool)
    await holds(nvim, "mine0\n" + theirs)
    await nvim.keys("Oalso\x1b")
    await until(lambda: path.read_text() == "also\nmine0\n" + theirs, "it is saved")


async def is_known(nvim: Editor, path: Path) -> bool:
    """Return whether the unsaved changes count as based on the present file."""
    known = await run(nvim, "file.disk.read_stamp", await nvim.eval("bufnr()"))
    return bool(known == await run(nvim, "file.disk.stamp", str(path)))


async def test_what_an_autosave_writes_while_a_command_runs_is_the_users(
    nvim: Editor, cli: HookedCli, path: Path
) -> None:
    # It is not nested: no `BufWritePost` runs.
    await nvim.command("autocmd InsertLeave * silent! write")
    tool = {"tool_name": "Bash", "tool_use_id": "b", "tool_input": {"command": "x"}}
    await cli.send("PreToolUse", **tool)
    await nvim.keys("ccmine\x1b")
    await until(lambda: path.read_text() == BEFORE.replace("one", "mine"), "it is saved")
    # The user types on.
    await nvim.keys("ofurther")
    await until(lambda: is_known(nvim, path), "the editor knows of the write")
    other = path.with_name("b.py")
    other.write_text("theirs\n")
    await cli.send("PostToolUse", **tool)

    await until(lambda: nvim.eval("claude_ide#review().files"), "what the command wrote")
    assert [each["path"] for each in await nvim.eval("claude_ide#review().files")] == [str(other)]
    # Autosaving goes on.
    await nvim.keys("\x1b")
    await until(lambda: "further" in path.read_text(), "it is saved")
    await until(lambda: is_known(nvim, path), "the editor knows of the write")
    await nvim.keys("omore\x1b")
    await until(lambda: "more" in path.read_text(), "it is saved")


def edits(path: Path) -> tuple[str, dict[str, Any]]:
    """Return what an edit makes of a file, and what the tool reports of it."""
    place = {"oldStart": 4, "oldLines": 1, "newStart": 4, "newLines": 1}
    patch = {**place, "lines": ["-four", "+FOURTH"]}
    report = {"filePath": str(path), "originalFile": BEFORE, "structuredPatch": [patch]}
    return BEFORE.replace("four", "FOURTH"), report


@pytest.mark.parametrize("is_reported", [False, True])
async def test_an_autosave_over_what_the_agent_has_just_written_loses_nothing(
    nvim: Editor, cli: HookedCli, path: Path, is_reported: bool
) -> None:
    await nvim.command("autocmd TextChanged * silent! write")
    tool = {"tool_name": "Edit", "tool_use_id": "t", "tool_input": {"file_path": str(path)}}
    theirs, report = edits(path)
    await cli.send("PreToolUse", **tool)
    # The host has no time to look before the autosave, about which the editor asks.
    lines = theirs.replace("\n", " ")
    await nvim.keys(f":call writefile(split('{lines}'), '{path}')\rx")
    if is_reported:
        await cli.send("PostToolUse", **tool, tool_response=report)
    await on_screen(nvim, QUESTION)
    await nvim.keys("y")
    # The messages have several lines.
    await on_screen(nvim, "33B written")
    await nvim.keys("\r")
    if not is_reported:
        await until(lambda: path.read_text().startswith("ne"), "it is saved")
        await cli.send("PostToolUse", **tool, tool_response=report)

    both = theirs.removeprefix("o")
    await until(lambda: is_text(nvim, both), "both")
    await until(lambda: nvim.eval("execute('messages') =~# 'a.py: saved over what Claude wrote'"))
    # The editor may be saving it again.
    await until(lambda: path.read_text() == both, "the file has both")
    # What the agent has written waits, and nothing else.
    await drawn(nvim, "4-four", "4+1")


async def test_a_write_of_another_program_is_not_merged(
    nvim: Editor, cli: HookedCli, path: Path
) -> None:
    await edit(cli, path, lambda: replace(path, "four", "FOUR"))
    theirs = BEFORE.replace("four", "FOUR")
    await holds(nvim, theirs)
    await nvim.keys("ccmine\x1b")
    await until(lambda: nvim.eval("getline(1) ==# 'mine'"))
    path.write_text(theirs.replace("six", "SIX"))

    await on_screen(nvim, "a.py changed on disk; unsaved changes kept")
    await holds(nvim, theirs.replace("one", "mine"))
