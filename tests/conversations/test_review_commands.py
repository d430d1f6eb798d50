"""Commands of the review that are called at once, before the host has done the first of them."""

from pathlib import Path

import pytest

from support.either_editor import BOTH, Editor, on_screen
from support.neovim import until
from support.reviewing import drawn
from support.reviews import Agent, make_repository, put, start_cli

pytestmark = BOTH

BEFORE = "one\ntwo\nthree\nfour\nfive\n"
AFTER = BEFORE.replace("one\n", "one\nA\nB\n").replace("three\n", "").replace("five", "FIVE")


@pytest.fixture
async def agent(nvim: Editor, path: Path, tmp_path: Path) -> Agent:
    """A CLI in the terminal of `:Claude`; the user is in one of two files of a repository."""
    for each in (path, path.with_name("b.py")):
        put(each, BEFORE)
    make_repository(path.parent)
    agent = Agent(await start_cli(nvim, tmp_path), path.parent)
    await agent.write({path: AFTER, path.with_name("b.py"): AFTER})
    await drawn(nvim, "2+2", "5-three", "6-five", "6+1")
    return agent


async def reads(path: Path, text: str) -> None:
    await until(lambda: path.read_text() == text, f"{text!r}")


async def waits(nvim: Editor, *names: str) -> None:
    """Wait until these files wait."""
    found = "map(copy(claude_ide#review().files), {_, v -> fnamemodify(v.path, ':t')})"
    await until(lambda: nvim.eval(f"sort({found}) ==# {sorted(names)!r}"), f"{names} wait")


async def test_a_command_means_the_line_at_which_it_was_called(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    await nvim.command("6 | ClaudeRevert | 2")
    await reads(path, AFTER.replace("FIVE", "five"))
    await nvim.command("undo | write")
    await drawn(nvim, "2+2", "5-three", "6-five", "6+1")

    # The first one moves the lines of the others.
    await nvim.command("2,3ClaudeRevert | 6ClaudeRevert")
    await reads(path, BEFORE.replace("three\n", ""))
    await nvim.command("3 | ClaudeComment why? | 1")
    await until(lambda: nvim.eval("len(claude_ide#review().remarks) == 1"), "the remark")
    assert await nvim.eval("claude_ide#review().remarks[0].first == 3")


@pytest.mark.parametrize(
    ("argument", "reason"),
    [(" 0", "not an argument: 0 (all,"), ("! 3", "! means the whole file: without 3,")],
)
async def test_a_wrong_number_decides_about_nothing(
    nvim: Editor, path: Path, agent: Agent, argument: str, reason: str
) -> None:
    await nvim.command(f"2 | ClaudeRevert{argument}")

    await on_screen(nvim, reason)
    assert path.read_text() == AFTER


async def test_only_the_first_word_of_a_review_is_completed_as_a_subcommand(
    nvim: Editor, path: Path
) -> None:
    put(path.with_name("my tale.txt"), BEFORE)
    path.unlink(missing_ok=True)

    async def completed(typed: str) -> list[str]:
        return list(await nvim.call("getcompletion", f"ClaudeReview {typed}", "cmdline"))

    words = ["base", "clear", "send", "session", "turn", "undo", "yank"]
    assert await completed("") == [*words, "my\\ tale.txt"]
    assert await completed("my") == await completed("turn ") == ["my\\ tale.txt"]
    assert await completed("base HEAD my\\ ") == ["my\\ tale.txt"]
    assert await completed("undo ") == await completed("base ") == []


async def test_commands_for_each_file_and_for_each_item_of_the_list(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    other = path.with_name("b.py")
    # Vim unloads the buffers that it leaves.
    await nvim.command("silent args a.py b.py | silent argdo ClaudeKeep!")
    await waits(nvim)
    for left in (["b.py"], ["a.py", "b.py"]):
        await nvim.command("ClaudeReview undo")
        await waits(nvim, *left)
    await nvim.command("silent argdo ClaudeRevert! | update")
    await waits(nvim)
    assert path.read_text() == other.read_text() == BEFORE

    await agent.write({path: AFTER, other: AFTER})
    await waits(nvim, "a.py", "b.py")
    await nvim.command("ClaudeReview")
    await until(lambda: nvim.eval("&buftype ==# 'quickfix' && line('$') == 6"), "the list")
    await nvim.command("silent cdo ClaudeRevert")
    await waits(nvim)
    await reads(path, BEFORE)
    await reads(other, BEFORE)


async def test_the_first_key_in_the_buffer_of_a_remark_is_its_first_letter(
    nvim: Editor, path: Path
) -> None:
    put(path, BEFORE)
    await nvim.command("edit a.py")
    await nvim.keys(":2ClaudeComment<CR>")
    await on_screen(nvim, "Remark on a.py:2")

    await nvim.keys("drop this<Esc>:w<CR>")

    words = "map(copy(claude_ide#review().remarks), {_, each -> each.words})"
    await until(lambda: nvim.eval(f"{words} ==# ['drop this']"), "the remark")


async def test_a_remark_has_its_words_as_typed_and_no_following_command(
    nvim: Editor, path: Path
) -> None:
    put(path, BEFORE)
    await nvim.command("edit a.py")
    await nvim.command(r"2ClaudeComment is C:\\a  or a | b? ")
    await until(lambda: nvim.eval("len(claude_ide#review().remarks) == 1"), "the remark")
    assert await nvim.eval("claude_ide#review().remarks[0].words") == r"is C:\\a  or a | b?"

    await nvim.command("2ClaudeComment! | let g:next = 1")

    assert await nvim.eval("get(g:, 'next', 0)") == 1
    await until(lambda: nvim.eval("empty(claude_ide#review().remarks)"), "no remark")
