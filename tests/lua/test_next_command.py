"""`next_command` and `plugin/`: a command after `|`, typed by a user."""

from typing import Any

import pytest

from support.chunks import chunk
from support.either_editor import BOTH, Editor, on_screen
from support.neovim import ROOT, Neovim, until
from support.vim import Vim

COMMANDS = chunk("next_command/commands")
ARGUMENTS = {"ClaudeAdd": " a.txt", "ClaudeUninstall": " a"}
"""Those of the commands that need one."""
NEXT = "let g:next = get(g:, 'next', 0) + 1"
IN_VIM = {"ClaudeAsk": "AfterText", "Claude": "AfterArguments"}
"""One command of each kind, and what its command line goes through."""


@pytest.fixture
async def recording(nvim: Editor) -> Editor:
    """An editor in which our commands, in Vim two of them, only record how they were called."""
    if not isinstance(nvim, Vim):
        await nvim.lua(COMMANDS)
        return nvim
    await nvim.command("let g:ran = []")
    for name, function in IN_VIM.items():
        given = "a:given, []" if function == "AfterText" else "'', a:given"
        await nvim.command(
            f"function! g:Record{name}(given, lines, bang) abort\n"
            f"call add(g:ran, ['{name}', {given}, a:lines, a:bang])\nendfunction"
        )
        await nvim.command(
            f"command! -range -nargs=* -bang {name} call claude_ide#next_command#{function}("
            f"'g:Record{name}', <q-args>, <range> ? [<line1>, <line2>] : [], <bang>0)"
        )
    return nvim


async def calls(editor: Editor) -> list[Any]:
    """Return the calls of our commands: the name, the text, the words."""
    ran = editor.eval("g:ran") if isinstance(editor, Vim) else editor.lua("return _G.ran")
    return list(await ran)


async def typed(editor: Editor, line: str) -> Any:
    """Type a command line; return how our command was called."""
    await editor.keys(f":{line.replace('<', '<lt>')}<CR>")
    ran = await until(lambda: calls(editor), f"{line} has run")
    assert len(ran) == 1
    return ran[0]


def all_commands() -> list[str]:
    source = (ROOT / "plugin/claude_ide.lua").read_text(encoding="utf-8")
    return [part.split("'")[0] for part in source.split("\ncommand('")[1:]]


@pytest.mark.parametrize("bar", [" | ", "|", " |"])
@pytest.mark.parametrize(
    ("nvim", "name"),
    [*(("neovim", name) for name in all_commands()), *(("vim", name) for name in IN_VIM)],
    indirect=["nvim"],
)
async def test_another_command_can_follow_each_of_our_commands(
    recording: Editor, name: str, bar: str
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


@pytest.mark.parametrize("nvim", ["vim"], indirect=True)
async def test_the_range_and_the_bang_are_passed_on(recording: Vim) -> None:
    await recording.command("call setline(1, ['one', 'two', 'three'])")

    called = await typed(recording, "2,3ClaudeAsk! shorter")

    assert called == ["ClaudeAsk", "shorter", [], [2, 3], 1]


@pytest.mark.parametrize(
    ("nvim", "name"),
    [
        *(("neovim", name) for name in ("ClaudeAsk", "ClaudeEdit", "ClaudeReject")),
        ("vim", "ClaudeAsk"),
    ],
    indirect=["nvim"],
)
async def test_free_text_can_contain_a_bar(recording: Editor, name: str) -> None:
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


@BOTH
@pytest.mark.parametrize(
    ("arguments", "passed"),
    [
        (r"a\|b", ["a|b"]),
        (r"--x=\| y", ["--x=|", "y"]),
        ('--x "a | b"', ["--x", '"a', "|", 'b"']),
        ("--x='a|b'", ["--x='a|b'"]),
        ('ä "a | b"', ["ä", '"a', "|", 'b"']),
        (r"a\ b", ["a b"]),
        ('"fix it"', ['"fix', 'it"']),
    ],
)
async def test_a_quoted_bar_is_an_argument_of_the_cli(
    recording: Editor, arguments: str, passed: list[str]
) -> None:
    assert (await typed(recording, f"Claude {arguments}"))[2] == passed


@pytest.mark.parametrize(
    ("nvim", "line", "passed"),
    [
        *(
            (editor, f"Claude{line}", passed)
            for editor in ("neovim", "vim")
            for line, passed in (
                (f" --resume | {NEXT}", ["--resume"]),
                (f" don't stop | {NEXT}", ["don't", "stop"]),
                (f" 'tis open | {NEXT}", ["'tis", "open"]),
                (f" | {NEXT} | {NEXT}", []),
            )
        ),
        ("neovim", f"ClaudeChat mode plan | {NEXT}", ["mode", "plan"]),
    ],
    indirect=["nvim"],
)
async def test_an_unquoted_bar_is_never_an_argument(
    recording: Editor, line: str, passed: list[str]
) -> None:
    assert (await typed(recording, line))[2] == passed
    assert await recording.eval("g:next") == line.count(NEXT)


@pytest.mark.parametrize(
    ("nvim", "name"),
    [
        *(("neovim", name) for name in ("Claude", "ClaudeChat", "ClaudeReject")),
        *(("vim", name) for name in IN_VIM),
    ],
    indirect=["nvim"],
)
async def test_an_error_in_the_next_command_is_shown_in_one_line(
    recording: Editor, name: str
) -> None:
    await typed(recording, f"{name} | nosuchcommand")

    await on_screen(recording, "Not an editor command: nosuchcommand")
    assert "Press ENTER" not in recording.screen.text()
    assert not (await recording.mode())["blocking"]


async def test_several_of_our_commands_in_one_line_all_run(nvim: Neovim) -> None:
    await nvim.lua(COMMANDS)

    await nvim.keys(":ClaudeStop | ClaudeStart | Claude --resume | ClaudeStatus<CR>")

    await until(lambda: nvim.lua("return #_G.ran == 4"), "all have run")
    ran = await nvim.lua("return _G.ran")
    assert [name for name, *_ in ran] == ["ClaudeStop", "ClaudeStart", "Claude", "ClaudeStatus"]
