"""`next_command.vim` and `plugin/`: a command after `|`, typed by a user."""

from typing import Any

import pytest

from support.neovim import until
from support.vim import Vim

NEXT = "let g:next = get(g:, 'next', 0) + 1"
COMMANDS = {"TestText": "AfterText", "TestWords": "AfterArguments"}


@pytest.fixture
async def recording(vim: Vim) -> Vim:
    """A Vim with commands that only record how they were called."""
    await vim.command(
        "let g:ran = [] | function! g:Record(given, lines, bang) abort\n"
        "call add(g:ran, [a:given, a:lines, a:bang])\n"
        "endfunction"
    )
    for name, function in COMMANDS.items():
        await vim.command(
            f"command! -range -nargs=* -bang {name} call claude_ide#next_command#{function}("
            "'g:Record', <q-args>, <range> ? [<line1>, <line2>] : [], <bang>0)"
        )
    return vim


async def typed(vim: Vim, line: str) -> Any:
    """Type a command line; return how our command was called."""
    await vim.keys(f":{line.replace('<', '<lt>')}<CR>")
    ran = await until(lambda: vim.eval("g:ran"), f"{line} has run")
    assert len(ran) == 1
    return ran[0]


@pytest.mark.parametrize("bar", [" | ", "|", " |"])
@pytest.mark.parametrize(("name", "nothing"), [("TestText", ""), ("TestWords", [])])
async def test_another_command_can_follow(
    recording: Vim, name: str, nothing: Any, bar: str
) -> None:
    assert await typed(recording, f"{name}{bar}{NEXT}") == [nothing, [], 0]
    assert await recording.eval("g:next") == 1


async def test_the_range_and_the_bang_are_passed_on(recording: Vim) -> None:
    await recording.command("call setline(1, ['one', 'two', 'three'])")

    assert await typed(recording, "2,3TestText! shorter") == ["shorter", [2, 3], 1]


async def test_free_text_can_contain_a_bar(recording: Vim) -> None:
    called = await typed(recording, 'TestText what does a | b do, or "a || b"?')

    assert called[0] == 'what does a | b do, or "a || b"?'


@pytest.mark.parametrize(
    ("arguments", "passed"),
    [
        (r"a\|b", ["a|b"]),
        (r"--x=\| y", ["--x=|", "y"]),
        ('--x "a | b"', ["--x", '"a', "|", 'b"']),
        ("--x='a|b'", ["--x='a|b'"]),
        ('ä "a | b"', ["ä", '"a', "|", 'b"']),
        (r"a\ b\\ c", ["a b\\", "c"]),
    ],
)
async def test_a_quoted_bar_is_an_argument(
    recording: Vim, arguments: str, passed: list[str]
) -> None:
    assert (await typed(recording, f"TestWords {arguments}"))[0] == passed


@pytest.mark.parametrize(
    ("line", "passed"),
    [
        (f"TestWords --resume | {NEXT}", ["--resume"]),
        (f"TestWords don't stop | {NEXT}", ["don't", "stop"]),
        (f"TestWords 'tis open | {NEXT}", ["'tis", "open"]),
        (f"TestWords | {NEXT} | {NEXT}", []),
    ],
)
async def test_an_unquoted_bar_is_never_an_argument(
    recording: Vim, line: str, passed: list[str]
) -> None:
    assert (await typed(recording, line))[0] == passed
    assert await recording.eval("g:next") == line.count(NEXT)


@pytest.mark.parametrize("name", COMMANDS)
async def test_an_error_in_the_next_command_is_shown_in_one_line(recording: Vim, name: str) -> None:
    await typed(recording, f"{name} | nosuchcommand")

    said = "claude-ide: Not an editor command: nosuchcommand"
    await until(lambda: said in recording.screen.text(), "the reason")
    assert not (await recording.mode())["blocking"]
