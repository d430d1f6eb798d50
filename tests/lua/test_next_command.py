"""`next_command.lua` and `plugin/`: a command after `|`, typed by a user."""

from typing import Any

import pytest

from support.chunks import chunk
from support.neovim import ROOT, Neovim, until

COMMANDS = chunk("next_command/commands")
ARGUMENTS = {"ClaudeAdd": " a.txt", "ClaudeUninstall": " a"}
"""Those of the commands that need one."""
NEXT = "let g:next = get(g:, 'next', 0) + 1"


@pytest.fixture
async def recording(nvim: Neovim) -> Neovim:
    """A Neovim in which our commands only record how they were called."""
    await nvim.lua(COMMANDS)
    return nvim


async def typed(nvim: Neovim, line: str) -> Any:
    """Type a command line; return how our command was called."""
    await nvim.keys(f":{line.replace('<', '<lt>')}<CR>")
    await until(lambda: nvim.lua("return #_G.ran > 0"), f"{line} has run")
    ran = await nvim.lua("return _G.ran")
    assert len(ran) == 1
    return ran[0]


def all_commands() -> list[str]:
    source = (ROOT / "plugin/claude_ide.lua").read_text(encoding="utf-8")
    return [part.split("'")[0] for part in source.split("\ncommand('")[1:]]


@pytest.mark.parametrize("bar", [" | ", "|", " |"])
@pytest.mark.parametrize("name", all_commands())
async def test_another_command_can_follow_each_of_our_commands(
    recording: Neovim, name: str, bar: str
) -> None:
    argument = ARGUMENTS.get(name, "")

    called = await typed(recording, f"{name}{argument}{bar}{NEXT}")

    assert called[0] == name
    assert "|" not in called[1]
    assert await recording.eval("get(g:, 'next')") == 1
    assert not (await recording.mode())["blocking"]


@pytest.mark.parametrize("name", all_commands())
async def test_each_of_our_commands_accepts_a_range(recording: Neovim, name: str) -> None:
    await recording.command("call setline(1, ['one', 'two', 'three'])")
    argument = ARGUMENTS.get(name, "")

    await recording.keys("ggVj")
    assert (await typed(recording, f"{name}{argument}"))[0] == name


@pytest.mark.parametrize("name", ["ClaudeAsk", "ClaudeEdit", "ClaudeReject"])
async def test_free_text_can_contain_a_bar(recording: Neovim, name: str) -> None:
    called = await typed(recording, f'{name} what does a | b do, or "a || b"?')

    assert called[:2] == [name, 'what does a | b do, or "a || b"?']


@pytest.mark.parametrize("word", ["aside", "rename"])
async def test_free_text_of_the_chat_can_contain_a_bar(recording: Neovim, word: str) -> None:
    called = await typed(recording, f"ClaudeChat {word} what does a | b do")

    assert called[1] == f"{word} what does a | b do"
    assert called[2] == [word, "what", "does", "a", "|", "b", "do"]


async def test_free_text_of_the_chat_cannot_begin_with_a_bar(recording: Neovim) -> None:
    called = await typed(recording, f"ClaudeChat aside | {NEXT}")

    assert called[1:] == ["aside", ["aside"]]
    assert await recording.eval("g:next") == 1


@pytest.mark.parametrize(
    ("arguments", "passed"),
    [
        (r"a\|b", ["a|b"]),
        (r"--x=\| y", ["--x=|", "y"]),
        ('--x "a | b"', ["--x", '"a', "|", 'b"']),
        ("--x='a|b'", ["--x='a|b'"]),
        (r"a\ b", ["a b"]),
        ('"fix it"', ['"fix', 'it"']),
    ],
)
async def test_a_quoted_bar_is_an_argument_of_the_cli(
    recording: Neovim, arguments: str, passed: list[str]
) -> None:
    assert (await typed(recording, f"Claude {arguments}"))[2] == passed


@pytest.mark.parametrize(
    ("line", "passed"),
    [
        (f"Claude --resume | {NEXT}", ["--resume"]),
        (f"Claude don't stop | {NEXT}", ["don't", "stop"]),
        (f"Claude 'tis open | {NEXT}", ["'tis", "open"]),
        (f"Claude | {NEXT} | {NEXT}", []),
        (f"ClaudeChat mode plan | {NEXT}", ["mode", "plan"]),
    ],
)
async def test_an_unquoted_bar_is_never_an_argument(
    recording: Neovim, line: str, passed: list[str]
) -> None:
    assert (await typed(recording, line))[2] == passed
    assert await recording.eval("g:next") == line.count(NEXT)


@pytest.mark.parametrize("name", ["Claude", "ClaudeChat", "ClaudeReject"])
async def test_an_error_in_the_next_command_is_shown_in_one_line(
    recording: Neovim, name: str
) -> None:
    await typed(recording, f"{name} | edit! /no/such | write")

    await until(lambda: "E212: Can't open file" in recording.screen.text(), "the error")
    assert "Press ENTER" not in recording.screen.text()


async def test_several_of_our_commands_in_one_line_all_run(nvim: Neovim) -> None:
    await nvim.lua(COMMANDS)

    await nvim.keys(":ClaudeStop | ClaudeStart | Claude --resume | ClaudeStatus<CR>")

    await until(lambda: nvim.lua("return #_G.ran == 4"), "all have run")
    ran = await nvim.lua("return _G.ran")
    assert [name for name, *_ in ran] == ["ClaudeStop", "ClaudeStart", "Claude", "ClaudeStatus"]
