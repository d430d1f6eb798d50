"""`chat/transcript/shell.lua`: the command of a request is coloured.

Neovim has no parser of shell commands, so some of these tests have it use its parser of Lua.
"""

from typing import Any

import pytest

from support.chats import Chats, edit
from support.chunks import chunk
from support.neovim import Neovim

HEAD = "? Run this command?  "
GROUP = "ClaudeChatShell"
REGISTER = "vim.treesitter.language.register('lua', 'sh')"


@pytest.fixture
async def chats(nvim: Neovim) -> Chats:
    """A chat in a Neovim with a parser of commands."""
    await nvim.lua(REGISTER)
    chats = await Chats.start(nvim)
    await chats.open()
    return chats


async def draw(chats: Chats, *lines: str, code: str = "") -> None:
    """Draw a request; the command is in its first line, or in the lines that begin with a bar."""
    marks: list[Any] = []
    for row, line in enumerate(lines):
        first = len((HEAD if row == 0 else "  │ ").encode())
        if row or code:
            marks.append([row, first, row, first + len((code or line[4:]).encode()), GROUP])
    await chats.draw(edit(0, 0, lines, marks, [[0, 1, "request"]]))


async def colours(chats: Chats) -> list[list[Any]]:
    found: list[list[Any]] = await chats.nvim.lua(chunk("chat_shell/colours"))
    return found


async def test_a_command_in_the_question_is_coloured(chats: Chats) -> None:
    await draw(chats, f'{HEAD}return "x"', code='return "x"')

    first = len(HEAD)
    assert [0, first, first + 6, "@keyword.return.lua"] in await colours(chats)
    assert [0, first + 7, first + 10, "@string.lua"] in await colours(chats)
    assert max(last for _, _, last, _ in await colours(chats)) == first + 10


async def test_a_text_that_continues_in_the_next_row_is_coloured_in_both(chats: Chats) -> None:
    await draw(chats, "? Run this command?", '  │ return "a b', '  ┊ c" -- d', "  │ -- e")

    found = await colours(chats)

    assert [1, 13, 17, "@string.lua"] in found
    assert [2, 6, 8, "@string.lua"] in found
    assert [2, 9, 13, "@comment.lua"] in found
    assert [3, 6, 10, "@comment.lua"] in found


async def test_the_colours_follow_a_command_that_is_drawn_again(chats: Chats) -> None:
    await draw(chats, "? Run this command?", "  │ -- e")

    marks = [[0, 6, 0, 14, GROUP]]
    await chats.draw(edit(1, 2, ["  │ return 1"], marks))

    assert [each[3] for each in await colours(chats) if each[3] == "@comment.lua"] == []
    assert [1, 6, 12, "@keyword.return.lua"] in await colours(chats)


@pytest.mark.parametrize("text", ["-- x\x9b", f"-- {'x' * 5000}", "return " + "(" * 600])
async def test_a_dangerous_or_long_command_is_not_parsed(chats: Chats, text: str) -> None:
    await draw(chats, "? Run this command?", f"  │ {text}")

    assert await colours(chats) == []


@pytest.fixture
async def bare(nvim: Neovim) -> Chats:
    """A chat in a Neovim without a parser of commands."""
    chats = await Chats.start(nvim)
    await chats.open()
    return chats


async def words(chats: Chats, command: str) -> dict[str, str]:
    """Draw a command without a parser; return its coloured words with their colours."""
    await draw(chats, "? Run this command?", *(f"  │ {line}" for line in command.split("\n")))
    lines = [line.encode() for line in await chats.lines()]
    return {
        lines[row][first:last].decode(): group.removeprefix("@").removesuffix(".bash")
        for row, first, last, group in await colours(chats)
    }


async def test_without_a_parser_the_words_of_a_command_are_coloured(bare: Chats) -> None:
    found = await words(bare, """FOO=1 git push -f "$x; y" '#' a#b && rm $dir >out 2>&1 # all""")

    assert found == {
        "FOO=1": "variable",
        "git": "function.call",
        "-f": "constant",
        '"$x; y"': "string",
        "'#'": "string",
        "&&": "operator",
        "rm": "function.call",
        "$dir": "variable",
        ">": "operator",
        "2>&": "operator",
        "# all": "comment",
    }


async def test_a_program_after_a_keyword_or_an_operator_is_found(bare: Chats) -> None:
    found = await words(bare, "for f in $(ls); do wc -l; done | sort\nif a; then b; fi")

    assert [word for word, group in found.items() if group == "function.call"] == [
        *("ls", "wc", "sort", "a", "b"),
    ]
    keywords = {word for word, group in found.items() if group == "keyword"}
    assert keywords == {"for", "do", "done", "if", "then", "fi"}


async def test_a_here_document_is_a_string(bare: Chats) -> None:
    found = await words(bare, "cat <<'EOF' >x\nrm -rf y\nEOF\nls")

    assert (found["rm -rf y"], found["EOF"], found["ls"]) == ("string", "string", "function.call")


@pytest.mark.parametrize(
    "command", ["echo 'x", 'echo "\\"', "echo $(", "cat <<E", "\\", "a\\", "$"]
)
async def test_an_incomplete_command_is_no_error(bare: Chats, command: str) -> None:
    await words(bare, command)

    assert (await bare.lines())[1:] == [f"  │ {command}"]
